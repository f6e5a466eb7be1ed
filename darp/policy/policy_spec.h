#pragma once
// What a policy is, as plain data: comparable, printable, and read and written through visit_fields
// (core/fields.h). Weights, normalizers and demonstrations live in the PolicyArchive. Equations and
// settings of every method: docs/methods.md.

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "darp/core/fields.h"
#include "darp/data/normalizer.h"
#include "darp/policy/action_head.h"
#include "darp/policy/network_settings.h"
#include "darp/retrieval/retrieval_settings.h"

namespace darp {

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

/// A difference-aware retrieval policy: f(neighbour state, neighbour action, difference) for every
/// neighbour, aggregated.
struct DarpSpec {
  NeighborInput input = {};
  MlpSettings network = {};
  AggregationSettings aggregation = {};
  HeadSettings head = {};
  RetrievalSettings retrieval = {};

  void visit_fields(FieldVisitor& v);
  bool operator==(const DarpSpec&) const = default;
};

/// Behaviour cloning: the action from the state alone.
struct BcSpec {
  MlpSettings network = {};
  HeadSettings head = {};

  void visit_fields(FieldVisitor& v);
  bool operator==(const BcSpec&) const = default;
};

/// Locally weighted regression on the neighbours' actions: nothing is learned (local_regression.h).
/// With one neighbour it is the demonstrated action itself: retrieve and play.
struct LwrSpec {
  enum class Kernel { kExponential, kGaussian, kUniform };
  enum class Bandwidth { kFixed, kLastNeighbor, kMedian };
  enum class Fit { kMean, kLinear };

  Kernel kernel = Kernel::kExponential;
  Bandwidth bandwidth = Bandwidth::kFixed;
  double bandwidth_scale = 1;
  Fit fit = Fit::kMean;
  double ridge = 1e-3;
  RetrievalSettings retrieval = {};

  void visit_fields(FieldVisitor& v);
  bool operator==(const LwrSpec&) const = default;
};

/// REGENT: a causal transformer over retrieved steps and the query, whose answer counts the less
/// the nearer the query is to what was retrieved (regent_network.h).
struct RegentSpec {
  TransformerSettings transformer = {};
  int64_t token_width = 0;
  double sharpness = 10;
  double reach = 10;
  RetrievalSettings retrieval = {};

  void visit_fields(FieldVisitor& v);
  bool operator==(const RegentSpec&) const = default;
};

/// How a chunk of actions is found among noise (noise_schedule.h).
struct DenoisingSettings {
  int64_t training_steps = 100, sampling_steps = 20;
  double clip = 1;

  void visit_fields(FieldVisitor& v);
  bool operator==(const DenoisingSettings&) const = default;
};

/// Diffusion policy: a U-Net denoises a chunk of actions, told the last observations.
struct DiffusionSpec {
  UnetSettings unet;
  DenoisingSettings denoising;
  int64_t observation_horizon = 2;

  void visit_fields(FieldVisitor& v);
  bool operator==(const DiffusionSpec&) const = default;
};

/// The same, told one neighbour's state, action and difference; all neighbours' answers are
/// averaged.
struct DarpDiffusionSpec {
  /// At every denoising step the mean of the neighbours' noise is taken away (the paper), or each
  /// neighbour denoises a chunk of its own and the chunks are averaged (its code).
  enum class Average { kScore, kChunk };

  NeighborInput input;
  DiffusionSpec diffusion;
  Average average = Average::kScore;
  RetrievalSettings retrieval = {};

  void visit_fields(FieldVisitor& v);
  bool operator==(const DarpDiffusionSpec&) const = default;
};

/// One answer may be several actions, now and next; some of them are carried out before asking
/// again.
struct ChunkSettings {
  static constexpr int64_t kLongest = 1024;
  int64_t length = 1, execute = 1;

  void visit_fields(FieldVisitor& v);
  bool operator==(const ChunkSettings&) const = default;
  void check() const;
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

/// Which action of a distribution is taken.
enum class Acting { kSample, kMode };

struct PolicySpec {
  std::variant<DarpSpec, BcSpec, LwrSpec, RegentSpec, DiffusionSpec, DarpDiffusionSpec> kind;
  NormalizerKind observations = NormalizerKind::kStandardSample;
  double observation_floor = 0;
  NormalizerKind actions = NormalizerKind::kStandardPopulation;
  int64_t members = 1;
  ChunkSettings chunk = {};
  Acting acting = Acting::kSample;
  double gain = 1;
  ActionLimits limits = {};

  static constexpr int64_t kMostMembers = 1024;
  static constexpr double kLeastGain = 1e-3, kMostGain = 1e3;

  /// The kind, then the fields of that kind beside the others. Another kind keeps network, head and
  /// retrieval where both have them.
  void visit_fields(FieldVisitor& v);
  bool operator==(const PolicySpec&) const = default;

  template <class Spec>
  const Spec* as() const {
    return std::get_if<Spec>(&kind);
  }
  const DarpSpec* darp() const { return as<DarpSpec>(); }
  /// "darp", "bc", "lwr", ...
  std::string_view kind_name() const;

  /// The perceptron that answers for each neighbour or for the observation; null for kinds without.
  const MlpSettings* network() const;
  /// What its answer means; l2 for kinds without.
  HeadSettings head() const;
  /// How neighbours are found; null for kinds that retrieve nothing.
  const RetrievalSettings* retrieval() const;
  /// How the neighbours' answers are joined; the mean for kinds without neighbours.
  AggregationSettings aggregation() const;
  /// The denoising part; null for kinds without.
  const DiffusionSpec* diffusion() const;
  /// Observations, newest last, that the network sees of each instant.
  int64_t observation_horizon() const;
  /// What the network sees. Behaviour cloning is the policy whose only "neighbour" shows it nothing
  /// but the query.
  NeighborInput network_input() const;
  /// Width of the network's input.
  int64_t inputs(int64_t observation_dim, int64_t action_dim) const;
  /// Numbers that the network gives for each neighbour: those of the head, or of what comes
  /// between.
  int64_t features(int64_t action_dim) const;
  /// Numbers that the whole gives for a query: the head's, for a chunk.
  int64_t outputs(int64_t action_dim) const;
  /// Constants of the data that acting needs (PolicyContents::calibration).
  int64_t calibration_count(int64_t observation_dim) const;
  /// Whether actions are drawn at random.
  bool draws() const;
  /// Whether the runtime executes it; the others need LibTorch.
  bool runs_in_runtime() const;

  /// Throws Error for what no policy can be: no input at all, a layer of no units, limits that
  /// leave no action. Retrieval settings are checked against rows, by PolicyArchive and Retriever.
  void check() const;
};

}  // namespace darp
