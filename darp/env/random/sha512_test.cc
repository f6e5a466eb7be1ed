#include "darp/env/random/sha512.h"

#include <gtest/gtest.h>

namespace darp {
namespace {

std::string hex(std::string_view message) {
  std::string text;
  for (const uint8_t byte : sha512(as_byte_span(message))) text += fmt::format("{:02x}", byte);
  return text;
}

// NIST's example messages.
TEST(Sha512, GivesThePublishedDigests) {
  EXPECT_EQ(hex("abc"),
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
            "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
  EXPECT_EQ(hex(""),
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
            "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e");
  EXPECT_EQ(hex("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"),
            "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
            "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909");
}

TEST(Sha512, PadsEveryLength) {
  // Lengths around a block's end: all different, so that padding cannot have swallowed anything.
  std::vector<std::string> seen;
  for (size_t length = 100; length < 140; ++length) seen.push_back(hex(std::string(length, 'a')));
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
}

}  // namespace
}  // namespace darp
