#include "darp/core/hash.h"

#include <gtest/gtest.h>

#include "darp/core/rng.h"

namespace darp {
namespace {

std::string hash_of(std::string_view bytes) {
  return Hasher().add(as_byte_span(bytes)).hex();
}

TEST(Hash, IsXxh3With128Bits) {
  EXPECT_EQ(hash_of(""), "99aa06d3014798d86001c324468d497f");  // the value that xxhash publishes
}

TEST(Hash, PiecesOfBytesHashLikeTheWhole) {
  Rng rng(3);
  std::string all(5000, '\0');
  for (char& c : all) c = static_cast<char>(rng.below(256));
  Hasher pieces;
  for (size_t begin = 0; begin < all.size();) {
    const size_t length = std::min<size_t>(all.size() - begin, rng.below(700));
    pieces.add(as_byte_span(all).subspan(begin, length));
    begin += length;
  }
  EXPECT_EQ(pieces.hex(), hash_of(all));
}

TEST(Hash, TextsKeepTheirBorders) {
  EXPECT_NE(Hasher().add("ab").add("c").hex(), Hasher().add("a").add("bc").hex());
  EXPECT_NE(Hasher().add("").hex(), Hasher().hex());
}

TEST(Hash, EveryChangedBitShows) {
  const std::string text = "a recording of a robot that moves its arm around";
  const std::string original = hash_of(text);
  for (size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string changed = text;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    EXPECT_NE(hash_of(changed), original) << bit;
  }
}

TEST(Hash, AskingDoesNotChangeTheState) {
  Hasher hasher;
  hasher.add(uint64_t{5});
  const std::string once = hasher.hex();
  EXPECT_EQ(hasher.hex(), once);
  EXPECT_EQ(once.size(), 32u);
  EXPECT_EQ(Hasher().add(as_byte_span(std::string_view("\5\0\0\0\0\0\0\0", 8))).hex(), once);
}

}  // namespace
}  // namespace darp
