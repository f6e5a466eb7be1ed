#include "darp/train/tensorboard.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <vector>

#include "darp/core/file.h"
#include "darp/core/rng.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

/// The CRC bit by bit, from its definition.
uint32_t obvious_crc32c(std::string_view text) {
  uint32_t crc = ~0u;
  for (const char c : text)
    for (int bit = 0; bit < 8; ++bit) {
      const bool odd = ((crc ^ (static_cast<uint8_t>(c) >> bit)) & 1) != 0;
      crc = (crc >> 1) ^ (odd ? 0x82F63B78u : 0u);
    }
  return ~crc;
}

/// One field of a protobuf message: its number, and its value by wire type.
struct Field {
  uint64_t number = 0, integer = 0;
  Bytes bytes;
};

uint64_t read_varint(ByteReader& reader) {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = reader.read<uint8_t>();
    value |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return value;
  }
}

std::vector<Field> fields_of(Bytes message) {
  std::vector<Field> fields;
  ByteReader reader(message, "message");
  while (!reader.done()) {
    const uint64_t tag = read_varint(reader);
    Field field{.number = tag >> 3, .integer = 0, .bytes = {}};
    switch (tag & 7) {
      case 0:
        field.integer = read_varint(reader);
        break;
      case 1:
        field.integer = reader.read<uint64_t>();
        break;
      case 2:
        field.bytes = reader.take(read_varint(reader));
        break;
      case 5:
        field.integer = reader.read<uint32_t>();
        break;
      default:
        ADD_FAILURE() << "wire type " << (tag & 7);
    }
    fields.push_back(field);
  }
  return fields;
}

struct Event {
  double wall_time = 0;
  int64_t step = 0;
  std::string version;
  std::vector<std::pair<std::string, float>> scalars;
};

Event event_of(Bytes message) {
  Event event;
  for (const Field& field : fields_of(message)) {
    if (field.number == 1) event.wall_time = std::bit_cast<double>(field.integer);
    if (field.number == 2) event.step = static_cast<int64_t>(field.integer);
    if (field.number == 3) event.version = as_text(field.bytes);
    if (field.number != 5) continue;
    for (const Field& value : fields_of(field.bytes)) {
      EXPECT_EQ(value.number, 1u);
      const auto parts = fields_of(value.bytes);
      EXPECT_EQ(parts.size(), 2u);
      event.scalars.emplace_back(as_text(parts.at(0).bytes),
                                 std::bit_cast<float>(static_cast<uint32_t>(parts.at(1).integer)));
    }
  }
  return event;
}

std::vector<Event> read_events(const fs::path& path) {
  const MappedFile file(path);
  ByteReader reader(file.bytes(), path.string());
  const auto masked = [](Bytes bytes) {
    const uint32_t crc = obvious_crc32c(as_text(bytes));
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
  };
  std::vector<Event> events;
  while (!reader.done()) {
    const Bytes length = reader.take(8);
    EXPECT_EQ(reader.read<uint32_t>(), masked(length));
    const Bytes data = reader.take(ByteReader(length, "length").read<uint64_t>());
    EXPECT_EQ(reader.read<uint32_t>(), masked(data));
    events.push_back(event_of(data));
  }
  return events;
}

fs::path fresh(const std::string& name) {
  const fs::path path = fs::path(::testing::TempDir()) / ("darp.tfevents." + name);
  fs::remove_all(path);
  return path;
}

TEST(Crc32c, HasItsPublishedValues) {
  const auto of = [](std::string_view text) { return crc32c(as_byte_span(text)); };
  EXPECT_EQ(of("123456789"), 0xE3069283u);
  EXPECT_EQ(of(""), 0u);
  EXPECT_EQ(of(std::string(32, '\0')), 0x8A9136AAu);  // RFC 3720, B.4
  EXPECT_EQ(of(std::string(32, '\xff')), 0x62A8AB43u);
  Rng rng(1);
  for (size_t size = 0; size < 100; ++size) {
    std::string text(size, ' ');
    for (char& c : text) c = static_cast<char>(rng.next_u32());
    EXPECT_EQ(of(text), obvious_crc32c(text));
  }
}

TEST(Tensorboard, BeginsWithItsVersion) {
  const fs::path path = fresh("version");
  TensorboardLog log(path, 0, 1234.5);
  const auto events = read_events(path);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].version, "brain.Event:2");
  EXPECT_EQ(events[0].wall_time, 1234.5);
}

TEST(Tensorboard, KeepsEveryScalar) {
  const fs::path path = fresh("scalars");
  TensorboardLog log(path, 0, 0);
  Rng rng(2);
  std::vector<Event> expected;
  const std::string long_tag(300, 'x');  // its length takes two bytes
  for (const int64_t step : {int64_t{0}, int64_t{1}, int64_t{127}, int64_t{128}, int64_t{300},
                             int64_t{1} << 40, std::numeric_limits<int64_t>::max()}) {
    const float loss = static_cast<float>(rng.normal()), rate = static_cast<float>(rng.uniform());
    expected.push_back(
        {rng.uniform(), step, "", {{"Train/Loss", loss}, {"Rate", rate}, {long_tag, 0.F}}});
    log.append(step, expected.back().wall_time,
               std::vector<Scalar>{{"Train/Loss", loss}, {"Rate", rate}, {long_tag, 0}});
  }
  EXPECT_EQ(log.sync(), static_cast<int64_t>(fs::file_size(path)));
  const auto events = read_events(path);
  ASSERT_EQ(events.size(), expected.size() + 1);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(events[i + 1].step, expected[i].step);
    EXPECT_EQ(events[i + 1].wall_time, expected[i].wall_time);
    EXPECT_EQ(events[i + 1].scalars, expected[i].scalars);
  }
}

TEST(Tensorboard, GoesOnInTheSameFileWhereTheCheckpointStood) {
  const fs::path path = fresh("resume");
  int64_t position = 0;
  {
    TensorboardLog log(path, 0, 1);
    log.append(1, 2, std::vector<Scalar>{{"loss", 10}});
    position = log.sync();
    log.append(2, 3, std::vector<Scalar>{{"loss", 20}});
  }
  TensorboardLog log(path, position, 9);
  log.append(2, 10, std::vector<Scalar>{{"loss", 30}});
  const auto events = read_events(path);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[1].scalars[0].second, 10.F);
  EXPECT_EQ(events[2].scalars[0].second, 30.F);
  EXPECT_EQ(events[2].wall_time, 10);
}

TEST(Tensorboard, FilesHaveANameThatIsFound) {
  EXPECT_EQ(event_file_name(1700000000, "robot"), "events.out.tfevents.1700000000.robot");
  EXPECT_EQ(event_file_name(1, "a/b"), "events.out.tfevents.1.a-b");
}

}  // namespace
}  // namespace darp
