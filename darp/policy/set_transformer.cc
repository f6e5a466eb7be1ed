#include "darp/policy/set_transformer.h"

#include <cmath>

namespace darp {
namespace {

void append_block(std::vector<Parameter>& parameters, const std::string& name, int64_t queries,
                  int64_t keys, int64_t width) {
  append_linear(parameters, name + ".fc_q", queries, width);
  append_linear(parameters, name + ".fc_k", keys, width);
  append_linear(parameters, name + ".fc_v", keys, width);
  append_linear(parameters, name + ".fc_o", width, width);
}

/// Xavier's bound, as PyTorch finds it for a tensor of this shape.
void append_points(std::vector<Parameter>& parameters, std::string name, int64_t points,
                   int64_t width) {
  const double fans = static_cast<double>(points * width) + static_cast<double>(width);
  append(parameters, std::move(name), {1, points, width},
         ParameterStart::uniform(std::sqrt(6 / fans)));
}

}  // namespace

void append_set_transformer(std::vector<Parameter>& parameters, const std::string& prefix,
                            const AggregationSettings& settings, int64_t inputs, int64_t outputs) {
  const int64_t width = settings.width;
  for (const int64_t i : {0, 1}) {
    const std::string name = fmt::format("{}enc.{}", prefix, i);
    const int64_t seen = i == 0 ? inputs : width;
    append_points(parameters, name + ".I", settings.inducing, width);
    append_block(parameters, name + ".mab0", width, seen, width);
    append_block(parameters, name + ".mab1", seen, width, width);
  }
  append_points(parameters, prefix + "dec.0.S", 1, width);
  for (const int64_t i : {0, 1, 2})
    append_block(parameters, fmt::format("{}dec.{}.mab", prefix, i), width, width, width);
  append_linear(parameters, prefix + "dec.3", width, outputs);
}

}  // namespace darp
