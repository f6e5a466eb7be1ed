#include "darp/data/ingest/zip.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <optional>

#include "darp/core/rng.h"
#include "darp/data/ingest/zip_format.h"

namespace darp {
namespace {

using namespace zip_format;
using Blob = std::vector<std::byte>;

struct Member {
  std::string name, content;
  bool operator==(const Member&) const = default;
};

Blob written(const std::vector<Member>& members, uint64_t zip64_from = 0xFFFFFFFF) {
  ByteWriter out;
  ZipWriter writer([&](Bytes bytes) { out.append(bytes); }, zip64_from);
  for (const Member& member : members) writer.add(member.name, as_byte_span(member.content));
  writer.finish();
  return out.release();
}

std::vector<Member> read_back(Bytes archive) {
  const ZipReader reader(archive, "test.zip");
  std::vector<Member> members;
  for (const ZipEntry& entry : reader.entries())
    members.push_back({entry.name, std::string(as_text(reader.read(entry).bytes()))});
  return members;
}

std::string message_of(Bytes archive) {
  try {
    read_back(archive);
    return "no error";
  } catch (const Error& error) {
    return error.what();
  }
}

std::string deflated(std::string_view content) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// A member as hostile as a test wants it.
struct RawMember {
  std::string name, stored;
  uint32_t size = 0, crc = 0;
  uint16_t method = kStored, flags = 0, disk = 0;
  std::optional<uint32_t> header = {};  // where the directory says it stands
};

RawMember stored_member(const std::string& name, const std::string& content) {
  const auto* data = reinterpret_cast<const Bytef*>(content.data());
  return {name, content, static_cast<uint32_t>(content.size()),
          static_cast<uint32_t>(crc32_z(0, data, content.size()))};
}

RawMember deflated_member(const std::string& name, const std::string& content) {
  RawMember member = stored_member(name, content);
  member.stored = deflated(content);
  member.method = kDeflated;
  return member;
}

Blob raw_archive(const std::vector<RawMember>& members, const std::string& comment = "") {
  ByteWriter out, directory;
  for (const RawMember& m : members) {
    const auto header = static_cast<uint32_t>(out.size());
    ByteWriter shared;
    shared.write(m.flags).write(m.method).write(kFixedTime).write(m.crc);
    shared.write(static_cast<uint32_t>(m.stored.size())).write(m.size);
    shared.write(static_cast<uint16_t>(m.name.size())).write(uint16_t{0});
    out.write(kLocalSignature).write(kPlainVersion).append(shared.bytes());
    out.append(m.name).append(m.stored);
    directory.write(kDirectorySignature).write(uint32_t{0}).append(shared.bytes());
    directory.write(uint16_t{0}).write(m.disk).write(uint16_t{0}).write(uint32_t{0});
    directory.write(m.header.value_or(header)).append(m.name);
  }
  const auto begin = static_cast<uint32_t>(out.size()), size = uint32_t(directory.size());
  const auto count = static_cast<uint16_t>(members.size());
  out.append(directory.bytes()).write(kEndSignature).write(uint32_t{0}).write(count).write(count);
  out.write(size).write(begin).write(static_cast<uint16_t>(comment.size())).append(comment);
  return out.release();
}

TEST(Zip, GivesBackWhatWasWrittenWithAndWithoutZip64) {
  Rng rng(11);
  for (int round = 0; round < 60; ++round) {
    std::vector<Member> members(rng.below(5));
    for (size_t i = 0; i < members.size(); ++i) {
      members[i].name = fmt::format("folder/{}\u00e9.npy", i);
      members[i].content.resize(rng.below(300));
      for (char& c : members[i].content) c = static_cast<char>(rng.below(256));
    }
    for (const uint64_t zip64_from : {uint64_t{0xFFFFFFFF}, uint64_t{1}, uint64_t{100}})
      ASSERT_EQ(read_back(written(members, zip64_from)), members);
  }
}

TEST(Zip, CountsMoreMembersThanTheShortFieldHolds) {
  std::vector<Member> members(0x10001);
  for (size_t i = 0; i < members.size(); ++i) members[i].name = std::to_string(i);
  EXPECT_EQ(read_back(written(members)).size(), members.size());
}

TEST(Zip, LooksAtStoredMembersWithoutCopyingThem) {
  const Blob archive = written({{"a", "some content"}});
  const ZipReader reader(archive, "test.zip");
  const StoredBytes content = reader.read(reader.entries()[0]);
  EXPECT_GE(content.bytes().data(), archive.data());
  EXPECT_LT(content.bytes().data(), archive.data() + archive.size());
}

TEST(Zip, WritesASourceInPieces) {
  ByteWriter out;
  ZipWriter writer([&](Bytes bytes) { out.append(bytes); });
  writer.add("a", 6, [](const ZipWriter::Sink& sink) {
    for (const char* piece : {"abc", "", "def"}) sink(as_byte_span(piece));
    sink({});
  });
  writer.finish();
  EXPECT_EQ(read_back(out.bytes()), (std::vector<Member>{{"a", "abcdef"}}));
}

TEST(Zip, RefusesToWriteNamesThatNobodyCouldRead) {
  ZipWriter writer([](Bytes) {});
  for (const std::string& name :
       {std::string("\xff"), std::string("a\0b", 3), std::string(70000, 'a')})
    EXPECT_THROW(writer.add(name, as_byte_span("x")), Error);
}

TEST(Zip, InflatesDeflatedMembers) {
  Rng rng(5);
  std::vector<RawMember> raw;
  std::vector<Member> members = {{"empty", ""}, {"zeros", std::string(100000, '\0')}};
  for (int i = 0; i < 20; ++i) {
    members.push_back({std::to_string(i), std::string(rng.below(5000), 'x')});
    for (char& c : members.back().content) c = static_cast<char>('a' + rng.below(4));
  }
  for (const Member& m : members) raw.push_back(deflated_member(m.name, m.content));
  EXPECT_EQ(read_back(raw_archive(raw)), members);
}

TEST(Zip, RefusesDeflatedDataThatIsNotWhatItDeclares) {
  const RawMember good = deflated_member("a", "some content that is long enough");
  const auto changed = [&](auto change) {
    RawMember member = good;
    change(member);
    return message_of(raw_archive({member}));
  };
  const std::string unpack = "does not unpack";
  EXPECT_EQ(changed([](RawMember&) {}), "no error");
  EXPECT_NE(changed([](auto& m) { m.size += 1; }).find(unpack), std::string::npos);
  EXPECT_NE(changed([](auto& m) { m.size -= 1; }).find(unpack), std::string::npos);
  EXPECT_NE(changed([](auto& m) { m.size = 0; }).find(unpack), std::string::npos);
  EXPECT_NE(changed([](auto& m) { m.stored += "x"; }).find(unpack), std::string::npos);
  EXPECT_NE(changed([](auto& m) { m.stored.pop_back(); }).find(unpack), std::string::npos);
  EXPECT_NE(changed([](auto& m) { m.stored.clear(); }).find(unpack), std::string::npos);
  EXPECT_NE(changed([](auto& m) { m.crc ^= 1; }).find("checksum"), std::string::npos);
  EXPECT_NE(changed([](auto& m) { m.size = 0xFFFFFFFE; }).find("exhaust memory"),
            std::string::npos);
}

TEST(Zip, RefusesWhatItCannotReadAndSaysWhy) {
  const auto changed = [](auto change) {
    RawMember member = stored_member("a.npy", "content");
    change(member);
    return message_of(raw_archive({member}));
  };
  EXPECT_EQ(changed([](RawMember&) {}), "no error");
  EXPECT_NE(changed([](auto& m) { m.flags = 1; }).find("a.npy: is encrypted"), std::string::npos);
  EXPECT_NE(changed([](auto& m) { m.flags = 1 << 13; }).find("encrypted"), std::string::npos);
  EXPECT_NE(changed([](auto& m) { m.method = 12; }).find("method 12"), std::string::npos);
  EXPECT_NE(changed([](auto& m) { m.disk = 1; }).find("another disk"), std::string::npos);
  EXPECT_NE(changed([](auto& m) { m.name = "\xc3"; }).find("UTF-8"), std::string::npos);
  EXPECT_NE(changed([](auto& m) { m.size = 3; }).find("two different sizes"), std::string::npos);
  EXPECT_NE(changed([](auto& m) { m.size = 0xFFFFFFFF; }).find("ZIP64"), std::string::npos);
  EXPECT_NE(changed([](auto& m) { m.header = 1; }).find("does not stand"), std::string::npos);
  EXPECT_NE(changed([](auto& m) { m.header = 4000; }).find("promised"), std::string::npos);
  EXPECT_NE(message_of(as_byte_span("hello")).find("not a ZIP archive"), std::string::npos);
  EXPECT_NE(message_of({}).find("not a ZIP archive"), std::string::npos);
}

TEST(Zip, RefusesTwoMembersOfOneName) {
  EXPECT_NE(message_of(raw_archive({stored_member("a", "1"), stored_member("a", "2")}))
                .find("two members called 'a'"),
            std::string::npos);
}

TEST(Zip, RefusesMembersThatOverlap) {
  // A whole member hidden in the content of another.
  const Blob inner = raw_archive({stored_member("b", "bb")});
  RawMember outer = stored_member("a", std::string(as_text(inner)));
  RawMember second = stored_member("b", "bb");
  second.header = uint32_t{30 + 1};
  EXPECT_NE(message_of(raw_archive({outer, second})).find("a: overlaps"), std::string::npos);
}

TEST(Zip, TakesAnyNameForANameOnly) {
  std::vector<Member> members = {{"/etc/passwd", "1"}, {"../../x", "2"}, {"", "3"}, {"d/", ""}};
  EXPECT_EQ(read_back(written(members)), members);
}

TEST(Zip, FindsTheDirectoryBeforeAComment) {
  const std::vector<Member> members = {{"a", "content"}};
  for (const size_t length : {1, 22, 100, 0xFFFF})
    EXPECT_EQ(read_back(raw_archive({stored_member("a", "content")}, std::string(length, 'c'))),
              members);
}

TEST(Zip, NoticesEveryCutAndEveryChangedByte) {
  const std::vector<Member> members = {{"first.npy", "0123456789"}, {"b", ""}, {"c", "content"}};
  std::vector<RawMember> raw;
  for (const Member& m : members) raw.push_back(deflated_member(m.name, m.content));
  for (const Blob& archive : {written(members), written(members, 1), raw_archive(raw)}) {
    ASSERT_EQ(read_back(archive), members);
    for (size_t length = 0; length < archive.size(); ++length)
      ASSERT_THROW(read_back(Blob(archive.begin(), archive.begin() + length)), Error) << length;
    Blob changed = archive;
    for (size_t at = 0; at < archive.size(); ++at) {
      for (int delta = 1; delta < 256; ++delta) {
        changed[at] = archive[at] ^ std::byte(delta);
        try {
          ASSERT_EQ(read_back(changed), members) << "byte " << at << " xor " << delta;
        } catch (const Error&) {
        }
      }
      changed[at] = archive[at];
    }
  }
}

}  // namespace
}  // namespace darp
