#include "darp/runtime/realtime_member.h"

#include <algorithm>

namespace darp {
namespace {

constexpr const char* kPrefix = "aggregation.";

RealtimeNetwork network_of(const PolicyArchive& archive, int64_t member, MatrixView rows,
                           bool bfloat16) {
  return {archive.members()[member], layer_parameters(archive.parameters()),
          FeatureLayout(archive.spec().network_input(), archive.observation_dim(),
                        archive.action_dim()),
          rows, bfloat16};
}

/// The network after the neighbours are joined sees one vector, as behaviour cloning does.
RealtimeNetwork network_after(const PolicyArchive& archive, int64_t member, int64_t inputs) {
  const NeighborInput all = PolicySpec{.kind = BcSpec{}}.network_input();
  return {archive.members()[member],
          layer_parameters(archive.parameters(), kPrefix),
          FeatureLayout(all, inputs, 0),
          {},
          false};
}

}  // namespace

RealtimeMember::RealtimeMember(const PolicyArchive& archive, int64_t member, MatrixView rows,
                               bool bfloat16)
    : kind_(archive.spec().aggregation().kind),
      features_(archive.spec().features(archive.action_dim())),
      most_neighbors_(archive.spec().retrieval() ? archive.spec().retrieval()->kept() : 1),
      network_(network_of(archive, member, rows, bfloat16)) {
  if (kind_ == Kind::kDeepSets) after_ = network_after(archive, member, features_);
  if (kind_ == Kind::kConcatenation)
    after_ = network_after(archive, member, features_ * most_neighbors_);
  if (kind_ == Kind::kSetTransformer)
    transformer_.emplace(archive.spec().aggregation(), features_,
                         archive.spec().outputs(archive.action_dim()), archive.parameters(),
                         kPrefix, archive.members()[member]);
}

void RealtimeMember::answer(const NetworkQuery& query, MemberMemory& memory,
                            std::span<float> answer) const noexcept {
  switch (kind_) {
    case Kind::kMean:
      return network_.mean_answer(query, memory.network_, answer);
    case Kind::kDeepSets:
      network_.mean_answer(query, memory.network_, memory.features_);
      return after_->mean_answer({.state = memory.features_}, *memory.after_, answer);
    case Kind::kSetTransformer: {
      const MutableMatrixView all{memory.features_.data(), std::ssize(query.rows), features_,
                                  features_};
      network_.each_answer(query, memory.network_, all);
      return transformer_->answer(all, *memory.transformer_, answer);
    }
    case Kind::kConcatenation:
      concatenate(query, memory);
      return after_->mean_answer({.state = memory.features_}, *memory.after_, answer);
  }
}

void RealtimeMember::concatenate(const NetworkQuery& query, MemberMemory& memory) const noexcept {
  const int64_t count = std::ssize(query.rows);
  network_.each_answer(query, memory.network_,
                       {memory.features_.data(), count, features_, features_});
  std::fill(memory.features_.begin() + count * features_, memory.features_.end(), 0.0f);
}

void RealtimeMember::each_answer(const NetworkQuery& query, MemberMemory& memory,
                                 MutableMatrixView answers) const noexcept {
  network_.each_answer(query, memory.network_, answers);
}

size_t RealtimeMember::bytes() const {
  return network_.bytes() + (after_ ? after_->bytes() : 0) +
         (transformer_ ? transformer_->bytes() : 0);
}

MemberMemory::MemberMemory(const RealtimeMember& member) : network_(member.network_) {
  if (member.after_) after_.emplace(*member.after_);
  if (member.transformer_) transformer_.emplace(*member.transformer_, member.most_neighbors_);
  const bool one = member.kind_ == AggregationSettings::Kind::kDeepSets;
  if (member.kind_ != AggregationSettings::Kind::kMean)
    features_.resize(static_cast<size_t>(member.features_ * (one ? 1 : member.most_neighbors_)));
}

}  // namespace darp
