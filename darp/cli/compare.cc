#include "darp/eval/comparison.h"

#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "darp/cli/commands.h"
#include "darp/core/error.h"
#include "darp/eval/evaluation_file.h"
#include "darp/eval/text_report.h"

namespace darp {
namespace {

// Beside 0 for better; 1 and 2 are the program's own.
constexpr int kWorse = 3, kUndecided = 4;

/// One network several times would count as several trainings.
void check_distinct(const std::string& file, const std::vector<Evaluation>& evaluations) {
  std::map<std::string, std::string> seen;
  for (const Evaluation& evaluation : evaluations) {
    const EvaluationSubject& subject = evaluation.subject;
    const auto [first, fresh] = seen.emplace(subject.policy_hash, subject.policy);
    if (!fresh)
      throw Error(file,
                  fmt::format("{} and {} are the same policy", printable(first->second),
                              printable(subject.policy)),
                  "evaluate each training once: methods are compared by several trainings");
  }
}

/// A policy beside itself under another condition is told apart by the files.
void name_by_files(Evaluation& a, const std::string& file_a, Evaluation& b,
                   const std::string& file_b) {
  if (a.subject.policy != b.subject.policy) return;
  a.subject.policy = file_a;
  b.subject.policy = file_b;
}

int compare_files(const std::string& file_a, const std::string& file_b) {
  std::vector<Evaluation> a = read_evaluations(file_a), b = read_evaluations(file_b);
  if ((a.size() == 1) != (b.size() == 1))
    throw Error("darp compare",
                fmt::format("{} has {} policies, {} has {}", file_a, a.size(), file_b, b.size()),
                "compare one policy with one, or several trained runs with several");
  check_distinct(file_a, a);
  check_distinct(file_b, b);
  if (a.size() == 1) name_by_files(a[0], file_a, b[0], file_b);
  const Comparison comparison = a.size() == 1 ? compare(a[0], b[0]) : compare_methods(a, b);
  fmt::print("{}", comparison_text(comparison, printable(file_a), printable(file_b)));
  switch (comparison.verdict) {
    case Verdict::kBetter:
      return 0;
    case Verdict::kWorse:
      return kWorse;
    case Verdict::kUndecided:
      return kUndecided;
  }
  return kUndecided;
}

struct CompareOptions {
  std::string a, b;
};

}  // namespace

void add_compare_command(CLI::App& app) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand("compare", "Is one policy better than another?");
  command->add_option("A", options->a, "JSON file of `darp eval --json`")->required();
  command->add_option("B", options->b, "Another: is this one better?")->required();
  command->footer(
      "Episodes with the same seed start the same and are compared in pairs: mean difference with "
      "a\n"
      "95 % interval (BCa bootstrap), p-value by sign flips, and McNemar's test for successes. If "
      "both files hold\n"
      "several policies (trained runs of two methods), their mean returns are compared instead.\n\n"
      "Exit code: 0 B is better, 3 B is worse, 4 undecided (p >= 0.05); 1 and 2 are errors.\n\n"
      "Examples:\n"
      "  darp eval bc.darp --env hopper --json bc.json\n"
      "  darp eval policy.darp --env hopper --json darp.json\n"
      "  darp compare bc.json darp.json && echo better");
  command->callback([options] {
    if (const int code = compare_files(options->a, options->b); code != 0)
      throw CLI::RuntimeError(code);  // main returns it
  });
}

}  // namespace darp
