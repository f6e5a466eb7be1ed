#pragma once
// What all benchmarks share: rivals take turns in one run, medians are compared, results go to a
// table and a JSON file. bench/README.md has the protocol.

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace darp::bench {

/// One question: our number and the rivals', as medians in `unit` (less is better).
struct Result {
  std::string name, unit;
  double ours = 0;
  std::map<std::string, double> rivals;
  std::map<std::string, double> extra;  // further numbers of this case, by name
};

struct Contender {
  std::string name;  // "ours" for ours
  std::function<void()> run;
};

/// Runs the contenders in turn, `rounds` times after one warm-up round, and gives the medians of
/// their seconds.
Result compare(std::string name, const std::vector<Contender>& contenders, int rounds);

double median(std::vector<double> values);
/// The value that `part` of the values do not exceed.
double quantile(std::vector<double> values, double part);

/// The time of every call, in microseconds, for contenders that answer one query after another:
/// each in turn answers a run of `run_length` queries, `rounds` times after one warm-up run.
std::map<std::string, std::vector<double>> latencies(const std::vector<Contender>& contenders,
                                                     int rounds, int run_length);

/// Gives rivals their best settings. Call first thing in main: where OpenBLAS misjudges the CPU,
/// the program starts anew with its best kernels. Its products have this many threads, in the way
/// that share_openblas_threads says, and freed memory is kept.
void prepare_blas(int threads, char** argv);

/// One of the paper's demonstrations or networks, if at hand: below DARP_REFERENCE_DIR, or below
/// ../shared/reference beside the checkout.
std::optional<std::filesystem::path> reference_file(const std::string& name);

/// Prints the table and, if `json` is not empty, writes {machine, commit, results} there.
void report(const std::vector<Result>& results, const std::string& json);

/// The value of --json, or empty; exits with usage for anything else.
std::string json_argument(int argc, char** argv);

}  // namespace darp::bench
