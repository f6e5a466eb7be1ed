#include "darp/retrieval/hnsw_index.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "darp/core/rng.h"
#include "darp/kernels/row_distance.h"

// Without its own SIMD: that part defines functions that are not inline, and its prefetches read
// past the end of the links.
#define NO_MANUAL_VECTORIZATION
#include <hnswlib/hnswlib.h>

namespace darp {
namespace {

/// How hnswlib compares rows.
class Space final : public hnswlib::SpaceInterface<float> {
 public:
  Space(int64_t cols, std::span<const float> periods) : cols_(cols), periods_(periods) {}

  size_t get_data_size() override { return static_cast<size_t>(cols_) * sizeof(float); }
  void* get_dist_func_param() override { return this; }
  hnswlib::DISTFUNC<float> get_dist_func() override {
    return [](const void* a, const void* b, const void* space) {
      const auto& self = *static_cast<const Space*>(space);
      return kernels::squared_distance(static_cast<const float*>(a), static_cast<const float*>(b),
                                       self.cols_, self.periods_);
    };
  }

 private:
  int64_t cols_;
  std::span<const float> periods_;
};

using Builder = hnswlib::HierarchicalNSW<float>;

constexpr int64_t kVector = Matrix::kRowAlignment / sizeof(float);

/// Periods for the last columns of rows widened to `width`, from the whole vector on in which the
/// first circle lies: there, lines and padding become circles too long to matter.
std::vector<float> widened(std::span<const float> periods, int64_t cols, int64_t width) {
  if (periods.empty()) return {};
  const int64_t lines = cols - static_cast<int64_t>(periods.size());
  const int64_t start = lines / kVector * kVector;
  std::vector<float> out(width - start, std::numeric_limits<float>::max());
  std::copy(periods.begin(), periods.end(), out.begin() + (lines - start));
  return out;
}

/// For each row the next one with the same bits, or -1. Robots rest, so demonstrations repeat rows,
/// and hnswlib would link those only among themselves.
std::vector<int32_t> find_twins(MatrixView rows) {
  struct Keyed {
    float key;
    int32_t row;
  };
  const std::vector<float> zero(rows.cols());
  std::vector<Keyed> order(rows.rows());
  for (int32_t i = 0; i < rows.rows(); ++i)
    order[i] = {kernels::squared_distance(rows.row(i).data(), zero.data(), rows.cols(), {}), i};
  const auto compare = [&](int32_t a, int32_t b) {
    return std::memcmp(rows.row(a).data(), rows.row(b).data(), rows.row(a).size_bytes());
  };
  std::sort(order.begin(), order.end(), [&](const Keyed& a, const Keyed& b) {
    if (a.key != b.key) return a.key < b.key;
    const int difference = compare(a.row, b.row);
    return difference != 0 ? difference < 0 : a.row < b.row;
  });
  std::vector<int32_t> twins(rows.rows(), -1);
  bool any = false;
  for (size_t i = 1; i < order.size(); ++i)
    if (order[i - 1].key == order[i].key && compare(order[i - 1].row, order[i].row) == 0) {
      twins[order[i - 1].row] = order[i].row;
      any = true;
    }
  return any ? twins : std::vector<int32_t>();
}

/// The rows that enter the graph, in the order in which they do: every eighth, shuffled, then the
/// others as they are. All in order would link each step to its own episode, with few ways across
/// (recall falls to 0.8); all shuffled takes twice as long, for every step misses the cache.
std::vector<int32_t> insertion_order(int64_t rows, std::span<const int32_t> twins, int64_t seed) {
  constexpr int64_t kStride = 8;
  std::vector<bool> left_out(rows);
  for (const int32_t twin : twins)
    if (twin >= 0) left_out[twin] = true;
  std::vector<int32_t> sample, others;
  int64_t seen = 0;
  for (int32_t i = 0; i < rows; ++i)
    if (!left_out[i]) (seen++ % kStride == 0 ? sample : others).push_back(i);
  Rng(static_cast<uint64_t>(seed)).shuffle(std::span(sample));
  sample.insert(sample.end(), others.begin(), others.end());
  return sample;
}

/// Where each of hnswlib's `count` nodes occurs in `ids`, or -1.
std::vector<int32_t> places_of(std::span<const int32_t> ids, size_t count) {
  std::vector<int32_t> places(count, -1);
  for (size_t i = 0; i < ids.size(); ++i)
    if (ids[i] >= 0) places[ids[i]] = static_cast<int32_t>(i);
  return places;
}

/// Packs the links of hnswlib's layer `level` between the nodes `ids` (-1: a node without links).
HnswLayer pack_links(const Builder& from, int level, std::span<const int32_t> ids) {
  const std::vector<int32_t> places = places_of(ids, from.cur_element_count);
  HnswLayer layer;
  layer.starts.reserve(ids.size() + 1);
  layer.starts.push_back(0);
  for (const int32_t id : ids) {
    const auto start = layer.links.size();
    if (id >= 0) {
      hnswlib::linklistsizeint* list = from.get_linklist_at_level(id, level);
      const auto* links = list + 1;
      for (int j = 0; j < from.getListCount(list); ++j) layer.links.push_back(places[links[j]]);
    }
    // Nodes near in number are near in memory.
    std::sort(layer.links.begin() + static_cast<int64_t>(start), layer.links.end());
    layer.starts.push_back(static_cast<int64_t>(layer.links.size()));
  }
  layer.links.shrink_to_fit();
  return layer;
}

/// Packs what hnswlib built; `inserted` are the rows of its nodes.
std::vector<HnswLayer> pack(const Builder& from, std::span<const int32_t> inserted, int64_t rows) {
  std::vector<int32_t> ids = places_of(inserted, rows);
  std::vector<HnswLayer> layers = {pack_links(from, 0, ids)};
  for (int level = 1; level <= from.maxlevel_; ++level) {
    const std::vector<int32_t> below = places_of(ids, inserted.size());
    std::erase_if(ids, [&](int32_t id) { return id < 0 || from.element_levels_[id] < level; });
    HnswLayer& layer = layers.emplace_back(pack_links(from, level, ids));
    for (const int32_t id : ids) {
      layer.rows.push_back(inserted[id]);
      layer.below.push_back(below[id]);
    }
  }
  return layers;
}

std::vector<HnswLayer> build(const Matrix& rows, std::span<const float> periods,
                             std::span<const int32_t> twins, const HnswSettings& settings,
                             Progress* progress) {
  const std::vector<int32_t> order = insertion_order(rows.rows(), twins, settings.seed);
  if (progress != nullptr) progress->advance(rows.rows() - static_cast<int64_t>(order.size()));
  Space space(rows.cols(), periods);
  Builder builder(&space, order.size(), settings.links, settings.build_effort, settings.seed);
  for (const int32_t row : order) {
    builder.addPoint(rows.row(row).data(), static_cast<hnswlib::labeltype>(row));
    if (progress != nullptr) progress->advance();
  }
  return pack(builder, order, rows.rows());
}

int64_t most_links(std::span<const HnswLayer> layers) {
  size_t most = 0;
  for (const HnswLayer& layer : layers)
    for (int32_t i = 0; i < layer.nodes(); ++i) most = std::max(most, layer.links_of(i).size());
  return static_cast<int64_t>(most);
}

}  // namespace

HnswIndex::HnswIndex(MatrixView rows, const kernels::Comparison& comparison,
                     const HnswSettings& settings, Progress* progress)
    : cols_(rows.cols()) {
  const auto fail = [&](std::string_view why) {
    throw Error("hnsw index",
                fmt::format("cannot hold {} rows of {} numbers: {}", rows.rows(), rows.cols(), why),
                "use fewer rows, fewer links or a machine with more memory");
  };
  DARP_CHECK(static_cast<int64_t>(comparison.periods.size()) <= cols_, "{} periods for {} columns",
             comparison.periods.size(), cols_);
  if (rows.rows() >= std::numeric_limits<int32_t>::max()) fail("too many to number");
  try {
    const int64_t width = std::max(Matrix::stride_for(cols_), kVector);
    rows_ = Matrix::zeros(rows.rows(), width);
    copy(rows, rows_.mutable_view().cols_between(0, cols_));
    periods_ = widened(comparison.periods, cols_, width);
    twins_ = find_twins(rows_);
    layers_ = build(rows_, periods_, twins_, settings, progress);
    most_links_ = most_links(layers_);
  } catch (const std::bad_alloc&) {
    fail("not enough memory");
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

size_t HnswIndex::bytes() const {
  size_t bytes = rows_.bytes() + (periods_.size() + twins_.size()) * sizeof(int32_t);
  for (const HnswLayer& layer : layers_)
    bytes += layer.starts.size() * sizeof(int64_t) +
             (layer.links.size() + layer.rows.size() + layer.below.size()) * sizeof(int32_t);
  return bytes;
}

}  // namespace darp
