#pragma once
// A policy file made ready for acting: weights laid out for the CPU, the first layer of every
// demonstrated row computed, the rows indexed.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "darp/core/progress.h"
#include "darp/policy/action_chooser.h"
#include "darp/policy/policy_archive.h"
#include "darp/retrieval/retriever.h"

namespace darp {

class RealtimeMember;
class RealtimeRegent;

/// What the hidden layers multiply in; sums are float in both.
enum class Precision {
  kFloat32,
  kBfloat16,  // faster where the CPU multiplies bfloat16 (AMX, AVX512-BF16 on AMD)
};

/// "fp32", "bf16".
std::string_view to_string(Precision precision);
/// Throws Error that lists the names and suggests the nearest.
Precision precision_named(std::string_view name);

/// Immutable: any number of RealtimePolicy objects in any threads share one. Keeps nothing of the
/// archive that it was made from.
class RealtimeModel {
 public:
  /// Takes milliseconds to seconds, by the number of rows. Throws Error for rows that cannot be
  /// compared, and for kinds that need LibTorch.
  explicit RealtimeModel(const PolicyArchive& archive, Precision wanted = Precision::kFloat32,
                         Progress* progress = nullptr);
  /// Reads the file and makes the model; throws Error as PolicyArchive::read does.
  static std::shared_ptr<const RealtimeModel> load(const std::filesystem::path& path,
                                                   Precision wanted = Precision::kFloat32);
  ~RealtimeModel();
  RealtimeModel(const RealtimeModel&) = delete;
  RealtimeModel& operator=(const RealtimeModel&) = delete;

  int64_t observation_dim() const { return observations_.dim(); }
  int64_t action_dim() const { return actions_.dim(); }
  /// Whether it has neighbours at all.
  bool retrieves() const { return retriever_ != nullptr; }
  /// Most neighbours that a step has; 0 if it does not retrieve.
  int64_t most_neighbors() const { return retriever_ ? retriever_->kept() : 0; }
  /// Null if it does not retrieve.
  const std::shared_ptr<const Retriever>& retriever() const { return retriever_; }

  /// What it multiplies in: the one wanted, or fp32 where this CPU is no faster in bf16.
  Precision precision() const { return precision_; }
  /// One sentence where precision() is not what was wanted, or empty. To be shown to people.
  const std::string& notice() const { return notice_; }
  /// "1,000 rows of 11 columns, exact, 145 neighbours, network 25-128-128-128-3, fp32"
  std::string summary() const;
  /// Memory held.
  size_t bytes() const;

  // For RealtimePolicy.
  const Normalizer& observations() const { return observations_; }
  const Normalizer& actions() const { return actions_; }
  /// How answers become actions, to be copied.
  const ActionChooser& chooser() const { return chooser_; }
  std::span<const float> distance_quantiles() const { return quantiles_; }
  /// None for locally weighted regression and REGENT.
  const std::vector<std::unique_ptr<const RealtimeMember>>& members() const { return members_; }
  /// REGENT's members; none for other kinds.
  const std::vector<std::unique_ptr<const RealtimeRegent>>& regents() const { return regents_; }
  /// The demonstrated states, standardised; only where distances to them are asked for.
  const Matrix& states() const { return states_; }
  bool measures_distances() const { return measures_distances_; }
  /// Of the mean over neighbours; 0: all count alike.
  double bandwidth() const { return bandwidth_; }
  /// For locally weighted regression; null for other kinds.
  const LwrSpec* local() const { return local_ ? &*local_ : nullptr; }
  /// What is averaged or retrieved: actions, or chunks of them, standardised.
  const Matrix& chunks() const { return chunks_; }
  /// Whether a neighbour's own answer is an action, whose mean over the neighbours is the policy's.
  bool proposes() const { return proposes_; }
  /// The demonstrated actions in the environment's units; only where neighbours have no answers.
  const Matrix& demonstrated() const { return demonstrated_; }

 private:
  void set_rows(const PolicyArchive& archive, MatrixView rows, Progress* progress);

  Normalizer observations_, actions_;
  ActionChooser chooser_;
  std::vector<float> quantiles_;
  std::shared_ptr<const Retriever> retriever_;
  Precision precision_;
  std::string notice_, network_;
  bool measures_distances_ = false, proposes_ = false;
  double bandwidth_ = 0;
  Matrix states_, chunks_, demonstrated_;
  std::optional<LwrSpec> local_;
  std::vector<std::unique_ptr<const RealtimeMember>> members_;
  std::vector<std::unique_ptr<const RealtimeRegent>> regents_;
};

}  // namespace darp
