#include "darp/study/tune/search_space.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "darp/core/error.h"
#include "darp/core/file.h"
#include "darp/core/suggest.h"

namespace darp {
namespace {

constexpr size_t kMostSpaceBytes = size_t{1} << 20;
constexpr double kLargestInteger = 0x1p53;
constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// Cuts off and gives the first word.
std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text = trimmed(text.substr(word.size()));
  return word;
}

/// One line of a space.
class SpaceLine {
 public:
  SpaceLine(std::string_view text, std::string where) : text_(text), where_(std::move(where)) {}

  SearchDimension parse() const {
    // A path has no colon; a choice may have.
    const size_t colon = text_.find(':');
    SearchDimension dimension;
    dimension.path = trimmed(text_.substr(0, colon));
    if (colon == std::string_view::npos || dimension.path.empty())
      fail("is no 'setting: kind low high'", "write it as policy.retrieval.k: integer 10 400");
    if (dimension.path.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") !=
        std::string::npos)
      fail(fmt::format("'{}' is no setting's path", dimension.path), "darp train --help has them");
    std::string_view rest = text_.substr(colon + 1);
    const std::string kind(take_word(rest));
    if (kind == "choice") {
      parse_choices(rest, dimension);
      return dimension;
    }
    dimension.logarithmic = kind == "log";
    dimension.integer = kind == "integer";
    if (dimension.logarithmic && rest.starts_with("integer")) {
      take_word(rest);
      dimension.integer = true;
    }
    if (!dimension.logarithmic && !dimension.integer && kind != "uniform")
      fail(fmt::format("'{}' is no kind of range", kind),
           suggestion(kind, std::vector<std::string>{"uniform", "log", "integer", "choice"}));
    parse_range(rest, dimension);
    return dimension;
  }

  [[noreturn]] void fail(std::string_view what, std::string_view remedy) const {
    throw Error(where_, what, remedy);
  }

 private:
  void parse_choices(std::string_view rest, SearchDimension& dimension) const {
    for (size_t begin = 0; begin <= rest.size();) {
      const size_t bar = std::min(rest.find('|', begin), rest.size());
      dimension.choices.emplace_back(trimmed(rest.substr(begin, bar - begin)));
      begin = bar + 1;
    }
    const std::set<std::string> different(dimension.choices.begin(), dimension.choices.end());
    if (different.size() != dimension.choices.size() || different.contains("") ||
        different.size() < 2 || different.size() > kMostSearchChoices)
      fail("needs values that differ, two or more, with | between them",
           "write it as choice relu | tanh");
  }

  void parse_range(std::string_view rest, SearchDimension& dimension) const {
    dimension.low = number(take_word(rest));
    dimension.high = number(take_word(rest));
    if (!rest.empty())
      fail(fmt::format("has '{}' behind its range", rest), "give two numbers: low high");
    if (dimension.low >= dimension.high)
      fail(fmt::format("goes from {} to {}", dimension.low, dimension.high),
           "give the smaller number first");
    if (dimension.logarithmic && dimension.low <= 0)
      fail("has no logarithm at its lower end", "begin above 0, or leave out log");
    if (dimension.integer &&
        (std::trunc(dimension.low) != dimension.low ||
         std::trunc(dimension.high) != dimension.high ||
         std::max(std::abs(dimension.low), std::abs(dimension.high)) > kLargestInteger))
      fail("has ends that are no whole numbers", "give whole numbers, or leave out integer");
  }

  double number(std::string_view word) const {
    double value = 0;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (status != std::errc{} || end != word.data() + word.size() || !std::isfinite(value))
      fail(fmt::format("has '{}' where a number belongs", word), "give two numbers: low high");
    return value;
  }

  std::string_view text_;
  std::string where_;
};

double four_digits(double value) {
  return std::stod(fmt::format("{:.4g}", value));
}

/// The ends of a dimension of numbers as its unit interval has them: whole numbers are parts of it,
/// not points.
std::pair<double, double> stretched_ends(const SearchDimension& dimension) {
  const double margin = dimension.integer ? 0.5 : 0;
  const double low = dimension.low - margin, high = dimension.high + margin;
  return dimension.logarithmic ? std::pair(std::log(low), std::log(high)) : std::pair(low, high);
}

}  // namespace

std::string SearchDimension::text() const {
  if (!choices.empty()) return fmt::format("choice {}", fmt::join(choices, " | "));
  const std::string_view kind =
      logarithmic ? (integer ? "log integer" : "log") : (integer ? "integer" : "uniform");
  return fmt::format("{} {} {}", kind, low, high);
}

double SearchDimension::value_at(double unit) const {
  if (!choices.empty()) {
    const auto count = static_cast<double>(choices.size());
    return std::clamp(std::floor(unit * count), 0.0, count - 1);
  }
  const auto [from, to] = stretched_ends(*this);
  const double along = from + (to - from) * unit;
  const double value = logarithmic ? std::exp(along) : along;
  return std::clamp(integer ? std::round(value) : four_digits(value), low, high);
}

double SearchDimension::unit_of(double value) const {
  if (!choices.empty()) return (value + 0.5) / static_cast<double>(choices.size());
  const auto [from, to] = stretched_ends(*this);
  const double along = logarithmic ? std::log(value) : value;
  return std::clamp((along - from) / (to - from), 0.0, 1.0);
}

std::string SearchDimension::value_text(double value) const {
  if (!choices.empty()) return choices.at(static_cast<size_t>(value));
  if (integer) return fmt::format("{}", static_cast<int64_t>(value));
  return fmt::format("{}", value);
}

SearchSpace parse_search_space(std::string_view text, std::string_view where) {
  SearchSpace space;
  std::set<std::string> paths;
  int64_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const SpaceLine parser(line, fmt::format("{}: line {}", where, number));
    space.dimensions.push_back(parser.parse());
    if (!paths.insert(space.dimensions.back().path).second)
      parser.fail(fmt::format("has '{}' a second time", space.dimensions.back().path),
                  "leave one of the two out");
    if (space.dimensions.size() > kMostSearchDimensions)
      parser.fail(fmt::format("is one more than {} settings", kMostSearchDimensions),
                  "search for fewer at a time");
  }
  if (space.dimensions.empty())
    throw Error(where, "has no setting to search for",
                "write lines such as policy.retrieval.k: integer 10 400");
  return space;
}

SearchSpace read_search_space(const std::filesystem::path& path) {
  const MappedFile file(path);
  if (file.bytes().size() > kMostSpaceBytes)
    throw Error(path.string(), "is too large for a search space", "check the path");
  return parse_search_space(as_text(file.bytes()), path.string());
}

std::vector<std::string> settings_at(const SearchSpace& space, const SearchPoint& point) {
  DARP_CHECK(point.size() == space.dimensions.size(), "a point of another space");
  std::vector<std::string> settings;
  for (size_t i = 0; i < point.size(); ++i)
    settings.push_back(
        fmt::format("{}={}", space.dimensions[i].path, space.dimensions[i].value_text(point[i])));
  return settings;
}

}  // namespace darp
