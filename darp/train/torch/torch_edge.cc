#include "darp/train/torch/torch_edge.h"

#include <ATen/Parallel.h>
#include <torch/version.h>

#include <string>

#include "darp/core/openblas.h"

namespace darp {
namespace {

/// LibTorch reads from it and never writes.
template <class T>
at::Tensor tensor_over(std::span<const T> numbers, at::ScalarType type, at::Device device) {
  return at::from_blob(const_cast<T*>(numbers.data()), {static_cast<int64_t>(numbers.size())},
                       at::TensorOptions(type))
      .to(device);
}

}  // namespace

void throw_as_error(const std::exception& thrown) {
  const auto* own = dynamic_cast<const c10::Error*>(&thrown);
  std::string message = own != nullptr ? own->what_without_backtrace() : thrown.what();
  message = message.substr(0, message.find('\n'));
  const bool memory = dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr ||
                      message.find("memory") != std::string::npos;
  throw Error("LibTorch " TORCH_VERSION, message,
              memory ? "use a smaller batch, fewer neighbours or a smaller network"
                     : "report this as a bug, with the command that led to it");
}

void use_threads(int count) {
  if (at::get_num_threads() != count) at::set_num_threads(count);
  share_openblas_threads(count);
}

at::Device cuda_device() {
  if (at::hasCUDA()) return at::Device(at::kCUDA, 0);
  const bool built_with = at::globalContext().hasCUDART();
  throw Error("--device cuda",
              built_with ? "LibTorch " TORCH_VERSION " was built with CUDA but finds no GPU"
                         : "LibTorch " TORCH_VERSION " was built without CUDA",
              built_with
                  ? "check nvidia-smi and CUDA_VISIBLE_DEVICES, or use --device cpu"
                  : "use --device cpu, or build with -DDARP_TORCH_DIR=<a LibTorch with CUDA>");
}

at::Tensor to_tensor(MatrixView matrix, at::TensorOptions options) {
  if (matrix.rows() == 0) return at::empty({0, matrix.cols()}, options);
  return at::from_blob(const_cast<float*>(matrix.data()), {matrix.rows(), matrix.cols()},
                       {matrix.stride(), 1}, at::TensorOptions(at::kFloat))
      .to(options, /*non_blocking=*/false, /*copy=*/true)
      .contiguous();
}

at::Tensor to_tensor(std::span<const float> numbers, at::Device device) {
  return tensor_over(numbers, at::kFloat, device);
}

at::Tensor to_tensor(std::span<const double> numbers, at::Device device) {
  return tensor_over(numbers, at::kDouble, device);
}

at::Tensor to_tensor(std::span<const int64_t> numbers, at::Device device) {
  return tensor_over(numbers, at::kLong, device);
}

}  // namespace darp
