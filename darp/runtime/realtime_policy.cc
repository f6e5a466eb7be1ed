#include "darp/runtime/realtime_policy.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "darp/core/finite.h"
#include "darp/kernels/row_sums.h"
#include "darp/policy/local_regression.h"
#include "darp/policy/neighbor_weights.h"
#include "darp/policy/novelty.h"
#include "darp/retrieval/retrieval_session.h"
#include "darp/runtime/flush_denormals.h"
#include "darp/runtime/realtime_member.h"
#include "darp/runtime/realtime_regent.h"

namespace darp {
namespace {

/// More of the stack than a step can need, so that the kernel has given it before the first.
[[gnu::noinline]] void touch_stack() noexcept {
  constexpr size_t kBytes = 64 * 1024, kPage = 4096;
  [[maybe_unused]] volatile char stack[kBytes];
  for (size_t i = 0; i < kBytes; i += kPage) stack[i] = 0;
}

ActStatus act_status(QueryStatus status) {
  switch (status) {
    case QueryStatus::kOk:
      return ActStatus::kOk;
    case QueryStatus::kWrongWidth:
      return ActStatus::kWrongSize;
    case QueryStatus::kNotFinite:
    case QueryStatus::kTooLarge:
      return ActStatus::kTooLarge;
    case QueryStatus::kNoneLeft:
      return ActStatus::kNoNeighbors;
  }
  return ActStatus::kTooLarge;
}

}  // namespace

struct RealtimePolicy::Memory {
  explicit Memory(const RealtimeModel& model)
      : chooser(model.chooser()),
        query(model.observation_dim()),
        distances(model.measures_distances() ? model.most_neighbors() : 0),
        weights(model.bandwidth() > 0 ? model.most_neighbors() : 0),
        found(model.action_dim()),
        hold(model.action_dim()),
        scratch(model.action_dim()),
        answers(Matrix::zeros(model.most_neighbors(), model.action_dim())),
        proposals(Matrix::zeros(model.most_neighbors(), model.action_dim())) {
    if (!model.members().empty()) member.emplace(*model.members().front());
    if (!model.regents().empty()) regent.emplace(*model.regents().front());
    if (model.retrieves()) session.emplace(model.retriever());
    if (model.local() != nullptr)
      local.emplace(*model.local(), model.states(), model.chunks(),
                    model.distance_quantiles()[kDistanceQuantiles / 2]);
  }

  ActionChooser chooser;
  std::optional<MemberMemory> member;
  std::optional<RegentMemory> regent;
  std::optional<LocalRegression> local;
  std::optional<RetrievalSession> session;
  std::vector<float> query, distances, weights;
  std::vector<float> found, hold;  // the last good action, and the one for want of any
  std::vector<float> scratch;      // an action that nobody wants
  Matrix answers, proposals;       // of each neighbour: one network's, and the policy's
  RealtimeOptions::OnFault on_fault = RealtimeOptions::OnFault::kLastGood;
  bool any_found = false;
  bool explainable = false;  // whether the last step has neighbours to show

