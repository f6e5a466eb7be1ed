// Evaluations to JSON; evaluation_file.cc reads it.

#include <nlohmann/json.hpp>

#include "darp/core/error.h"
#include "darp/core/file.h"
#include "darp/core/strict_json.h"
#include "darp/eval/evaluation_file.h"

namespace darp {
namespace {

using nlohmann::ordered_json;

template <class T>
ordered_json json_or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json json_interval(const Interval& interval) {
  return ordered_json::array({interval.low, interval.high});
}

void add_subject(const Evaluation& evaluation, ordered_json& object) {
  const EvaluationSubject& subject = evaluation.subject;
  object["env"] = subject.environment;
  object["env_settings"] = subject.environment_settings;
  object["policy"] = subject.policy;
  object["policy_hash"] = subject.policy_hash;
  object["executor"] = subject.executor;
  object["purpose"] = name_of(subject.purpose);
  object["score_scale"] = nullptr;
  if (evaluation.scale)
    object["score_scale"] =
        ordered_json::array({evaluation.scale->random, evaluation.scale->expert});
}

void add_returns(const ReturnSummary& returns, ordered_json& object) {
  object["return_mean"] = returns.mean;
  object["return_ci95"] = json_interval(returns.mean_bootstrap);
  object["return_ci95_normal"] = json_interval(returns.mean_normal);
  object["return_std"] = returns.standard_deviation;
  object["return_median"] = returns.median;
  object["return_iqm"] = returns.interquartile_mean;
  object["return_iqm_ci95"] = json_interval(returns.interquartile_bootstrap);
  object["normalized_score"] = json_or_null(returns.normalized);
}

void add_summary(const Evaluation& evaluation, ordered_json& object) {
  const EvaluationSummary summary = summarize(evaluation);
  add_returns(summary.returns, object);
  object["success_rate"] = nullptr;
  object["success_ci95"] = nullptr;
  if (summary.success) {
    object["success_rate"] = summary.success->rate;
    object["success_ci95"] = json_interval(summary.success->wilson);
  }
  object["mishaps"] = summary.mishaps;
  object["steps_per_second"] = json_or_null(steps_per_second(evaluation));
  object["wall_seconds"] = evaluation.wall_seconds;
  object["wall_steps"] = evaluation.wall_steps;
  object["threads"] = evaluation.threads;
}

/// A list with one entry for each episode.
template <class Entry>
ordered_json episode_column(const Evaluation& evaluation, Entry entry) {
  ordered_json list = ordered_json::array();
  for (const EpisodeRecord& record : evaluation.records) list.push_back(entry(record));
  return list;
}

void add_columns(const Evaluation& evaluation, ordered_json& object) {
  // -1 stands for unknown in records; null is what nobody takes for a number.
  const auto known = [](double value) {
    return value < 0 ? ordered_json(nullptr) : ordered_json(value);
  };
  object["seeds"] = episode_column(evaluation, [](const auto& r) { return r.seed; });
  object["returns"] = episode_column(evaluation, [](const auto& r) { return r.episode_return; });
  object["lengths"] = episode_column(evaluation, [](const auto& r) { return r.length; });
  object["success"] = nullptr;
  if (evaluation.has_success)
    object["success"] = episode_column(evaluation, [](const auto& r) { return r.success; });
  object["ends"] = episode_column(evaluation, [](const auto& r) { return name_of(r.end); });
  object["worst_novelty"] =
      episode_column(evaluation, [&](const auto& r) { return known(r.worst_novelty); });
  object["episode_seconds"] =
      episode_column(evaluation, [&](const auto& r) { return known(r.seconds); });
}

ordered_json json_of_evaluation(const Evaluation& evaluation) {
  check_evaluation(evaluation, evaluation.subject.policy);
  ordered_json object = {{"kind", "darp evaluation"}, {"version", 1}};
  add_subject(evaluation, object);
  add_summary(evaluation, object);
  add_columns(evaluation, object);
  return object;
}

ordered_json json_over_policies(std::span<const Evaluation> evaluations) {
  ordered_json object = {{"policies", evaluations.size()}};
  add_returns(summarize_policies(evaluations), object);
  object["returns"] = mean_returns_of(evaluations);
  return object;
}

}  // namespace

std::string evaluations_json(std::span<const Evaluation> evaluations) {
  DARP_CHECK(!evaluations.empty(), "no evaluations to write");
  ordered_json object;
  if (evaluations.size() == 1) {
    object = json_of_evaluation(evaluations[0]);
  } else {
    object = {{"kind", "darp evaluations"}, {"version", 1}};
    object["evaluations"] = ordered_json::array();
    for (const Evaluation& evaluation : evaluations)
      object["evaluations"].push_back(json_of_evaluation(evaluation));
    object["over_policies"] = json_over_policies(evaluations);
  }
  return json_lines(object);
}

void write_evaluations(const std::filesystem::path& path, std::span<const Evaluation> evaluations) {
  const std::string text = evaluations_json(evaluations);
  if (text.size() > kMostEvaluationBytes || evaluations.size() > kMostEvaluations)
    throw Error(path.string(),
                fmt::format("would have {} bytes for {} policies, too many to be read again",
                            text.size(), evaluations.size()),
                "write policies or ranges of seeds into files of their own");
  write_file(path, text);
}

}  // namespace darp
