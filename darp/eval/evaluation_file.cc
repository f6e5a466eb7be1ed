#include "darp/eval/evaluation_file.h"

#include <array>
#include <limits>

#include "darp/core/error.h"
#include "darp/core/file.h"
#include "darp/core/strict_json.h"

namespace darp {
namespace {

constexpr std::string_view kWriteAgain = "write it again with darp eval --json";
constexpr size_t kEvaluationDepth = 4;  // file, list of evaluations, one, its lists

/// Read first, computed anew after the comment.
constexpr auto kEvaluationKeys = std::to_array<std::string_view>({"kind",
                                                                  "version",
                                                                  "env",
                                                                  "env_settings",
                                                                  "policy",
                                                                  "policy_hash",
                                                                  "executor",
                                                                  "purpose",
                                                                  "score_scale",
                                                                  "wall_seconds",
                                                                  "wall_steps",
                                                                  "threads",
                                                                  "seeds",
                                                                  "returns",
                                                                  "lengths",
                                                                  "success",
                                                                  "ends",
                                                                  "worst_novelty",
                                                                  "episode_seconds",  //
                                                                  "return_mean",
                                                                  "return_ci95",
                                                                  "return_ci95_normal",
                                                                  "return_std",
                                                                  "return_median",
                                                                  "return_iqm",
                                                                  "return_iqm_ci95",
                                                                  "normalized_score",
                                                                  "success_rate",
                                                                  "success_ci95",
                                                                  "mishaps",
                                                                  "steps_per_second"});
constexpr auto kSeveralKeys =
    std::to_array<std::string_view>({"kind", "version", "evaluations", "over_policies"});

/// What somebody else looks at: the error gets its place.
template <class Look>
auto with_place(const JsonPlace& place, Look look) {
  try {
    return look();
  } catch (const Error& error) {
    throw Error(place.where(), error.what(), "");
  }
}

template <class Lookup>
auto value_named(const JsonPlace& place, Lookup lookup) {
  const std::string name = place.text();
  return with_place(place, [&] { return lookup(name); });
}

int64_t non_negative(const JsonPlace& place) {
  return static_cast<int64_t>(
      place.unsigned_integer(uint64_t{std::numeric_limits<int64_t>::max()}));
}

/// -1 for null, which a number below 0 must not feign.
double known_or_minus_one(const JsonPlace& place, double largest) {
  if (place.is_null()) return -1;
  const double value = place.number();
  if (!(value >= 0 && value <= largest))
    place.fail(fmt::format("is {} where a number from 0 to {} or null belongs", value, largest),
               kWriteAgain);
  return value;
}

/// Calls read(i, entry) for each episode.
template <class Read>
void read_column(const JsonPlace& object, std::string_view key, size_t episodes, Read read) {
  const JsonPlace list = object.member(key);
  if (list.size() != episodes)
    list.fail(fmt::format("has {} entries where seeds has {}", list.size(), episodes), kWriteAgain);
  for (size_t i = 0; i < episodes; ++i) read(i, list.item(i));
}

void read_records(const JsonPlace& object, Evaluation& evaluation) {
  auto& records = evaluation.records;
  const size_t episodes = object.member("seeds").size();
  if (episodes == 0 || episodes > size_t{kMostSeeds})
    object.member("seeds").fail(fmt::format("has {} entries", episodes), kWriteAgain);
  records.resize(episodes);
  read_column(object, "seeds", episodes,
              [&](size_t i, const JsonPlace& p) { records[i].seed = p.unsigned_integer(); });
  read_column(object, "returns", episodes,
              [&](size_t i, const JsonPlace& p) { records[i].episode_return = p.number(); });
  read_column(object, "lengths", episodes,
              [&](size_t i, const JsonPlace& p) { records[i].length = non_negative(p); });
  read_column(object, "ends", episodes, [&](size_t i, const JsonPlace& p) {
    records[i].end = value_named(p, episode_end_named);
  });
  read_column(object, "worst_novelty", episodes, [&](size_t i, const JsonPlace& p) {
    constexpr float kLargest = std::numeric_limits<float>::max();
    records[i].worst_novelty = static_cast<float>(known_or_minus_one(p, double{kLargest}));
  });
  read_column(object, "episode_seconds", episodes, [&](size_t i, const JsonPlace& p) {
    records[i].seconds = known_or_minus_one(p, std::numeric_limits<double>::max());
  });
  evaluation.has_success = !object.member("success").is_null();
  if (evaluation.has_success)
    read_column(object, "success", episodes,
                [&](size_t i, const JsonPlace& p) { records[i].success = p.boolean(); });
}

void check_kind(const JsonPlace& object, std::string_view kind) {
  if (object.member("kind").text() != kind)
    object.member("kind").fail(fmt::format("is not '{}'", kind), "give a file of darp eval --json");
  if (object.member("version").unsigned_integer() != 1)
    object.member("version").fail("is not 1",
                                  "read it with the darp that wrote it, or a newer one");
}

Evaluation read_evaluation(const JsonPlace& object) {
  check_kind(object, "darp evaluation");
  object.check_keys(kEvaluationKeys);
  Evaluation evaluation;
  EvaluationSubject& subject = evaluation.subject;
  subject.environment = object.member("env").text();
  subject.environment_settings = object.member("env_settings").text();
  subject.policy = object.member("policy").text();
  subject.policy_hash = object.member("policy_hash").text();
  subject.executor = object.member("executor").text();
  subject.purpose = value_named(object.member("purpose"), seed_purpose_named);
  if (const JsonPlace scale = object.member("score_scale"); !scale.is_null()) {
    if (scale.size() != 2) scale.fail("is not [random, expert]", kWriteAgain);
    evaluation.scale = ScoreScale{scale.item(0).number(), scale.item(1).number()};
  }
  evaluation.wall_seconds = object.member("wall_seconds").number();
  evaluation.wall_steps = non_negative(object.member("wall_steps"));
  evaluation.threads = static_cast<int>(
      object.member("threads").unsigned_integer(uint64_t{std::numeric_limits<int>::max()}));
  read_records(object, evaluation);
  subject.seeds = {evaluation.records.front().seed, evaluation.records.back().seed};
  check_evaluation(evaluation, object.where());
  return evaluation;
}

}  // namespace

std::vector<Evaluation> parse_evaluations(std::string_view text, std::string_view where) {
  const nlohmann::json value = parse_strict_json(text, where, kEvaluationDepth);
  const JsonPlace top(value, where);
  if (top.member("kind").text() != "darp evaluations") return {read_evaluation(top)};
  check_kind(top, "darp evaluations");
  top.check_keys(kSeveralKeys);
  const JsonPlace list = top.member("evaluations");
  if (list.size() == 0 || list.size() > kMostEvaluations)
    list.fail(fmt::format("has {} entries", list.size()), kWriteAgain);
  std::vector<Evaluation> evaluations;
  for (size_t i = 0; i < list.size(); ++i) {
    evaluations.push_back(read_evaluation(list.item(i)));
    with_place(list.item(i),
               [&] { check_same_conditions(evaluations[0].subject, evaluations[i].subject); });
  }
  return evaluations;
}

std::vector<Evaluation> read_evaluations(const std::filesystem::path& path) {
  const MappedFile file(path);
  if (file.bytes().size() > kMostEvaluationBytes)
    throw Error(path.string(),
                fmt::format("has {} bytes, too many for an evaluation", file.bytes().size()),
                "give a file of darp eval --json");
  return parse_evaluations(as_text(file.bytes()), path.string());
}

}  // namespace darp
