// How fast demonstrations come in: 1,000,000 steps of 32 observation and 7 action dimensions, read
// by darp (checks and all) and by a bare H5Dread of the same arrays into fresh memory, in one run;
// and how much memory the reader needs.

#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "bench/bench.h"
#include "darp/core/rng.h"
#include "darp/data/ingest/read_dataset.h"

namespace {

namespace fs = std::filesystem;
using darp::bench::Contender;
using darp::bench::Result;

constexpr int64_t kSteps = 1'000'000, kObservation = 32, kAction = 7, kEpisode = 500;
constexpr double kDataBytes = double{kSteps} * (kObservation + kAction) * sizeof(float);

/// Robomimic layout through our writer: 2,000 episodes of 500 steps.
void write_robomimic_file(const fs::path& path) {
  darp::Rng rng(1);
  darp::DatasetContents c;
  c.observations = darp::Matrix::uninitialized(kSteps, kObservation);
  c.actions = darp::Matrix::uninitialized(kSteps, kAction);
  for (int64_t i = 0; i < kSteps; ++i) {
    for (float& x : c.observations.row(i)) x = static_cast<float>(rng.uniform(-1, 1));
    for (float& x : c.actions.row(i)) x = static_cast<float>(rng.uniform(-1, 1));
  }
  for (int64_t end = kEpisode; end <= kSteps; end += kEpisode) c.episode_ends.push_back(end);
  c.rewards.assign(kSteps, 0.5f);
  darp::write_dataset(darp::Dataset(std::move(c)), path, "robomimic");
}

void write_flat(hid_t file, const char* name, int64_t cols, const void* data, hid_t type,
                bool packed) {
  const hsize_t shape[] = {static_cast<hsize_t>(kSteps), static_cast<hsize_t>(cols)};
  const hid_t space = H5Screate_simple(cols == 1 ? 1 : 2, shape, nullptr);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  if (packed) {  // as h5py packs: gzip level 4, chunks of some rows
    const hsize_t chunk[] = {4096, static_cast<hsize_t>(cols)};
    H5Pset_chunk(creation, cols == 1 ? 1 : 2, chunk);
    H5Pset_deflate(creation, 4);
  }
  const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  H5Pclose(creation);
  H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
  H5Dclose(dataset);
  H5Sclose(space);
}

/// D4RL layout: the same numbers end to end.
void write_d4rl_file(const fs::path& path, const darp::Dataset& dataset, bool packed) {
  std::vector<float> observations(kSteps * kObservation), actions(kSteps * kAction);
  darp::copy(dataset.observations(), {observations.data(), kSteps, kObservation, kObservation});
  darp::copy(dataset.actions(), {actions.data(), kSteps, kAction, kAction});
  std::vector<int8_t> timeouts(kSteps, 0);
  for (int64_t end = kEpisode; end <= kSteps; end += kEpisode) timeouts[end - 1] = 1;
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  write_flat(file, "observations", kObservation, observations.data(), H5T_NATIVE_FLOAT, packed);
  write_flat(file, "actions", kAction, actions.data(), H5T_NATIVE_FLOAT, packed);
  write_flat(file, "timeouts", 1, timeouts.data(), H5T_NATIVE_INT8, packed);
  H5Fclose(file);
}

/// The rival: open, read every array of the file straight into new memory, close. No checks.
void bare_read(const fs::path& path, const std::vector<std::string>& names) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const auto observations = std::make_unique_for_overwrite<float[]>(kSteps * kObservation);
  const auto actions = std::make_unique_for_overwrite<float[]>(kSteps * kAction);
  const auto rest = std::make_unique_for_overwrite<float[]>(kSteps);
  float* targets[] = {observations.get(), actions.get(), rest.get()};
  for (size_t i = 0; i < names.size(); ++i) {
    const hid_t dataset = H5Dopen2(file, names[i].c_str(), H5P_DEFAULT),
                space = H5Dget_space(dataset);
    float*& target = targets[i % 3];
    H5Dread(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, target);
    target += H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    H5Dclose(dataset);
  }
  H5Fclose(file);
}

/// Peak resident memory of a process that does nothing but read the file, relative to the data's
/// size.
double peak_memory_ratio(const fs::path& path) {
  const auto peak_of = [](const std::function<void()>& work) {
    const pid_t child = fork();
    if (child == 0) {
      work();
      _exit(0);
    }
    rusage usage{};
    int status = 0;
    wait4(child, &status, 0, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024;
  };
  const double idle = peak_of([] {});
  return (peak_of([&] { darp::read_dataset(path); }) - idle) / kDataBytes;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string json = darp::bench::json_argument(argc, argv);
  const fs::path folder =
      fs::temp_directory_path() / ("darp_ingest_bench_" + std::to_string(getpid()));
  fs::create_directories(folder);
  const fs::path robomimic = folder / "robomimic.hdf5", d4rl = folder / "d4rl.hdf5",
                 packed = folder / "d4rl_packed.hdf5";
  write_robomimic_file(robomimic);
  write_d4rl_file(d4rl, darp::read_dataset(robomimic).dataset, false);
  write_d4rl_file(packed, darp::read_dataset(robomimic).dataset, true);

  std::vector<std::string> demos;
  for (int64_t i = 0; i < kSteps / kEpisode; ++i)
    for (const char* name : {"obs/observation", "actions", "rewards"})
      demos.push_back("/data/demo_" + std::to_string(i) + "/" + name);
  const std::vector<std::string> flat = {"/observations", "/actions"};

  constexpr int kRounds = 9;
  std::vector<Result> results;
  for (const auto& [name, path, arrays] :
       {std::tuple{"robomimic, 2,000 episodes", robomimic, demos},
        {"d4rl, flat", d4rl, flat},
        {"d4rl, gzip", packed, flat}}) {
    results.push_back(darp::bench::compare(
        std::string(name) + ", 1,000,000 x (32 + 7)",
        {Contender{"ours", [&, p = path] { darp::read_dataset(p); }},
         Contender{"bare H5Dread", [&, p = path, a = arrays] { bare_read(p, a); }}},
        kRounds));
    results.back().extra["peak_memory_over_data"] = peak_memory_ratio(path);
  }
  darp::bench::report(results, json);
  fs::remove_all(folder);
}
