#include "darp/data/ingest/npy.h"

#include <fmt/ranges.h>

#include <charconv>

namespace darp {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr const char* kBroken = "the file is damaged: copy or create it again with numpy.savez";

/// Reads the one Python literal that a header is, {'descr': '<f4', 'fortran_order': False, 'shape':
/// (3, 4), }, and nothing else: no expressions, no escapes, no other keys.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& where) : rest_(text), where_(where) {}

  void parse_into(ArrayView& array) {
    expect('{');
    bool descr = false, order = false, shape = false;
    while (!accept('}')) {
      const std::string_view key = parse_string();
      expect(':');
      if (key == "descr" && !descr) {
        descr = true;
        array.type = parse_type();
      } else if (key == "fortran_order" && !order) {
        order = true;
        array.fortran_order = parse_bool();
      } else if (key == "shape" && !shape) {
        shape = true;
        array.shape = parse_shape();
      } else {
        fail();
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!rest_.empty() || !descr || !order || !shape) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(where_, "has an array header that numpy does not write", kBroken);
  }
  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size())); }
  bool accept(char wanted) {
    skip_space();
    if (rest_.empty() || rest_[0] != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail();
  }
  bool accept_word(std::string_view word) {
    skip_space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::string_view parse_string() {
    const char quote = accept('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const size_t end = rest_.find(quote);
    if (end == std::string_view::npos) fail();
    const std::string_view text = rest_.substr(0, end);
    if (text.find('\\') != std::string_view::npos) fail();
    rest_.remove_prefix(end + 1);
    return text;
  }
  ElementType parse_type() {
    if (accept('['))
      throw Error(where_, "holds structures of several fields",
                  "save each field as a plain array of its own");
    const std::string_view text = parse_string();
    if (text == "O" || text == "|O")
      throw Error(where_, "holds Python objects, which only unpickling could read",
                  "nothing is unpickled: save plain arrays, e.g. with .astype('float32') or "
                  "np.concatenate for episodes of different lengths");
    return parse_element_type(text, where_);
  }
  bool parse_bool() {
    if (accept_word("True")) return true;
    if (!accept_word("False")) fail();
    return false;
  }
  std::vector<uint64_t> parse_shape() {
    constexpr size_t kMostDimensions = 64;  // numpy's own limit
    std::vector<uint64_t> shape;
    expect('(');
    while (!accept(')')) {
      skip_space();
      uint64_t size = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc() || shape.size() == kMostDimensions) fail();
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      shape.push_back(size);
      if (accept(',')) continue;
      // Python: (3) is a number, (3,) a tuple.
      if (shape.size() == 1) fail();
      expect(')');
      break;
    }
    return shape;
  }

  std::string_view rest_;
  const std::string& where_;
};

}  // namespace

ArrayView parse_npy(Bytes file, const std::string& where) {
  ByteReader reader(file, where);
  if (!as_text(file).starts_with(kMagic)) throw Error(where, "is not a numpy array", kBroken);
  reader.seek(kMagic.size());
  const auto major = reader.read<uint8_t>(), minor = reader.read<uint8_t>();
  if (major < 1 || major > 3 || minor != 0)
    throw Error(where, fmt::format("has npy format version {}.{}", major, minor),
                "versions 1.0 to 3.0 are understood: save it again with numpy.savez");
  const uint64_t size = major == 1 ? reader.read<uint16_t>() : reader.read<uint32_t>();
  ArrayView array;
  HeaderParser(as_text(reader.take(size)), where).parse_into(array);
  array.bytes = reader.take(reader.remaining());
  check_array(array, where);
  return array;
}

std::string npy_header(const ElementType& type, const std::vector<uint64_t>& shape) {
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", to_string(type),
                  fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr size_t kPrefix = 10, kAlignment = 64;
  const size_t total = (kPrefix + text.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  text.resize(total - kPrefix - 1, ' ');
  ByteWriter header;
  header.append(kMagic).write(uint8_t{1}).write(uint8_t{0});
  header.write(static_cast<uint16_t>(text.size() + 1)).append(text).append("\n");
  return std::string(as_text(header.bytes()));
}

}  // namespace darp
