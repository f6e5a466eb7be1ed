#include "darp/eval/comparison.h"

#include <array>
#include <vector>

#include "darp/core/error.h"
#include "darp/eval/statistics/significance.h"

namespace darp {
namespace {

Verdict verdict_of(double difference, double p_value) {
  if (p_value >= kSignificance || difference == 0) return Verdict::kUndecided;
  return difference > 0 ? Verdict::kBetter : Verdict::kWorse;
}

void count_success(bool a, bool b, Comparison::Successes& successes) {
  int64_t& cell =
      a ? (b ? successes.both : successes.only_a) : (b ? successes.only_b : successes.neither);
  ++cell;
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  constexpr std::array<std::string_view, 3> kNames = {"better", "worse", "undecided"};
  return kNames[static_cast<size_t>(verdict)];
}

Comparison compare(const Evaluation& a, const Evaluation& b) {
  check_same_environment(a.subject, b.subject);
  std::vector<double> returns_a, returns_b, differences;
  Comparison::Successes successes;
  for (auto x = a.records.begin(), y = b.records.begin();
       x != a.records.end() && y != b.records.end();) {
    if (x->seed < y->seed) {
      ++x;
    } else if (y->seed < x->seed) {
      ++y;
    } else {
      returns_a.push_back(x->episode_return);
      returns_b.push_back(y->episode_return);
      differences.push_back(y->episode_return - x->episode_return);
      count_success(x++->success, y++->success, successes);
    }
  }
  if (differences.size() < 2)
    throw Error(b.subject.policy,
                fmt::format("was evaluated on seeds {}, {} on {}", b.subject.seeds.text(),
                            a.subject.policy, a.subject.seeds.text()),
                "pairs have the same seed: evaluate both on the same seeds, at least two");

  Comparison result;
  result.count_a = result.count_b = static_cast<int64_t>(differences.size());
  result.mean_a = mean(returns_a);
  result.mean_b = mean(returns_b);
  result.difference = mean(differences);
  result.interval = bootstrap_interval(differences, mean);
  result.p_value = sign_flip_p_value(differences);
  result.smallest_p_value = smallest_sign_flip_p_value(result.count_a);
  if (a.has_success && b.has_success) {
    successes.p_value = mcnemar_p_value(successes.only_a, successes.only_b);
    result.successes = successes;
  }
  result.verdict = verdict_of(result.difference, result.p_value);
  return result;
}

Comparison compare_methods(std::span<const Evaluation> a, std::span<const Evaluation> b) {
  if (a.size() < 2 || b.size() < 2)
    throw Error(
        "", fmt::format("{} and {} policies to compare methods by", a.size(), b.size()),
        "train each method at least twice, with other seeds; four times to decide anything");
  for (const std::span<const Evaluation> method : {a, b})
    for (const Evaluation& evaluation : method)
      check_same_conditions(a[0].subject, evaluation.subject);
  const std::vector<double> means_a = mean_returns_of(a), means_b = mean_returns_of(b);
  Comparison result;
  result.paired = false;
  result.count_a = static_cast<int64_t>(a.size());
  result.count_b = static_cast<int64_t>(b.size());
  result.mean_a = mean(means_a);
  result.mean_b = mean(means_b);
  result.difference = result.mean_b - result.mean_a;
  result.interval = bootstrap_difference_interval(means_a, means_b);
  result.p_value = permutation_p_value(means_a, means_b);
  result.smallest_p_value = smallest_permutation_p_value(result.count_a, result.count_b);
  result.verdict = verdict_of(result.difference, result.p_value);
  return result;
}

}  // namespace darp
