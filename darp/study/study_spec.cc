#include "darp/study/study_spec.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "darp/core/suggest.h"
#include "darp/study/words.h"

namespace darp {
namespace {

bool is_label(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

double number_in(const std::string& word, const std::string& line) {
  double value = 0;
  const char* end = word.data() + word.size();
  const auto [at, failure] = std::from_chars(word.data(), end, value);
  if (failure != std::errc() || at != end || !std::isfinite(value))
    throw Error(fmt::format("paper: {}", printable(line)),
                fmt::format("'{}' is no number", printable(word)),
                "write: method task number [half width]");
  return value;
}

}  // namespace

StudyMethod parse_method(const std::string& text) {
  std::vector<std::string> words = words_of(text);
  StudyMethod method;
  if (words.size() == 1) {
    method = {words[0], words[0]};
  } else if (words.size() >= 3 && words[1] == "=") {
    method = {words[0], words[2], {words.begin() + 3, words.end()}};
  }
  if (!is_label(method.label) || !is_label(method.config))
    throw Error("methods", fmt::format("'{}' is no method", printable(text)),
                "write the name of a config, or: label = config setting=value ...");
  return method;
}

PaperNumber parse_paper_number(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  if (words.size() != 3 && words.size() != 4)
    throw Error(fmt::format("paper: {}", printable(text)),
                fmt::format("has {} words", words.size()),
                "write: method task number [half width]");
  return {words[0], words[1], number_in(words[2], text),
          words.size() == 4 ? number_in(words[3], text) : std::numeric_limits<double>::quiet_NaN()};
}

namespace {

void check_once(const StudySpec& spec, std::string_view field,
                const std::vector<std::string>& names) {
  const std::set<std::string> unique(names.begin(), names.end());
  for (const std::string& name : unique)
    if (std::ranges::count(names, name) > 1)
      throw Error(fmt::format("{}: {}", spec.name, field),
                  fmt::format("has '{}' twice", printable(name)), "name each once");
}

void check_some(const StudySpec& spec, std::string_view field,
                const std::vector<std::string>& names) {
  if (names.empty())
    throw Error(fmt::format("{}: {}", spec.name, field), "is empty: there is nothing to run",
                fmt::format("name some, for example --set {}=[...]", field));
}

}  // namespace

void check_declaration(const StudySpec& spec) {
  using Kind = StudySpec::Kind;
  std::vector<std::string> labels;
  for (const std::string& method : spec.methods) labels.push_back(parse_method(method).label);
  check_once(spec, "tasks", spec.tasks);
  check_once(spec, "methods", labels);
  check_once(spec, "protocols", spec.protocols);
  if (spec.kind != Kind::kSmoothness) check_some(spec, "tasks", spec.tasks);
  check_some(spec, "methods", labels);
  check_some(spec, "protocols", spec.protocols);
  if (!spec.baseline.empty() && std::ranges::find(labels, spec.baseline) == labels.end())
    throw Error(spec.name + ": baseline", fmt::format("'{}' is no method", spec.baseline),
                suggestion(spec.baseline, labels));
  if (spec.score == StudySpec::Score::kImprovement && spec.baseline.empty())
    throw Error(spec.name + ": score", "is an improvement over no baseline", "set baseline");
  if (spec.kind != Kind::kRuntime)
    for (const std::string& line : spec.paper) parse_paper_number(line);
  if (spec.rollouts.components.empty())
    throw Error(spec.name + ": rollouts.components", "is empty", "give sizes, for example [1, 4]");
  if (spec.rollouts.fails_below > spec.rollouts.succeeds_from)
    throw Error(spec.name + ": rollouts", "what fails would also succeed",
                "set fails_below to at most succeeds_from");
}

void TaskSpec::visit_fields(FieldVisitor& v) {
  v.field("environment", environment,
          "Where policies are evaluated; `darp environments` lists them.");
  v.field("configs", configs, "Folder with a config for every method.");
  v.field("demonstrations", demonstrations, "The paper's file, looked for below --demos.");
  v.field("bundled", bundled, "This project's file, used without --demos.");
  v.field("set", set, "Settings for every method on this task, as --set of darp train takes them.");
}

void CurveSettings::visit_fields(FieldVisitor& v) {
  v.field("samples", samples, "Places of [0, 1] where the sine is seen.",
          {.min = 2, .max = 100'000});
  v.field("periods", periods, "Of the sine within [0, 1].", {.min = 0, .max = 1000});
  v.field("noise", noise, "Standard deviation of the noise on each sample.", {.min = 0});
}

void StudySpec::visit_fields(FieldVisitor& v) {
  v.field("title", title, "One line.");
  v.field("about", about, "What it answers, and where in the paper.");
  v.choice("kind", kind,
           {{"table", Kind::kTable},
            {"sweep", Kind::kSweep},
            {"runtime", Kind::kRuntime},
            {"divergence", Kind::kDivergence},
            {"forking", Kind::kForking},
            {"spectral", Kind::kSpectral},
            {"smoothness", Kind::kSmoothness}},
           "What is done with the runs.");
  v.field("tasks", tasks, "Names of studies/tasks/*.yaml.");
  v.field("methods", methods,
          "Names of configs in the tasks' folders, or `label = config a.b=c ...` for a variant.");
  v.field("protocols", protocols,
          "How settings are found: published (the config as it is), recipe (configs/recipe/), "
          "searched (by return on search seeds) and validation (by validation loss).");
  v.field("seeds", seeds, "Trainings of each.", {.min = 1, .max = 1000});
  v.field("episodes", episodes, "Report episodes of each training.", {.min = 1, .max = 100'000});
  v.field("set", set,
          "Settings for every run, as --set of darp train takes them; ?a.b=c: where the policy has "
          "it; env.a=c: of the environment.");
  v.field("trials", trials, "Trials of each search.", {.min = 0, .max = 100'000});
  v.field("search_episodes", search_episodes, "Episodes of a trial, on search seeds.",
          {.min = 1, .max = 100'000});
  v.field(
      "rungs", rungs,
      "Lengths of training in searches: trials begin with the shortest, the best third goes on; "
      "1: all are full.",
      {.min = 1, .max = 10});
  v.field("spaces", spaces, "Folder below studies/ that says what is searched for, by method.");
  v.choice("score", score,
           {{"return", Score::kReturn},
            {"success", Score::kSuccess},
            {"improvement", Score::kImprovement}},
           "What tables show: mean returns, success rates in percent, or returns and the "
           "improvement over the baseline in percent.");
  v.field("baseline", baseline, "The method that the others are compared with.");
  v.field("paper", paper,
          "What the paper reports: `method task number [half width]` each; runtime: `task k "
          "s/epoch s/step`.");
  v.field("sweeps", sweeps,
          "What varies: `setting: value value ...` each; env.NAME is a setting of the environment. "
          "Runtime: `task: k k ...`.");
  v.field("lambdas", lambdas, "Spectra: weights of the explicit penalty.", {.min = 0});
  v.field("rows", rows, "Spectra: so many of the demonstrations' first rows; 0: all.", {.min = 0});
  v.group("curve", curve, "Smoothness: the noisy samples of a sine.");
  v.group("rollouts", rollouts, "Divergence and forking: which episodes are looked at, and how.");
  v.field("quick", quick, "What --quick changes: `seeds=2`, `tasks=[hopper]`.");
}

}  // namespace darp
