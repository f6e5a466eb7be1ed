#include "darp/train/smoothness_settings.h"

namespace darp {

RetrievalSettings SmoothnessSettings::nearest_now() {
  RetrievalSettings retrieval;
  retrieval.k = 10;
  retrieval.history.lookback = 1;
  return retrieval;
}

void SmoothnessSettings::visit_fields(FieldVisitor& v) {
  v.field("weight", weight,
          "How much answers that differ from those for neighbouring states cost; 0: nothing. With "
          "it come kernel, bandwidth and retrieval.",
          {.min = 0, .max = 1e9});
  if (!wanted()) return;
  v.choice("kernel", kernel,
           {{"gaussian", GraphKernel::kGaussian},
            {"uniform", GraphKernel::kUniform},
            {"exponential", GraphKernel::kExponential}},
           "Weight of a neighbour at distance d: e^(-d^2 / (2 h^2)), 1 or e^(-d / h), over their "
           "sum.");
  v.field("bandwidth", bandwidth,
          "The distance h of the kernel, in standardised units; 0: the median distance to the last "
          "neighbour.",
          {.min = 0});
  v.group("retrieval", retrieval, "Which states are neighbours.");
}

void SmoothnessSettings::check(const PolicySpec& spec) const {
  if (!wanted()) return;
  if (spec.as<BcSpec>() == nullptr)
    throw Error("train.smoothness.weight",
                fmt::format("is {} for a policy of kind {}: only behaviour cloning has it", weight,
                            spec.kind_name()),
                "set policy.kind to bc, or train.smoothness.weight to 0");
  if (spec.head().is_distribution())
    throw Error("train.smoothness.weight",
                fmt::format("is {} for a policy that answers with a distribution", weight),
                "set policy.head.kind to l2, or train.smoothness.weight to 0");
}

std::vector<float> smoothness_weights(const SmoothnessSettings& settings,
                                      const NeighborTable& table) {
  const double bandwidth = resolve_bandwidth(
      table, {.kernel = settings.kernel, .bandwidth = settings.bandwidth, .edges = {}});
  const int64_t width = table.width();
  std::vector<float> weights(table.queries() * width);
  for (int64_t q = 0; q < table.queries(); ++q)
    neighbor_weights(table.distances(q), settings.kernel, bandwidth,
                     std::span(weights).subspan(q * width, table.count(q)));
  return weights;
}

}  // namespace darp
