#include "darp/runtime/realtime_regent.h"

#include <gtest/gtest.h>

#include "tests/allocation_count.h"
#include "tests/plain_regent.h"
#include "tests/simd_levels.h"

namespace darp {
namespace {

struct RegentShape {
  int64_t states, actions, k, layers, heads, width, token_width;
};

RegentShape random_shape(Rng& rng) {
  const auto below = [&](uint64_t n) { return static_cast<int64_t>(rng.below(n)); };
  const int64_t heads = 1 + below(4);
  RegentShape shape{.states = 1 + below(12),
                    .actions = 1 + below(6),
                    .k = 1 + below(25),
                    .layers = 1 + below(3),
                    .heads = heads,
                    .width = heads * (1 + below(20)),
                    .token_width = 0};
  if (below(2) == 0) shape.token_width = std::max(shape.states + 1, shape.actions) + below(20);
  return shape;
}

std::string text(const RegentShape& s) {
  return fmt::format("{} states, {} actions, k {}, {} layers, {} heads, width {}, token {}",
                     s.states, s.actions, s.k, s.layers, s.heads, s.width, s.token_width);
}

struct RandomRegent {
  RandomRegent(Rng& rng, const RegentShape& shape) {
    RegentSpec regent;
    regent.transformer = {.layers = shape.layers, .heads = shape.heads, .width = shape.width};
    regent.token_width = shape.token_width;
    regent.sharpness = rng.uniform(0.1, 3);
    regent.reach = rng.uniform(0.5, 10);
    regent.retrieval.k = shape.k;
    regent.retrieval.history.lookback = 1;
    spec.kind = regent;
    archive = regent_policy(rng, spec,
                            {.observation_dim = shape.states,
                             .action_dim = shape.actions,
                             .episodes = 4,
                             .longest = 30});
    states = archive->observations().apply(archive->demonstrations().observations);
    actions = archive->actions().apply(archive->demonstrations().actions);
    for (int64_t j = 0; j < shape.states; ++j) state.push_back(static_cast<float>(rng.normal()));
    answer.resize(shape.actions);
  }
  RealtimeRegent::Query query(std::span<const int32_t> rows) const {
    return {state, states, actions, rows};
  }
  std::vector<double> plain(std::span<const int32_t> rows, int64_t member) const {
    const auto [seen, done] = plain_context(states, actions, rows, spec.retrieval()->k, state);
    return PlainRegent(spec, states.cols(), actions.cols(), archive->members()[member])
        .answers(seen, done)
        .back();
  }

  PolicySpec spec;
  std::shared_ptr<const PolicyArchive> archive;
  Matrix states, actions;
  std::vector<float> state, answer;
};

std::vector<int32_t> random_rows_of(Rng& rng, const RandomRegent& r, int64_t count) {
  std::vector<int32_t> rows;
  while (std::ssize(rows) < count)
    rows.push_back(static_cast<int32_t>(rng.below(static_cast<uint64_t>(r.states.rows()))));
  return rows;
}

TEST(RealtimeRegent, AnswersAsPlainLoopsDo) {
  Rng rng(1);
  for (int round = 0; round < 40; ++round) {
    const RegentShape shape = random_shape(rng);
    SCOPED_TRACE(text(shape));
    RandomRegent r(rng, shape);
    std::optional<RegentMemory> memory;
    for (const int64_t member : {0, 1}) {
      const RealtimeRegent regent(*r.archive, member);
      if (!memory) memory.emplace(regent);
      // Fewer than k: the last stands for those that are missing.
      for (const int64_t count : {shape.k, int64_t{1}, (shape.k + 1) / 2}) {
        const std::vector<int32_t> rows = random_rows_of(rng, r, count);
        const std::vector<double> expected = r.plain(rows, member);
        regent.answer(r.query(rows), *memory, r.answer);
        for (size_t j = 0; j < r.answer.size(); ++j)
          EXPECT_NEAR(r.answer[j], expected[j], 1e-4 * (1 + std::abs(expected[j])))
              << "member " << member << ", " << count << " neighbours, entry " << j;
      }
    }
  }
}

TEST(RealtimeRegent, AnswersAlikeOnEveryCpuWithoutAllocating) {
  Rng rng(2);
  const RegentShape shape{11, 3, 19, 4, 4, 128, 0};
  RandomRegent r(rng, shape);
  const std::vector<int32_t> rows = random_rows_of(rng, r, shape.k);
  const std::vector<double> expected = r.plain(rows, 0);
  on_every_simd_level([&] {
    const RealtimeRegent regent(*r.archive, 0);
    RegentMemory memory(regent);
    regent.answer(r.query(rows), memory, r.answer);
    EXPECT_GT(allocations_of([] {
                RegentShape* p = new RegentShape();
                delete p;
              }),
              0);
    EXPECT_EQ(allocations_of([&] { regent.answer(r.query(rows), memory, r.answer); }), 0);
    for (size_t j = 0; j < r.answer.size(); ++j)
      EXPECT_NEAR(r.answer[j], expected[j], 1e-3 * (1 + std::abs(expected[j])));
  });
}

}  // namespace
}  // namespace darp