  NetworkQuery asked() const {
    const std::span<const int32_t> rows =
        session ? session->neighbors().rows : std::span<const int32_t>();
    return {query, rows, distances, std::span(weights).first(weights.empty() ? 0 : rows.size())};
  }
};

RealtimePolicy::RealtimePolicy(std::shared_ptr<const RealtimeModel> model,
                               const RealtimeOptions& options)
    : model_(std::move(model)), memory_(std::make_unique<Memory>(*model_)) {
  memory_->on_fault = options.on_fault;
  if (!options.hold.empty()) {
    if (std::ssize(options.hold) != model_->action_dim())
      throw Error("hold",
                  fmt::format("has {} numbers, the policy's actions have {}", options.hold.size(),
                              model_->action_dim()),
                  "give one number per action dimension, or none");
    if (!all_finite(options.hold))
      throw Error("hold", "holds NaN or infinity", "give an action that the robot can take");
    memory_->hold = options.hold;
  }
  memory_->chooser.limit(memory_->hold);
}

RealtimePolicy::~RealtimePolicy() = default;
RealtimePolicy::RealtimePolicy(RealtimePolicy&&) noexcept = default;

void RealtimePolicy::reset(uint64_t seed) noexcept {
  memory_->chooser.reset(seed);
  if (memory_->session) memory_->session->reset(seed);
  memory_->any_found = memory_->explainable = false;
  novelty_ = -1;
}

void RealtimePolicy::warm_up() noexcept {
  touch_stack();
  memory_->chooser.warm_up();
  reset();
  // The mean observation, until all of the past has been written once and read.
  const std::span<const float> observation = model_->observations().offset();
  const int64_t lookback = model_->retrieves() ? model_->retriever()->history().lookback() : 1;
  for (int64_t step = 0; step < lookback + 2; ++step) act(observation, memory_->scratch);
  if (memory_->explainable) propose(std::ssize(memory_->session->neighbors().rows));
  ExplainedNeighbor nearest;
  explain({&nearest, 1}, memory_->scratch);
  act({}, memory_->scratch);
  reset();
}

ActStatus RealtimePolicy::act(std::span<const float> observation,
                              std::span<float> action) noexcept {
  const FlushDenormals flush;
  Memory& m = *memory_;
  m.explainable = false;
  if (std::ssize(action) != model_->action_dim()) return fall_back(ActStatus::kWrongSize, action);
  const ActStatus status = find_action(observation);
  if (status != ActStatus::kOk) return fall_back(status, action);
  m.any_found = true;
  if (m.session)
    novelty_ = darp::novelty(model_->distance_quantiles(), m.session->neighbors().distances.back());
  m.explainable = m.session.has_value();
  std::ranges::copy(m.found, action.begin());
  return ActStatus::kOk;
}

/// Into found, unless there is none.
ActStatus RealtimePolicy::find_action(std::span<const float> observation) noexcept {
  Memory& m = *memory_;
  if (std::ssize(observation) != model_->observation_dim()) return ActStatus::kWrongSize;
  if (!all_finite(observation)) return ActStatus::kNotFinite;
  model_->observations().apply(observation, m.query);
  for (const float x : m.query)
    if (!(std::abs(x) <= MetricSpace::kLargestCoordinate)) return ActStatus::kTooLarge;
  if (m.session) {
    if (const QueryStatus status = m.session->try_push(m.query); status != QueryStatus::kOk)
      return act_status(status);
  }
  if (m.chooser.wants_answers()) {
    find_answers();
    if (!m.chooser.choose()) return ActStatus::kNoAction;
  }
  m.chooser.next(m.found);
  return ActStatus::kOk;
}

/// What every member says, for the chooser.
void RealtimePolicy::find_answers() noexcept {
  Memory& m = *memory_;
  const MutableMatrixView answers = m.chooser.answers();
  if (m.local) return m.local->answer(m.query, m.session->neighbors(), answers.row(0));
  if (m.regent) {
    for (int64_t i = 0; i < answers.rows(); ++i)
      model_->regents()[i]->answer(
          {m.query, model_->states(), model_->chunks(), m.session->neighbors().rows}, *m.regent,
          answers.row(i));
    return;
  }
  measure_distances();
  const NetworkQuery query = m.asked();
  for (int64_t i = 0; i < answers.rows(); ++i)
    model_->members()[i]->answer(query, *m.member, answers.row(i));
}

/// The neighbours' distances, where networks see them or the mean is weighted by them.
void RealtimePolicy::measure_distances() noexcept {
  Memory& m = *memory_;
  if (m.distances.empty()) return;
  const std::span<const int32_t> rows = m.session->neighbors().rows;
  for (size_t i = 0; i < rows.size(); ++i) {
    const float* state = model_->states().view().data() + rows[i] * model_->states().stride();
    float square = 0;
    for (size_t j = 0; j < m.query.size(); ++j)
      square += (state[j] - m.query[j]) * (state[j] - m.query[j]);
    m.distances[i] = std::sqrt(square);
  }
  if (!m.weights.empty())
    neighbor_weights(model_->bandwidth(), std::span(m.distances).first(rows.size()),
                     std::span(m.weights).first(rows.size()));
}

ActStatus RealtimePolicy::fall_back(ActStatus status, std::span<float> action) noexcept {
  const Memory& m = *memory_;
  const bool last = m.on_fault == RealtimeOptions::OnFault::kLastGood && m.any_found;
  const std::vector<float>& safe = last ? m.found : m.hold;
  for (size_t j = 0; j < action.size(); ++j) action[j] = j < safe.size() ? safe[j] : 0;
  return status;
}

int64_t RealtimePolicy::explain(std::span<ExplainedNeighbor> neighbors,
                                std::span<float> proposals) noexcept {
  Memory& m = *memory_;
  if (!m.explainable) return 0;
  const Neighbors found = m.session->neighbors();
  const int64_t count = std::min(std::ssize(neighbors), std::ssize(found.rows));
  const std::vector<int64_t>& ends = model_->retriever()->episode_ends();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = found.rows[i];
    const auto end = std::upper_bound(ends.begin(), ends.end(), row);
    const int64_t begin = end == ends.begin() ? 0 : end[-1];
    neighbors[i] = {row, end - ends.begin(), row - begin, found.distances[i]};
  }
  const int64_t proposed = std::min(count, std::ssize(proposals) / model_->action_dim());
  if (proposed == 0) return count;
  propose(proposed);
  for (int64_t i = 0; i < proposed; ++i)
    std::ranges::copy(m.proposals.row(i), proposals.begin() + i * model_->action_dim());
  return count;
}

