#pragma once
// The explicit neighbour regulariser (MRIL): behaviour cloning whose answers ought to be like those
// for neighbouring states. With the k neighbours s_i of a query s, which have kernel weights w_i
// that sum to 1, the loss is
//   imitation loss + weight x mean over queries of  sum_i w_i |f(s) - f(s_i)|^2 / action numbers
// Only learning knows of it: the policy in use is plain behaviour cloning.

#include "darp/core/fields.h"
#include "darp/policy/policy_spec.h"
#include "darp/retrieval/neighbor_kernel.h"

namespace darp {

/// The rest is there, in files too, only where the weight is above 0.
struct SmoothnessSettings {
  double weight = 0;
  GraphKernel kernel = GraphKernel::kGaussian;
  double bandwidth = 0;
  RetrievalSettings retrieval = nearest_now();

  void visit_fields(FieldVisitor& v);
  bool operator==(const SmoothnessSettings&) const = default;

  bool wanted() const { return weight > 0; }
  /// Throws Error, saying what to change, for a policy that cannot be learned so.
  void check(const PolicySpec& spec) const;

 private:
  /// The ten nearest states, whatever came before them.
  static RetrievalSettings nearest_now();
};

/// The kernel weights of every query's neighbours, queries x table.width(), 0 for unused places.
/// Throws Error if no bandwidth can be found.
std::vector<float> smoothness_weights(const SmoothnessSettings& settings,
                                      const NeighborTable& table);

}  // namespace darp
