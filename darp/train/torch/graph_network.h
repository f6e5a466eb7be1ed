#pragma once
// A network as plain LibTorch operations over one flat vector of parameters, so that its gradient
// is one flat vector too.

#include <ATen/ATen.h>

#include <vector>

#include "darp/policy/network_parameters.h"

namespace darp {

/// Immutable: threads share it freely.
class GraphNetwork {
 public:
  GraphNetwork(const MlpSettings& settings, int64_t inputs, int64_t outputs);

  int64_t parameter_count() const { return parameter_count_; }
  bool has_dropout() const { return settings_.dropout > 0; }

  /// [..., inputs] to [..., outputs]. `parameters` is laid out by network_parameters; both have the
  /// same type and device. Dropout happens if `dropout` is given, and draws from it.
  at::Tensor operator()(const at::Tensor& parameters, const at::Tensor& input,
                        at::Generator* dropout = nullptr) const;

 private:
  at::Tensor drop_out(const at::Tensor& x, at::Generator& generator) const;

  MlpSettings settings_;
  int64_t parameter_count_;
  std::vector<std::vector<int64_t>> shapes_;
  std::vector<int64_t> sizes_;
};

}  // namespace darp
