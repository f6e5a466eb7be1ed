#include "darp/train/torch/named_tensors.h"

namespace darp {

ParameterLayout::ParameterLayout(std::vector<Parameter> parameters)
    : parameters_(std::move(parameters)), count_(parameter_count(parameters_)) {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    sizes_.push_back(parameters_[i].size);
    places_.emplace(parameters_[i].name, i);
  }
}

NamedTensors::NamedTensors(const ParameterLayout& layout, const at::Tensor& flat)
    : layout_(layout) {
  // One split: its gradient is one concatenation, where slices would each fill a vector of zeros.
  parts_ = flat.split_with_sizes(layout.sizes_);
  for (size_t i = 0; i < parts_.size(); ++i)
    parts_[i] = parts_[i].view(layout.parameters_[i].shape);
}

const at::Tensor& NamedTensors::operator[](std::string_view name) const {
  const auto found = layout_.places_.find(name);
  DARP_CHECK(found != layout_.places_.end(), "no parameter '{}'", name);
  return parts_[found->second];
}

at::Tensor NamedTensors::linear(const at::Tensor& x, const std::string& name) const {
  return at::linear(x, (*this)[name + ".weight"], (*this)[name + ".bias"]);
}

}  // namespace darp
