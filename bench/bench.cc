#include "bench/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "darp/core/file.h"
#include "darp/core/freed_memory.h"
#include "darp/core/openblas.h"
#include "darp/core/quantile.h"

namespace darp::bench {
namespace {

double seconds(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The CPU as the kernel names it.
std::string machine() {
  std::ifstream cpu("/proc/cpuinfo");
  for (std::string line; std::getline(cpu, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string commit() {
  std::string text;
  FILE* pipe = popen("git -C " DARP_SOURCE_DIR " rev-parse --short HEAD 2>/dev/null", "r");
  if (pipe == nullptr) return "unknown";
  for (int c; (c = std::fgetc(pipe)) != EOF && c != '\n';) text.push_back(static_cast<char>(c));
  pclose(pipe);
  return text.empty() ? "unknown" : text;
}

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return darp::quantile(values, part);
}

std::map<std::string, std::vector<double>> latencies(const std::vector<Contender>& contenders,
                                                     int rounds, int run_length) {
  std::map<std::string, std::vector<double>> times;
  for (int round = -1; round < rounds; ++round)
    for (const Contender& contender : contenders)
      for (int i = 0; i < run_length; ++i)
        if (const double time = seconds(contender.run); round >= 0)
          times[contender.name].push_back(time * 1e6);
  return times;
}

Result compare(std::string name, const std::vector<Contender>& contenders, int rounds) {
  std::map<std::string, std::vector<double>> times;
  for (int round = -1; round < rounds; ++round)
    for (const Contender& contender : contenders)
      if (const double time = seconds(contender.run); round >= 0)
        times[contender.name].push_back(time);
  Result result{.name = std::move(name), .unit = "s", .rivals = {}, .extra = {}};
  for (const auto& [who, list] : times)
    (who == "ours" ? result.ours : result.rivals[who]) = median(list);
  return result;
}

void prepare_blas(int threads, char** argv) {
  repair_openblas(argv);
  share_openblas_threads(threads);
  keep_freed_memory();
}

std::optional<std::filesystem::path> reference_file(const std::string& name) {
  const char* set = std::getenv("DARP_REFERENCE_DIR");
  const auto path =
      std::filesystem::path(set != nullptr ? set : DARP_SOURCE_DIR "/../shared/reference") / name;
  return std::filesystem::exists(path) ? std::optional(path) : std::nullopt;
}

void report(const std::vector<Result>& results, const std::string& json) {
  nlohmann::json list = nlohmann::json::array();
  for (const Result& r : results) {
    fmt::print("{:<44} {:>10.4g} {}", r.name, r.ours, r.unit);
    nlohmann::json ratios = nlohmann::json::object();
    for (const auto& [rival, value] : r.rivals) {
      fmt::print("   {} {:.4g} (x{:.2f})", rival, value, value / r.ours);
      ratios[rival] = value / r.ours;
    }
    for (const auto& [key, value] : r.extra) fmt::print("   {} {:.4g}", key, value);
    fmt::print("\n");
    nlohmann::json entry = {{"case", r.name},
                            {"unit", r.unit},
                            {"ours", r.ours},
                            {"rivals", r.rivals},
                            {"ratio", ratios}};
    entry.update(r.extra);
    list.push_back(std::move(entry));
  }
  if (!json.empty())
    write_file(
        json,
        nlohmann::json{{"machine", machine()}, {"commit", commit()}, {"results", list}}.dump(2) +
            "\n");
}

std::string json_argument(int argc, char** argv) {
  if (argc == 1) return "";
  if (argc == 3 && std::string(argv[1]) == "--json") return argv[2];
  std::fprintf(stderr, "usage: %s [--json FILE]\n", argv[0]);
  std::exit(2);
}

}  // namespace darp::bench
