#include "darp/study/study_run.h"

#include <condition_variable>
#include <set>
#include <thread>

#include "darp/core/thread_pool.h"
#include "darp/data/ingest/read_dataset.h"
#include "darp/study/one_run.h"

namespace darp {
namespace {

using namespace std::chrono_literals;

/// Every file of demonstrations is read once.
class DataShelf {
 public:
  explicit DataShelf(const std::vector<StudyRun>& runs) {
    for (const StudyRun& run : runs) {
      const std::string key = key_of(run);
      if (data_.contains(key)) continue;
      Dataset dataset = read_dataset(run.config.data, run.config.reading).dataset;
      std::string hash = dataset.content_hash();
      data_.emplace(key, SharedData{std::move(dataset), std::move(hash)});
    }
  }
  const SharedData& of(const StudyRun& run) const { return data_.at(key_of(run)); }

 private:
  static std::string key_of(const StudyRun& run) {
    return run.config.data + "\n" + write_yaml(run.config.reading);
  }
  std::map<std::string, SharedData> data_;
};

/// Runs done, what is running and the time left, drawn anew each second.
class RunBoard {
 public:
  RunBoard(int64_t total, const Progress::Output& output)
      : progress_("study", total, "runs", output), ticker_([this](std::stop_token stop) {
          std::unique_lock lock(mutex_);
          while (!changed_.wait_for(lock, stop, 1s, [] { return false; }) && !stop.stop_requested())
            draw();
        }) {}

  void says(const StudyRun& run, std::string_view phase) {
    const std::lock_guard lock(mutex_);
    running_[run.id] = phase;
    draw();
  }
  void leaves(const StudyRun& run, bool done) {
    const std::lock_guard lock(mutex_);
    running_.erase(run.id);
    if (done) progress_.advance();
    draw();
  }
  void finish() {
    const std::lock_guard lock(mutex_);
    progress_.status("");
    progress_.finish();
  }

 private:
  void draw() {
    std::string text;
    for (const auto& [id, phase] : running_)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", phase, id);
    progress_.status(text);
    progress_.advance(0);
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, std::string> running_;
  Progress progress_;
  std::jthread ticker_;  // last: it uses the others
};

void check_ids(const std::vector<StudyRun>& runs) {
  std::set<std::string> seen;
  for (const StudyRun& run : runs)
    DARP_CHECK(!run.id.empty() && seen.insert(run.id).second, "two runs with the id '{}'", run.id);
}

bool is_stopped(const StudyOptions& options) {
  return options.stop != nullptr && *options.stop;
}

/// One pass over what is left; what others have stays in the list.
std::vector<const StudyRun*> one_pass(const std::vector<const StudyRun*>& left,
                                      const DataShelf& shelf, const StudyOptions& options,
                                      ThreadPool& pool, RunBoard& board) {
  std::vector<RunState> states(left.size(), RunState::kStopped);
  pool.parallel_for(std::ssize(left), 1, [&](int64_t i, int64_t) {
    if (is_stopped(options)) return;
    const auto at = static_cast<size_t>(i);
    const StudyRun& run = *left[at];
    states[at] = do_run(run, shelf.of(run), options,
                        [&](std::string_view phase) { board.says(run, phase); });
    board.leaves(run, states[at] == RunState::kDone);
  });
  std::vector<const StudyRun*> still;
  for (size_t i = 0; i < left.size(); ++i)
    if (states[i] != RunState::kDone) still.push_back(left[i]);
  return still;
}

}  // namespace

std::optional<std::vector<StudyRunResult>> do_runs(const std::vector<StudyRun>& runs,
                                                   const StudyOptions& options) {
  check_ids(runs);
  if (options.planned != nullptr) {
    for (const StudyRun& run : runs)
      options.planned->push_back(
          run.id + (std::filesystem::exists(options.out / "runs" / run.id / "record.json")
                        ? " (done)"
                        : ""));
    return std::nullopt;
  }
  const DataShelf shelf(runs);
  std::vector<const StudyRun*> left;
  for (const StudyRun& run : runs)
    if (!is_done(run, shelf.of(run), options)) left.push_back(&run);
  if (!left.empty()) {
    ThreadPool pool(options.jobs);
    RunBoard board(std::ssize(left), options.progress);
    while (!left.empty()) {
      const size_t before = left.size();
      left = one_pass(left, shelf, options, pool, board);
      if (!left.empty() && is_stopped(options)) return std::nullopt;
      // All that is left belongs to other processes.
      if (left.size() == before) std::this_thread::sleep_for(200ms);
    }
    board.finish();
  }
  std::vector<StudyRunResult> results;
  for (const StudyRun& run : runs) results.push_back(read_result(run, options));
  return results;
}

}  // namespace darp
