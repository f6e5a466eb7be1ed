#pragma once
// Layers that are found by the names of their parameters, laid out for acting.

#include <span>
#include <string>
#include <vector>

#include "darp/kernels/float_products.h"
#include "darp/policy/network_parameters.h"

namespace darp {

/// Parameters by name.
struct NamedParameters {
  const std::vector<Parameter>& parameters;
  std::string prefix;
  std::span<const float> numbers;

  /// A weight, or points; the name must be there.
  MatrixView matrix(const std::string& name) const;
  std::span<const float> vector(const std::string& name) const;
};

/// y = weight x + bias of few rows. Nothing allocates after construction.
struct RealtimeLinear {
  kernels::PackedFloat weight;
  std::vector<float> bias;

  RealtimeLinear() = default;
  RealtimeLinear(MatrixView weight, std::span<const float> bias);
  void apply(MatrixView x, MutableMatrixView y) const noexcept;
  size_t bytes() const { return static_cast<size_t>(weight.inner() + 1) * bias.size() * 4; }
};

}  // namespace darp
