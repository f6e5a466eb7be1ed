// A zarr array from hostile bytes: the description up to the first zero byte, then one chunk, which
// stands for every chunk of the array.

#include <algorithm>

#include "darp/core/matrix.h"
#include "darp/data/ingest/zarr_array.h"

namespace {

using namespace darp;

class OneChunkStore final : public ByteStore {
 public:
  explicit OneChunkStore(Bytes input) : size_(input.size()) {
    const size_t zero = as_text(input).find('\0');
    text_ = input.first(std::min(zero, input.size()));
    // A block of its own, so that reading past the chunk is seen.
    if (zero < input.size()) chunk_.assign(input.begin() + zero + 1, input.end());
  }

  std::optional<StoredBytes> read(std::string_view key) const override {
    return StoredBytes(key.ends_with(".zarray") ? text_ : Bytes(chunk_));
  }
  bool contains(std::string_view) const override { return true; }
  std::vector<std::string> children(std::string_view) const override { return {}; }
  uint64_t stored_bytes(std::string_view) const override { return size_; }

 private:
  uint64_t size_;
  Bytes text_;
  std::vector<std::byte> chunk_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const OneChunkStore store(std::as_bytes(std::span(data, size)));
  try {
    const ZarrArray array(store, "a", "fuzz");
    if (array.type().kind == 'f') {
      Matrix floats = Matrix::uninitialized(static_cast<int64_t>(array.rows()),
                                            static_cast<int64_t>(array.width()));
      array.read_floats(floats.mutable_view());
    } else {
      array.read_integers();
    }
  } catch (const Error&) {
  }
  return 0;
}
