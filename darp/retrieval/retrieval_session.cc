#include "darp/retrieval/retrieval_session.h"

#include <algorithm>
#include <limits>

#include "darp/retrieval/approximate_candidates.h"

namespace darp {
namespace {

bool ranks_all(const Retriever& r) {
  return r.settings().scope == RetrievalSettings::Scope::kAll && r.history().lookback() > 1;
}

bool is_recursive(const Retriever& r) {
  return ranks_all(r) && r.history().settings().decay == HistorySettings::Decay::kExponential;
}

bool skips_zeros(const Retriever& r) {
  return r.settings().exclude == RetrievalSettings::Exclude::kZero;
}

}  // namespace

RetrievalSession::RetrievalSession(std::shared_ptr<const Retriever> retriever)
    : retriever_(std::move(retriever)),
      ranks_all_(ranks_all(*retriever_)),
      random_(retriever_->settings().pick == RetrievalSettings::Pick::kRandom),
      selector_(retriever_->settings().k, retriever_->rows()),
      query_(retriever_->space().dim()),
      now_(retriever_->approximate() ? 0 : retriever_->rows()) {
  const HistoryMetric& history = retriever_->history();
  if (retriever_->approximate()) {
    approximate_ = std::make_unique<ApproximateCandidates>(*retriever_);
    return;
  }
  const int64_t rows = retriever_->rows();
  if (ranks_all_) sums_.emplace(rows);
  if (is_recursive(*retriever_))
    recursion_.emplace(rows, history.lookback(), history.settings().rate,
                       history.settings().renormalize, retriever_->episode_ends());
  else
    past_.emplace(rows, history.lookback() - 1, retriever_->episode_ends(),
                  retriever_->settings().k);
}

RetrievalSession::~RetrievalSession() = default;
RetrievalSession::RetrievalSession(RetrievalSession&&) noexcept = default;

QueryStatus RetrievalSession::try_push(std::span<const float> observation,
                                       RowRange excluded) noexcept {
  neighbors_ = {.rows = {}, .distances = {}, .wanted = retriever_->kept()};
  const QueryStatus status = retriever_->space().prepare(observation, query_.data());
  if (status != QueryStatus::kOk) return status;
  if (approximate_) {
    answer_approximately(excluded);
  } else {
    kernels::distances(*retriever_->blocks(), retriever_->space().comparison(), query_.data(),
                       now_.data());
    advance(now_);
    find(now_, excluded);
    keep(now_);
  }
  neighbors_.rows = selector_.indices();
  neighbors_.distances = selector_.values();
  return neighbors_.rows.empty() ? QueryStatus::kNoneLeft : QueryStatus::kOk;
}

Neighbors RetrievalSession::push(std::span<const float> observation, RowRange excluded) {
  const QueryStatus status = try_push(observation, excluded);
  if (status == QueryStatus::kOk) return neighbors_;
  const char* remedy = "mend the observation before it is pushed";
  if (status == QueryStatus::kWrongWidth) remedy = "use the observation that the rows were made of";
  if (status == QueryStatus::kNoneLeft) remedy = "exclude less or add demonstrations";
  throw Error(fmt::format("query at step {}", time_),
              status == QueryStatus::kWrongWidth
                  ? fmt::format("has {} numbers where the rows have {}", observation.size(),
                                retriever_->width())
                  : describe(status),
              remedy);
}

QueryStatus RetrievalSession::remember(std::span<const float> observation) noexcept {
  neighbors_ = {};
  const QueryStatus status = retriever_->space().prepare(observation, query_.data());
  if (status != QueryStatus::kOk) return status;
  if (approximate_) {
    approximate_->remember(query_, time_++);
  } else {
    kernels::distances(*retriever_->blocks(), retriever_->space().comparison(), query_.data(),
                       now_.data());
    advance(now_);
    keep(now_);
  }
  return QueryStatus::kOk;
}

/// Fills the selector with the neighbours of query_, which becomes the past.
void RetrievalSession::answer_approximately(RowRange excluded) noexcept {
  approximate_->remember(query_, time_);
  approximate_->find(time_, {excluded.begin, excluded.end, skips_zeros(*retriever_)}, selector_);
  selector_.keep_smallest(retriever_->ranked());
  selector_.sort();
  selector_.keep_every(retriever_->settings().stride);
  ++time_;
}

/// Brings the recursive sums up to the step whose distances are given.
void RetrievalSession::advance(const kernels::DistanceRow& now) noexcept {
  if (recursion_) recursion_->advance(now, time_, *sums_);
}

/// Fills the selector with the neighbours of the step whose distances are given.
void RetrievalSession::find(const kernels::DistanceRow& now, RowRange excluded) noexcept {
  const Retriever& r = *retriever_;
  const kernels::HistoryWeights weights = r.history().weights();
  kernels::Skip skip{excluded.begin, excluded.end, skips_zeros(r)};
  if (random_) {
    pick_random(now, skip);
    return selector_.sort();
  }
  if (ranks_all_) {
    if (past_) past_->sums_of_all(now, time_, weights, *sums_);
    // Zero is about the present distance, not the sum.
    if (skip.zeros)
      for (int64_t i = 0; i < r.rows(); ++i)
        if (now.data()[i] == 0) sums_->data()[i] = std::numeric_limits<float>::infinity();
    skip.zeros = false;
    selector_.select(sums_->data(), r.rows(), r.ranked(), skip);
  } else {
    selector_.select(now.data(), r.rows(), r.settings().k, skip);
    if (r.history().lookback() > 1)
      past_->sums(now, time_, weights, selector_.indices(), selector_.mutable_values());
    selector_.keep_smallest(r.ranked());
  }
  selector_.sort();
  selector_.keep_every(r.settings().stride);
}

/// The step becomes the past.
void RetrievalSession::keep(const kernels::DistanceRow& now) noexcept {
  if (past_) past_->store(now, time_);
  ++time_;
}

/// Every set of usable rows is equally likely (selection sampling); the rows ascend.
void RetrievalSession::pick_random(const kernels::DistanceRow& now,
                                   const kernels::Skip& skip) noexcept {
  const Retriever& r = *retriever_;
  const auto usable = [&](int64_t row) {
    return (row < skip.begin || row >= skip.end) && !(skip.zeros && now.data()[row] == 0);
  };
  uint64_t left = 0;
  for (int64_t row = 0; row < r.rows(); ++row) left += usable(row) ? 1 : 0;
  uint64_t missing = std::min(left, static_cast<uint64_t>(r.kept()));
  Rng rng = Rng(static_cast<uint64_t>(r.settings().seed)).split(draws_++);
  selector_.clear();
  for (int64_t row = 0; missing > 0; ++row) {
    if (!usable(row)) continue;
    if (rng.below(left--) >= missing) continue;
    selector_.append(now.data()[row], static_cast<int32_t>(row));
    --missing;
  }
  if (recursion_) {
    for (size_t i = 0; i < selector_.indices().size(); ++i)
      selector_.mutable_values()[i] = sums_->data()[selector_.indices()[i]];
  } else {
    past_->sums(now, time_, r.history().weights(), selector_.indices(), selector_.mutable_values());
  }
}

size_t RetrievalSession::bytes() const {
  return now_.bytes() + selector_.bytes() + query_.size() * sizeof(float) +
         (sums_ ? sums_->bytes() : 0) + (past_ ? past_->bytes() : 0) +
         (recursion_ ? recursion_->bytes() : 0) + (approximate_ ? approximate_->bytes() : 0);
}

}  // namespace darp
