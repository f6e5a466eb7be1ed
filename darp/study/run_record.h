#pragma once
// record.json of a run: what was run, from what, and how long it took. Its presence means that the
// run is done, so it is written last.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "darp/study/study_run.h"

namespace darp {

struct RunRecord {
  std::string id;
  std::string fingerprint;            // of the settings below
  std::vector<std::string> settings;  // all that are not the usual ones, `data` excepted
  std::string data_file, data_hash;
  std::string version, cpu;  // of the program; of the machine
  double train_seconds = 0, evaluate_seconds = 0;
  std::optional<double> validation_loss;
  std::map<std::string, std::string> evaluations;  // by name: their conditions
};

/// A record of this run with nothing measured yet.
RunRecord record_for(const StudyRun& run, const std::string& data_hash, const std::string& version);
/// Environment, settings, seeds and way of acting in one line: what two evaluations must share to
/// be the same.
std::string conditions_of(const StudyEvaluation& evaluation);

/// Throws Error for what is no record.
RunRecord read_record(const std::filesystem::path& file);
/// Replaces the file, atomically. Summaries of the evaluations are written for people.
void write_record(const std::filesystem::path& file, const RunRecord& record,
                  const std::map<std::string, Evaluation>& evaluations);

/// Throws Error, naming the first differences, unless the folder's run is `wanted`'s.
void check_record(const RunRecord& found, const RunRecord& wanted,
                  const std::filesystem::path& folder);

}  // namespace darp
