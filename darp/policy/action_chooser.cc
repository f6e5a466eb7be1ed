#include "darp/policy/action_chooser.h"

#include <algorithm>

#include "darp/core/finite.h"

namespace darp {
namespace {

/// The streams of one step: 0 for choosing, then one for each member.
Rng step_stream(uint64_t seed, int64_t step, int64_t place) {
  constexpr uint64_t kActing = 0x616374;  // apart from what training draws with the same seed
  return Rng(seed, kActing).split(static_cast<uint64_t>(step)).split(static_cast<uint64_t>(place));
}

}  // namespace

ActionChooser::ActionChooser(const PolicyArchive& archive)
    : head_(archive.spec().head()),
      acting_(archive.spec().acting),
      length_(archive.spec().chunk.length),
      execute_(archive.spec().chunk.execute),
      members_(archive.spec().members),
      outputs_(archive.spec().outputs(archive.action_dim())),
      actions_(archive.actions_in_use()),
      lowest_(archive.lowest_action().begin(), archive.lowest_action().end()),
      highest_(archive.highest_action().begin(), archive.highest_action().end()),
      answers_(static_cast<size_t>(members_ * outputs_)),
      chosen_(static_cast<size_t>(length_ * archive.action_dim())),
      chunk_(chosen_.size()),
      done_(execute_) {}

void ActionChooser::reset(uint64_t seed) noexcept {
  seed_ = seed;
  step_ = 0;
  done_ = execute_;
}

void ActionChooser::warm_up() noexcept {
  constexpr uint64_t kTimes = 256;
  for (uint64_t seed = 0; seed < kTimes; ++seed) {
    reset(seed);
    Rng rng(seed);
    for (float& x : answers_) x = static_cast<float>(rng.uniform(-20, 20));
    choose();
  }
  reset(0);
}

Rng ActionChooser::draws(int64_t member) const noexcept {
  return step_stream(seed_, step_, 1 + member);
}

bool ActionChooser::choose() noexcept {
  const MatrixView said = answers();
  if (!head_.is_distribution()) {
    const auto members = static_cast<double>(members_);
    for (size_t j = 0; j < chosen_.size(); ++j) {
      double sum = 0;
      for (int64_t m = 0; m < members_; ++m)
        sum += static_cast<double>(said(m, static_cast<int64_t>(j)));
      chosen_[j] = static_cast<float>(sum / members);
    }
  } else {
    // A draw from numbers that are not finite could be anything.
    if (!all_finite(answers_)) return false;
    Rng rng = step_stream(seed_, step_, 0);
    if (acting_ == Acting::kSample)
      sample_action(head_, said, rng, chosen_);
    else
      modal_action(head_, said, chosen_);
  }
  const auto dim = static_cast<size_t>(actions_.dim());
  for (size_t begin = 0; begin < chosen_.size(); begin += dim) {
    const std::span<float> action = std::span(chosen_).subspan(begin, dim);
    actions_.invert(action, action);
  }
  if (!all_finite(chosen_)) return false;
  std::swap(chosen_, chunk_);
  ++step_;
  done_ = 0;
  return true;
}

void ActionChooser::next(std::span<float> action) noexcept {
  const auto dim = static_cast<size_t>(actions_.dim());
  std::copy_n(chunk_.begin() + done_ * actions_.dim(), dim, action.begin());
  limit(action);
  ++done_;
}

void ActionChooser::limit(std::span<float> action) const noexcept {
  for (size_t j = 0; j < action.size(); ++j)
    action[j] = std::clamp(action[j], lowest_[j], highest_[j]);
}

}  // namespace darp
