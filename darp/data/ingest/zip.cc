#include "darp/data/ingest/zip.h"

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <initializer_list>

#include "darp/core/checked.h"
#include "darp/core/utf8.h"
#include "darp/data/ingest/zip_format.h"

namespace darp {
namespace {

using namespace zip_format;

constexpr const char* kBroken = "the file is truncated or damaged: copy or create it again";

template <class T>
T load(Bytes bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

/// The archive's last record, found from its end because a comment of any length may follow it.
size_t find_end_record(Bytes archive, const std::string& where) {
  if (archive.size() >= kEndRecordSize) {
    const size_t last = archive.size() - kEndRecordSize;
    const size_t first = last - std::min<size_t>(last, 0xFFFF);
    for (size_t at = last + 1; at-- > first;)
      if (load<uint32_t>(archive, at) == kEndSignature &&
          load<uint16_t>(archive, at + 20) == last - at)
        return at;
  }
  throw Error(where, "is not a ZIP archive, or its end is missing", kBroken);
}

struct Directory {
  uint64_t disk = 0, directory_disk = 0, entries_here = 0, entries = 0, size = 0, begin = 0;
};

/// The ZIP64 end record that a locator right before the end record points at, and where it stands.
std::pair<Directory, uint64_t> read_zip64_directory(Bytes archive, size_t end_record,
                                                    const std::string& where) {
  ByteReader reader(archive, where);
  if (end_record < kLocatorSize) throw Error(where, "lacks its ZIP64 records", kBroken);
  const size_t locator = end_record - kLocatorSize;
  reader.seek(locator);
  const auto signature = reader.read<uint32_t>(), disk = reader.read<uint32_t>();
  const auto record = reader.read<uint64_t>();
  const auto disks = reader.read<uint32_t>();
  if (signature != kLocatorSignature || disk != 0 || disks > 1 || record > locator)
    throw Error(where, "has a broken ZIP64 locator", kBroken);
  reader.seek(record);
  const bool right_record = reader.read<uint32_t>() == kZip64EndSignature;
  const auto size = reader.read<uint64_t>();
  if (!right_record || size < kZip64EndSize - 12 || size != locator - reader.offset())
    throw Error(where, "has a broken ZIP64 end record", kBroken);
  reader.take(4);  // versions
  Directory d;
  d.disk = reader.read<uint32_t>();
  d.directory_disk = reader.read<uint32_t>();
  for (uint64_t* field : {&d.entries_here, &d.entries, &d.size, &d.begin})
    *field = reader.read<uint64_t>();
  return {d, record};
}

Directory find_directory(Bytes archive, const std::string& where) {
  const size_t end_record = find_end_record(archive, where);
  ByteReader reader(archive, where);
  reader.seek(end_record + 4);
  Directory d;
  for (uint64_t* field : {&d.disk, &d.directory_disk, &d.entries_here, &d.entries})
    *field = reader.read<uint16_t>();
  for (uint64_t* field : {&d.size, &d.begin}) *field = reader.read<uint32_t>();

  // A field of all ones refers to the ZIP64 record; the others must agree with it.
  uint64_t limit = end_record;
  const uint64_t ones16 = 0xFFFF, ones32 = 0xFFFFFFFF;
  if (d.disk == ones16 || d.directory_disk == ones16 || d.entries_here == ones16 ||
      d.entries == ones16 || d.size == ones32 || d.begin == ones32) {
    const auto [wide, record] = read_zip64_directory(archive, end_record, where);
    const auto agree = [](uint64_t narrow, uint64_t full, uint64_t ones) {
      return narrow == ones || narrow == full;
    };
    if (!agree(d.disk, wide.disk, ones16) ||
        !agree(d.directory_disk, wide.directory_disk, ones16) ||
        !agree(d.entries_here, wide.entries_here, ones16) ||
        !agree(d.entries, wide.entries, ones16) || !agree(d.size, wide.size, ones32) ||
        !agree(d.begin, wide.begin, ones32))
      throw Error(where, "has two end records that contradict each other", kBroken);
    d = wide;
    limit = record;
  }
  if (d.disk != 0 || d.directory_disk != 0 || d.entries_here != d.entries)
    throw Error(where, "is a ZIP archive split over several files", "join or create it again");
  if (d.begin > limit || d.size > limit - d.begin)
    throw Error(where, "has its directory outside the file", kBroken);
  return d;
}

/// Replaces the values that are all ones, in order, by those of the ZIP64 extra field.
void widen(Bytes extra, std::initializer_list<uint64_t*> values, const std::string& where) {
  constexpr uint64_t kOnes = 0xFFFFFFFF;
  bool missing = std::any_of(values.begin(), values.end(), [](auto v) { return *v == kOnes; });
  ByteReader reader(extra, where);
  while (!reader.done()) {
    const auto id = reader.read<uint16_t>(), size = reader.read<uint16_t>();
    ByteReader body(reader.take(size), where);
    if (id != kZip64Extra || !missing) continue;
    for (uint64_t* value : values)
      if (*value == kOnes) *value = body.read<uint64_t>();
    missing = false;
  }
  if (missing) throw Error(where, "lacks its ZIP64 sizes", kBroken);
}

std::shared_ptr<const std::byte[]> inflate_all(Bytes stored, size_t size,
                                               const std::string& where) {
  // One byte more than declared, so that content which goes on is noticed. Not set to zero: memory
  // is touched only as far as the stream really fills it.
  auto content = std::make_unique_for_overwrite<std::byte[]>(size + 1);
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  constexpr size_t kMost = 1 << 30;
  size_t in = 0, out = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    const auto in_room = static_cast<uInt>(std::min(stored.size() - in, kMost)),
               out_room = static_cast<uInt>(std::min(size + 1 - out, kMost));
    stream.next_in = reinterpret_cast<const Bytef*>(stored.data() + in);
    stream.avail_in = in_room;
    stream.next_out = reinterpret_cast<Bytef*>(content.get() + out);
    stream.avail_out = out_room;
    status = inflate(&stream, Z_NO_FLUSH);
    in += in_room - stream.avail_in;
    out += out_room - stream.avail_out;
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END || in != stored.size() || out != size)
    throw Error(where, fmt::format("does not unpack to the {} bytes it declares", size), kBroken);
  return content;
}

uint32_t crc_of(Bytes bytes, uint32_t crc = 0) {
  if (bytes.empty()) return crc;  // zlib takes a null pointer for a wish to start over
  return static_cast<uint32_t>(
      crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

ZipReader::ZipReader(Bytes archive, std::string where)
    : archive_(archive), where_(std::move(where)) {
  const Directory directory = find_directory(archive_, where_);
  ByteReader reader(archive_.subspan(directory.begin, directory.size), where_ + ": directory");
  while (!reader.done()) entries_.push_back(read_directory_entry(reader));
  if (entries_.size() != directory.entries)
    throw Error(
        where_,
        fmt::format("has {} members where {} were declared", entries_.size(), directory.entries),
        kBroken);
  check_names_and_places(directory.begin);
}

ZipEntry ZipReader::read_directory_entry(ByteReader& directory) const {
  if (directory.read<uint32_t>() != kDirectorySignature)
    throw Error(where_, "has a broken directory", kBroken);
  directory.take(4);  // versions
  const auto flags = directory.read<uint16_t>(), method = directory.read<uint16_t>();
  directory.take(4);  // time
  ZipEntry entry;
  entry.crc = directory.read<uint32_t>();
  entry.stored_size = directory.read<uint32_t>();
  entry.size = directory.read<uint32_t>();
  const auto name_size = directory.read<uint16_t>(), extra_size = directory.read<uint16_t>(),
             comment_size = directory.read<uint16_t>(), disk = directory.read<uint16_t>();
  directory.take(6);  // attributes
  entry.header = directory.read<uint32_t>();
  entry.name = as_text(directory.take(name_size));
  const Bytes extra = directory.take(extra_size);
  directory.take(comment_size);

  const std::string where = fmt::format("{}: {}", where_, entry.name);
  if (!is_valid_utf8(entry.name) || entry.name.find('\0') != std::string::npos)
    throw Error(where, "is a name that is not UTF-8 text", "create the archive again");
  if (flags & kUnreadableFlags)
    throw Error(where, "is encrypted or patched", "create the archive without encryption");
  if (method != kStored && method != kDeflated)
    throw Error(where, fmt::format("uses ZIP compression method {}", method),
                "create the archive with deflate or without compression");
  if (disk != 0) throw Error(where, "lies on another disk", kBroken);
  entry.deflated = method == kDeflated;
  widen(extra, {&entry.size, &entry.stored_size, &entry.header}, where);
  if (!entry.deflated && entry.size != entry.stored_size)
    throw Error(where, "is stored with two different sizes", kBroken);
  check_local_header(entry, flags);
  return entry;
}

void ZipReader::check_local_header(ZipEntry& entry, uint16_t directory_flags) const {
  const std::string where = fmt::format("{}: {}", where_, entry.name);
  ByteReader reader(archive_, where);
  reader.seek(entry.header);
  if (reader.read<uint32_t>() != kLocalSignature)
    throw Error(where, "does not stand where the archive's directory says", kBroken);
  reader.take(2);  // version
  const auto flags = reader.read<uint16_t>(), method = reader.read<uint16_t>();
  reader.take(4);  // time
  const auto crc = reader.read<uint32_t>();
  uint64_t stored_size = reader.read<uint32_t>(), size = reader.read<uint32_t>();
  const auto name_size = reader.read<uint16_t>(), extra_size = reader.read<uint16_t>();
  bool agrees = as_text(reader.take(name_size)) == entry.name &&
                method == (entry.deflated ? kDeflated : kStored) &&
                (flags & kComparedFlags) == (directory_flags & kComparedFlags);
  const Bytes extra = reader.take(extra_size);
  // A writer that could not seek back left the sizes to a descriptor after the data.
  if (agrees && !(flags & kDescriptorFlag)) {
    widen(extra, {&size, &stored_size}, where);
    agrees = crc == entry.crc && size == entry.size && stored_size == entry.stored_size;
  }
  if (!agrees)
    throw Error(where, "differs between the archive's directory and its own header", kBroken);
  entry.data = reader.offset();
  reader.take(entry.stored_size);
}

void ZipReader::check_names_and_places(uint64_t directory_begin) const {
  std::vector<const ZipEntry*> order;
  for (const ZipEntry& entry : entries_) order.push_back(&entry);
  std::sort(order.begin(), order.end(), [](auto a, auto b) { return a->name < b->name; });
  for (size_t i = 1; i < order.size(); ++i)
    if (order[i]->name == order[i - 1]->name)
      throw Error(where_, fmt::format("has two members called '{}'", order[i]->name),
                  "create the archive again with each name once");
  // Members that overlap would let a small file unpack to a huge one.
  std::sort(order.begin(), order.end(), [](auto a, auto b) { return a->header < b->header; });
  for (size_t i = 0; i < order.size(); ++i) {
    const uint64_t next = i + 1 < order.size() ? order[i + 1]->header : directory_begin;
    if (order[i]->data + order[i]->stored_size > next)
      throw Error(fmt::format("{}: {}", where_, order[i]->name), "overlaps what follows it",
                  kBroken);
  }
}

StoredBytes ZipReader::read(const ZipEntry& entry) const {
  const std::string where = fmt::format("{}: {}", where_, entry.name);
  const Bytes stored = archive_.subspan(entry.data, entry.stored_size);
  if (entry.deflated) check_expansion(entry.size, entry.stored_size, where);
  StoredBytes content = entry.deflated
                            ? StoredBytes(inflate_all(stored, entry.size, where), entry.size)
                            : StoredBytes(stored);
  if (crc_of(content.bytes()) != entry.crc)
    throw Error(where, "does not match its checksum", kBroken);
  return content;
}

ZipStore::ZipStore(Bytes archive, std::string where) : zip_(archive, std::move(where)) {
  for (const ZipEntry& entry : zip_.entries()) {
    sizes_.emplace(entry.name, entry.stored_size);
    entries_.emplace(entry.name, &entry);
  }
}

std::optional<StoredBytes> ZipStore::read(std::string_view key) const {
  if (!contains(key)) return std::nullopt;
  return zip_.read(*entries_.find(key)->second);
}

ZipWriter::ZipWriter(AtomicFile& file) : ZipWriter([&file](Bytes bytes) { file.write(bytes); }) {}

ZipWriter::ZipWriter(Sink sink, uint64_t zip64_from)
    : sink_(std::move(sink)), zip64_from_(zip64_from) {}

void ZipWriter::emit(Bytes bytes) {
  sink_(bytes);
  offset_ += bytes.size();
}

uint32_t ZipWriter::narrow(uint64_t value) const {
  return value >= zip64_from_ ? 0xFFFFFFFF : static_cast<uint32_t>(value);
}

void ZipWriter::add(const std::string& name, uint64_t size, const Source& source) {
  if (!is_valid_utf8(name) || name.find('\0') != std::string::npos || name.size() > 0xFFFF)
    throw Error(name, "cannot be a name in a ZIP archive",
                "use a shorter name of valid UTF-8 without zero bytes");
  Member member{name, size, offset_, 0};
  uint64_t seen = 0;
  source([&](Bytes piece) { member.crc = crc_of(piece, member.crc), seen += piece.size(); });
  DARP_CHECK(seen == size, "{}: {} bytes where {} were announced", name, seen, size);

  const bool wide = size >= zip64_from_;
  ByteWriter header;
  header.write(kLocalSignature).write(wide ? kZip64Version : kPlainVersion).write(kUtf8Flag);
  header.write(kStored).write(kFixedTime).write(member.crc);
  header.write(narrow(size)).write(narrow(size));
  header.write(static_cast<uint16_t>(name.size())).write(uint16_t(wide ? 20 : 0)).append(name);
  if (wide) header.write(kZip64Extra).write(uint16_t{16}).write(size).write(size);
  emit(header.bytes());
  const uint64_t begin = offset_;
  source([this](Bytes piece) { emit(piece); });
  DARP_CHECK(offset_ - begin == size, "{}: its content changed while it was written", name);
  members_.push_back(std::move(member));
}

void ZipWriter::add(const std::string& name, Bytes content) {
  add(name, content.size(), [&](const Sink& sink) { sink(content); });
}

void ZipWriter::write_directory_entry(const Member& member) {
  ByteWriter wide;
  for (const uint64_t value : {member.size, member.size, member.header})
    if (value >= zip64_from_) wide.write(value);
  const bool zip64 = wide.size() > 0;
  ByteWriter entry;
  entry.write(kDirectorySignature).write(zip64 ? kZip64Version : kPlainVersion);
  entry.write(zip64 ? kZip64Version : kPlainVersion).write(kUtf8Flag).write(kStored);
  entry.write(kFixedTime).write(member.crc).write(narrow(member.size)).write(narrow(member.size));
  entry.write(static_cast<uint16_t>(member.name.size()));
  entry.write(static_cast<uint16_t>(zip64 ? 4 + wide.size() : 0)).write(uint16_t{0});
  entry.write(uint16_t{0}).write(uint16_t{0}).write(uint32_t{0}).write(narrow(member.header));
  entry.append(member.name);
  if (zip64)
    entry.write(kZip64Extra).write(static_cast<uint16_t>(wide.size())).append(wide.bytes());
  emit(entry.bytes());
}

void ZipWriter::finish() {
  const uint64_t begin = offset_;
  for (const Member& member : members_) write_directory_entry(member);
  const uint64_t size = offset_ - begin, count = members_.size();
  ByteWriter end;
  const bool many = count >= std::min<uint64_t>(0xFFFF, zip64_from_);
  if (many || size >= zip64_from_ || begin >= zip64_from_) {
    end.write(kZip64EndSignature).write(kZip64EndSize - 12).write(kZip64Version);
    end.write(kZip64Version).write(uint32_t{0}).write(uint32_t{0});
    end.write(count).write(count).write(size).write(begin);
    end.write(kLocatorSignature).write(uint32_t{0}).write(offset_).write(uint32_t{1});
  }
  const auto short_count = static_cast<uint16_t>(many ? 0xFFFF : count);
  end.write(kEndSignature).write(uint32_t{0}).write(short_count).write(short_count);
  end.write(narrow(size)).write(narrow(begin)).write(uint16_t{0});
  emit(end.bytes());
}

}  // namespace darp
