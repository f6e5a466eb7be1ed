#include "darp/data/ingest/zarr_array.h"

#include <algorithm>
#include <cmath>

#include "darp/core/checked.h"
#include "darp/data/ingest/zarr_chunk.h"

namespace darp {
namespace {

/// How many chunks cover each dimension.
std::vector<uint64_t> chunk_counts(const ZarrMetadata& array) {
  std::vector<uint64_t> counts;
  for (size_t d = 0; d < array.shape.size(); ++d)
    counts.push_back(array.shape[d] / array.chunks[d] + (array.shape[d] % array.chunks[d] != 0));
  return counts;
}

/// Counts `index` up, the last dimension fastest; false after the last.
bool advance(std::vector<uint64_t>& index, const std::vector<uint64_t>& lengths, size_t first) {
  for (size_t d = index.size(); d-- > first;) {
    if (++index[d] < lengths[d]) return true;
    index[d] = 0;
  }
  return false;
}

/// For each entry of a chunk's row that lies within the array: {entry in the chunk's row, entry in
/// the array's row}, both counted in C order.
std::vector<std::pair<uint64_t, uint64_t>> column_pairs(const ZarrMetadata& array,
                                                        const std::vector<uint64_t>& origin) {
  std::vector<uint64_t> inside(origin.size());
  for (size_t d = 0; d < origin.size(); ++d)
    inside[d] = std::min(array.chunks[d], array.shape[d] - origin[d]);
  std::vector<std::pair<uint64_t, uint64_t>> pairs;
  std::vector<uint64_t> index(origin.size(), 0);
  do {
    uint64_t from = 0, to = 0;
    for (size_t d = 1; d < origin.size(); ++d) {
      from = from * array.chunks[d] + index[d];
      to = to * array.shape[d] + origin[d] + index[d];
    }
    pairs.emplace_back(from, to);
  } while (advance(index, inside, 1));
  return pairs;
}

}  // namespace

ZarrArray::ZarrArray(const ByteStore& store, std::string key, std::string_view source)
    : store_(store), key_(std::move(key)), where_(fmt::format("{}: {}", source, key_)) {
  const auto text = store_.read(key_ + "/.zarray");
  if (!text)
    throw Error(where_, "has no .zarray file", "the store is incomplete: copy or create it again");
  metadata_ = parse_zarray(text->bytes(), where_ + "/.zarray");
  check_sizes();
}

void ZarrArray::check_sizes() const {
  const uint64_t stored = store_.stored_bytes(key_);
  check_expansion(metadata_.array_bytes(), stored, where_);
  // Time is bounded too: every chunk is looked up, and unpacked with its padding.
  std::vector<uint64_t> counts = chunk_counts(metadata_), padded = metadata_.chunks;
  padded.insert(padded.end(), counts.begin(), counts.end());
  padded.push_back(static_cast<uint64_t>(metadata_.type.size));
  const auto chunks = checked_product(counts), unpacked = checked_product(padded);
  if (!chunks || !unpacked || *chunks > stored)
    throw Error(where_, fmt::format("declares more chunks than the {} bytes it stores", stored),
                "the store is incomplete or damaged: copy it again, or save it with larger chunks");
  if (*unpacked > kOrdinaryChunkBytes) check_expansion(*unpacked, stored, where_);
}

uint64_t ZarrArray::width() const {
  uint64_t width = 1;
  for (size_t d = 1; d < metadata_.shape.size(); ++d) width *= metadata_.shape[d];
  return width;
}

std::string ZarrArray::chunk_key(const std::vector<uint64_t>& numbers) const {
  std::string key = key_ + "/";
  for (size_t d = 0; d < numbers.size(); ++d) {
    if (d > 0) key += metadata_.separator;
    key += std::to_string(numbers[d]);
  }
  return key;
}

double ZarrArray::fill_value() const {
  if (metadata_.fill_value) return *metadata_.fill_value;
  throw Error(where_, "lacks a chunk and names no fill value",
              "the store is incomplete: copy or create it again");
}

uint64_t ZarrArray::visit_chunks(const ChunkVisitor& visit) const {
  const std::vector<uint64_t> counts = chunk_counts(metadata_);
  if (std::find(counts.begin(), counts.end(), 0) != counts.end()) return 0;
  const size_t dimensions = counts.size();
  std::vector<uint64_t> numbers(dimensions, 0), origin(dimensions);
  ZarrChunkDecoder decoder(metadata_.compressor, metadata_.chunk_bytes());
  uint64_t stored_chunks = 0;
  do {
    for (size_t d = 0; d < dimensions; ++d) origin[d] = numbers[d] * metadata_.chunks[d];
    const std::string key = chunk_key(numbers);
    if (const auto stored = store_.read(key)) {
      const std::string where = where_ + key.substr(key_.size());
      visit(origin, decoder.decode(stored->bytes(), where));
      ++stored_chunks;
    } else {
      visit(origin, std::nullopt);
    }
  } while (advance(numbers, counts, 0));
  return stored_chunks;
}

void ZarrArray::place(const std::vector<uint64_t>& origin, std::optional<Bytes> chunk,
                      MutableMatrixView out) const {
  const uint64_t rows = std::min(metadata_.chunks[0], metadata_.shape[0] - origin[0]);
  const MutableMatrixView target =
      out.rows_between(static_cast<int64_t>(origin[0]), static_cast<int64_t>(origin[0] + rows));
  ArrayView view{metadata_.type, metadata_.chunks, metadata_.fortran_order,
                 chunk.value_or(Bytes())};
  const bool whole_rows =
      std::equal(metadata_.chunks.begin() + 1, metadata_.chunks.end(), metadata_.shape.begin() + 1);
  const bool cropped = rows < metadata_.chunks[0];

  // The usual case: full rows, in place. In C order the rows inside the array come first.
  if (chunk && whole_rows && (!cropped || !metadata_.fortran_order)) {
    const uint64_t row_bytes = chunk->size() / metadata_.chunks[0];
    view.shape[0] = rows;
    view.bytes = chunk->first(static_cast<size_t>(rows * row_bytes));
    darp::read_floats(view, where_, target);
    return;
  }
  const auto columns = column_pairs(metadata_, origin);
  if (!chunk) {
    const auto fill = static_cast<float>(fill_value());
    for (int64_t i = 0; i < target.rows(); ++i)
      for (const auto& [from, to] : columns) target(i, static_cast<int64_t>(to)) = fill;
    return;
  }
  std::vector<float> all(chunk->size() / static_cast<size_t>(metadata_.type.size));
  const auto chunk_width = static_cast<int64_t>(view.width());
  const MutableMatrixView floats(all.data(), static_cast<int64_t>(metadata_.chunks[0]), chunk_width,
                                 chunk_width);
  darp::read_floats(view, where_, floats);
  for (int64_t i = 0; i < target.rows(); ++i)
    for (const auto& [from, to] : columns)
      target(i, static_cast<int64_t>(to)) = floats(i, static_cast<int64_t>(from));
}

uint64_t ZarrArray::read_floats(MutableMatrixView out) const {
  DARP_CHECK(
      static_cast<uint64_t>(out.rows()) == rows() && static_cast<uint64_t>(out.cols()) == width(),
      "{}x{} from {}x{}", out.rows(), out.cols(), rows(), width());
  if (type().kind != 'f')
    throw Error(where_, fmt::format("holds {} elements", to_string(type())),
                "demonstrations are real numbers: convert it, e.g. with .astype('float32')");
  return visit_chunks([&](const std::vector<uint64_t>& origin, std::optional<Bytes> chunk) {
    place(origin, chunk, out);
  });
}

std::vector<int64_t> ZarrArray::read_integers() const {
  if (metadata_.shape.size() != 1)
    throw Error(where_, fmt::format("has {} dimensions", metadata_.shape.size()),
                "a list of whole numbers is needed here");
  std::vector<int64_t> values;
  visit_chunks([&](const std::vector<uint64_t>& origin, std::optional<Bytes> chunk) {
    const uint64_t count = std::min(metadata_.chunks[0], rows() - origin[0]);
    if (!chunk) {
      const double fill = fill_value();
      if (!(std::abs(fill) <= 0x1p53) || fill != std::floor(fill))
        throw Error(where_, fmt::format("has the fill value {}", fill),
                    "whole numbers are needed here");
      values.insert(values.end(), static_cast<size_t>(count), static_cast<int64_t>(fill));
      return;
    }
    const auto size = static_cast<size_t>(type().size);
    const ArrayView view{type(), {count}, false, chunk->first(static_cast<size_t>(count) * size)};
    const auto part = darp::read_integers(view, where_);
    values.insert(values.end(), part.begin(), part.end());
  });
  return values;
}

}  // namespace darp