/// The first neighbours' answers in the environment's units, the mean of all networks; or what was
/// demonstrated there.
void RealtimePolicy::propose(int64_t count) noexcept {
  const FlushDenormals flush;
  Memory& m = *memory_;
  const NetworkQuery query = m.asked();
  if (!model_->proposes()) {
    for (int64_t i = 0; i < count; ++i)
      std::ranges::copy(model_->demonstrated().row(query.rows[i]), m.proposals.row(i).begin());
    return;
  }
  const auto members = static_cast<float>(model_->members().size());
  for (int64_t i = 0; i < count; ++i) std::ranges::fill(m.proposals.row(i), 0.0f);
  for (const auto& member : model_->members()) {
    member->each_answer(query, *m.member, m.answers.mutable_view().rows_between(0, count));
    for (int64_t i = 0; i < count; ++i) kernels::add(m.answers.row(i), m.proposals.row(i).data());
  }
  for (int64_t i = 0; i < count; ++i) {
    for (float& x : m.proposals.row(i)) x /= members;
    model_->actions().invert(m.proposals.row(i), m.proposals.row(i));
  }
}

namespace {

class RealtimeAsPolicy final : public Policy {
 public:
  explicit RealtimeAsPolicy(std::shared_ptr<const RealtimeModel> model)
      : policy_(std::move(model)) {
    policy_.warm_up();
  }

  int64_t observation_dim() const override { return policy_.model().observation_dim(); }
  int64_t action_dim() const override { return policy_.model().action_dim(); }
  void reset(uint64_t seed) override { policy_.reset(seed); }
  void act(std::span<const float> observation, std::span<float> action) override {
    const ActStatus status = policy_.act(observation, action);
    if (status != ActStatus::kOk)
      throw Error("step", describe(status), "check the sensor or simulator that gave the numbers");
  }
  float novelty() const override { return policy_.novelty(); }
  int64_t explain(std::span<ExplainedNeighbor> neighbors) override {
    return policy_.explain(neighbors, {});
  }

 private:
  RealtimePolicy policy_;
};

}  // namespace

std::unique_ptr<Policy> make_realtime_policy(std::shared_ptr<const RealtimeModel> model) {
  return std::make_unique<RealtimeAsPolicy>(std::move(model));
}

}  // namespace darp
