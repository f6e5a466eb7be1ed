#include "darp/policy/regent_network.h"

#include <algorithm>

namespace darp {
namespace {

constexpr double kDeviation = 0.02;

void append_small_linear(std::vector<Parameter>& parameters, const std::string& name,
                         int64_t inputs, int64_t units, bool bias = true) {
  append(parameters, name + ".weight", {units, inputs}, ParameterStart::normal(kDeviation));
  if (bias) append(parameters, name + ".bias", {units}, ParameterStart::constant(0));
}

}  // namespace

int64_t regent_token_width(const RegentSpec& spec, int64_t observation_dim, int64_t action_dim) {
  const int64_t least = std::max(observation_dim + 1, action_dim);
  if (spec.token_width != 0 && spec.token_width < least)
    throw Error("token_width",
                fmt::format("is {}, and a token must hold {} numbers: an observation and a reward, "
                            "or an action",
                            spec.token_width, least),
                "choose that or more, or 0");
  return std::max(spec.token_width, least);
}

void append_regent(std::vector<Parameter>& parameters, const RegentSpec& spec,
                   int64_t observation_dim, int64_t action_dim) {
  constexpr int64_t kMostNeighbors = 1 << 20;
  if (spec.retrieval.kept() > kMostNeighbors)
    throw Error("retrieval", fmt::format("puts {} steps into the context", spec.retrieval.kept()),
                "choose fewer, such as 19");
  const int64_t token = regent_token_width(spec, observation_dim, action_dim),
                width = spec.transformer.width, positions = 2 * (spec.retrieval.kept() + 1);
  append_small_linear(parameters, "embed", token, width);
  append(parameters, "positions", {positions, width}, ParameterStart::normal(kDeviation));
  for (int64_t i = 0; i < spec.transformer.layers; ++i) {
    const std::string name = fmt::format("blocks.{}", i);
    append_norm(parameters, name + ".ln_1", width);
    for (const char* part : {".attn.q", ".attn.k", ".attn.v"})
      append_small_linear(parameters, name + part, width, width, /*bias=*/false);
    append_small_linear(parameters, name + ".attn.out", width, width);
    append_norm(parameters, name + ".ln_2", width);
    append_small_linear(parameters, name + ".mlp.fc", width, 4 * width);
    append_small_linear(parameters, name + ".mlp.proj", 4 * width, width);
  }
  append_norm(parameters, "ln_f", width);
  append_small_linear(parameters, "head", width, token);
}

}  // namespace darp
