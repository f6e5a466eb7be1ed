#pragma once
// MuJoCo scenes as pictures, without a window: an off-screen EGL context, in software where there
// is no GPU.

#include <memory>
#include <string_view>

#include "darp/env/image/image.h"
#include "darp/env/mujoco/mujoco_model.h"

namespace darp {

/// Works in any thread, in one at a time. Keeps the model.
class MujocoRenderer {
 public:
  /// Throws Error where there is no EGL or no driver, saying what to install.
  explicit MujocoRenderer(std::shared_ptr<const mjModel> model);
  ~MujocoRenderer();

  /// The present state of `data` (positions as mj_forward left them) as `camera` sees it. Throws
  /// Error for unknown cameras. 1 to 4096 pixels each way.
  Image render(const mjData& data, std::string_view camera, int width, int height);

 private:
  struct Context;
  std::shared_ptr<const mjModel> model_;
  std::unique_ptr<Context> context_;
};

}  // namespace darp
