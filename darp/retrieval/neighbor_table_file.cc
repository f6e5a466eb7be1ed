// Neighbour tables as files: safetensors with counts, rows and, if kept, distances.

#include <algorithm>

#include "darp/data/safetensors.h"
#include "darp/retrieval/neighbor_table.h"

namespace darp {
namespace {

constexpr std::string_view kKindKey = "darp.kind", kKind = "neighbor table", kKeyKey = "darp.key";

/// The numbers of a 32-bit tensor of this type and shape.
template <class T>
std::span<const T> numbers(const SafetensorsFile& file, const std::string& where,
                           std::string_view name, Dtype dtype, const std::vector<uint64_t>& shape) {
  const TensorView& tensor = file.get(name);
  if (tensor.dtype != dtype || (!shape.empty() && tensor.shape != shape))
    throw Error(where, fmt::format("tensor {} is no part of a neighbour table", name),
                "delete the file: it will be built again");
  return {reinterpret_cast<const T*>(tensor.data.data()), tensor.elements()};
}

template <class T>
TensorView view_of(std::string name, Dtype dtype, std::vector<uint64_t> shape,
                   std::span<const T> numbers) {
  return {std::move(name), dtype, std::move(shape), std::as_bytes(numbers)};
}

}  // namespace

void write_neighbor_table(const std::filesystem::path& path, const NeighborTable& table,
                          std::string_view key) {
  const auto queries = static_cast<uint64_t>(table.queries()),
             width = static_cast<uint64_t>(table.width());
  std::vector<TensorView> tensors = {view_of("counts", Dtype::kI32, {queries}, table.counts_),
                                     view_of("rows", Dtype::kI32, {queries, width}, table.rows_)};
  if (table.has_distances())
    tensors.push_back(view_of("distances", Dtype::kF32, {queries, width}, table.distances_));
  write_safetensors(
      path, {{std::string(kKindKey), std::string(kKind)}, {std::string(kKeyKey), std::string(key)}},
      tensors);
}

NeighborTable read_neighbor_table(const std::filesystem::path& path, std::string_view key,
                                  int64_t rows) {
  const auto file = std::make_shared<const SafetensorsFile>(
      SafetensorsFile::open(path, {.require_checksum = true}));
  const std::string where = path.string();
  const auto metadata = [&](std::string_view name) -> std::string {
    const auto found = file->metadata().find(std::string(name));
    return found == file->metadata().end() ? "" : found->second;
  };
  if (metadata(kKindKey) != kKind || metadata(kKeyKey) != key)
    throw Error(where, "is not the neighbour table of these rows and settings",
                "delete the file: it will be built again");
  NeighborTable table;
  table.counts_ = numbers<int32_t>(*file, where, "counts", Dtype::kI32, {});
  const TensorView& places = file->get("rows");
  const uint64_t queries = table.counts_.size();
  table.width_ = places.shape.size() == 2 ? static_cast<int64_t>(places.shape[1]) : 0;
  const std::vector<uint64_t> shape = {queries, static_cast<uint64_t>(table.width_)};
  table.rows_ = numbers<int32_t>(*file, where, "rows", Dtype::kI32, shape);
  if (file->find("distances") != nullptr)
    table.distances_ = numbers<float>(*file, where, "distances", Dtype::kF32, shape);
  // Whoever uses the table will index with it.
  for (int64_t query = 0; query < table.queries(); ++query) {
    const bool fits = table.count(query) >= 0 && table.count(query) <= table.width_;
    if (!fits || !std::ranges::all_of(table.rows(query),
                                      [&](int32_t row) { return row >= 0 && row < rows; }))
      throw Error(where, fmt::format("query {} has impossible neighbours", query),
                  "delete the file: it will be built again");
  }
  table.owner_ = file;
  return table;
}

NeighborTable cached_neighbor_table(const std::shared_ptr<const Retriever>& retriever,
                                    const std::filesystem::path& folder, ThreadPool& pool,
                                    const TableOptions& options) {
  std::filesystem::create_directories(folder);
  const auto path = folder / fmt::format("neighbors-{}{}.safetensors", retriever->key(),
                                         options.distances ? "-distances" : "");
  if (std::filesystem::exists(path)) {
    try {
      NeighborTable table = read_neighbor_table(path, retriever->key(), retriever->rows());
      if (table.queries() == retriever->rows() && table.width() == retriever->kept() &&
          table.has_distances() == options.distances)
        return table;
    } catch (const Error&) {
      // A damaged cache is no reason to stop: it is replaced below.
    }
  }
  NeighborTable table = build_neighbor_table(retriever, pool, options);
  write_neighbor_table(path, table, retriever->key());
  return table;
}

}  // namespace darp
