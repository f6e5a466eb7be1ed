#include "darp/expert/ppo/ppo_state.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "darp/core/error.h"
#include "darp/train/fingerprint.h"

namespace darp {
namespace {

constexpr const char *kStateKind = "darp expert training 1", *kStateFingerprint = "fingerprint";
constexpr std::string_view kStateRemedy =
    "delete the folder's checkpoint to start this run again, or take an older copy of it";

template <class T>
constexpr Dtype kStateDtype = std::is_same_v<T, int64_t>  ? Dtype::kI64
                              : std::is_same_v<T, double> ? Dtype::kF64
                                                          : Dtype::kF32;

template <class T>
TensorView state_tensor(std::string name, const std::vector<T>& values) {
  return {std::move(name), kStateDtype<T>, {values.size()}, std::as_bytes(std::span(values))};
}

std::vector<double> packed_moments(const RunningMoments& moments) {
  std::vector<double> all = {moments.count};
  all.insert(all.end(), moments.mean.begin(), moments.mean.end());
  all.insert(all.end(), moments.squares.begin(), moments.squares.end());
  return all;
}

/// Nothing if these are no counts and squares.
std::optional<RunningMoments> unpacked_moments(const std::vector<double>& all) {
  RunningMoments moments(static_cast<int64_t>(all.size() / 2));
  const size_t dims = moments.mean.size();
  moments.count = all[0];
  std::copy_n(all.begin() + 1, dims, moments.mean.begin());
  std::copy_n(all.begin() + 1 + static_cast<std::ptrdiff_t>(dims), dims, moments.squares.begin());
  if (moments.count < 0 || *std::ranges::min_element(moments.squares) < 0) return std::nullopt;
  return moments;
}

class StateReader {
 public:
  explicit StateReader(const std::filesystem::path& path)
      : file_(SafetensorsFile::open(path, {.require_checksum = true})) {
    if (metadata("kind") != kStateKind) fail("is no checkpoint of an expert's training");
  }

  RunningMoments moments(const std::string& name, int64_t dims) const {
    const auto unpacked = unpacked_moments(read<double>(name, 1 + 2 * dims));
    if (!unpacked) fail(fmt::format("'{}' has numbers below 0", name));
    return *unpacked;
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw Error(file_.where(), what, kStateRemedy);
  }

  std::string metadata(const std::string& key) const {
    const auto found = file_.metadata().find(key);
    return found == file_.metadata().end() ? "" : found->second;
  }

  /// A vector of this many numbers; any number where `size` is -1.
  template <class T>
  std::vector<T> read(const std::string& name, int64_t size) const {
    const TensorView& tensor = file_.get(name);
    if (tensor.dtype != kStateDtype<T> || tensor.shape.size() != 1 ||
        (size >= 0 && tensor.shape[0] != static_cast<uint64_t>(size)))
      fail(
          fmt::format("'{}' is not {} numbers of type {}", name, size, dtype_name(kStateDtype<T>)));
    std::vector<T> values(tensor.shape[0]);
    if (!values.empty()) std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
    return values;
  }

