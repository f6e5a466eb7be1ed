#include "darp/train/torch_policy.h"

#include <ATen/core/grad_mode.h>

#include <cmath>

#include "darp/policy/action_chooser.h"
#include "darp/train/torch/entry.h"
#include "darp/train/torch/torch_answer.h"
#include "darp/train/torch/torch_edge.h"

namespace darp {
namespace {

class TorchPolicy final : public Policy {
 public:
  explicit TorchPolicy(std::shared_ptr<const PolicyArchive> archive)
      : archive_(std::move(archive)),
        chooser_(*archive_),
        answer_(make_torch_answer(archive_)),
        query_(archive_->observation_dim()) {}

  int64_t observation_dim() const override { return archive_->observation_dim(); }
  int64_t action_dim() const override { return archive_->action_dim(); }
  void reset(uint64_t seed) override {
    chooser_.reset(seed);
    answer_->reset(seed);
  }
  void act(std::span<const float> observation, std::span<float> action) override {
    DARP_CHECK(std::ssize(action) == action_dim(), "an action of {} numbers, not {}", action.size(),
               action_dim());
    check(observation);
    archive_->observations().apply(observation, query_);
    at_torch_edge([&] { answer(); });
    chooser_.next(action);
  }

 private:
  void check(std::span<const float> observation) const {
    if (std::ssize(observation) != observation_dim())
      throw Error(
          "observation",
          fmt::format("has {} numbers, the policy takes {}", observation.size(), observation_dim()),
          "use the environment and observation parts that the policy was trained for");
    for (size_t j = 0; j < observation.size(); ++j)
      if (!std::isfinite(observation[j]))
        throw Error(fmt::format("observation entry {}", j), "is not finite",
                    "check the sensor or simulator that gave it");
  }

  /// Sees query_, and asks the members if the chooser wants to know.
  void answer() {
    const at::NoGradGuard no_gradient;
    use_threads(1);  // one rollout is one thread's; evaluations run several side by side
    answer_->see(query_);
    if (!chooser_.wants_answers()) return;
    const MutableMatrixView answers = chooser_.answers();
    for (int64_t m = 0; m < answers.rows(); ++m) {
      const at::Tensor said = answer_->answer(m, chooser_.draws(m)).contiguous();
      DARP_CHECK(said.numel() == answers.cols(), "{} numbers for {}", said.numel(), answers.cols());
      std::copy_n(said.data_ptr<float>(), answers.cols(), answers.row(m).data());
    }
    if (!chooser_.choose())
      throw Error("action", "is not finite",
                  "the observation is far from all that was demonstrated, or the policy is bad");
  }

  std::shared_ptr<const PolicyArchive> archive_;
  ActionChooser chooser_;
  std::unique_ptr<TorchAnswer> answer_;
  std::vector<float> query_;
};

}  // namespace

namespace with_torch {

std::unique_ptr<Policy> make_torch_policy(std::shared_ptr<const PolicyArchive> archive) {
  return std::make_unique<TorchPolicy>(std::move(archive));
}

}  // namespace with_torch
}  // namespace darp
