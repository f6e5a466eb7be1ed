#include "darp/data/normalizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "darp/core/suggest.h"
#include "darp/data/column_statistics.h"

namespace darp {
namespace {

struct KindName {
  NormalizerKind kind;
  std::string_view name;
};
constexpr std::array kKinds = {KindName{NormalizerKind::kIdentity, "identity"},
                               KindName{NormalizerKind::kStandardSample, "standard_sample"},
                               KindName{NormalizerKind::kStandardPopulation, "standard_population"},
                               KindName{NormalizerKind::kMinMax, "min_max"}};

}  // namespace

std::string_view to_string(NormalizerKind kind) {
  for (const KindName& entry : kKinds)
    if (entry.kind == kind) return entry.name;
  DARP_CHECK(false, "unnamed normalizer kind {}", static_cast<int>(kind));
}

NormalizerKind normalizer_kind(std::string_view name) {
  std::vector<std::string> names;
  for (const KindName& entry : kKinds) {
    if (entry.name == name) return entry.kind;
    names.emplace_back(entry.name);
  }
  throw Error("normalizer", fmt::format("'{}' is not a kind", name), suggestion(name, names));
}

Normalizer Normalizer::fit(NormalizerKind kind, MatrixView data, double floor) {
  Normalizer n = identity(data.cols());
  if (kind == NormalizerKind::kIdentity) return n;
  const std::vector<ColumnStatistics> columns = column_statistics(data);
  for (size_t j = 0; j < columns.size(); ++j) {
    const ColumnStatistics& c = columns[j];
    const double half_range = (c.max - c.min) / 2;
    const bool min_max = kind == NormalizerKind::kMinMax;
    const double spread = min_max                                   ? half_range
                          : kind == NormalizerKind::kStandardSample ? c.sample_std()
                                                                    : c.population_std();
    n.offset_[j] = static_cast<float>(min_max ? c.min + half_range : c.mean);
    // A spread too small for a float must not become zero either.
    const auto scale = static_cast<float>(spread);
    n.scale_[j] =
        std::max(c.constant() || !std::isnormal(scale) ? 1.0f : scale, static_cast<float>(floor));
  }
  return n;
}

Normalizer Normalizer::identity(int64_t dim) {
  return {std::vector<float>(dim, 0.0f), std::vector<float>(dim, 1.0f)};
}

Normalizer::Normalizer(std::vector<float> offset, std::vector<float> scale)
    : offset_(std::move(offset)), scale_(std::move(scale)) {
  if (offset_.size() != scale_.size())
    throw Error("normalizer",
                fmt::format("{} offsets but {} scales", offset_.size(), scale_.size()),
                "one of each per dimension");
  for (size_t j = 0; j < offset_.size(); ++j)
    if (!std::isfinite(offset_[j]) || !std::isfinite(scale_[j]) || !(scale_[j] > 0))
      throw Error(fmt::format("normalizer, dimension {}", j),
                  fmt::format("offset {} and scale {}", offset_[j], scale_[j]),
                  "offsets must be finite, scales finite and positive");
}

void Normalizer::apply(std::span<const float> in, std::span<float> out) const {
  DARP_CHECK(in.size() == offset_.size() && out.size() == offset_.size(),
             "{} -> {} values for {} dimensions", in.size(), out.size(), dim());
  for (size_t j = 0; j < offset_.size(); ++j) out[j] = (in[j] - offset_[j]) / scale_[j];
}

void Normalizer::invert(std::span<const float> in, std::span<float> out) const {
  DARP_CHECK(in.size() == offset_.size() && out.size() == offset_.size(),
             "{} -> {} values for {} dimensions", in.size(), out.size(), dim());
  for (size_t j = 0; j < offset_.size(); ++j) out[j] = in[j] * scale_[j] + offset_[j];
}

Matrix Normalizer::apply(MatrixView in) const {
  Matrix out = Matrix::uninitialized(in.rows(), in.cols());
  for (int64_t i = 0; i < in.rows(); ++i) apply(in.row(i), out.row(i));
  return out;
}

}  // namespace darp
