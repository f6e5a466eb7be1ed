// Stores that are damaged or made to harm: an Error, never a crash.

#include <gtest/gtest.h>

#include "tests/zarr_fixture.h"

namespace darp {
namespace {

TEST(ZarrHostile, RefusesHostileSizes) {
  const MemoryStore whole = load("encodings.zarr");
  const auto with = [&](const std::string& shape, const std::string& chunks,
                        const std::string& compressor = "null") {
    MemoryStore store = whole;
    store.put("data/raw/.zarray",
              fmt::format(R"({{"zarr_format":2,"shape":{},"chunks":{},"dtype":"<f4","order":"C",
                              "compressor":{},"fill_value":0,"filters":null}})",
                          shape, chunks, compressor));
    return failure(store, keys({"raw"}));
  };
  EXPECT_EQ(with("[40,5]", "[24,5]"), "");
  const std::string blosc = R"({"id":"blosc"})", zlib = R"({"id":"zlib"})";
  EXPECT_HAS(with("[4000000000,5]", "[24,5]"), "declares");
  EXPECT_HAS(with("[18446744073709551615,18446744073709551615]", "[24,5]"), "declares more bytes");
  EXPECT_HAS(with("[18446744073709551615,0]", "[24,5]"), "declares more bytes");
  EXPECT_HAS(with("[99999999999999999999999,5]", "[24,5]"), "not a count");
  EXPECT_HAS(with("[40,5]", "[0,5]"), "length zero");
  EXPECT_HAS(with("[40,5]", "[-24,5]"), "not a count");
  EXPECT_HAS(with("[-40,5]", "[24,5]"), "not a count");
  EXPECT_HAS(with("[40.0,5]", "[24,5]"), "not a count");
  EXPECT_HAS(with("[40,5]", "[24]"), "2 dimensions but chunks of 1");
  EXPECT_HAS(with("[]", "[]"), "dimensions");
  EXPECT_HAS(with("40", "24"), "dimensions");
  EXPECT_HAS(with("[40,5]", "[9223372036854775807,9223372036854775807]"), "declares more bytes");
  EXPECT_HAS(with("[40,5]", "[536870912,1]", blosc), "less than 2 GiB");
  EXPECT_HAS(with("[40,5]", "[536870912,1]", zlib), "less than 2 GiB");
  EXPECT_HAS(with("[40,5]", "[500000000,5]"), "declares");
  EXPECT_HAS(with("[40,5]", "[80000000,5]", zlib), "declares");
  EXPECT_HAS(with("[40,40]", "[1,1]"), "more chunks");
  EXPECT_HAS(with("[40,0]", "[24,5]"), "without entries");
  std::string many = "[1";
  for (int i = 0; i < 40; ++i) many += ",1";
  EXPECT_HAS(with(many + "]", many + "]"), "1 to 32");
}

TEST(ZarrHostile, RefusesHostileText) {
  const MemoryStore whole = load("encodings.zarr");
  const auto with = [&](const std::string& content) {
    MemoryStore store = whole;
    store.put("data/raw/.zarray", content);
    return failure(store, keys({"raw"}));
  };
  EXPECT_HAS(with(""), "not a JSON object");
  EXPECT_HAS(with("[]"), "not a JSON object");
  EXPECT_HAS(with("{}"), "zarr format 2");
  EXPECT_HAS(with("{\"a\": \"\xFF\"}"), "not a JSON object");
  EXPECT_HAS(with(R"({"zarr_format":2,"fill_value":1e999})"), "not a JSON object");
  EXPECT_HAS(with(std::string(2 << 20, ' ')), "far more");
  const size_t deep = 200000;
  EXPECT_HAS(with(std::string(deep, '[')), "not a JSON object");
  EXPECT_HAS(with(std::string(deep, '[') + std::string(deep, ']')), "not a JSON object");
  EXPECT_HAS(with("{\"a\":" + std::string(deep, '[') + std::string(deep, ']') + "}"),
             "zarr format");
  std::string objects;
  for (size_t i = 0; i < deep; ++i) objects += "{\"\":";
  EXPECT_HAS(with(objects + "1" + std::string(deep, '}')), "zarr format");
}

/// Reads; a damaged store must be an Error or a dataset of the right shape.
std::optional<Dataset> try_read(const MemoryStore& store, const std::string& name) {
  try {
    Dataset dataset = read_zarr(store, "t.zarr", keys({name}));
    EXPECT_EQ(dataset.steps(), 40);
    return dataset;
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Only what reading this one encoding touches, to be quick.
MemoryStore load_encoding(const std::string& name) {
  MemoryStore store = load("encodings.zarr");
  for (const std::string& other : store.children("data"))
    if (other != name && other != "action")
      for (const std::string& child : store.children("data/" + other))
        store.remove("data/" + other + "/" + child);
  return store;
}

bool is_array_value(const std::string& key, const std::string& name) {
  return key.starts_with("data/" + name + "/");
}

TEST(ZarrHostile, RefusesEveryTruncation) {
  for (const std::string& name : kEncodings) {
    const MemoryStore whole = load_encoding(name);
    ASSERT_TRUE(try_read(whole, name));
    for (const auto& [key, value] : whole.values()) {
      if (!is_array_value(key, name)) continue;
      MemoryStore store = whole;
      for (size_t size = 0; size < value.size(); ++size) {
        store.put(key, Bytes(value).first(size));
        ASSERT_FALSE(try_read(store, name)) << key << " cut to " << size;
      }
      std::vector<std::byte> longer = value;
      longer.push_back(std::byte{'x'});
      store.put(key, longer);
      ASSERT_FALSE(try_read(store, name)) << key << " with a byte more";
    }
  }
}

TEST(ZarrHostile, SurvivesEveryFlippedByte) {
  for (const std::string& name : kEncodings) {
    const MemoryStore whole = load_encoding(name);
    const auto right = try_read(whole, name);
    ASSERT_TRUE(right);
    const bool checksummed = name == "zlib" || name == "gzip" || name == "fortran_whole" ||
                             name == "float64" || name == "float16" || name == "oversized";
    for (const auto& [key, value] : whole.values()) {
      if (!is_array_value(key, name)) continue;
      MemoryStore store = whole;
      for (size_t i = 0; i < value.size(); ++i) {
        const int byte = std::to_integer<int>(value[i]);
        for (const int other : {byte ^ 1, byte ^ 0x80, byte + 1, 0, 0xFF}) {
          std::vector<std::byte> damaged = value;
          damaged[i] = static_cast<std::byte>(other);
          store.put(key, damaged);
          const auto dataset = try_read(store, name);
          // A checksum lets only harmless changes pass, e.g. in gzip's time stamp.
          if (dataset && checksummed && !key.ends_with(".zarray")) {
            ASSERT_TRUE(same_bits(dataset->observations(), right->observations()))
                << key << " byte " << i << ": " << other;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace darp
