#pragma once
// Networks as the paper's authors publish them, for tests.

#include <span>
#include <vector>

#include "darp/data/tensor_view.h"
#include "darp/policy/network_parameters.h"

namespace darp {

/// A network's numbers under their names; a view of `numbers`.
inline std::vector<TensorView> network_tensors(const std::vector<Parameter>& parameters,
                                               std::span<const float> numbers) {
  std::vector<TensorView> tensors;
  for (const Parameter& p : parameters)
    tensors.push_back({p.name,
                       Dtype::kF32,
                       {p.shape.begin(), p.shape.end()},
                       std::as_bytes(numbers.subspan(p.offset, p.size))});
  return tensors;
}

}  // namespace darp
