#include "darp/train/torch/entry.h"

namespace {

constexpr darp::TorchLibrary kLibrary = {
    .check_device = darp::with_torch::check_device,
    .make_graph_objective = darp::with_torch::make_graph_objective,
    .precise_gradient = darp::with_torch::precise_gradient,
    .precise_loss = darp::with_torch::precise_loss,
    .make_torch_policy = darp::with_torch::make_torch_policy,
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const darp::TorchLibrary* darp_torch_library() {
  return &kLibrary;
}
