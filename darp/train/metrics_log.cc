#include "darp/train/metrics_log.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "darp/core/file.h"

namespace darp {
namespace {

using nlohmann::ordered_json;

constexpr size_t kLongestLine = 1 << 20;

ordered_json json_of(const std::variant<int64_t, double>& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return *integer;
  const double number = std::get<double>(value);
  return std::isfinite(number) ? ordered_json(number) : ordered_json(nullptr);
}

/// The position, if the file has a line's end there.
int64_t at_line_end(const std::filesystem::path& path, int64_t position) {
  if (position > 0) {
    const MappedFile file(path);
    const auto last = static_cast<size_t>(position - 1);
    if (last < file.bytes().size() && as_text(file.bytes())[last] != '\n')
      throw Error(path.string(), fmt::format("has no line that ends at byte {}", position),
                  "put the file back as training wrote it, or train again with another --out");
  }
  return position;
}

MetricsNumbers numbers_of(std::string_view line, std::string_view where) {
  // What is nested is left out while parsing: no file decides how deep we go.
  const auto shallow = [](int depth, ordered_json::parse_event_t, ordered_json&) {
    return depth <= 1;
  };
  const ordered_json object = line.size() > kLongestLine
                                  ? ordered_json(ordered_json::value_t::discarded)
                                  : ordered_json::parse(line, shallow, /*allow_exceptions=*/false);
  if (!object.is_object())
    throw Error(where, "is no JSON object", "the file is damaged: cut it before this line");
  MetricsNumbers numbers;
  for (const auto& [name, value] : object.items())
    if (value.is_number()) numbers.emplace_back(name, value.get<double>());
  return numbers;
}

/// Whole lines only; of those that are too long the beginning. None where there is no file.
void for_each_line(const std::filesystem::path& path,
                   const std::function<void(std::string&&)>& visit) {
  std::error_code failure;
  if (!std::filesystem::exists(path, failure)) return;
  // Not mapped: a run that is resumed cuts this very file, and a mapping would lose its pages.
  std::ifstream file(path, std::ios::binary);
  if (!file || !std::filesystem::is_regular_file(path, failure))
    throw Error(path.string(), "cannot be read", "check that it is a file and its permissions");
  std::string open;  // what has no end yet
  std::vector<char> block(1 << 16);
  const auto extend = [&](std::string_view text) {
    open += text.substr(0, kLongestLine + 1 - std::min(open.size(), kLongestLine + 1));
  };
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())), file.gcount() > 0) {
    std::string_view text(block.data(), static_cast<size_t>(file.gcount()));
    for (size_t end; (end = text.find('\n')) != std::string_view::npos;
         text.remove_prefix(end + 1)) {
      extend(text.substr(0, end));
      visit(std::exchange(open, ""));
    }
    extend(text);
  }
}

}  // namespace

std::string metrics_line(std::span<const Metric> metrics) {
  ordered_json object = ordered_json::object();
  for (const Metric& metric : metrics) object[std::string(metric.name)] = json_of(metric.value);
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

MetricsLog::MetricsLog(const std::filesystem::path& path, int64_t position)
    : file_(path, at_line_end(path, position)) {}

void MetricsLog::append(std::span<const Metric> metrics) {
  file_.append(as_byte_span(metrics_line(metrics)));
}

MetricsSummary read_metrics(const std::filesystem::path& path) {
  MetricsSummary summary;
  std::string last;
  for_each_line(path, [&](std::string&& line) {
    last = std::move(line);
    ++summary.lines;
  });
  if (summary.lines > 0)
    summary.last = numbers_of(last, fmt::format("{}:{}", path.string(), summary.lines));
  return summary;
}

void visit_metrics(const std::filesystem::path& path,
                   const std::function<void(const MetricsNumbers&)>& visit) {
  int64_t number = 0;
  for_each_line(path, [&](std::string&& line) {
    visit(numbers_of(line, fmt::format("{}:{}", path.string(), ++number)));
  });
}

}  // namespace darp
