// Every truncation and every changed byte of small real files.

#include <gtest/gtest.h>

#include <algorithm>

#include "darp/core/file.h"
#include "darp/data/ingest/pickle_reader.h"

namespace darp {
namespace {

std::string fixture_bytes(const std::string& name) {
  const MappedFile file(DARP_SOURCE_DIR "/tests/fixtures/pickle/" + name);
  return std::string(as_text(file.bytes()));
}

Dataset read(const std::string& bytes) {
  return read_pickle(as_byte_span(bytes), "x.pkl", {});
}

/// An array's bytes as protocols 0 to 2 spell them: each byte a character, in UTF-8.
std::string as_utf8(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) text += static_cast<char>(0xC0 | byte >> 6);
    text += static_cast<char>(byte < 0x80 ? byte : 0x80 | (byte & 0x3F));
  }
  return text;
}

/// Which bytes decide values and nothing else: array contents, their order, the byte order. A
/// pickle has no checksum, so a change there gives other values and cannot be noticed.
class ValueBytes {
 public:
  ValueBytes(const std::string& file, const Dataset& dataset, bool utf8)
      : decides_values_(file.size(), false) {
    for (int64_t e = 0; e < dataset.episodes(); ++e)
      for (const MatrixView values : {dataset.episode(e).observations, dataset.episode(e).actions})
        mark_array(file, packed_bytes(values), utf8);
    // The one dtype is shared by all arrays: a text of one character, '<'.
    const size_t order = file.find(utf8 ? std::string("X\1\0\0\0<", 6) : "\x8c\1<");
    EXPECT_NE(order, std::string::npos);
    decides_values_[file.find('<', order)] = true;
  }

  bool contains(size_t position) const { return decides_values_[position]; }
  int64_t count() const { return std::count(decides_values_.begin(), decides_values_.end(), true); }

 private:
  static std::string packed_bytes(MatrixView values) {
    std::string bytes;
    for (int64_t t = 0; t < values.rows(); ++t) bytes += as_text(std::as_bytes(values.row(t)));
    return bytes;
  }

  void mark_array(const std::string& file, const std::string& raw, bool utf8) {
    const std::string payload = utf8 ? as_utf8(raw) : raw;
    const size_t begin = file.find(payload);
    ASSERT_NE(begin, std::string::npos);
    ASSERT_EQ(file.find(payload, begin + 1), std::string::npos) << "the place is not unique";
    std::fill_n(decides_values_.begin() + static_cast<std::ptrdiff_t>(begin), payload.size(), true);
    // is_fortran stands before the bytes' opcode and length, or before the call that makes them.
    const size_t fortran = file.rfind('\x89', begin);
    ASSERT_LT(begin - fortran, 12u);
    decides_values_[fortran] = true;
  }

  std::vector<bool> decides_values_;
};

struct Small {
  const char* name;
  bool utf8;
};

class PickleRobustness : public testing::TestWithParam<Small> {};

TEST_P(PickleRobustness, RefusesEveryTruncation) {
  const std::string file = fixture_bytes(GetParam().name);
  for (size_t length = 0; length < file.size(); ++length)
    ASSERT_THROW(read(file.substr(0, length)), Error) << length;
  EXPECT_THROW(read(file + "."), Error);
}

TEST_P(PickleRobustness, NoticesEveryChangedByteThatTheFormatLetsItNotice) {
  const std::string file = fixture_bytes(GetParam().name);
  const Dataset original = read(file);
  const ValueBytes value_bytes(file, original, GetParam().utf8);
  std::string changed = file;
  int64_t refused = 0, same = 0, other_values = 0;
  for (size_t i = 0; i < file.size(); ++i) {
    for (int change = 1; change < 256; ++change) {
      changed[i] = static_cast<char>(static_cast<unsigned char>(file[i]) ^ change);
      try {
        const Dataset dataset = read(changed);
        ASSERT_EQ(dataset.episode_ends(), original.episode_ends());
        ASSERT_EQ(dataset.parts(), original.parts());
        ASSERT_EQ(dataset.action_dim(), original.action_dim());
        ASSERT_TRUE(dataset.rewards().empty());
        const bool is_same = same_bits(dataset.observations(), original.observations()) &&
                             same_bits(dataset.actions(), original.actions());
        ASSERT_TRUE(is_same || value_bytes.contains(i)) << "byte " << i << " ^ " << change;
        ++(is_same ? same : other_values);
      } catch (const Error&) {
        ++refused;
      }
    }
    changed[i] = file[i];
  }
  // All three happen: names never looked up again may change, values may, and structure may not.
  EXPECT_GT(refused, 255 * (static_cast<int64_t>(file.size()) - value_bytes.count()) * 9 / 10);
  EXPECT_GT(same, 0);
  EXPECT_GT(other_values, value_bytes.count());
}

INSTANTIATE_TEST_SUITE_P(SmallFiles, PickleRobustness,
                         testing::Values(Small{"protocol_4.pkl", false},
                                         Small{"protocol_2.pkl", true}),
                         [](const auto& file) {
                           return std::string(file.param.utf8 ? "Protocol2" : "Protocol4");
                         });

}  // namespace
}  // namespace darp
