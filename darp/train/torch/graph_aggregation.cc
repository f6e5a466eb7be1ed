#include "darp/train/torch/graph_aggregation.h"

#include <cmath>
#include <limits>

#include "darp/train/torch/graph_network.h"

namespace darp {
namespace {

constexpr const char* kPrefix = "aggregation.";

/// Zero where there is no neighbour.
at::Tensor only_own(const at::Tensor& answers, const NeighborMask& mask) {
  return mask.own.defined() ? answers * mask.own.unsqueeze(2) : answers;
}

at::Tensor mean_over_neighbors(const at::Tensor& answers, const NeighborMask& mask) {
  if (mask.weights.defined()) return (answers * mask.weights.unsqueeze(2)).sum(1);
  return mask.own.defined() ? only_own(answers, mask).sum(1) / mask.counts : answers.mean(1);
}

at::Tensor concatenated(const at::Tensor& answers, const NeighborMask& mask, int64_t most) {
  const at::Tensor own = only_own(answers, mask);
  DARP_CHECK(own.size(1) <= most, "{} neighbours for {} places", own.size(1), most);
  return at::constant_pad_nd(own, {0, 0, 0, most - own.size(1)}).flatten(1);
}

/// The attention block. `own` says which of the looked-at places count.
at::Tensor attend(const NamedTensors& parameters, const std::string& name, int64_t heads,
                  const at::Tensor& from, const at::Tensor& to, const at::Tensor& own = {}) {
  const auto split = [&](const at::Tensor& x) {  // batch x heads x places x head width
    return x.view({x.size(0), x.size(1), heads, -1}).transpose(1, 2);
  };
  const at::Tensor query = parameters.linear(from, name + ".fc_q");
  const at::Tensor key = parameters.linear(to, name + ".fc_k");
  const at::Tensor value = parameters.linear(to, name + ".fc_v");
  at::Tensor scores = at::matmul(split(query), split(key).transpose(2, 3)) /
                      std::sqrt(static_cast<double>(query.size(2)));
  if (own.defined())
    scores = scores.masked_fill(own.logical_not().unsqueeze(1).unsqueeze(1),
                                -std::numeric_limits<double>::infinity());
  const at::Tensor seen = at::matmul(scores.softmax(-1), split(value));
  const at::Tensor o = query + seen.transpose(1, 2).reshape(query.sizes());
  return o + parameters.linear(o, name + ".fc_o").relu();
}

}  // namespace

at::Tensor graph_neighbor_weights(double bandwidth, const at::Tensor& lengths,
                                  const NeighborMask& mask) {
  const at::Tensor own = mask.own.defined() ? mask.own : at::ones_like(lengths, at::kBool);
  const at::Tensor count = own.sum(1, /*keepdim=*/true).to(lengths.scalar_type());
  const at::Tensor reach =
      bandwidth * lengths.masked_fill(own.logical_not(), 0).sum(1, /*keepdim=*/true) / count;
  // Neighbours that are all at the query count alike.
  const at::Tensor scaled = at::where(reach > 0, lengths / reach, at::zeros_like(lengths));
  return (-scaled)
      .masked_fill(own.logical_not(), -std::numeric_limits<double>::infinity())
      .softmax(1);
}

at::Tensor graph_set_transformer(const AggregationSettings& settings,
                                 const NamedTensors& parameters, const std::string& prefix,
                                 const at::Tensor& set, const NeighborMask& mask) {
  const int64_t batch = set.size(0), heads = settings.heads;
  at::Tensor x = set;
  for (const int i : {0, 1}) {
    const std::string name = fmt::format("{}enc.{}", prefix, i);
    const at::Tensor points = parameters[name + ".I"].expand({batch, -1, -1});
    const at::Tensor summary = attend(parameters, name + ".mab0", heads, points, x, mask.own);
    x = attend(parameters, name + ".mab1", heads, x, summary);
  }
  const at::Tensor seed = parameters[prefix + "dec.0.S"].expand({batch, -1, -1});
  x = attend(parameters, prefix + "dec.0.mab", heads, seed, x, mask.own);
  for (const char* block : {"dec.1.mab", "dec.2.mab"})
    x = attend(parameters, prefix + block, heads, x, x);
  return parameters.linear(x.squeeze(1), prefix + "dec.3");
}

at::Tensor graph_aggregation(const AggregationSettings& settings, const NamedTensors& parameters,
                             const at::Tensor& answers, const NeighborMask& mask, int64_t most,
                             at::Generator* dropout) {
  using Kind = AggregationSettings::Kind;
  switch (settings.kind) {
    case Kind::kMean:
      return mean_over_neighbors(answers, mask);
    case Kind::kDeepSets:
      return graph_network(settings.after, parameters, kPrefix, mean_over_neighbors(answers, mask),
                           dropout);
    case Kind::kSetTransformer:
      return graph_set_transformer(settings, parameters, kPrefix, answers, mask);
    case Kind::kConcatenation:
      return graph_network(settings.after, parameters, kPrefix, concatenated(answers, mask, most),
                           dropout);
  }
  DARP_CHECK(false, "an aggregation without a name");
}

}  // namespace darp
