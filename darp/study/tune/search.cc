#include "darp/study/tune/search.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "darp/core/error.h"
#include "darp/core/thread_pool.h"
#include "darp/study/tune/tpe.h"

namespace darp {
namespace {

/// How often somebody with nothing to do looks again.
constexpr std::chrono::milliseconds kPatience(50);

struct ClaimedTrial {
  TrialRun run;
  FileLock claim;
};

/// Whether trial 0 is, or will be, where the search starts from. Journals can be older than a way
/// to find that place.
bool begins_with(const std::optional<SearchPoint>& first, const std::vector<TrialRun>& runs) {
  return first && (runs.empty() || runs.front().point == *first);
}

class SearchWorker {
 public:
  SearchWorker(TrialJournal& journal, const SearchSpace& space, const TuneSettings& settings,
               const TrialWork& work, const SearchOptions& options)
      : journal_(journal), space_(space), settings_(settings), work_(work), options_(options) {}

  /// Until nothing is left to do, or stopped. If the journal fails, other threads stop too.
  void go_on() try {
    while (!stopped()) {
      std::optional<ClaimedTrial> next;
      bool all_done = false;
      journal_.with([&](TrialJournal::View& view) {
        if (auto taken = take_next(view)) next.emplace(std::move(*taken));
        all_done = !next && view.ended().size() == view.runs().size();
      });
      if (all_done) return;
      if (!next)
        std::this_thread::sleep_for(kPatience);
      else if (do_work(next->run))
        journal_.with([&](TrialJournal::View& view) {
          view.end(next->run);
          if (options_.on_end) options_.on_end(view);
        });
    }
  } catch (...) {
    gave_up_ = true;
    throw;
  }

 private:
  bool stopped() const { return gave_up_ || (options_.stop != nullptr && *options_.stop); }

  /// What nobody works on any more, or what is due.
  std::optional<ClaimedTrial> take_next(TrialJournal::View& view) const {
    for (const TrialRun& run : view.runs())
      if (!run.ended)
        if (auto claim = view.claim(run)) return ClaimedTrial{run, std::move(*claim)};

    const std::optional<NextTrial> due =
        next_trial(view.runs(), settings_, begins_with(options_.first, view.runs()));
    if (!due) return std::nullopt;
    TrialRun run;
    run.trial = due->trial;
    run.rung = due->rung;
    run.point = due->rung == 0 ? new_point(view, due->trial) : point_of(view, due->trial);
    auto claim = view.claim(run);
    DARP_CHECK(claim.has_value(), "trial {} is claimed before it began", run.trial);
    view.begin(run);
    return ClaimedTrial{std::move(run), std::move(*claim)};
  }

  SearchPoint new_point(const TrialJournal::View& view, int64_t trial) const {
    if (trial == 0 && options_.first) return *options_.first;
    std::vector<SearchPoint> best_first;
    for (const size_t place : ranked_trials(view.runs()))
      best_first.push_back(view.runs()[place].point);
    return propose(space_, best_first, trial,
                   {settings_.startup, static_cast<uint64_t>(settings_.seed)});
  }

  static SearchPoint point_of(const TrialJournal::View& view, int64_t trial) {
    for (const TrialRun& run : view.runs())
      if (run.trial == trial) return run.point;
    DARP_CHECK(false, "trial {} goes on before it began", trial);
    return {};
  }

  /// False if stopped; otherwise the run has its score or its problem.
  bool do_work(TrialRun& run) const {
    try {
      const std::optional<double> score = work_(run);
      if (!score) return false;
      run.score = *score;
      if (!std::isfinite(*score)) run.problem = "has no finite score";
    } catch (const FileError&) {
      throw;  // nothing about these settings: the trial is done again when the file is mended
    } catch (const Error& error) {
      run.problem = error.what();
    }
    if (!run.problem.empty()) run.score = -std::numeric_limits<double>::infinity();
    return true;
  }

  TrialJournal& journal_;
  const SearchSpace& space_;
  const TuneSettings& settings_;
  const TrialWork& work_;
  const SearchOptions& options_;
  std::atomic<bool> gave_up_{false};
};

}  // namespace

std::optional<std::vector<TrialRun>> search(TrialJournal& journal, const SearchSpace& space,
                                            const TuneSettings& settings, const TrialWork& work,
                                            const SearchOptions& options) {
  SearchWorker worker(journal, space, settings, work, options);
  ThreadPool pool(options.jobs);
  pool.parallel_for(pool.threads(), 1, [&](int64_t, int64_t) { worker.go_on(); });
  std::optional<std::vector<TrialRun>> done;
  journal.with([&](const TrialJournal::View& view) {
    if (view.ended().size() != view.runs().size() ||
        next_trial(view.runs(), settings, begins_with(options.first, view.runs())))
      return;
    done.emplace();
    for (const size_t place : view.ended()) done->push_back(view.runs()[place]);
  });
  return done;
}

}  // namespace darp
