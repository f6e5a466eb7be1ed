#pragma once
// Brings every dimension to a common scale and back.

#include <span>
#include <string_view>
#include <vector>

#include "darp/core/matrix.h"

namespace darp {

enum class NormalizerKind {
  kIdentity,            // leaves values as they are
  kStandardSample,      // (x - mean) / std with n - 1 in the variance
  kStandardPopulation,  // (x - mean) / std with n in the variance
  kMinMax,              // [min, max] -> [-1, 1]
};

/// "identity", "standard_sample", "standard_population", "min_max".
std::string_view to_string(NormalizerKind kind);
/// Throws Error that lists the names and suggests the nearest.
NormalizerKind normalizer_kind(std::string_view name);

/// A per-dimension affine map z = (x - offset) / scale with inverse x = z * scale + offset. A
/// dimension that is constant in the data gets scale 1, so that nothing is ever divided by zero.
/// Immutable.
class Normalizer {
 public:
  /// `data` must have at least one row. No scale is below `floor`, but that of identity.
  static Normalizer fit(NormalizerKind kind, MatrixView data, double floor = 0);
  static Normalizer identity(int64_t dim);
  /// From stored numbers; throws Error unless all are finite and all scales positive.
  Normalizer(std::vector<float> offset, std::vector<float> scale);

  int64_t dim() const { return static_cast<int64_t>(offset_.size()); }
  std::span<const float> offset() const { return offset_; }
  std::span<const float> scale() const { return scale_; }

  /// Normalises `in` to `out` (the same memory is allowed). No allocation.
  void apply(std::span<const float> in, std::span<float> out) const;
  /// The inverse of apply, up to rounding of the last place.
  void invert(std::span<const float> in, std::span<float> out) const;
  Matrix apply(MatrixView in) const;

  bool operator==(const Normalizer&) const = default;

 private:
  std::vector<float> offset_, scale_;
};

}  // namespace darp
