#pragma once
// policy.darp: everything that acting needs, and where it came from, in one safetensors file. The
// only thing that passes from training to use. Byte by byte: docs/formats/policy.md.

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "darp/core/matrix.h"
#include "darp/data/dataset.h"
#include "darp/data/normalizer.h"
#include "darp/data/safetensors.h"
#include "darp/policy/policy_parameters.h"
#include "darp/policy/policy_spec.h"

namespace darp {

/// The demonstrated rows that a retrieval policy keeps, as they were demonstrated (not normalised).
struct DemonstrationRows {
  Matrix observations, actions;
  std::vector<int64_t> episode_ends;
};

struct PolicyContents {
  PolicySpec spec;
  Normalizer observations = Normalizer::identity(1), actions = Normalizer::identity(1);
  /// One flat vector per member, laid out by policy_parameters; empty where nothing is learned.
  std::vector<std::vector<float>> members;
  /// Empty for policies that retrieve nothing.
  DemonstrationRows demonstrations;
  /// How far apart demonstrated steps are (novelty.h). Empty for policies that retrieve nothing.
  std::vector<float> distance_quantiles;
  /// Constants of the data that acting needs, as many as PolicySpec::calibration_count says.
  /// REGENT: the 95th percentile of its distances. Diffusion with neighbours: half the range of
  /// each column of differences.
  std::vector<float> calibration = {};
  /// Free text by name: data hash, config, seeds, version. Kept, shown, never acted upon.
  std::map<std::string, std::string> provenance = {};
};

/// Checked contents. Immutable: threads share it freely.
class PolicyArchive {
 public:
  /// Bytes of the format that this program writes. It reads this one alone.
  static constexpr int64_t kVersion = 3;

  /// Throws Error when parts do not fit together: dimensions, members, rows, limits, k above the
  /// rows; and for numbers that are not finite. What passes also makes a Retriever.
  explicit PolicyArchive(PolicyContents contents);

  /// The same policy, acting otherwise (PolicySpec::acting).
  PolicyArchive acting(Acting acting) &&;
  /// The same policy with another PolicySpec::gain.
  PolicyArchive with_gain(double gain) &&;

  /// Throws Error, saying what is wrong and what to do, for files that are no policy, damaged, of
  /// an unknown version, or whose parts do not fit together.
  static PolicyArchive read(const std::filesystem::path& path);
  /// The same from an open file, whether it has a checksum or not.
  static PolicyArchive from(const SafetensorsFile& file);
  /// Replaces `path` atomically. The same contents give the same bytes.
  void write(const std::filesystem::path& path) const;
  /// What write writes.
  std::vector<std::byte> bytes() const;

  const PolicySpec& spec() const { return contents_.spec; }
  int64_t observation_dim() const { return contents_.observations.dim(); }
  int64_t action_dim() const { return contents_.actions.dim(); }
  const Normalizer& observations() const { return contents_.observations; }
  const Normalizer& actions() const { return contents_.actions; }
  /// What answers become actions by, its inverse: actions() with the spec's gain.
  const Normalizer& actions_in_use() const { return actions_in_use_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<std::vector<float>>& members() const { return contents_.members; }
  const DemonstrationRows& demonstrations() const { return contents_.demonstrations; }
  /// kDistanceQuantiles of them, ascending, or none for policies that retrieve nothing.
  std::span<const float> distance_quantiles() const { return contents_.distance_quantiles; }
  std::span<const float> calibration() const { return contents_.calibration; }
  /// The limits of each action dimension; -infinity and infinity where there is none.
  std::span<const float> lowest_action() const { return lowest_action_; }
  std::span<const float> highest_action() const { return highest_action_; }
  const std::map<std::string, std::string>& provenance() const { return contents_.provenance; }

 private:
  PolicyContents contents_;
  Normalizer actions_in_use_;
  std::vector<Parameter> parameters_;
  std::vector<float> lowest_action_, highest_action_;
};

/// Whether a safetensors file says that it is a policy, of whatever version.
bool is_policy(const SafetensorsMetadata& metadata);

/// Throws Error, naming both, for demonstrations with other dimensions than the policy's.
void check_fits(const PolicyArchive& policy, const Dataset& demonstrations);

}  // namespace darp
