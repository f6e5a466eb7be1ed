#pragma once
// What a search has done, in a file that any number of processes work on: one line of JSON that
// says what is searched, then one for each training that begins and one for each that ends
// (docs/tuning.md).

#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "darp/core/file_lock.h"
#include "darp/study/tune/halving.h"

namespace darp {

/// Two searches with the same of these go on from each other. The lists are compared as text.
struct SearchSubject {
  std::string environment;
  std::string data;                         // the demonstrations' hash, wherever their file is
  std::vector<std::string> config, search;  // settings: "train.epochs=20"
  SearchSpace space;
};

/// For any number of threads.
class TrialJournal {
 public:
  /// Opens or begins it in `folder`, which is made if need be. Throws Error if it holds another
  /// search.
  TrialJournal(const std::filesystem::path& folder, const SearchSubject& subject);

  /// What the journal is while nobody else changes it.
  class View {
   public:
    /// In the order in which they began; `ended()` has places in it, in the order of their ends.
    const std::vector<TrialRun>& runs() const { return journal_.runs_; }
    const std::vector<size_t>& ended() const { return journal_.ended_; }
    /// A claim on a training, so that others leave it alone as long as this process lives; nothing
    /// if somebody has it.
    std::optional<FileLock> claim(const TrialRun& run) const;
    /// What begins is on the disk when this returns: other settings must never take its folder.
    /// Both throw Error when they cannot be written.
    void begin(const TrialRun& run);
    void end(const TrialRun& run);

   private:
    friend class TrialJournal;
    explicit View(TrialJournal& journal) : journal_(journal) {}
    TrialJournal& journal_;
  };
  /// Calls `work` while nobody else, here or in another process, is at the journal; what others
  /// wrote has been read.
  void with(const std::function<void(View&)>& work);

 private:
  void read_on();
  void take_heading(std::string_view line);
  void take(std::string_view line);
  void append(const std::string& line, bool lasting);
  std::filesystem::path claim_path(const TrialRun& run) const;

  const std::filesystem::path folder_, path_;
  const size_t dimensions_;
  const std::string heading_;
  std::mutex mutex_;
  std::vector<TrialRun> runs_;
  std::vector<size_t> ended_;
  size_t position_ = 0;  // that was read
  int64_t lines_ = 0;
};

}  // namespace darp
