#pragma once
// SHA-512 (FIPS 180-4): gym hashes its seeds with it.

#include <array>

#include "darp/core/bytes.h"

namespace darp {

std::array<uint8_t, 64> sha512(Bytes message);

}  // namespace darp
