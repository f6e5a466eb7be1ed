#include "darp/train/torch/graph_regent.h"

#include <limits>

namespace darp {
namespace {

constexpr double kRegentNormEpsilon = 1e-5;

at::Tensor normed(const NamedTensors& parameters, const at::Tensor& x, const std::string& name) {
  return at::layer_norm(x, {x.size(-1)}, parameters[name + ".weight"], parameters[name + ".bias"],
                        kRegentNormEpsilon);
}

/// `hidden` is true where a place must not look.
at::Tensor causal_attention(const NamedTensors& parameters, const std::string& name, int64_t heads,
                            const at::Tensor& x, const at::Tensor& hidden) {
  const auto part = [&](const char* which) {  // queries x heads x places x head width
    return at::linear(x, parameters[name + which + ".weight"])
        .view({x.size(0), x.size(1), heads, -1})
        .transpose(1, 2);
  };
  const at::Tensor scores = at::matmul(part(".q"), part(".k").transpose(2, 3))
                                .masked_fill(hidden, -std::numeric_limits<double>::infinity());
  const at::Tensor seen = at::matmul(scores.softmax(-1), part(".v"));
  return parameters.linear(seen.transpose(1, 2).reshape(x.sizes()), name + ".out");
}

/// State and action tokens in turn, without the query's action.
at::Tensor tokens_of(const RegentContext& context, int64_t width) {
  const at::Tensor states = repeated(at::constant_pad_nd(context.states, {0, 1}), width);
  const at::Tensor actions = repeated(context.actions, width);
  const int64_t retrieved = actions.size(1);
  const at::Tensor pairs = at::stack({states.narrow(1, 0, retrieved), actions}, 2).flatten(1, 2);
  return at::cat({pairs, states.narrow(1, retrieved, 1)}, 1);
}

/// y_i, at the states.
at::Tensor transformed(const RegentSpec& spec, const NamedTensors& parameters, at::Tensor x) {
  const int64_t places = x.size(1);
  x = parameters.linear(x, "embed") + parameters["positions"].narrow(0, 0, places);
  const at::Tensor hidden = at::ones({places, places}, x.options().dtype(at::kBool)).triu(1);
  for (int64_t i = 0; i < spec.transformer.layers; ++i) {
    const std::string name = fmt::format("blocks.{}", i);
    x = x + causal_attention(parameters, name + ".attn", spec.transformer.heads,
                             normed(parameters, x, name + ".ln_1"), hidden);
    const at::Tensor wide =
        parameters.linear(normed(parameters, x, name + ".ln_2"), name + ".mlp.fc");
    x = x + parameters.linear(at::gelu(wide, "tanh"), name + ".mlp.proj");
  }
  const at::Tensor at_states = x.slice(1, 0, places, 2);
  return parameters.linear(normed(parameters, at_states, "ln_f"), "head");
}

}  // namespace

at::Tensor repeated(const at::Tensor& x, int64_t width) {
  const at::Tensor places = at::arange(width, x.options().dtype(at::kLong)).remainder(x.size(-1));
  return x.index_select(-1, places);
}

at::Tensor regent_places(const at::Tensor& neighbors, const NeighborMask& mask, int64_t k) {
  const at::TensorOptions whole = neighbors.options().dtype(at::kLong);
  const at::Tensor last = mask.counts.defined() ? mask.counts.to(at::kLong) - 1
                                                : at::full({1, 1}, neighbors.size(1) - 1, whole);
  const at::Tensor places = at::minimum(at::arange(k, whole).unsqueeze(0), last);
  return neighbors.gather(1, places.expand({neighbors.size(0), k}));
}

at::Tensor graph_regent(const RegentSpec& spec, const NamedTensors& parameters,
                        const RegentContext& context, double calibration) {
  const int64_t width = parameters["head.bias"].size(0);
  const at::Tensor y = transformed(spec, parameters, tokens_of(context, width));
  const at::Tensor distance =
      (context.states - context.states.narrow(1, 0, 1)).square().sum(2, /*keepdim=*/true).sqrt();
  const at::Tensor weight = (distance * (-spec.sharpness / calibration)).exp();
  const at::Tensor nearest = repeated(context.actions.narrow(1, 0, 1), width);
  return weight * nearest + spec.reach * (1 - weight) * y.clamp(-1, 1);
}

}  // namespace darp
