#pragma once
// One array of a zarr store: described on opening, read chunk by chunk into its destination.

#include <functional>
#include <string>
#include <vector>

#include "darp/core/matrix.h"
#include "darp/data/ingest/byte_store.h"
#include "darp/data/ingest/zarr_metadata.h"

namespace darp {

/// Looks at a store that must outlive it. Memory used while reading: the destination plus one
/// chunk (and that chunk as floats where it does not fit onto whole rows).
class ZarrArray {
 public:
  /// Opens the array under `key`. Throws Error when there is none, when its description is damaged
  /// or not supported, and when it declares far more than it stores.
  /// @param source names the store in errors
  ZarrArray(const ByteStore& store, std::string key, std::string_view source);

  const ZarrMetadata& metadata() const { return metadata_; }
  const ElementType& type() const { return metadata_.type; }
  uint64_t rows() const { return metadata_.shape[0]; }
  /// Entries of one row: the product of all dimensions after the first.
  uint64_t width() const;
  /// "pusht.zarr: data/action"
  const std::string& where() const { return where_; }

  /// Writes rows() x width() floats, flattened as darp::read_floats does. Chunks that are not
  /// stored hold the fill value. Returns how many chunks are stored. Throws Error for elements that
  /// are not floats and for damaged chunks.
  uint64_t read_floats(MutableMatrixView out) const;
  /// A list of whole numbers; Error when the array has more than one dimension.
  std::vector<int64_t> read_integers() const;

 private:
  /// Where a chunk begins, for each dimension, and its bytes; none where it is not stored.
  using ChunkVisitor = std::function<void(const std::vector<uint64_t>&, std::optional<Bytes>)>;

  void check_sizes() const;
  uint64_t visit_chunks(const ChunkVisitor& visit) const;
  std::string chunk_key(const std::vector<uint64_t>& numbers) const;
  double fill_value() const;
  void place(const std::vector<uint64_t>& origin, std::optional<Bytes> chunk,
             MutableMatrixView out) const;

  const ByteStore& store_;
  std::string key_, where_;
  ZarrMetadata metadata_;
};

}  // namespace darp
