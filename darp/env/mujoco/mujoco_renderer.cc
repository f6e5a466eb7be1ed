#include "darp/env/mujoco/mujoco_renderer.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "darp/core/error.h"
#include "darp/core/suggest.h"
#include "darp/env/mujoco/offscreen_context.h"

namespace darp {
namespace {

constexpr int kLargestPicture = 4096;

/// MuJoCo keeps OpenGL's functions in global variables and sets them anew for every context: not
/// while others draw.
std::shared_mutex& opengl_functions() {
  static std::shared_mutex mutex;
  return mutex;
}

int camera_id(const mjModel& model, std::string_view name) {
  // MuJoCo would find a camera without a name under the empty one.
  const int id = name.empty() ? -1 : mj_name2id(&model, mjOBJ_CAMERA, std::string(name).c_str());
  if (id >= 0) return id;
  std::vector<std::string> names;
  for (int i = 0; i < model.ncam; ++i) {
    const char* camera = mj_id2name(&model, mjOBJ_CAMERA, i);
    if (camera != nullptr) names.emplace_back(camera);
  }
  throw Error("", fmt::format("there is no camera '{}'", printable(name)),
              names.empty() ? "the model has no camera with a name" : suggestion(name, names));
}

}  // namespace

struct MujocoRenderer::Context {
  explicit Context(const mjModel& model) {
    mjr_defaultContext(&drawing);
    mjv_defaultScene(&scene);
    mjv_defaultOption(&option);
    // Whatever the model may show at once; were there too little, MuJoCo would note a warning in
    // the simulation.
    mjv_makeScene(&model, &scene, 1000 + 2 * (model.ngeom + model.nsite) + 4 * model.nwrap);
    // Mirrors in the floor take as long as all the rest, in software.
    scene.flags[mjRND_REFLECTION] = 0;
  }
  ~Context() {
    release();
    mjv_freeScene(&scene);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Makes the framebuffer, or one that is large enough.
  void grow(const mjModel& model, int width, int height);
  void release() noexcept;

  OffscreenContext opengl;
  mjrContext drawing;
  bool made = false;  // whether there is something in `drawing`
  mjvScene scene;
  mjvOption option;
};

void MujocoRenderer::Context::release() noexcept try {
  if (!std::exchange(made, false)) return;
  const std::unique_lock lock(opengl_functions());
  const OffscreenContext::Current current(opengl);
  mjr_freeContext(&drawing);
} catch (const Error&) {
  // The driver does not answer any more: what it holds goes with its context.
}

void MujocoRenderer::Context::grow(const mjModel& model, int width, int height) {
  if (made && width <= drawing.offWidth && height <= drawing.offHeight) return;
  // The size is the model's, which others use: a copy of what is not behind pointers will do.
  mjModel sized = model;
  sized.vis.global.offwidth = std::max({width, drawing.offWidth, 64});
  sized.vis.global.offheight = std::max({height, drawing.offHeight, 64});
  sized.vis.quality.shadowsize = std::min(sized.vis.quality.shadowsize, 2048);
  release();
  const std::unique_lock lock(opengl_functions());
  const OffscreenContext::Current current(opengl);
  mjr_defaultContext(&drawing);
  mjr_makeContext(&sized, &drawing, mjFONTSCALE_100);
  made = true;
  mjr_setBuffer(mjFB_OFFSCREEN, &drawing);
  if (drawing.currentBuffer != mjFB_OFFSCREEN)
    throw Error("pictures of MuJoCo's scenes",
                fmt::format("OpenGL has no framebuffer of {} x {} pixels",
                            sized.vis.global.offwidth, sized.vis.global.offheight),
                "ask for smaller pictures");
}

MujocoRenderer::MujocoRenderer(std::shared_ptr<const mjModel> model)
    : model_(std::move(model)), context_(std::make_unique<Context>(*model_)) {}

MujocoRenderer::~MujocoRenderer() = default;

Image MujocoRenderer::render(const mjData& data, std::string_view camera, int width, int height) {
  mjvCamera view;
  mjv_defaultCamera(&view);
  view.type = mjCAMERA_FIXED;
  view.fixedcamid = camera_id(*model_, camera);
  if (std::min(width, height) < 1 || std::max(width, height) > kLargestPicture)
    throw Error("", fmt::format("there are no pictures of {} x {} pixels", width, height),
                fmt::format("ask for 1 to {} pixels each way", kLargestPicture));
  Context& context = *context_;
  context.grow(*model_, width, height);
  // MuJoCo asks for more than it needs: of the data it only uses free memory of its stack.
  const auto scratch = const_cast<mjData*>(&data);
  // Endless floors are laid out around where the camera was: that is here, not in the last picture.
  mjv_updateCamera(model_.get(), scratch, &view, &context.scene);
  mjv_updateScene(model_.get(), scratch, &context.option, nullptr, &view, mjCAT_ALL,
                  &context.scene);
  Image picture(width, height);
  {
    const std::shared_lock lock(opengl_functions());
    const OffscreenContext::Current current(context.opengl);
    const mjrRect area = {0, 0, width, height};
    mjr_setBuffer(mjFB_OFFSCREEN, &context.drawing);
    mjr_render(area, &context.scene, &context.drawing);
    mjr_readPixels(picture.pixels.data(), nullptr, area, &context.drawing);
  }
  // OpenGL's rows go from the lowest upward.
  const ptrdiff_t row = 3 * static_cast<ptrdiff_t>(width);
  for (int y = 0; y < height / 2; ++y) {
    const auto upper = picture.pixels.begin() + y * row;
    std::swap_ranges(upper, upper + row, picture.pixels.begin() + (height - 1 - y) * row);
  }
  return picture;
}

}  // namespace darp
