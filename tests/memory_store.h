#pragma once
// A store in memory: tests and fuzzers fill it with what no sane writer produces.

#include <map>
#include <string>
#include <vector>

#include "darp/data/ingest/byte_store.h"

namespace darp {

/// Hands out views: a value must not be replaced while its bytes are in use.
class MemoryStore final : public FlatStore {
 public:
  /// Each value gets a block of exactly its size, so that sanitizers see every step past its end.
  void put(const std::string& key, Bytes bytes) {
    values_[key] = std::vector<std::byte>(bytes.begin(), bytes.end());
    sizes_[key] = bytes.size();
  }
  void put(const std::string& key, std::string_view text) { put(key, as_byte_span(text)); }
  void remove(const std::string& key) {
    values_.erase(key);
    sizes_.erase(key);
  }
  const std::map<std::string, std::vector<std::byte>>& values() const { return values_; }

  std::optional<StoredBytes> read(std::string_view key) const override {
    if (!contains(key)) return std::nullopt;
    return StoredBytes(Bytes(values_.at(std::string(key))));
  }

 private:
  std::map<std::string, std::vector<std::byte>> values_;
};

}  // namespace darp
