#include "darp/study/sweep_plan.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "darp/core/has_field.h"
#include "darp/retrieval/retriever.h"
#include "darp/study/words.h"
#include "darp/train/training_set.h"

namespace darp {
namespace {

constexpr std::string_view kOfEnvironment = "env.", kSweepsField = "sweeps";

std::optional<double> whole_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

/// Throws Error for what could not be trained, so that it is said before hours of training.
void check_trainable(const TrainConfig& config, const Dataset& data) {
  config.policy.check();
  config.train.check(config.policy);
  if (config.policy.retrieval() == nullptr) return;
  std::vector<int64_t> ends = data.episode_ends();
  if (const TrainingSplit split = split_for_training(data, config.train); split.training)
    ends = split.training->episode_ends();
  Retriever::check(*config.policy.retrieval(), ends);
}

/// Collects the runs of one task.
class TaskPlanner {
 public:
  TaskPlanner(const StudySpec& spec, const SweepTask& task, SweepPlan& plan)
      : spec_(spec), task_(task), plan_(plan) {
    for (const std::string& method : spec.methods) usual_.push_back(task.config(method, 0));
  }

  TaskSweep add(const Sweep& sweep) {
    TaskSweep out{task_.name, sweep, {}};
    check_known(sweep);
    for (size_t m = 0; m < spec_.methods.size(); ++m) {
      SweepLine line{parse_method(spec_.methods[m]).label, varies(sweep, m), {}};
      if (!line.varies) line.points.push_back(point(sweep, m, ""));
      for (const std::string& value : sweep.values)
        if (line.varies) line.points.push_back(point(sweep, m, value));
      out.lines.push_back(std::move(line));
    }
    return out;
  }

 private:
  bool varies(const Sweep& sweep, size_t method) const {
    return sweep.of_environment || has_field(usual_[method], sweep.setting);
  }

  void check_known(const Sweep& sweep) const {
    for (size_t m = 0; m < usual_.size(); ++m)
      if (varies(sweep, m)) return;
    // Throws, with the nearest setting that there is.
    TrainConfig config = usual_.front();
    apply_override(sweep.setting + "=" + sweep.values.front(), config, kSweepsField);
    throw Error(std::string(kSweepsField), fmt::format("no method has '{}'", sweep.setting),
                "name a setting of a method's config");
  }

  SweepPoint point(const Sweep& sweep, size_t method, const std::string& value) {
    const std::string label = parse_method(spec_.methods[method]).label;
    const std::string change = sweep.setting + "=" + value;
    const std::string name = sweep.slug() + "-" + value_slug(value);
    StudyEvaluation evaluation = task_.evaluation;
    if (sweep.of_environment) {
      apply_override(change, evaluation.settings, kSweepsField);
      evaluation.name = name;
    }
    SweepPoint out{value, 0, {}, evaluation.name};
    for (int64_t seed = 0; seed < spec_.seeds; ++seed) {
      TrainConfig config = task_.config(spec_.methods[method], seed);
      std::string variant = spec_.protocols.front();
      if (!sweep.of_environment && !value.empty()) {
        const std::string usual = write_yaml(config);
        apply_override(change, config, kSweepsField);
        if (write_yaml(config) != usual) variant = name;
      }
      if (seed == 0) check_trainable(config, task_.data);
      const RetrievalSettings* retrieval = config.policy.retrieval();
      out.neighbors = retrieval != nullptr ? retrieval->kept() : 0;
      out.runs.push_back(run(fmt::format("{}/{}/{}/seed-{}", task_.name, label, variant, seed),
                             config, evaluation));
    }
    return out;
  }

  /// The run with this id, which has the evaluation from now on.
  size_t run(const std::string& id, const TrainConfig& config, const StudyEvaluation& evaluation) {
    auto found = std::ranges::find(plan_.runs, id, &StudyRun::id);
    if (found == plan_.runs.end())
      found = plan_.runs.insert(plan_.runs.end(), StudyRun{id, config, {}});
    auto& evaluations = found->evaluations;
    if (std::ranges::find(evaluations, evaluation.name, &StudyEvaluation::name) ==
        evaluations.end())
      evaluations.push_back(evaluation);
    return static_cast<size_t>(found - plan_.runs.begin());
  }

  const StudySpec& spec_;
  const SweepTask& task_;
  SweepPlan& plan_;
  std::vector<TrainConfig> usual_;  // by method
};

}  // namespace

std::string Sweep::slug() const {
  // "policy." and "train." tell nothing.
  const size_t group = of_environment ? std::string::npos : setting.find('.');
  std::string slug = of_environment ? "env-" + setting : setting.substr(group + 1);
  std::ranges::replace(slug, '.', '-');
  return slug;
}

Sweep parse_sweep(std::string_view line) {
  const auto refuse = [&](std::string_view what) {
    throw Error(fmt::format("{} '{}'", kSweepsField, printable(line)), what,
                "write a setting and its values: `policy.retrieval.k: 10 30 100`");
  };
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) refuse("has no colon");
  const std::vector<std::string> name = words_of(line.substr(0, colon));
  if (name.size() != 1) refuse("does not begin with one setting");
  Sweep sweep{name.front(), false, words_of(line.substr(colon + 1))};
  if (sweep.setting.starts_with(kOfEnvironment)) {
    sweep.of_environment = true;
    sweep.setting.erase(0, kOfEnvironment.size());
  }
  if (sweep.setting.empty()) refuse("does not begin with one setting");
  if (sweep.values.size() < 2) refuse("has fewer than two values");
  std::set<std::string> names;
  for (const std::string& value : sweep.values)
    if (!names.insert(value_slug(value)).second)
      refuse(fmt::format("has the value {} twice, or two that look alike", printable(value)));
  return sweep;
}

std::optional<double> axis_place(std::string_view value) {
  if (!value.starts_with('[') || !value.ends_with(']')) return whole_number(value);
  double squares = 0, last = 0;
  int entries = 0;
  for (std::string_view rest = value.substr(1, value.size() - 2); !rest.empty();) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::optional<double> number = whole_number(rest.substr(0, comma));
    if (!number) return std::nullopt;
    if (*number != 0) last = *number, ++entries;
    squares += *number * *number;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return entries == 1 ? last : std::sqrt(squares);
}

std::string value_slug(std::string_view value) {
  std::string slug;
  for (const char c : value) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (c == '[' || c == ']') continue;
    slug += plain ? c : c == '.' ? 'p' : c == '-' ? 'm' : '_';
  }
  return slug;
}

void add_task_sweeps(const StudySpec& spec, const SweepTask& task, SweepPlan& plan) {
  if (spec.sweeps.empty() || spec.methods.empty())
    throw Error(spec.name, "has no sweeps or no methods", "declare both");
  TaskPlanner planner(spec, task, plan);
  std::set<std::string> seen;
  for (const std::string& line : spec.sweeps) {
    const Sweep sweep = parse_sweep(line);
    if (!seen.insert(sweep.slug()).second)
      throw Error(spec.name, fmt::format("sweeps {} twice", sweep.title()), "join their values");
    plan.sweeps.push_back(planner.add(sweep));
  }
}

}  // namespace darp
