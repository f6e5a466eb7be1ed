#include "darp/train/torch/torch_answer.h"

namespace darp {

std::unique_ptr<TorchAnswer> make_torch_answer(std::shared_ptr<const PolicyArchive> archive) {
  const PolicySpec& spec = archive->spec();
  if (spec.as<LwrSpec>() != nullptr) return make_local_answer(std::move(archive));
  if (spec.as<RegentSpec>() != nullptr) return make_regent_answer(std::move(archive));
  if (spec.network() != nullptr) return make_neighbor_answer(std::move(archive));
  if (spec.diffusion() != nullptr) return make_diffusion_answer(std::move(archive));
  throw Error("policy", fmt::format("{} cannot be executed", spec.kind_name()), "use another kind");
}

}  // namespace darp
