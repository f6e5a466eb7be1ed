#include "darp/core/bytes.h"

#include <gtest/gtest.h>

namespace darp {
namespace {

TEST(Bytes, WrittenNumbersReadBackInOrder) {
  ByteWriter writer;
  writer.write(uint8_t{7}).write(uint32_t{0x01020304}).write(-2.5).write(int64_t{-9}).append("end");
  ByteReader reader(writer.bytes(), "memory");
  EXPECT_EQ(reader.read<uint8_t>(), 7);
  EXPECT_EQ(reader.offset(), 1u);
  EXPECT_EQ(reader.read<uint32_t>(), 0x01020304u);  // not aligned
  EXPECT_EQ(reader.read<double>(), -2.5);
  EXPECT_EQ(reader.read<int64_t>(), -9);
  EXPECT_EQ(reader.remaining(), 3u);
  EXPECT_EQ(as_text(reader.take(3)), "end");
  EXPECT_TRUE(reader.done());
}

TEST(Bytes, NumbersAreLittleEndian) {
  ByteWriter writer;
  writer.write(uint32_t{0x01020304});
  EXPECT_EQ(as_text(writer.bytes()), "\x04\x03\x02\x01");
}

TEST(Bytes, ReadingPastTheEndIsAnErrorAndMovesNothing) {
  ByteReader reader(as_byte_span("abc"), "file: header");
  reader.take(1);
  for (const uint64_t count : {uint64_t{3}, UINT64_MAX}) {
    try {
      reader.take(count);
      ADD_FAILURE() << count;
    } catch (const Error& e) {
      EXPECT_TRUE(std::string_view(e.what()).starts_with("file: header: ends at byte 3"))
          << e.what();
    }
  }
  EXPECT_THROW(reader.read<uint32_t>(), Error);
  EXPECT_EQ(reader.offset(), 1u);
  EXPECT_EQ(as_text(reader.take(2)), "bc");
  EXPECT_EQ(reader.take(0).size(), 0u);
}

TEST(Bytes, SeekGoesAnywhereUpToTheEnd) {
  ByteReader reader(as_byte_span("abc"), "x");
  reader.seek(3);
  EXPECT_TRUE(reader.done());
  reader.seek(1);
  EXPECT_EQ(as_text(reader.take(1)), "b");
}

TEST(Bytes, AFailedSeekMovesNothing) {
  ByteReader reader(as_byte_span("abc"), "x");
  reader.seek(2);
  EXPECT_THROW(reader.seek(4), Error);
  EXPECT_THROW(reader.seek(UINT64_MAX), Error);
  EXPECT_EQ(reader.offset(), 2u);
}

TEST(Bytes, NothingIsEmptyText) {
  EXPECT_EQ(as_text({}), "");
  EXPECT_TRUE(as_byte_span("").empty());
  ByteWriter writer;
  writer.append(Bytes{}).append("");
  EXPECT_EQ(writer.size(), 0u);
}

TEST(Bytes, ReleaseHandsOverTheBytes) {
  ByteWriter writer;
  writer.append("ab");
  const std::vector<std::byte> bytes = writer.release();
  EXPECT_EQ(as_text(bytes), "ab");
}

}  // namespace
}  // namespace darp
