#pragma once
// Whether a page or picture would be read as it was meant: every tag closed in its turn, attributes
// quoted, no stray '<' or '&'. Stricter than HTML is.

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace darp {

/// What is wrong with the markup and where, or "" if nothing is.
inline std::string markup_problem(std::string_view text) {
  std::vector<std::string> open;
  const auto at = [&](std::string_view what, size_t i) {
    return std::string(what) + " at " + std::to_string(i) + ": " +
           std::string(text.substr(i > 20 ? i - 20 : 0, 80));
  };
  const auto is_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == ':';
  };
  const auto entity_end = [&](size_t i) {
    size_t k = i + 1;
    while (k < text.size() && k - i < 8 && (is_name(text[k]) || text[k] == '#')) ++k;
    return k > i + 1 && k < text.size() && text[k] == ';' ? k : 0;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 && byte != '\n' && byte != '\t') return at("a control character", i);
    if (text[i] == '&' && entity_end(i) == 0) return at("a bare &", i);
    if (text[i] != '<') continue;
    if (text.substr(i).starts_with("<!DOCTYPE html>")) {
      i += 14;
      continue;
    }
    const bool closes = i + 1 < text.size() && text[i + 1] == '/';
    size_t k = i + (closes ? 2 : 1);
    const size_t begin = k;
    while (k < text.size() && is_name(text[k])) ++k;
    const std::string name(text.substr(begin, k - begin));
    if (name.empty()) return at("a bare <", i);
    if (name == "script" || name == "iframe" || name == "object" || name == "link")
      return at("a tag that has no place here", i);
    bool ends_itself = false;
    while (k < text.size() && text[k] != '>') {
      if (text[k] == '/') {
        ends_itself = true;
        ++k;
        continue;
      }
      if (std::isspace(static_cast<unsigned char>(text[k]))) {
        ++k;
        continue;
      }
      const size_t name_begin = k;
      while (k < text.size() && is_name(text[k])) ++k;
      if (k == name_begin || closes) return at("a broken tag", i);
      if (text.substr(name_begin, 2) == "on") return at("a handler", name_begin);
      if (!text.substr(k).starts_with("=\"")) return at("an attribute without quotes", k);
      for (k += 2; k < text.size() && text[k] != '"'; ++k) {
        if (text[k] == '<') return at("< in an attribute", k);
        if (text[k] == '&' && entity_end(k) == 0) return at("a bare & in an attribute", k);
      }
      ++k;
    }
    if (k >= text.size()) return at("a tag without end", i);
    if (closes) {
      if (open.empty() || open.back() != name) return at("an end of what is not open", i);
      open.pop_back();
    } else if (!ends_itself) {
      open.push_back(name);
    }
    i = k;
  }
  return open.empty() ? "" : "not closed: " + open.back();
}

}  // namespace darp
