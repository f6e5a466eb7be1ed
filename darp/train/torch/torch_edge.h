#pragma once
// Where LibTorch begins: its exceptions become Errors, our memory becomes tensors.

#include <ATen/ATen.h>

#include <exception>
#include <span>
#include <utility>

#include "darp/core/matrix.h"

namespace darp {

/// Throws the Error that a user can act upon for what LibTorch threw.
[[noreturn]] void throw_as_error(const std::exception& thrown);

/// Calls `body`; what LibTorch throws leaves as Error. Every public function of this module that
/// uses LibTorch does so inside.
template <class Body>
auto at_torch_edge(Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& thrown) {
    throw_as_error(thrown);
  }
}

/// So many threads for LibTorch's work and for the products inside it (core/openblas.h). OpenBLAS's
/// count is the whole process's, so call it before every piece of work.
void use_threads(int count);

/// The GPU; throws Error, saying what this LibTorch has and what to do, when there is none.
at::Device cuda_device();

/// A copy on a device, packed.
at::Tensor to_tensor(MatrixView matrix, at::TensorOptions options);
/// On the CPU the same memory, which the tensor must not outlive; elsewhere a copy.
at::Tensor to_tensor(std::span<const float> numbers, at::Device device);
at::Tensor to_tensor(std::span<const double> numbers, at::Device device);
at::Tensor to_tensor(std::span<const int64_t> numbers, at::Device device);

}  // namespace darp
