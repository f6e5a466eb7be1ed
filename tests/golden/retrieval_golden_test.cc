// The published code's neighbours, reproduced: 64 Hopper and 64 Walker queries that the paper's
// authors' program answered (see tests/reference_files.h for where they come from).

#include <gtest/gtest.h>

#include <cstring>

#include "darp/data/ingest/read_dataset.h"
#include "darp/data/normalizer.h"
#include "darp/data/safetensors.h"
#include "darp/policy/import_reference.h"
#include "darp/retrieval/retrieval_session.h"
#include "tests/reference_files.h"

namespace darp {
namespace {

std::vector<int64_t> integers(const SafetensorsFile& file, std::string_view name) {
  const TensorView& tensor = file.get(name);
  std::vector<int64_t> numbers(tensor.elements());
  std::memcpy(numbers.data(), tensor.data.data(), tensor.data.size());
  return numbers;
}

void expect_published_neighbors(const std::string& task, const std::string& demos) {
  const auto folder = reference_dir();
  const Dataset dataset = read_dataset(folder / "demos" / demos).dataset;
  const auto network = SafetensorsFile::open(folder / "weights" / (task + "-darp.safetensors"));
  const auto golden =
      SafetensorsFile::open(folder / "weights" / (task + "-darp-golden.safetensors"));

  const auto normalizer = Normalizer::fit(NormalizerKind::kStandardSample, dataset.observations());
  const auto retriever =
      std::make_shared<const Retriever>(normalizer.apply(dataset.observations()),
                                        dataset.episode_ends(), reference_retrieval(network));
  RetrievalSession session(retriever);

  const TensorView& shape = golden.get("history");
  const auto lookback = static_cast<int64_t>(shape.shape[1]), width = dataset.observation_dim();
  const auto histories = golden.floats("history");
  const auto lengths = integers(golden, "history_length"),
             neighbors = integers(golden, "neighbors");
  const auto kept = static_cast<int64_t>(golden.get("neighbors").shape[1]);
  ASSERT_EQ(retriever->kept(), kept);
  ASSERT_EQ(retriever->history().lookback(), lookback);
  ASSERT_EQ(lengths.size(), 64u);
  for (int64_t query = 0; query < 64; ++query) {
    session.reset();
    std::vector<float> observation(width);
    for (int64_t t = lookback - lengths[query]; t < lookback; ++t) {
      normalizer.apply(histories.subspan((query * lookback + t) * width, width), observation);
      session.push(observation);
    }
    const Neighbors got = session.neighbors();
    const std::vector<int64_t> expected(neighbors.begin() + query * kept,
                                        neighbors.begin() + (query + 1) * kept);
    // No two of these distances are closer than the rounding of either program, so the order is
    // one.
    EXPECT_EQ(std::vector<int64_t>(got.rows.begin(), got.rows.end()), expected)
        << "query " << query;
  }
}

TEST(RetrievalGolden, HopperNeighborsAreThePublishedOnes) {
  DARP_REQUIRE_REFERENCE("weights/hopper-darp-golden.safetensors");
  expect_published_neighbors("hopper", "hopper-expert-v2_1.hdf5");
}

TEST(RetrievalGolden, WalkerNeighborsAreThePublishedOnes) {
  DARP_REQUIRE_REFERENCE("weights/walker-darp-golden.safetensors");
  expect_published_neighbors("walker", "walker2d-expert-v2_1.hdf5");
}

}  // namespace
}  // namespace darp
