#include "darp/data/ingest/zarr.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "darp/core/rng.h"
#include "darp/data/ingest/zarr_array.h"
#include "tests/zarr_fixture.h"

namespace darp {
namespace {

// The formulas of tools/make_zarr_fixtures.py.
float number(int64_t i, int64_t j) {
  return static_cast<float>(i) + 0.25f * static_cast<float>(j) - 3;
}
float action(int64_t i, int64_t j) {
  return static_cast<float>(i % 8) - 0.5f * static_cast<float>(j);
}

TEST(Zarr, ReadsTheArraysOfPushT) {
  const Dataset dataset = read_zarr(kFixtures / "pusht.zarr");
  EXPECT_EQ(dataset.steps(), 40);
  EXPECT_EQ(dataset.episode_ends(), (std::vector<int64_t>{7, 22, 40}));
  EXPECT_EQ(dataset.episode_name(2), "demo_2");
  EXPECT_EQ(dataset.parts(), (std::vector<ObservationPart>{{"state", 0, 5}}));
  EXPECT_EQ(dataset.source(), (kFixtures / "pusht.zarr").string());
  for (int64_t i = 0; i < 40; ++i) {
    for (int64_t j = 0; j < 5; ++j) ASSERT_EQ(dataset.observations()(i, j), number(i, j));
    for (int64_t j = 0; j < 2; ++j) ASSERT_EQ(dataset.actions()(i, j), action(i, j));
    ASSERT_EQ(dataset.rewards()[static_cast<size_t>(i)], number(i, 0));
  }
}

TEST(Zarr, PutsSelectedKeysSideBySideInTheirOrder) {
  const Dataset dataset =
      read_zarr(kFixtures / "pusht.zarr", keys({"keypoint", "state", "n_contacts"}));
  EXPECT_EQ(dataset.parts(), (std::vector<ObservationPart>{
                                 {"keypoint", 0, 18}, {"state", 18, 23}, {"n_contacts", 23, 24}}));
  for (int64_t i = 0; i < 40; ++i) {
    for (int64_t j = 0; j < 18; ++j) ASSERT_EQ(dataset.observations()(i, j), number(i, j));
    for (int64_t j = 0; j < 5; ++j) ASSERT_EQ(dataset.observations()(i, 18 + j), number(i, j));
    ASSERT_EQ(dataset.observations()(i, 23), 1);
  }
}

TEST(Zarr, ReadsEveryEncodingToTheSameNumbers) {
  for (const std::string& name : kEncodings) {
    const Dataset dataset = read_zarr(kFixtures / "encodings.zarr", keys({name}));
    ASSERT_EQ(dataset.observation_dim(), 5) << name;
    EXPECT_TRUE(dataset.rewards().empty());
    for (int64_t i = 0; i < 40; ++i)
      for (int64_t j = 0; j < 5; ++j)
        ASSERT_EQ(dataset.observations()(i, j), number(i, j)) << name << " " << i << " " << j;
  }
}

TEST(Zarr, PutsTheFillValueWhereAChunkIsNotStored) {
  const Dataset dataset = read_zarr(kFixtures / "encodings.zarr", keys({"sparse"}));
  for (int64_t i = 0; i < 40; ++i)
    for (int64_t j = 0; j < 5; ++j)
      ASSERT_EQ(dataset.observations()(i, j), i < 24 ? number(i, j) : 1.5f);
  const FolderStore store(kFixtures / "encodings.zarr");
  Matrix floats = Matrix::zeros(40, 5);
  EXPECT_EQ(ZarrArray(store, "data/sparse_nan", "t").read_floats(floats.mutable_view()), 1u);
  EXPECT_EQ(floats(23, 4), number(23, 4));
  EXPECT_TRUE(std::isnan(floats(24, 0)) && std::isnan(floats(39, 4)));
}

TEST(Zarr, RefusesMissingChunksThatNothingStandsFor) {
  MemoryStore store = load("encodings.zarr");
  EXPECT_HAS(failure(store, keys({"sparse_null"})), "names no fill value");
  EXPECT_HAS(failure(store, keys({"sparse_nan"})), "nan");
  store.remove("data/sparse/0.0");
  EXPECT_HAS(failure(store, keys({"sparse"})), "none of its chunks");
  store.put("data/sparse/.zarray",
            R"({"zarr_format": 2, "shape": [40, 5], "chunks": [24, 5], "dtype": "<f4", "order": "C",
                "compressor": null, "fill_value": "-Infinity", "filters": null})");
  store.put("data/sparse/0.0", std::string(480, '\0'));
  EXPECT_HAS(failure(store, keys({"sparse"})), "inf");
}

TEST(Zarr, ReadsRandomShapesChunksAndOrders) {
  Rng rng(7);
  for (int round = 0; round < 300; ++round) {
    // An array of 1 to 4 dimensions, cut into chunks by plain index arithmetic.
    const size_t dimensions = 1 + rng.below(4);
    std::vector<uint64_t> shape, chunks;
    for (size_t d = 0; d < dimensions; ++d) {
      shape.push_back(1 + rng.below(6));
      chunks.push_back(1 + rng.below(7));
    }
    const bool fortran = rng.below(2) == 1, nested = rng.below(2) == 1;
    const auto list = [](const std::vector<uint64_t>& v) {
      std::string s;
      for (const uint64_t x : v) s += (s.empty() ? "[" : ",") + std::to_string(x);
      return s + "]";
    };
    MemoryStore store;
    store.put("a/.zarray",
              fmt::format(R"({{"zarr_format":2,"shape":{},"chunks":{},"dtype":"<f4","order":"{}",
                              "compressor":null,"fill_value":0,"filters":[]{}}})",
                          list(shape), list(chunks), fortran ? "F" : "C",
                          nested ? R"(,"dimension_separator":"/")" : ""));
    std::map<std::string, std::vector<float>> pieces;
    const uint64_t total =
        std::accumulate(shape.begin(), shape.end(), uint64_t{1}, std::multiplies<>());
    const uint64_t chunk_size =
        std::accumulate(chunks.begin(), chunks.end(), uint64_t{1}, std::multiplies<>());
    std::vector<float> values;
    for (uint64_t flat = 0; flat < total; ++flat) {
      std::vector<uint64_t> index(dimensions);
      uint64_t rest = flat;
      for (size_t d = dimensions; d-- > 0;) index[d] = rest % shape[d], rest /= shape[d];
      std::string key = "a/";
      uint64_t place = 0, step = 1;
      for (size_t d = 0; d < dimensions; ++d)
        key += (d == 0 ? "" : nested ? "/" : ".") + std::to_string(index[d] / chunks[d]);
      for (size_t k = 0; k < dimensions; ++k) {
        const size_t d = fortran ? k : dimensions - 1 - k;
        place += index[d] % chunks[d] * step;
        step *= chunks[d];
      }
      values.push_back(static_cast<float>(rng.normal()));
      auto [it, fresh] = pieces.try_emplace(key, chunk_size, NAN);
      it->second[place] = values.back();
    }
    for (const auto& [key, piece] : pieces) store.put(key, std::as_bytes(std::span(piece)));

    const ZarrArray array(store, "a", "t");
    const auto rows = static_cast<int64_t>(array.rows()),
               cols = static_cast<int64_t>(array.width());
    Matrix floats = Matrix::zeros(rows, cols);
    EXPECT_EQ(array.read_floats(floats.mutable_view()), pieces.size());
    ASSERT_TRUE(same_bits(floats, MatrixView(values.data(), rows, cols, cols)))
        << text(store, "a/.zarray");
  }
}

