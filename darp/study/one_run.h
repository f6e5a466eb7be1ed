#pragma once
// One run of a study, from its folder's present state to its record.

#include <functional>
#include <optional>
#include <string_view>

#include "darp/study/run_record.h"

namespace darp {

/// Demonstrations that runs share.
struct SharedData {
  Dataset dataset;
  std::string hash;  // its content_hash()
};

enum class RunState { kDone, kStopped, kBusy };

/// Whether there is nothing left to do: a record with all evaluations. Throws Error if the folder
/// holds another run.
bool is_done(const StudyRun& run, const SharedData& data, const StudyOptions& options);

/// Does what is missing. kBusy: another process has it.
/// @param phase told what it is at ("training"), for progress
RunState do_run(const StudyRun& run, const SharedData& data, const StudyOptions& options,
                const std::function<void(std::string_view)>& phase);

/// What a run that is done came to.
StudyRunResult read_result(const StudyRun& run, const StudyOptions& options);

}  // namespace darp