 private:
  SafetensorsFile file_;
};

std::string actor_name(size_t i) {
  return fmt::format("actors.{}.environment", i);
}

}  // namespace

void write_ppo_state(const std::filesystem::path& path, const PpoState& state,
                     std::string_view fingerprint) {
  const std::vector<int64_t> counts = {state.iteration,  state.gradients, state.metrics_bytes,
                                       state.best_steps, state.reports,   state.episodes};
  const PpoReport& r = state.report;
  const std::vector<double> numbers = {
      state.seconds, state.collecting, state.best_return, state.episode_returns,
      r.policy_loss, r.value_loss,     r.entropy,         r.divergence,
      r.cut};
  const std::vector<double> observations = packed_moments(state.observations),
                            returns = packed_moments(state.returns);
  std::vector<double> discounted, sums;
  std::vector<int64_t> episodes;
  // Those with the larger elements come first: all are aligned then.
  std::vector<TensorView> tensors = {
      state_tensor("counts", counts), state_tensor("numbers", numbers),
      state_tensor("observation_moments", observations), state_tensor("return_moments", returns)};
  for (size_t i = 0; i < state.actors.size(); ++i) {
    discounted.push_back(state.actors[i].discounted);
    sums.push_back(state.actors[i].episode_return);
    episodes.push_back(state.actors[i].episodes);
    tensors.push_back(state_tensor(actor_name(i), state.actors[i].environment));
  }
  tensors.push_back(state_tensor("actors.discounted", discounted));
  tensors.push_back(state_tensor("actors.return", sums));
  tensors.push_back(state_tensor("actors.episodes", episodes));
  tensors.push_back(state_tensor("parameters", state.parameters));
  tensors.push_back(state_tensor("first_moments", state.first_moments));
  tensors.push_back(state_tensor("second_moments", state.second_moments));
  tensors.push_back(state_tensor("best.parameters", state.best_parameters));
  tensors.push_back(state_tensor("best.shift", state.best_shift));
  tensors.push_back(state_tensor("best.scale", state.best_scale));
  write_safetensors(path, {{"kind", kStateKind}, {kStateFingerprint, std::string(fingerprint)}},
                    tensors);
}

PpoState read_ppo_state(const std::filesystem::path& path, const PpoLimits& limits,
                        std::string_view fingerprint) {
  const StateReader reader(path);
  const std::string changes = fingerprint_changes(reader.metadata(kStateFingerprint), fingerprint);
  if (!changes.empty())
    throw Error(path.string(), "belongs to a run with other settings: " + changes,
                "resume with the settings in the folder's config.yaml, or start a new folder");
  PpoState state;
  const auto counts = reader.read<int64_t>("counts", 6);
  state.iteration = counts[0], state.gradients = counts[1], state.metrics_bytes = counts[2];
  state.best_steps = counts[3], state.reports = counts[4], state.episodes = counts[5];
  const auto numbers = reader.read<double>("numbers", 9);
  state.seconds = numbers[0], state.collecting = numbers[1], state.best_return = numbers[2];
  state.episode_returns = numbers[3];
  state.report = {numbers[4], numbers[5], numbers[6], numbers[7], numbers[8]};
  if (*std::ranges::min_element(counts) < 0) reader.fail("has counts below 0");
  if (state.iteration > limits.iterations)
    reader.fail(fmt::format("has {} updates, but the run {}", state.iteration, limits.iterations));
  state.observations = reader.moments("observation_moments", limits.observations);
  state.returns = reader.moments("return_moments", 1);
  state.parameters = reader.read<float>("parameters", limits.parameters);
  state.first_moments = reader.read<float>("first_moments", limits.parameters);
  state.second_moments = reader.read<float>("second_moments", limits.parameters);
  state.best_parameters = reader.read<float>("best.parameters", -1);
  const bool has_best = !state.best_parameters.empty();
  if (has_best && static_cast<int64_t>(state.best_parameters.size()) != limits.parameters)
    reader.fail("has a best network of another size");
  state.best_shift = reader.read<float>("best.shift", has_best ? limits.observations : 0);
  state.best_scale = reader.read<float>("best.scale", has_best ? limits.observations : 0);
  const auto discounted = reader.read<double>("actors.discounted", limits.environments);
  const auto sums = reader.read<double>("actors.return", limits.environments);
  const auto episodes = reader.read<int64_t>("actors.episodes", limits.environments);
  if (*std::ranges::min_element(episodes) < 0) reader.fail("has counts below 0");
  for (size_t i = 0; i < episodes.size(); ++i)
    state.actors.push_back(
        {reader.read<double>(actor_name(i), -1), discounted[i], sums[i], episodes[i]});
  return state;
}

}  // namespace darp
