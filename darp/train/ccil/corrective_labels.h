#pragma once
// States beside the demonstrated ones, each with an action that leads back, by a model of the
// dynamics s' = s + f(s, a). For every transition (s, a, s'):
//   backward_euler  s_g = s - f(s, a), action a
//   forward_euler   s_g with s_g + f(s_g, a) = s, action a: s_g <- s - f(s_g, a) until it holds to
//                   1e-4; dropped if it does not after 50 times
//   noisy_action    s_g = s' - f(s', a~), action a~ = a + noise, drawn several times

#include "darp/core/thread_pool.h"
#include "darp/train/ccil/dynamics_model.h"

namespace darp {

/// Labels, one in a row, in the units of the data.
struct CorrectiveLabels {
  Matrix states, actions;

  int64_t rows() const { return states.rows(); }
};

/// The labels of all transitions, in their order, less those that are not finite or that
/// max_distance drops. The same for the same seed.
CorrectiveLabels corrective_labels(const DynamicsModel& model, const Transitions& transitions,
                                   const CcilSettings& settings, uint64_t seed, ThreadPool& pool);

/// The demonstrations, `copies` times, and then every label as an episode of one step: it has
/// neither past nor future.
Dataset with_labels(const Dataset& demonstrations, const CorrectiveLabels& labels, int64_t copies);

/// Replaces the file, atomically.
void write_labels(const std::filesystem::path& path, const CorrectiveLabels& labels,
                  const std::string& key);
/// Throws Error for a file that is damaged or that has not this key and these columns.
CorrectiveLabels read_labels(const std::filesystem::path& path, std::string_view key,
                             int64_t state_dim, int64_t action_dim);

}  // namespace darp
