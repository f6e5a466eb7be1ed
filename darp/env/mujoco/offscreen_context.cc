#include "darp/env/mujoco/offscreen_context.h"

#include <dlfcn.h>
#define EGL_NO_X11  // a window system's headers need not be there
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <string>
#include <string_view>

#include "darp/core/error.h"

namespace darp {
namespace {

[[noreturn]] void fail_to_draw(std::string_view what) {
  throw Error(
      "pictures of MuJoCo's scenes", what,
      "apt-get install libegl1 libgl1 libegl-mesa0 libgl1-mesa-dri, or run without pictures "
      "and videos");
}

/// libEGL's functions, and the one display that all contexts share: EGL does not count who uses it,
/// so it stays until the program ends.
struct Egl {
  Egl();

  template <typename F>
  void find(F*& function, const char* name) {
    function = reinterpret_cast<F*>(::dlsym(library, name));
    if (function == nullptr) fail_to_draw(fmt::format("libEGL.so.1 has no {}", name));
  }
  /// Sets the display if it works there.
  bool initialize(EGLDisplay candidate);
  void choose_config();
  [[noreturn]] void fail(std::string_view what) const {
    fail_to_draw(fmt::format("{} (EGL error 0x{:x})", what, static_cast<unsigned>(get_error())));
  }

  void* library = nullptr;
  decltype(&::eglGetProcAddress) get_proc_address = nullptr;
  decltype(&::eglGetError) get_error = nullptr;
  decltype(&::eglQueryString) query_string = nullptr;
  decltype(&::eglGetDisplay) get_display = nullptr;
  decltype(&::eglInitialize) initialize_display = nullptr;
  decltype(&::eglBindAPI) bind_api = nullptr;
  decltype(&::eglChooseConfig) choose_configs = nullptr;
  decltype(&::eglCreatePbufferSurface) create_surface = nullptr;
  decltype(&::eglDestroySurface) destroy_surface = nullptr;
  decltype(&::eglCreateContext) create_context = nullptr;
  decltype(&::eglDestroyContext) destroy_context = nullptr;
  decltype(&::eglMakeCurrent) make_current = nullptr;
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLConfig config = nullptr;
};

Egl::Egl() : library(::dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL)) {
  if (library == nullptr) {
    const char* why = ::dlerror();
    fail_to_draw(fmt::format("libEGL cannot be loaded: {}", why == nullptr ? "" : why));
  }
  find(get_proc_address, "eglGetProcAddress");
  find(get_error, "eglGetError");
  find(query_string, "eglQueryString");
  find(get_display, "eglGetDisplay");
  find(initialize_display, "eglInitialize");
  find(bind_api, "eglBindAPI");
  find(choose_configs, "eglChooseConfig");
  find(create_surface, "eglCreatePbufferSurface");
  find(destroy_surface, "eglDestroySurface");
  find(create_context, "eglCreateContext");
  find(destroy_context, "eglDestroyContext");
  find(make_current, "eglMakeCurrent");
  // Mesa's platform without any window system comes first: it needs neither display nor GPU.
  const auto get_platform_display = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(
      get_proc_address("eglGetPlatformDisplayEXT"));
  const char* extensions = query_string(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  const bool surfaceless =
      get_platform_display != nullptr && extensions != nullptr &&
      std::string_view(extensions).find("EGL_MESA_platform_surfaceless") != std::string_view::npos;
  if (!(surfaceless && initialize(get_platform_display(EGL_PLATFORM_SURFACELESS_MESA,
                                                       EGL_DEFAULT_DISPLAY, nullptr))) &&
      !initialize(get_display(EGL_DEFAULT_DISPLAY)))
    fail("EGL finds no driver");
  choose_config();
}

bool Egl::initialize(EGLDisplay candidate) {
  if (candidate == EGL_NO_DISPLAY || !initialize_display(candidate, nullptr, nullptr)) return false;
  display = candidate;
  return true;
}

void Egl::choose_config() {
  const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                           EGL_NONE};
  EGLint found = 0;
  if (!choose_configs(display, wanted, &config, 1, &found) || found < 1)
    fail("EGL's driver has no OpenGL that draws into memory");
}

// A failure is not remembered: the next attempt looks again.
const Egl& egl() {
  static const Egl loaded;
  return loaded;
}

// What MuJoCo ends the program for where it is missing, looked at beforehand.
void check_opengl() {
  using GetString = const unsigned char*(unsigned);
  const auto get_string = reinterpret_cast<GetString*>(egl().get_proc_address("glGetString"));
  constexpr unsigned kVersion = 0x1f02, kExtensions = 0x1f03;
  const auto text = [&](unsigned which) {
    const unsigned char* found = get_string == nullptr ? nullptr : get_string(which);
    return std::string(found == nullptr ? "" : reinterpret_cast<const char*>(found));
  };
  const std::string version = text(kVersion), extensions = text(kExtensions);
  if (version.empty()) fail_to_draw("EGL's driver gives no OpenGL");
  for (const char* name : {"GL_ARB_framebuffer_object", "GL_ARB_vertex_buffer_object"})
    if (extensions.find(name) == std::string::npos)
      fail_to_draw(fmt::format("OpenGL {} has no {}", version, name));
}

}  // namespace

OffscreenContext::OffscreenContext() {
  const Egl& api = egl();
  // EGL keeps the choice of OpenGL for each thread.
  if (!api.bind_api(EGL_OPENGL_API)) api.fail("EGL's driver has no OpenGL");
  // Pictures go to a framebuffer of MuJoCo's; this one exists because older drivers insist.
  const EGLint size[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
  surface_ = api.create_surface(api.display, api.config, size);
  if (surface_ == EGL_NO_SURFACE) api.fail("EGL makes no surface to draw on");
  context_ = api.create_context(api.display, api.config, EGL_NO_CONTEXT, nullptr);
  try {
    if (context_ == EGL_NO_CONTEXT) api.fail("EGL makes no OpenGL context");
    const Current current(*this);
    check_opengl();
  } catch (...) {
    if (context_ != EGL_NO_CONTEXT) api.destroy_context(api.display, context_);
    api.destroy_surface(api.display, surface_);
    throw;
  }
}

OffscreenContext::~OffscreenContext() {
  const Egl& api = egl();
  api.destroy_context(api.display, context_);
  api.destroy_surface(api.display, surface_);
}

OffscreenContext::Current::Current(const OffscreenContext& context) {
  const Egl& api = egl();
  if (!api.bind_api(EGL_OPENGL_API) ||
      !api.make_current(api.display, context.surface_, context.surface_, context.context_))
    api.fail("EGL cannot switch to its OpenGL context");
}

OffscreenContext::Current::~Current() {
  const Egl& api = egl();
  api.make_current(api.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
}

}  // namespace darp
