#include "darp/core/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace darp {

struct Hasher::State {
  XXH3_state_t xxh;
};

Hasher::Hasher() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(&state_->xxh);
}
Hasher::~Hasher() = default;

Hasher& Hasher::add(Bytes bytes) {
  if (!bytes.empty()) XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
  return *this;
}

Hasher& Hasher::add(std::string_view text) {
  add(uint64_t{text.size()});
  return add(as_byte_span(text));
}

Hasher& Hasher::add(uint64_t number) {
  return add(std::as_bytes(std::span(&number, 1)));
}

std::string Hasher::hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace darp
