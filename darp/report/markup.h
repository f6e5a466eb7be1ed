#pragma once
// HTML and SVG as a type of its own: names and files are foreign text, and what is foreign becomes
// markup only through escaped(). Nothing in a report's inputs can open a tag.

#include <string>
#include <string_view>

#include "darp/core/bytes.h"

namespace darp {

/// Finished markup: goes into a page as it is.
struct Markup {
  std::string text;

  Markup& operator+=(const Markup& more) {
    text += more.text;
    return *this;
  }
  friend Markup operator+(Markup a, const Markup& b) { return a += b; }
};

/// Text that shows as it reads, also as the value of an attribute. Lines stay; bytes that are not
/// UTF-8, control characters and those that turn the direction of writing become U+FFFD.
Markup escaped(std::string_view text);

/// The first `columns` characters, the last of them an ellipsis where something was cut off.
std::string shortened(std::string_view text, size_t columns);

/// "data:image/png;base64,...": a file inside the page. `type` is a MIME type.
std::string data_uri(std::string_view type, Bytes bytes);

}  // namespace darp
