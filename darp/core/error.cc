#include "darp/core/error.h"

#include <cstdio>
#include <cstdlib>

#include "darp/core/utf8.h"

namespace darp {
namespace {

std::string compose(std::string_view where, std::string_view what, std::string_view remedy) {
  std::string line;
  if (!where.empty()) line.append(where).append(": ");
  line.append(what);
  if (!remedy.empty()) line.append("; ").append(remedy);
  return printable(line);
}

}  // namespace

Error::Error(std::string_view where, std::string_view what, std::string_view remedy)
    : std::runtime_error(compose(where, what, remedy)) {}

std::string printable(std::string_view text, size_t limit) {
  std::string safe;
  for (size_t i = 0; i < text.size();) {
    const size_t length = utf8_sequence_length(text.substr(i));
    const auto byte = static_cast<unsigned char>(text[i]);
    // C1 controls (U+0080..U+009F) are valid UTF-8 but drive terminals as well as C0 ones do.
    const bool c1_control =
        length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (length == 0 || byte < 0x20 || byte == 0x7F || c1_control) {
      safe += fmt::format("\\x{:02x}", byte);
      i += 1;
      if (c1_control) safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i++]));
    } else {
      safe.append(text, i, length);
      i += length;
    }
  }
  if (safe.size() <= limit) return safe;

  // Keep both ends: the place stands at the front, the remedy at the back. Do not cut inside a
  // character.
  size_t head = limit / 2, tail = safe.size() - limit / 2;
  while (head > 0 && (static_cast<unsigned char>(safe[head]) & 0xC0) == 0x80) --head;
  while (tail < safe.size() && (static_cast<unsigned char>(safe[tail]) & 0xC0) == 0x80) ++tail;
  return safe.substr(0, head) + " [...] " + safe.substr(tail);
}

namespace internal {

void check_failed(const char* file, int line, const char* condition, const std::string& message) {
  std::fprintf(stderr, "%s:%d: DARP_CHECK(%s) failed: %s\n", file, line, condition,
               message.c_str());
  std::abort();
}

}  // namespace internal
}  // namespace darp
