#pragma once
// What a policy is, as plain data: comparable, printable, and read and written through visit_fields
// (core/fields.h). Weights, normalizers and demonstrations live in the PolicyArchive.

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "darp/core/fields.h"
#include "darp/data/normalizer.h"
#include "darp/retrieval/retrieval_settings.h"

namespace darp {

/// Linear layers, each followed by LayerNorm (if set), ReLU and dropout, then one linear layer.
struct MlpSettings {
  enum class Norm { kNone, kLayer };

  static constexpr int64_t kMostLayers = 64, kMostUnits = 65536;
  /// What LayerNorm adds to the variance.
  static constexpr float kNormEpsilon = 1e-5f;

  std::vector<int64_t> hidden = {256, 256, 256};
  Norm norm = Norm::kLayer;
  double dropout = 0;

  void visit_fields(FieldVisitor& v);
  bool operator==(const MlpSettings&) const = default;
};

/// What each neighbour contributes to the network's input; neighbor_features.h lays it out.
struct NeighborInput {
  enum class Difference { kVector, kNorm, kNone };
  bool state = true;
  bool action = true;
  Difference difference = Difference::kVector;
  double difference_scale = 1;
  bool query = false;

  void visit_fields(FieldVisitor& v);
  bool operator==(const NeighborInput&) const = default;
};

/// The mean of the neighbours' answers.
struct MeanAggregation {
  bool operator==(const MeanAggregation&) const = default;
};
/// How the neighbours' answers become one, whatever their order.
using Aggregation = std::variant<MeanAggregation>;

/// A difference-aware retrieval policy: f(neighbour state, neighbour action, difference) for every
/// neighbour, aggregated.
struct DarpSpec {
  NeighborInput input;
  MlpSettings network;
  Aggregation aggregation;
  RetrievalSettings retrieval;

  void visit_fields(FieldVisitor& v);
  bool operator==(const DarpSpec&) const = default;
};

/// Behaviour cloning: the action from the state alone.
struct BcSpec {
  MlpSettings network;

  void visit_fields(FieldVisitor& v);
  bool operator==(const BcSpec&) const = default;
};

/// What the actions in use are kept within; learning knows nothing of it. On each side nothing (no
/// limit), one number for every dimension, or one for each.
struct ActionLimits {
  std::vector<double> low, high;

  void visit_fields(FieldVisitor& v);
  bool operator==(const ActionLimits&) const = default;

  /// Throws Error for numbers that no float holds and for low above high.
  void check() const;
  /// The same, and for another count than 1 or the actions' dimension.
  void check(int64_t action_dim) const;
};

struct PolicySpec {
  std::variant<DarpSpec, BcSpec> kind;
  NormalizerKind observations = NormalizerKind::kStandardSample;
  NormalizerKind actions = NormalizerKind::kStandardPopulation;
  int64_t members = 1;
  ActionLimits limits;

  static constexpr int64_t kMostMembers = 1024;

  /// The kind, then the fields of that kind beside the others. Another kind keeps the network.
  void visit_fields(FieldVisitor& v);
  bool operator==(const PolicySpec&) const = default;

  const MlpSettings& network() const;
  /// Null for kinds without neighbours.
  const DarpSpec* darp() const { return std::get_if<DarpSpec>(&kind); }
  /// What the network sees. Behaviour cloning is the policy whose only "neighbour" shows it nothing
  /// but the query.
  NeighborInput network_input() const;
  /// "darp" or "bc".
  std::string_view kind_name() const;
  /// Width of the network's input.
  int64_t inputs(int64_t observation_dim, int64_t action_dim) const;
  /// Throws Error for what no policy can be: no input at all, a layer of no units, limits that
  /// leave no action. Retrieval settings are checked against rows, by PolicyArchive and Retriever.
  void check() const;
};

}  // namespace darp
