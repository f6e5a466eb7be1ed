#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "darp/policy/action_chunks.h"
#include "darp/policy/local_regression.h"
#include "darp/policy/make_retriever.h"
#include "darp/policy/novelty.h"
#include "darp/train/torch/torch_answer.h"
#include "tests/random_policy.h"

namespace darp {
namespace {

std::shared_ptr<const PolicyArchive> lwr_policy(Rng& rng, const LwrSpec& spec, int64_t chunk) {
  PolicyContents c;
  c.spec.kind = spec;
  c.spec.chunk.length = chunk;
  const RandomPolicyShape shape{.observation_dim = 6, .action_dim = 2, .longest = 40};
  do c.demonstrations = random_rows(rng, shape);
  while (c.demonstrations.episode_ends.back() <= spec.retrieval.k);
  c.observations = random_normalizer(rng, shape.observation_dim);
  c.actions = random_normalizer(rng, shape.action_dim);
  c.members.resize(1);
  c.distance_quantiles = random_quantiles(rng.split(1));
  return std::make_shared<const PolicyArchive>(std::move(c));
}

/// A rollout through LibTorch and through LocalRegression.
void expect_same_answers(const std::shared_ptr<const PolicyArchive>& archive, Rng& rng) {
  const DemonstrationRows& rows = archive->demonstrations();
  const Matrix states = archive->observations().apply(rows.observations);
  const Matrix chunks = action_chunks(archive->actions().apply(rows.actions), rows.episode_ends,
                                      archive->spec().chunk.length);
  const LwrSpec& spec = *archive->spec().as<LwrSpec>();
  RetrievalSession session(
      make_retriever(spec.retrieval, archive->observations(), states, rows.episode_ends));
  LocalRegression regression(spec, states, chunks,
                             archive->distance_quantiles()[kDistanceQuantiles / 2]);
  const std::unique_ptr<TorchAnswer> torch = make_torch_answer(archive);
  std::vector<float> query(static_cast<size_t>(states.cols())),
      expected(static_cast<size_t>(chunks.cols()));
  for (int step = 0; step < 12; ++step) {
    if (step % 6 == 0) {
      session.reset();
      torch->reset(0);
    }
    // Demonstrated states, some of them exactly.
    std::ranges::copy(states.row(step % states.rows()), query.begin());
    for (float& x : query) x += step % 4 == 0 ? 0 : static_cast<float>(0.3 * rng.normal());
    torch->see(query);
    regression.answer(query, session.push(query), expected);
    const at::Tensor got = torch->answer(0, Rng(0)).contiguous();
    ASSERT_EQ(got.numel(), std::ssize(expected));
    ASSERT_EQ(got.scalar_type(), at::kFloat);
    for (size_t j = 0; j < expected.size(); ++j)
      EXPECT_NEAR(got.data_ptr<float>()[j], expected[j], 2e-5 * (1 + std::abs(expected[j])))
          << "step " << step;
  }
}

TEST(LocalAnswer, IsThatOfLocalRegression) {
  Rng rng(1);
  for (const auto kernel :
       {LwrSpec::Kernel::kExponential, LwrSpec::Kernel::kGaussian, LwrSpec::Kernel::kUniform})
    for (const auto bandwidth : {LwrSpec::Bandwidth::kFixed, LwrSpec::Bandwidth::kLastNeighbor,
                                 LwrSpec::Bandwidth::kMedian})
      for (const auto fit : {LwrSpec::Fit::kMean, LwrSpec::Fit::kLinear})
        // Also without a ridge and with fewer neighbours than columns.
        for (const int64_t k : {1, 4, 25}) {
          LwrSpec spec;
          spec.kernel = kernel;
          spec.bandwidth = bandwidth;
          spec.bandwidth_scale = rng.uniform(0.5, 2);
          spec.fit = fit;
          spec.ridge = rng.below(2) == 0 ? 0 : 1e-3;
          spec.retrieval.k = k;
          spec.retrieval.exclude = RetrievalSettings::Exclude::kNothing;
          SCOPED_TRACE(write_yaml(spec));
          expect_same_answers(lwr_policy(rng, spec, k % 2 == 0 ? 3 : 1), rng);
        }
}

}  // namespace
}  // namespace darp
