#include "darp/train/checkpoint.h"

#include <cstring>

#include "darp/data/safetensors.h"
#include "darp/train/fingerprint.h"

namespace darp {
namespace {

constexpr const char *kKindKey = "darp.kind", *kKind = "checkpoint", *kVersionKey = "darp.version",
                     *kVersion = "1", *kFingerprintKey = "darp.fingerprint";
constexpr std::string_view kRemedy =
    "delete it to start this run again, or take an older copy of it";

/// The fields in the order of the file; `visit` gets a name and a reference.
template <class State, class Visit>
void each_number(State& state, const Visit& visit) {
  visit("member", state.member);
  visit("epoch", state.epoch);
  visit("batch", state.batch);
  visit("step", state.step);
  visit("loss_sum", state.loss_sum);
  visit("loss_count", state.loss_count);
  visit("plateau.best", state.plateau.best);
  visit("plateau.epochs_since", state.plateau.epochs_since);
  visit("plateau.factor", state.plateau.factor);
  visit("best_loss", state.best_loss);
  visit("best_epoch", state.best_epoch);
  visit("metrics_bytes", state.metrics_bytes);
  visit("tensorboard_bytes", state.tensorboard_bytes);
}

template <class State, class Visit>
void each_vector(State& state, const Visit& visit) {
  visit("parameters", state.parameters);
  visit("first_moments", state.first_moments);
  visit("second_moments", state.second_moments);
  visit("averaged", state.averaged);
  visit("best", state.best);
  for (size_t i = 0; i < state.finished.size(); ++i)
    visit(fmt::format("finished.{}", i), state.finished[i]);
}

/// Doubles are kept as bits.
template <class Number>
constexpr Dtype kDtypeOf = std::is_same_v<Number, int64_t> ? Dtype::kI64 : Dtype::kU64;

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path)
      : where_(path.string()), file_(SafetensorsFile::open(path, {.require_checksum = true})) {
    if (metadata(kKindKey) != kKind || metadata(kVersionKey) != kVersion)
      fail("is no checkpoint of this version of darp");
  }

  [[noreturn]] void fail(std::string_view what) const { throw Error(where_, what, kRemedy); }

  std::string metadata(const std::string& key) const {
    const auto found = file_.metadata().find(key);
    return found == file_.metadata().end() ? "" : found->second;
  }

  template <class Number>
  void read(std::string_view name, Number& number) const {
    const TensorView& tensor = file_.get(name);
    if (tensor.dtype != kDtypeOf<Number> || !tensor.shape.empty())
      fail(fmt::format("tensor {} is not one number of type {}", name,
                       dtype_name(kDtypeOf<Number>)));
    std::memcpy(&number, tensor.data.data(), sizeof(Number));
  }

  /// A vector of this many numbers, or of none where that may be.
  void read(std::string_view name, std::vector<float>& numbers, int64_t size) const {
    const std::span<const float> stored = file_.floats(name);
    if (static_cast<int64_t>(stored.size()) != size)
      fail(fmt::format("{} has {} numbers where this network has {}", name, stored.size(), size));
    numbers.assign(stored.begin(), stored.end());
  }

  size_t tensors() const { return file_.tensors().size(); }

 private:
  std::string where_;
  SafetensorsFile file_;
};

void check_limits(const Reader& reader, const TrainState& state, const TrainLimits& limits) {
  const auto within = [&](std::string_view name, int64_t number, int64_t least, int64_t most) {
    if (number < least || number > most)
      reader.fail(fmt::format("has {} {}, which must be {} to {}", name, number, least, most));
  };
  constexpr int64_t kAny = std::numeric_limits<int64_t>::max();
  within("member", state.member, 0, limits.members);
  within("epoch", state.epoch, 0, limits.epochs);
  within("batch", state.batch, 0, limits.batches);
  within("step", state.step, 0, limits.epochs * limits.batches);
  within("loss count", state.loss_count, 0, kAny);
  within("plateau", state.plateau.epochs_since, 0, kAny);
  within("best epoch", state.best_epoch, -1, limits.epochs - 1);
  within("metrics bytes", state.metrics_bytes, 0, kAny);
  within("TensorBoard bytes", state.tensorboard_bytes, 0, kAny);
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const TrainState& state) {
  DARP_CHECK(state.member == static_cast<int64_t>(state.finished.size()),
             "member {} after {} finished ones", state.member, state.finished.size());
  std::vector<TensorView> tensors;
  each_number(state, [&]<class Number>(std::string_view name, const Number& number) {
    tensors.push_back(
        {std::string(name), kDtypeOf<Number>, {}, std::as_bytes(std::span(&number, 1))});
  });
  each_vector(state, [&](std::string_view name, const std::vector<float>& numbers) {
    tensors.push_back(
        {std::string(name), Dtype::kF32, {numbers.size()}, std::as_bytes(std::span(numbers))});
  });
  write_safetensors(
      path, {{kKindKey, kKind}, {kVersionKey, kVersion}, {kFingerprintKey, state.fingerprint}},
      tensors);
}

TrainState read_checkpoint(const std::filesystem::path& path, const TrainLimits& limits,
                           std::string_view fingerprint) {
  const Reader reader(path);
  TrainState state;
  // Other settings explain other sizes better than the sizes do.
  state.fingerprint = reader.metadata(kFingerprintKey);
  if (const std::string changes = fingerprint_changes(state.fingerprint, fingerprint);
      !changes.empty())
    throw Error(path.string(), "belongs to a run with other settings or data: " + changes,
                "resume with what the run was started with, or choose another --out");
  each_number(state, [&](std::string_view name, auto& number) { reader.read(name, number); });
  check_limits(reader, state, limits);
  state.finished.resize(static_cast<size_t>(state.member));
  size_t tensors = 0;
  const auto count = [&](std::string_view, auto&) { ++tensors; };
  each_number(state, count);
  each_vector(state, count);
  if (reader.tensors() != tensors)
    reader.fail(fmt::format("has {} tensors where {} belong", reader.tensors(), tensors));
  each_vector(state, [&](std::string_view name, std::vector<float>& numbers) {
    const bool none = (&numbers == &state.averaged && !limits.averages) ||
                      (&numbers == &state.best && state.best_epoch < 0);
    reader.read(name, numbers, none ? 0 : limits.parameters);
  });
  return state;
}

}  // namespace darp