TEST(Zarr, ChoosesKeypointThenObsWithoutState) {
  MemoryStore store = load("pusht.zarr");
  store.remove("data/state/.zarray");
  EXPECT_EQ(read_zarr(store, "t.zarr").parts()[0].name, "keypoint");
  store.remove("data/keypoint/.zarray");
  const std::string message = failure(store);
  EXPECT_HAS(message, "observation_keys from: n_contacts, reward");
  EXPECT_EQ(message.find("img"), std::string::npos);
  for (const char* name : {".zarray", "0.0", "1.0"})
    store.put(fmt::format("data/obs/{}", name),
              text(store, fmt::format("data/n_contacts/{}", name)));
  EXPECT_EQ(read_zarr(store, "t.zarr").parts()[0].name, "obs");
}

TEST(Zarr, AcceptsThePluralsActionsAndRewards) {
  MemoryStore store = load("pusht.zarr");
  const Dataset before = read_zarr(store, "t.zarr");
  for (const std::string name : {"action", "reward"})
    for (const std::string& child : store.children("data/" + name)) {
      store.put("data/" + name + "s/" + child, text(store, "data/" + name + "/" + child));
      store.remove("data/" + name + "/" + child);
    }
  EXPECT_TRUE(identical(read_zarr(store, "t.zarr"), before));
}

TEST(Zarr, SaysWhichKeyIsMeant) {
  const MemoryStore store = load("pusht.zarr");
  EXPECT_HAS(failure(store, keys({"keypoints"})), "did you mean 'keypoint'?");
  EXPECT_HAS(failure(store, keys({"../meta/episode_ends"})), "valid: ");
  EXPECT_HAS(failure(store, keys({"state", "state"})), "state");
}

