#pragma once
// The networks that policies are made of, as plain data: read and written through visit_fields
// (core/fields.h), whose sentences say what each field means.

#include <cstdint>
#include <vector>

#include "darp/core/fields.h"

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
  /// Throws Error, naming `where`, for what no network can be.
  void check(std::string_view where) const;
};

/// How the neighbours' answers become one. With x_i what the network gives for neighbour i:
///   mean             mean of x_i, weighted where there is a bandwidth (neighbor_weights.h)
///   deep_sets        h(mean of x_i), h another network
///   set_transformer  attention among the x_i (set_transformer.h)
///   concatenation    h([x_1 | x_2 | ...]), nearest first, zeros for those that are missing; it
///                    depends on their order
struct AggregationSettings {
  enum class Kind { kMean, kDeepSets, kSetTransformer, kConcatenation };

  Kind kind = Kind::kMean;
  double bandwidth = 0;
  int64_t features = 0;
  MlpSettings after = one_layer();
  int64_t width = 60, heads = 3, inducing = 12;

  void visit_fields(FieldVisitor& v);
  bool operator==(const AggregationSettings&) const = default;
  void check() const;
  /// Whether near neighbours count more.
  bool weighs() const { return kind == Kind::kMean && bandwidth > 0; }
  /// 128 units, no LayerNorm.
  static MlpSettings one_layer();
};

/// A U-Net along the time of an action chunk (unet.h).
struct UnetSettings {
  static constexpr int64_t kMostLevels = 8;

  std::vector<int64_t> channels = {64, 128, 256};
  int64_t kernel = 5, groups = 8, step_width = 64;

  void visit_fields(FieldVisitor& v);
  bool operator==(const UnetSettings&) const = default;
  void check() const;
};

/// A causal transformer over retrieved steps (regent_network.h).
struct TransformerSettings {
  int64_t layers = 4, heads = 4, width = 128;

  void visit_fields(FieldVisitor& v);
  bool operator==(const TransformerSettings&) const = default;
  void check() const;
};

}  // namespace darp
