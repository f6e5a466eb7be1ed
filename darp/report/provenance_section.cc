#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "darp/core/numbers.h"
#include "darp/report/html_page.h"
#include "darp/report/report_sections.h"
#include "darp/report/svg_canvas.h"

namespace darp {
namespace {

using Facts = std::vector<std::pair<std::string, Markup>>;

std::string or_unknown(const std::string& text) {
  return text.empty() ? "unknown" : text;
}

Markup run_facts(const RunInput& run) {
  Facts facts = {
      {"folder", code(run.folder.string())},
      {"demonstrations",
       code(or_unknown(run.data_file)) + escaped(", hash ") + code(or_unknown(run.data_hash))},
      {"settings", run.changed.empty() ? escaped("the usual ones")
                                       : code(fmt::format("{}", fmt::join(run.changed, "  ")))},
      {"seed", escaped(or_unknown(run.seeds))},
      {"made with", escaped(fmt::format("darp {}, {}, threads: {}", or_unknown(run.version),
                                        or_unknown(run.cpu), or_unknown(run.threads)))}};
  if (!run.policy_hash.empty())
    facts.push_back({"policy", code((run.folder / "policy.darp").string()) + escaped(", hash ") +
                                   code(run.policy_hash)});
  return fact_table(facts) + details("All settings (config.yaml)", code_block(run.config));
}

Markup evaluations_table(const ReportInputs& inputs) {
  HtmlTable table;
  table.columns = {{"evaluation", Column::kText}, {"environment", Column::kText},
                   {"seeds", Column::kText},      {"executor", Column::kText},
                   {"policy", Column::kText},     {"its hash", Column::kText},
                   {"trained in", Column::kText}};
  for (const EvaluationInput& input : inputs.evaluations)
    for (const Evaluation& evaluation : input.evaluations) {
      const EvaluationSubject& subject = evaluation.subject;
      const auto run = std::ranges::find(inputs.runs, subject.policy_hash, &RunInput::policy_hash);
      table.rows.push_back(
          {{style_key(input.style) + escaped(input.label)},
           TableCell::text(environment_title(subject)),
           TableCell::text(fmt::format("{} ({})", subject.seeds.text(), name_of(subject.purpose))),
           TableCell::text(subject.executor),
           {code(subject.policy)},
           {code(subject.policy_hash)},
           TableCell::text(run == inputs.runs.end() ? "" : run->label)});
    }
  return html_table(table);
}

/// "a=1 b=[1, 2]" -> "a=1", "b=[1, 2]": a new setting begins where a name and '=' follow a space.
std::vector<std::string> single_settings(const std::string& text) {
  std::vector<std::string> settings;
  size_t begin = 0;
  for (size_t space = text.find(' '); space != std::string::npos;
       space = text.find(' ', space + 1)) {
    const size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.", space + 1);
    if (end == space + 1 || end == std::string::npos || text[end] != '=') continue;
    settings.push_back(text.substr(begin, space - begin));
    begin = space + 1;
  }
  if (begin < text.size()) settings.push_back(text.substr(begin));
  return settings;
}

std::string eval_command_of(const EvaluationInput& input) {
  const EvaluationSubject& subject = input.evaluations[0].subject;
  std::string command = "darp eval";
  for (const Evaluation& evaluation : input.evaluations)
    command += " " + shell_word(evaluation.subject.policy);
  command += " --env " + shell_word(subject.environment);
  for (const std::string& setting : single_settings(subject.environment_settings))
    command += " --set " + shell_word(setting);
  command += " --seeds " + subject.seeds.text();
  if (subject.purpose == SeedPurpose::kSearch) command += " --search";
  if (subject.executor == "torch") command += " --executor torch";
  if (subject.executor == "runtime bf16") command += " --precision bf16";
  return command + " --json " + shell_word(input.file.string());
}

std::string commands_of(const ReportInputs& inputs, const std::string& report_command) {
  std::string commands;
  for (const RunInput& run : inputs.runs) {
    const std::string folder = (run.folder / "").parent_path().string();
    commands += fmt::format("darp train {} --out {}\n", shell_word(folder + "/config.yaml"),
                            shell_word(folder + "-again"));
  }
  for (const EvaluationInput& input : inputs.evaluations) commands += eval_command_of(input) + "\n";
  return commands + report_command;
}

}  // namespace

std::string shell_word(std::string_view text) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-./,:=+@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

Markup provenance_section(const ReportInputs& inputs, const std::string& report_command) {
  Markup body = subsection("The same again", code_block(commands_of(inputs, report_command)));
  for (const RunInput& run : inputs.runs)
    body += subsection("Training: " + run.label, run_facts(run));
  if (!inputs.evaluations.empty()) body += subsection("Evaluations", evaluations_table(inputs));
  return body;
}

}  // namespace darp
