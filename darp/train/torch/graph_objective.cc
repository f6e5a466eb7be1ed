#include "darp/train/graph_objective.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include "darp/core/freed_memory.h"
#include "darp/train/torch/entry.h"
#include "darp/train/torch/graph_loss.h"
#include "darp/train/torch/torch_edge.h"

namespace darp {
namespace {

template <class T>
double loss_of(const GraphLoss& loss, std::span<const T> parameters, const QueryBatch& batch) {
  DARP_CHECK(std::ssize(parameters) == loss.parameter_count(), "{} parameters of {}",
             parameters.size(), loss.parameter_count());
  const at::NoGradGuard no_gradient;
  return loss(to_tensor(parameters, loss.device()), batch, /*learning=*/false)
      .template item<double>();
}

template <class T>
double gradient_of(const GraphLoss& loss, std::span<const T> parameters, const QueryBatch& batch,
                   std::span<T> out) {
  DARP_CHECK(std::ssize(parameters) == loss.parameter_count() && out.size() == parameters.size(),
             "{} parameters and a gradient of {}, for {}", parameters.size(), out.size(),
             loss.parameter_count());
  const at::Tensor leaf = to_tensor(parameters, loss.device()).requires_grad_();
  const at::Tensor value = loss(leaf, batch, /*learning=*/true);
  const at::Tensor gradient = torch::autograd::grad({value}, {leaf}).front();
  at::from_blob(out.data(), {std::ssize(out)}, leaf.scalar_type()).copy_(gradient);
  return value.template item<double>();
}

class GraphObjective final : public Objective {
 public:
  GraphObjective(const PolicySpec& spec, const MemoryRows& memory, const Examples& examples,
                 const GraphOptions& options)
      : threads_(options.threads),
        loss_(make_graph_loss(
            spec, memory, examples,
            at::TensorOptions(at::kFloat)
                .device(options.device == GraphOptions::Device::kCuda ? cuda_device()
                                                                      : at::Device(at::kCPU)))) {
    keep_freed_memory();  // every step frees all of its tensors
  }

  double gradient(std::span<const float> parameters, const QueryBatch& batch,
                  std::span<float> out) override {
    return at_torch_edge([&] {
      set_threads();
      return gradient_of(*loss_, parameters, batch, out);
    });
  }
  double loss(std::span<const float> parameters, const QueryBatch& batch) override {
    return at_torch_edge([&] {
      set_threads();
      return loss_of(*loss_, parameters, batch);
    });
  }

 private:
  void set_threads() const {
    if (threads_ > 0) use_threads(threads_);
  }

  int threads_;
  std::unique_ptr<GraphLoss> loss_;
};

std::unique_ptr<GraphLoss> precise(const PolicySpec& spec, const MemoryRows& memory,
                                   const Examples& examples) {
  return make_graph_loss(spec, memory, examples, at::TensorOptions(at::kDouble));
}

}  // namespace

namespace with_torch {

void check_device(GraphOptions::Device device) {
  if (device == GraphOptions::Device::kCuda) at_torch_edge([] { cuda_device(); });
}

std::unique_ptr<Objective> make_graph_objective(const PolicySpec& spec, const MemoryRows& memory,
                                                const Examples& examples,
                                                const GraphOptions& options) {
  return at_torch_edge([&]() -> std::unique_ptr<Objective> {
    return std::make_unique<GraphObjective>(spec, memory, examples, options);
  });
}

double precise_gradient(const PolicySpec& spec, const MemoryRows& memory, const Examples& examples,
                        std::span<const double> parameters, const QueryBatch& batch,
                        std::span<double> gradient) {
  return at_torch_edge(
      [&] { return gradient_of(*precise(spec, memory, examples), parameters, batch, gradient); });
}

double precise_loss(const PolicySpec& spec, const MemoryRows& memory, const Examples& examples,
                    std::span<const double> parameters, const QueryBatch& batch) {
  return at_torch_edge(
      [&] { return loss_of(*precise(spec, memory, examples), parameters, batch); });
}

}  // namespace with_torch
}  // namespace darp
