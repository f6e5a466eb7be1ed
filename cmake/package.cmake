# What goes onto a robot, for `cmake --install`: the lean modules as one static library, their headers, darp.h, a CMake package with the target
# darp::runtime, and a pkg-config file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The modules' own objects: compiled once, with the flags of their folders, none of which reach the user.
add_library(darp_package STATIC)
foreach(module core kernels data retrieval policy runtime)
  target_sources(darp_package PRIVATE $<TARGET_OBJECTS:darp_${module}>)
  file(GLOB headers CONFIGURE_DEPENDS darp/${module}/*.h)
  list(FILTER headers EXCLUDE REGEX "/strict_json\\.h$")  # for our own sources: it needs nlohmann's header
  install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/darp/${module})
endforeach()
install(FILES include/darp.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set_target_properties(darp_package PROPERTIES OUTPUT_NAME darp EXPORT_NAME runtime LINKER_LANGUAGE CXX)
target_compile_features(darp_package INTERFACE cxx_std_20)
target_link_libraries(darp_package PUBLIC fmt::fmt Threads::Threads PRIVATE yaml-cpp PkgConfig::hwy)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/darp)
install(TARGETS darp_package EXPORT darpTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT darpTargets NAMESPACE darp:: DESTINATION ${package_dir})
configure_package_config_file(cmake/darpConfig.cmake.in package/darpConfig.cmake INSTALL_DESTINATION ${package_dir}
                              NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(package/darpConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/package/darpConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/package/darpConfigVersion.cmake
        DESTINATION ${package_dir})

# Says where things are from where it lies itself, so that the installed folder may move.
file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" prefix_from_pc ${prefix_from_pc})
configure_file(cmake/darp.pc.in package/darp.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/package/darp.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
