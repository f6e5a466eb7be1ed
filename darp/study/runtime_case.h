#pragma once
// How long one policy's training and steps take on this machine, measured and kept.

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "darp/data/dataset.h"
#include "darp/train/graph_objective.h"
#include "darp/train/train_config.h"

namespace darp {

/// What is measured.
struct RuntimeCase {
  std::string name;  // of its file: "hopper-darp-k-100"
  PolicySpec policy;
  TrainSettings train;  // epochs: so many are timed, after the first
  int64_t latency_steps = 0;
  GraphOptions::Device device = GraphOptions::Device::kCpu;
  std::string version = {};  // of the program
};

struct RuntimeRecord {
  std::string key;  // of what was measured, and where (runtime_key)
  std::string cpu, engine, executor;
  int64_t threads = 1;  // "all cores"
  int64_t rows = 0, neighbors = 0;
  /// Seconds of each epoch, on one thread and on all; empty where nothing is learned.
  std::vector<double> one_thread, all_threads;
  /// Processor time over wall time of the epochs on one thread: well below 1 means that the machine
  /// did something else meanwhile, or that a GPU did the work.
  double busy = 1;
  double table_seconds = 0;  // normalising and finding the neighbours of all rows, all threads
  double step_median = 0, step_p99 = 0, step_max = 0;  // microseconds
  int64_t steps = 0;

  double one_thread_median() const;
  double all_threads_median() const;
};

/// The same for the same case, data and machine.
std::string runtime_key(const RuntimeCase& c, const Dataset& data);

/// Trains some epochs on one thread, the same on all, and steps what came out. Nothing if stopped.
/// `scratch` is a folder for the neighbours meanwhile; it is emptied before and removed after.
/// Throws Error for what cannot be trained.
std::optional<RuntimeRecord> measure_runtime(const RuntimeCase& c, const Dataset& data,
                                             const std::filesystem::path& scratch,
                                             const std::atomic<bool>* stop = nullptr);

/// A record as JSON and back, bit for bit. Parsing throws Error for anything else.
std::string runtime_json(const RuntimeRecord& record);
RuntimeRecord parse_runtime(std::string_view text, std::string_view where);

/// The record in `folder`, if it is of this case, data and machine; measured and kept otherwise.
std::optional<RuntimeRecord> kept_runtime(const RuntimeCase& c, const Dataset& data,
                                          const std::filesystem::path& folder,
                                          const std::atomic<bool>* stop = nullptr);

}  // namespace darp
