#pragma once
// A flat vector of parameters as tensors by name.

#include <ATen/ATen.h>

#include <map>
#include <string>
#include <vector>

#include "darp/policy/network_parameters.h"

namespace darp {

/// Where each parameter is. Immutable: threads share it freely.
class ParameterLayout {
 public:
  explicit ParameterLayout(std::vector<Parameter> parameters);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  int64_t count() const { return count_; }

 private:
  friend class NamedTensors;
  std::vector<Parameter> parameters_;
  int64_t count_;
  std::vector<int64_t> sizes_;
  std::map<std::string, size_t, std::less<>> places_;
};

/// Views into `flat`; the gradient by all of them is one concatenation.
class NamedTensors {
 public:
  /// `layout` must outlive this.
  NamedTensors(const ParameterLayout& layout, const at::Tensor& flat);

  /// The name must be there.
  const at::Tensor& operator[](std::string_view name) const;
  /// `name`.weight and `name`.bias applied to [..., inputs].
  at::Tensor linear(const at::Tensor& x, const std::string& name) const;

 private:
  const ParameterLayout& layout_;
  std::vector<at::Tensor> parts_;
};

}  // namespace darp
