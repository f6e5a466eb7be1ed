#include "darp/runtime/realtime_linear.h"

#include <algorithm>

namespace darp {
namespace {

const Parameter& parameter_named(const NamedParameters& from, const std::string& name) {
  const auto found = std::ranges::find(from.parameters, from.prefix + name, &Parameter::name);
  DARP_CHECK(found != from.parameters.end(), "no {}{}", from.prefix, name);
  return *found;
}

}  // namespace

MatrixView NamedParameters::matrix(const std::string& name) const {
  const Parameter& p = parameter_named(*this, name);
  const int64_t cols = p.shape.back();
  return {numbers.data() + p.offset, p.size / cols, cols, cols};
}

std::span<const float> NamedParameters::vector(const std::string& name) const {
  const Parameter& p = parameter_named(*this, name);
  return numbers.subspan(p.offset, p.size);
}

RealtimeLinear::RealtimeLinear(MatrixView w, std::span<const float> b) : bias(b.begin(), b.end()) {
  weight.pack(w, kernels::PackedFloat::Factor::kTransposedWeight);
}

void RealtimeLinear::apply(MatrixView x, MutableMatrixView y) const noexcept {
  kernels::multiply(x, weight, bias, y);
}

}  // namespace darp
