#include "darp/train/torch/graph_loss.h"

namespace darp {

std::unique_ptr<GraphLoss> make_graph_loss(const PolicySpec& spec, const MemoryRows& memory,
                                           const Examples& examples, at::TensorOptions options) {
  spec.check();
  if (spec.network() != nullptr) return make_neighbor_loss(spec, memory, examples, options);
  if (spec.as<RegentSpec>() != nullptr) return make_regent_loss(spec, memory, examples, options);
  if (spec.diffusion() != nullptr) return make_diffusion_loss(spec, memory, examples, options);
  throw Error("policy.kind", fmt::format("{} has no loss", spec.kind_name()),
              "nothing of it is learned by gradients");
}

}  // namespace darp
