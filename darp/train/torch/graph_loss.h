#pragma once
// The methods, written down with LibTorch operations: the definitions that faster code is compared
// with. One source per family; make_graph_loss chooses by the policy's kind.

#include <ATen/ATen.h>

#include <memory>

#include "darp/policy/policy_spec.h"
#include "darp/train/objective.h"

namespace darp {

/// Immutable; holds copies of all data on the device.
class GraphLoss {
 public:
  virtual ~GraphLoss() = default;

  virtual at::Device device() const = 0;
  virtual int64_t parameter_count() const = 0;
  /// One number. `learning` says whether units are dropped out. All that is drawn depends on the
  /// batch's seed alone.
  virtual at::Tensor operator()(const at::Tensor& parameters, const QueryBatch& batch,
                                bool learning) const = 0;
};

/// Throws Error for a spec that no network can have, and for examples without neighbours.
std::unique_ptr<GraphLoss> make_graph_loss(const PolicySpec& spec, const MemoryRows& memory,
                                           const Examples& examples, at::TensorOptions options);

/// Behaviour cloning and difference-aware retrieval:
///   answer(q) = aggregation over q's neighbours i of f([s_i | a_i | scale (s_i - s_q) | s_q])
///   loss      = mean over queries of head_loss(answer(q), action(q))
/// Without neighbours (behaviour cloning) answer(q) = f(s_q), and with smoothness the loss has
///   + weight x mean over queries and action numbers of sum over i of w_i (f(s_q) - f(s_i))^2
std::unique_ptr<GraphLoss> make_neighbor_loss(const PolicySpec& spec, const MemoryRows& memory,
                                              const Examples& examples, at::TensorOptions options);

/// REGENT (graph_regent.h): the mean over queries, all k + 1 places of the context and the numbers
/// of a token of (answer_i - a_i)^2, a_i repeated; at the last place a_i is the query's action. The
/// first place always answers its own action and costs nothing.
std::unique_ptr<GraphLoss> make_regent_loss(const PolicySpec& spec, const MemoryRows& memory,
                                            const Examples& examples, at::TensorOptions options);
/// Diffusion, with neighbours or without. Each query's chunk x_0 is noised to x_t, with step t and
/// noise eps drawn from the batch's seed and the query's row (so that they are the same whatever
/// other queries and neighbours there are); the mean over queries and numbers is
///   without neighbours  (unet(x_t, t, s_q) - eps)^2
///   average: score      (mean over i of unet(x_t, t, c_i) - eps)^2
///   average: chunk      mean over i of (unet(x_t, t, c_i) - eps)^2
/// with c_i = [s_i | a_i | scale (s_i - s_q) / half range | s_q] and stacked observations s.
std::unique_ptr<GraphLoss> make_diffusion_loss(const PolicySpec& spec, const MemoryRows& memory,
                                               const Examples& examples, at::TensorOptions options);

}  // namespace darp