TEST(Zarr, RefusesImagesAndOtherTypesAsObservations) {
  MemoryStore store = load("pusht.zarr");
  EXPECT_HAS(failure(store, keys({"img"})), "looks like images: 192 entries of |u1");
  replace(store, "data/img/.zarray", "|u1", "<i4");
  EXPECT_HAS(failure(store, keys({"img"})), "astype");
  store.put("data/img/.zarray",
            R"({"zarr_format":2,"shape":[40,64,65],"chunks":[40,64,65],"dtype":"<f4","order":"C",
                "compressor":null,"fill_value":0,"filters":null})");
  EXPECT_HAS(failure(store, keys({"img"})), "looks like images: 4160 entries");
}

TEST(Zarr, NamesWhatIsMissing) {
  const MemoryStore whole = load("pusht.zarr");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {".zgroup", "no .zgroup"},
      {"data/action/.zarray", "no array data/action"},
      {"meta/episode_ends/.zarray", "cumulative"},
      {"meta/episode_ends/0", "ends episode 0 at 0"}};
  for (const auto& [key, message] : cases) {
    MemoryStore store = whole;
    store.remove(key);
    EXPECT_HAS(failure(store), message);
  }
  EXPECT_HAS(failure([] { read_zarr(kFixtures / "nowhere.zarr"); }), "No such file");
  EXPECT_HAS(failure([] { read_zarr(kFixtures / "pusht.zarr/data"); }), "meta/episode_ends");
}

TEST(Zarr, SendsVersionThreeBack) {
  MemoryStore store = load("pusht.zarr");
  store.put("zarr.json", "{}");
  EXPECT_HAS(failure(store), "version 3");
  store.remove("zarr.json");
  store.put(".zgroup", R"({"zarr_format": 3})");
  EXPECT_HAS(failure(store), "zarr_format=2");
}

TEST(Zarr, RefusesEpisodeEndsThatDoNotFit) {
  const MemoryStore whole = load("pusht.zarr");
  const auto with_ends = [&](std::vector<int64_t> ends) {
    MemoryStore store = whole;
    store.put("meta/episode_ends/0", std::as_bytes(std::span(ends)));
    return failure(store);
  };
  EXPECT_EQ(with_ends({1, 2, 40}), "");
  EXPECT_HAS(with_ends({7, 22, 39}), "has 40 rows, but meta/episode_ends ends at 39");
  EXPECT_HAS(with_ends({7, 22, 41}), "has 40 rows");
  EXPECT_HAS(with_ends({7, 7, 40}), "ends episode 1 at 7 after 7");
  EXPECT_HAS(with_ends({0, 7, 40}), "ends episode 0 at 0");
  EXPECT_HAS(with_ends({-3, 7, 40}), "ends episode 0 at -3");
  EXPECT_HAS(with_ends({7, 22}), "not 24");
  MemoryStore none = whole;
  replace(none, "meta/episode_ends/.zarray", "\"shape\": [\n        3", "\"shape\": [0");
  EXPECT_HAS(failure(none), "ends at 0");
}

TEST(Zarr, RefusesArraysOfOtherLengths) {
  for (const char* name : {"action", "state", "reward"}) {
    MemoryStore store = load("pusht.zarr");
    replace(store, fmt::format("data/{}/.zarray", name), "\"shape\": [\n        40",
            "\"shape\": [39");
    EXPECT_HAS(failure(store), fmt::format("data/{}: has 39 rows", name));
  }
}

TEST(Zarr, RefusesWhatItCannotDecodeByName) {
  const MemoryStore whole = load("encodings.zarr");
  const auto with = [&](const std::string& from, const std::string& to) {
    MemoryStore store = whole;
    replace(store, "data/raw/.zarray", from, to);
    return failure(store, keys({"raw"}));
  };
  for (const std::string id : {"zstd", "lz4", "lzma", "bz2"}) {
    const std::string message =
        with("\"compressor\": null", R"("compressor": {"id": ")" + id + "\"}");
    EXPECT_HAS(message, "compressed with '" + id + "'");
    EXPECT_HAS(message, "blosc, zlib and gzip");
  }
  EXPECT_HAS(with("\"filters\": null", R"("filters": [{"id": "delta"}])"), "filter 'delta'");
  EXPECT_HAS(with("\"<f4\"", R"([["x", "<f4"]])"), "structures");
  EXPECT_HAS(with("\"<f4\"", "\"|O\""), "|O");
  EXPECT_HAS(with("\"zarr_format\": 2", "\"zarr_format\": 3"), "zarr format 2");
  EXPECT_HAS(with("\"C\"", "\"A\""), "order");
  EXPECT_HAS(with("\"C\"", R"("C", "dimension_separator": "..")"), "dimension_separator");
  EXPECT_HAS(with("\"fill_value\": 0.0", "\"fill_value\": \"AAAA\""), "fill_value");
}

}  // namespace
}  // namespace darp
