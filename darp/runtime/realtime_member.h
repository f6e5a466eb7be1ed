#pragma once
// One member of a policy: its network's answers for all neighbours, joined
// (AggregationSettings).

#include <optional>
#include <span>
#include <vector>

#include "darp/policy/policy_archive.h"
#include "darp/runtime/realtime_network.h"
#include "darp/runtime/realtime_set_transformer.h"

namespace darp {

class MemberMemory;

/// Immutable: threads share it. Nothing allocates after construction.
class RealtimeMember {
 public:
  /// @param rows as RealtimeNetwork's
  RealtimeMember(const PolicyArchive& archive, int64_t member, MatrixView rows, bool bfloat16);

  /// What the policy's head takes.
  void answer(const NetworkQuery& query, MemberMemory& memory,
              std::span<float> answer) const noexcept;
  /// The network's answers for the first neighbours, one to each row of `answers`.
  void each_answer(const NetworkQuery& query, MemberMemory& memory,
                   MutableMatrixView answers) const noexcept;

  /// Memory held.
  size_t bytes() const;

 private:
  friend class MemberMemory;
  using Kind = AggregationSettings::Kind;

  void concatenate(const NetworkQuery& query, MemberMemory& memory) const noexcept;

  Kind kind_;
  int64_t features_, most_neighbors_;
  RealtimeNetwork network_;
  std::optional<RealtimeNetwork> after_;  // deep sets and concatenation
  std::optional<RealtimeSetTransformer> transformer_;
};

/// What one thread needs to ask members of one shape.
class MemberMemory {
 public:
  explicit MemberMemory(const RealtimeMember& member);

 private:
  friend class RealtimeMember;

  NetworkMemory network_;
  std::optional<NetworkMemory> after_;
  std::optional<SetTransformerMemory> transformer_;
  std::vector<float> features_;  // of one neighbour, or of all side by side
};

}  // namespace darp
