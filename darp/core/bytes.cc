#include "darp/core/bytes.h"

namespace darp {

ByteWriter& ByteWriter::append(Bytes bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  return *this;
}

}  // namespace darp
