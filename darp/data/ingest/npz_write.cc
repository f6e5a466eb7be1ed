#include <algorithm>

#include "darp/core/utf8.h"
#include "darp/data/ingest/npy.h"
#include "darp/data/ingest/npz.h"

namespace darp {
namespace {

constexpr ElementType kFloat{'f', 4, false}, kInteger{'i', 8, false};

/// The characters as UTF-32, numpy's form of text.
std::vector<uint32_t> to_utf32(std::string_view text) {
  constexpr size_t kLongest = 65536;  // what parse_element_type accepts
  if (!is_valid_utf8(text) || text.ends_with('\0'))
    throw Error(text.substr(0, 100), "is text that numpy cannot store",
                "use valid UTF-8 without a zero at the end");
  std::vector<uint32_t> codes;
  while (!text.empty()) {
    const size_t length = utf8_sequence_length(text);
    uint32_t code = static_cast<unsigned char>(text[0]);
    if (length > 1) code &= 0x7Fu >> length;
    for (size_t i = 1; i < length; ++i) code = code << 6 | (text[i] & 0x3Fu);
    codes.push_back(code);
    text.remove_prefix(length);
  }
  if (codes.size() > kLongest)
    throw Error(fmt::format("a text of {} characters", codes.size()), "is too long",
                fmt::format("at most {} are stored", kLongest));
  return codes;
}

void add_array(ZipWriter& archive, const std::string& name, const ElementType& type,
               const std::vector<uint64_t>& shape, const ZipWriter::Source& elements) {
  const std::string header = npy_header(type, shape);
  uint64_t size = static_cast<uint64_t>(type.size);
  for (const uint64_t n : shape) size *= n;
  archive.add(name + ".npy", header.size() + size, [&](const ZipWriter::Sink& sink) {
    sink(as_byte_span(header));
    elements(sink);
  });
}

void add_matrix(ZipWriter& archive, const std::string& name, MatrixView values) {
  const std::vector<uint64_t> shape = {static_cast<uint64_t>(values.rows()),
                                       static_cast<uint64_t>(values.cols())};
  add_array(archive, name, kFloat, shape, [&](const ZipWriter::Sink& sink) {
    // Rows are padded in memory but not in the file; pieces of some size keep writes few.
    constexpr size_t kPiece = 1 << 18;
    ByteWriter piece;
    for (int64_t i = 0; i < values.rows(); ++i) {
      piece.append(std::as_bytes(values.row(i)));
      if (piece.size() < kPiece && i + 1 < values.rows()) continue;
      sink(piece.bytes());
      piece = {};
    }
  });
}

void add_integers(ZipWriter& archive, const std::string& name, const std::vector<int64_t>& values) {
  add_array(archive, name, kInteger, {values.size()},
            [&](const ZipWriter::Sink& sink) { sink(std::as_bytes(std::span(values))); });
}

void add_texts(ZipWriter& archive, const std::string& name, const std::vector<uint64_t>& shape,
               const std::vector<std::string>& texts) {
  size_t width = 1;
  for (const std::string& text : texts) width = std::max(width, to_utf32(text).size());
  add_array(archive, name, {'U', static_cast<int64_t>(4 * width), false}, shape,
            [&](const ZipWriter::Sink& sink) {
              for (const std::string& text : texts) {
                std::vector<uint32_t> codes = to_utf32(text);
                codes.resize(width, 0);
                sink(std::as_bytes(std::span(codes)));
              }
            });
}

}  // namespace

void write_npz(const Dataset& dataset, ZipWriter& archive) {
  const bool plain = dataset.parts().size() == 1 && dataset.parts()[0].name == "observation";
  for (const ObservationPart& part : dataset.parts())
    add_matrix(archive, plain ? "observations" : "obs/" + part.name,
               dataset.observations().cols_between(part.begin, part.end));
  add_matrix(archive, "actions", dataset.actions());
  if (const std::vector<float>& rewards = dataset.rewards(); !rewards.empty())
    add_array(archive, "rewards", kFloat, {rewards.size()},
              [&](const ZipWriter::Sink& sink) { sink(std::as_bytes(std::span(rewards))); });
  add_integers(archive, "episode_ends", dataset.episode_ends());
  std::vector<std::string> names;
  for (int64_t i = 0; i < dataset.episodes(); ++i) names.push_back(dataset.episode_name(i));
  add_texts(archive, "episode_names", {names.size()}, names);
  for (const auto& [key, members] : dataset.filters())
    add_integers(archive, "mask/" + key, members);
  if (!dataset.environment().empty()) add_texts(archive, "env_args", {}, {dataset.environment()});
}

void write_npz(const Dataset& dataset, const std::filesystem::path& path) {
  AtomicFile file(path);
  ZipWriter archive(file);
  write_npz(dataset, archive);
  archive.finish();
  file.commit();
}

}  // namespace darp
