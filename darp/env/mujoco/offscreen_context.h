#pragma once
// OpenGL without a window: an EGL context that draws into memory, in software where there is no
// GPU.

namespace darp {

/// libEGL is loaded when the first context is made, so that programs run without it. Any thread may
/// use a context, one at a time.
class OffscreenContext {
 public:
  /// Throws Error that says which packages to install where libEGL, a driver or the OpenGL that
  /// MuJoCo needs is missing.
  OffscreenContext();
  ~OffscreenContext();
  OffscreenContext(const OffscreenContext&) = delete;
  OffscreenContext& operator=(const OffscreenContext&) = delete;

  /// While it lives, OpenGL of this thread goes into the context.
  class Current {
   public:
    /// Throws Error when the driver refuses.
    explicit Current(const OffscreenContext& context);
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
  };

 private:
  void* surface_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace darp
