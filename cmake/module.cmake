# A folder is a module is a target: darp_module(core DEPENDS fmt::fmt) makes darp::core from the folder's *.cc files and
# core_test from its *_test.cc files. New files are picked up by themselves. NO_FOREIGN_BYTES: what it reads was checked by
# others, so `make test` does not run its tests a second time under sanitizers. WITH_SUBFOLDERS: folders below belong to it
# too; FOLDERS: these do. SEPARATE_SOURCES and SEPARATE_TESTS: compiled one by one even where DARP_UNITY puts several into one, because they include themselves again (Highway) or use the same names.
function(darp_module name)
  cmake_parse_arguments(ARG "NO_FOREIGN_BYTES;WITH_SUBFOLDERS;SEPARATE_SOURCES;SEPARATE_TESTS" "" "DEPENDS;PRIVATE;FOLDERS" ${ARGN})
  if(ARG_WITH_SUBFOLDERS)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cc)
  else()
    file(GLOB sources CONFIGURE_DEPENDS *.cc)
    foreach(folder ${ARG_FOLDERS})
      file(GLOB more CONFIGURE_DEPENDS ${folder}/*.cc)
      list(APPEND sources ${more})
    endforeach()
  endif()
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  add_library(darp_${name} STATIC ${sources})
  add_library(darp::${name} ALIAS darp_${name})
  target_link_libraries(darp_${name} PUBLIC darp_compiler ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE})
  if(DARP_UNITY AND NOT ARG_SEPARATE_SOURCES)
    set_target_properties(darp_${name} PROPERTIES UNITY_BUILD ON)
  endif()
  # The lean set is the same code with the same flags as in release, where all of its tests run: the runtime's suffice there.
  if(DARP_TESTS AND tests AND (NOT DARP_LEAN OR name STREQUAL "runtime"))
    if(NOT ARG_NO_FOREIGN_BYTES)
      set(labels robustness)
    endif()
    if(ARG_SEPARATE_TESTS)
      set(separate SEPARATE_SOURCES)
    endif()
    darp_test(${name}_test ${separate} SOURCES ${tests} DEPENDS darp::${name} ${ARG_PRIVATE} LABELS ${labels})
  endif()
endfunction()

# One GoogleTest program; each of its tests is a test of its own for CTest. What handles foreign bytes has the label
# `robustness`: `make test` builds those (target robustness_tests) and runs them under sanitizers too.
if(DARP_TESTS)
  add_custom_target(robustness_tests)
endif()
function(darp_test name)
  cmake_parse_arguments(ARG "SEPARATE_SOURCES" "" "SOURCES;DEPENDS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  if(DARP_UNITY AND NOT ARG_SEPARATE_SOURCES)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gtest GTest::gtest_main)
  # Tests take most of the time to compile and little to run: what they test is optimised, they need not be.
  target_compile_options(${name} PRIVATE -O1)
  if(DARP_UNITY)
    target_compile_options(${name} PRIVATE -g0)
  endif()
  target_compile_definitions(${name} PRIVATE DARP_SOURCE_DIR="${PROJECT_SOURCE_DIR}" DARP_BINARY_DIR="${CMAKE_BINARY_DIR}")
  if("robustness" IN_LIST ARG_LABELS)
    add_dependencies(robustness_tests ${name})
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300 LABELS "${ARG_LABELS}")
endfunction()

# Text files that travel inside a library: darp_embed(env hopper/hopper.xml) makes "darp/env/hopper/hopper.xml.h", which
# has `inline constexpr std::string_view kHopperXml`.
function(darp_embed name file)
  get_filename_component(stem ${file} NAME)
  string(REGEX REPLACE "[^a-zA-Z0-9]+" ";" words ${stem})
  set(symbol k)
  foreach(word ${words})
    string(SUBSTRING ${word} 0 1 first)
    string(SUBSTRING ${word} 1 -1 rest)
    string(TOUPPER ${first} first)
    string(APPEND symbol ${first}${rest})
  endforeach()
  file(READ ${file} text)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  set(header ${CMAKE_BINARY_DIR}/embedded/${path}.h)
  file(CONFIGURE OUTPUT ${header} @ONLY CONTENT
"#pragma once
#include <string_view>
namespace darp {
inline constexpr std::string_view @symbol@ = R\"embedded(@text@)embedded\";
}
")
  target_include_directories(darp_${name} PRIVATE ${CMAKE_BINARY_DIR}/embedded)
endfunction()
