#include "darp/retrieval/retriever.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "darp/core/hash.h"
#include "darp/core/rng.h"
#include "darp/kernels/selection.h"
#include "darp/retrieval/hnsw_search.h"

namespace darp {
namespace {

using Index = RetrievalSettings::Index;
using Scope = RetrievalSettings::Scope;
using Exclude = RetrievalSettings::Exclude;

bool wants_approximate(const RetrievalSettings& settings, int64_t rows) {
  if (settings.index != Index::kAuto) return settings.index == Index::kHnsw;
  return rows > RetrievalSettings::kLargestExact && settings.scope == Scope::kCandidates &&
         settings.pick == RetrievalSettings::Pick::kNearest;
}

/// Rows that every query leaves out, at least.
int64_t fewest_left_out(Exclude exclude, const std::vector<int64_t>& episode_ends) {
  if (exclude == Exclude::kRow) return 1;
  if (exclude != Exclude::kEpisode) return 0;
  const int64_t rows = episode_ends.back();
  if (episode_ends.size() == 1) return std::max<int64_t>(1, rows / 2);
  int64_t shortest = rows, begin = 0;
  for (const int64_t end : episode_ends)
    shortest = std::min(shortest, end - std::exchange(begin, end));
  return shortest;
}

/// Part of the exact k nearest of each query that a search with this effort finds.
double measured_recall(const HnswIndex& index, const std::vector<std::vector<int32_t>>& exact,
                       const std::vector<int64_t>& queries, int64_t effort) {
  HnswSearch search(index, effort);
  size_t found = 0, all = 0;
  for (size_t i = 0; i < queries.size(); ++i) {
    const auto got =
        search.nearest(index.row(queries[i]).data(), static_cast<int64_t>(exact[i].size()), effort);
    std::vector<int32_t> both;
    std::set_intersection(got.begin(), got.end(), exact[i].begin(), exact[i].end(),
                          std::back_inserter(both));
    found += both.size();
    all += exact[i].size();
  }
  return static_cast<double>(found) / static_cast<double>(all);
}

std::string key_of(MatrixView rows, const std::vector<int64_t>& episode_ends,
                   const RetrievalSettings& settings) {
  Hasher hasher;
  hasher.add("darp retrieval 1").add(write_yaml(settings));
  hasher.add(static_cast<uint64_t>(rows.rows())).add(static_cast<uint64_t>(rows.cols()));
  for (const int64_t end : episode_ends) hasher.add(static_cast<uint64_t>(end));
  for (int64_t i = 0; i < rows.rows(); ++i) hasher.add(std::as_bytes(rows.row(i)));
  return hasher.hex();
}

}  // namespace

Retriever::Retriever(MatrixView rows, std::vector<int64_t> episode_ends,
                     const RetrievalSettings& settings, Progress* progress)
    : settings_(settings),
      space_(settings.metric, rows.cols()),
      history_(settings.history),
      rows_(rows.rows()),
      episode_ends_(std::move(episode_ends)) {
  int64_t begin = 0;
  for (const int64_t end : episode_ends_) {
    DARP_CHECK(end > begin, "an episode of the rows {}..{}", begin, end);
    longest_episode_ = std::max(longest_episode_, end - begin);
    begin = end;
  }
  DARP_CHECK(begin == rows_, "episodes end at row {} of {}", begin, rows_);
  check(settings_, episode_ends_);
  key_ = key_of(rows, episode_ends_, settings_);
  Matrix prepared = space_.prepare(rows);
  if (wants_approximate(settings_, rows_))
    build_approximate(std::move(prepared), progress);
  else
    blocks_ = std::make_unique<const kernels::RowBlocks>(prepared);
}

void Retriever::check(const RetrievalSettings& settings, const std::vector<int64_t>& episode_ends) {
  const int64_t rows = episode_ends.empty() ? 0 : episode_ends.back();
  if (rows == 0)
    throw Error("retrieval", "there are no rows to retrieve", "give at least one episode");
  if (rows > INT32_MAX - 64)
    throw Error("retrieval", fmt::format("{} rows are too many", rows), "use a part of the data");
  const int64_t never = fewest_left_out(settings.exclude, episode_ends);
  if (settings.k < 1 || settings.k > rows - never)
    throw Error("retrieval.k",
                fmt::format("is {}, but {} of {} rows are usable", settings.k, rows - never, rows),
                rows > never ? fmt::format("choose 1 to {}", rows - never)
                             : "add demonstrations or exclude less");
  if (!(settings.ratio > 0 && settings.ratio <= 1))
    throw Error("retrieval.ratio", fmt::format("is {}", settings.ratio), "choose above 0 up to 1");
  if (settings.scope == Scope::kAll && settings.ratio != 1)
    throw Error("retrieval.ratio", "means nothing with scope all",
                "leave it at 1 and choose k, or use scope candidates");
  if (settings.stride < 1)
    throw Error("retrieval.stride", fmt::format("is {}", settings.stride), "choose 1 or more");
  if (settings.ranked() < 1)
    throw Error("retrieval.ratio",
                fmt::format("keeps floor({} x {}) = 0 neighbours", settings.k, settings.ratio),
                "raise ratio or k");
  if (settings.index == Index::kHnsw && settings.scope == Scope::kAll)
    throw Error("retrieval.index", "hnsw finds candidates, and scope all ranks every row",
                "use scope candidates or the exact index");
  if (settings.index == Index::kHnsw && settings.pick == RetrievalSettings::Pick::kRandom)
    throw Error("retrieval.index", "hnsw cannot pick random rows", "use the exact index");
}

void Retriever::build_approximate(Matrix prepared, Progress* progress) {
  const kernels::Comparison comparison = space_.comparison();
  hnsw_ = std::make_unique<const HnswIndex>(prepared, comparison, settings_.hnsw, progress);

  // The truth for a sample of rows, to measure against.
  constexpr int64_t kSample = 100;
  std::vector<int64_t> queries(std::min(kSample, rows_));
  Rng rng(static_cast<uint64_t>(settings_.hnsw.seed));
  for (int64_t& query : queries)
    query = static_cast<int64_t>(rng.below(static_cast<uint64_t>(rows_)));
  std::vector<std::vector<int32_t>> exact;
  {
    const kernels::RowBlocks blocks(prepared);
    kernels::Selector selector(settings_.k, rows_);
    std::vector<float> distances(blocks.padded_rows());
    for (const int64_t query : queries) {
      kernels::distances(blocks, comparison, prepared.row(query).data(), distances.data());
      selector.select(distances.data(), rows_, settings_.k, {});
      exact.emplace_back(selector.indices().begin(), selector.indices().end());
    }
  }
  // The given effort, or the least of a ladder that reaches the wanted recall.
  const int64_t k = settings_.k, given = settings_.hnsw.search_effort;
  search_effort_ = given > 0 ? std::max(k, given) : std::min(rows_, k + k / 2);
  recall_ = measured_recall(*hnsw_, exact, queries, search_effort_);
  while (given == 0 && *recall_ < kWantedRecall && search_effort_ < rows_) {
    search_effort_ = std::min(search_effort_ + search_effort_ / 4 + 1, rows_);
    recall_ = measured_recall(*hnsw_, exact, queries, search_effort_);
  }
}

std::string Retriever::summary() const {
  std::string text = fmt::format("{} rows of {} columns, ", rows_, width());
  if (!approximate()) return text + "exact";
  return text +
         fmt::format(
             "approximate: recall {:.4f} of the {} nearest, measured on {} rows with effort {}",
             *recall_, settings_.k, std::min<int64_t>(100, rows_), search_effort_);
}

RowRange Retriever::excluded_for(int64_t row) const {
  if (settings_.exclude == Exclude::kRow) return {row, row + 1};
  if (settings_.exclude != Exclude::kEpisode) return {};
  if (episode_ends_.size() == 1) {
    const int64_t half = rows_ / 2;
    return row < half ? RowRange{0, half} : RowRange{half, rows_};
  }
  const auto end = std::upper_bound(episode_ends_.begin(), episode_ends_.end(), row);
  return {end == episode_ends_.begin() ? 0 : *(end - 1), *end};
}

void Retriever::copy_row(int64_t row, std::span<float> out) const {
  if (blocks_) {
    blocks_->copy_row(row, out);
  } else {
    const auto from = hnsw_->row(row);
    std::copy(from.begin(), from.end(), out.begin());
  }
}

size_t Retriever::bytes() const {
  return (blocks_ ? blocks_->bytes() : 0) + (hnsw_ ? hnsw_->bytes() : 0) +
         episode_ends_.size() * sizeof(int64_t);
}

}  // namespace darp
