#pragma once
// A 128-bit content hash (XXH3): names data in provenance and detects damage. It is not
// cryptographic: it proves nothing against someone who wants a collision.

#include <memory>
#include <string>

#include "darp/core/bytes.h"

namespace darp {

class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  Hasher& add(Bytes bytes);
  /// Adds the length first, so that ("ab", "c") and ("a", "bc") differ.
  Hasher& add(std::string_view text);
  Hasher& add(uint64_t number);
  /// 32 hexadecimal digits over all that was added.
  std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace darp
