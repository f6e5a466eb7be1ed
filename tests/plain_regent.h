#pragma once
// REGENT with loops and nothing else, and random policies of its kind.

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "darp/policy/policy_parameters.h"
#include "tests/random_policy.h"

namespace darp {

using Rows = std::vector<std::vector<double>>;

inline constexpr float kRegentCalibration = 1.75f;

/// Numbers large enough for all parts to matter.
inline std::vector<float> lively_parameters(Rng& rng, const PolicySpec& spec, int64_t state_dim,
                                            int64_t action_dim) {
  const auto parameters = policy_parameters(spec, state_dim, action_dim);
  std::vector<float> numbers(static_cast<size_t>(parameter_count(parameters)));
  initialize_parameters(parameters, rng.split(1), numbers);
  for (float& x : numbers) x += static_cast<float>(0.3 * rng.normal());
  return numbers;
}

/// The forward pass with loops and nothing else, on all 2 (k + 1) tokens.
class PlainRegent {
 public:
  PlainRegent(const PolicySpec& spec, int64_t state_dim, int64_t action_dim,
              std::span<const float> numbers)
      : spec_(*spec.as<RegentSpec>()), numbers_(numbers) {
    for (const Parameter& p : policy_parameters(spec, state_dim, action_dim)) named_[p.name] = p;
    width_ = named_["head.bias"].size;
  }

  /// States: nearest first, the query last; one action fewer.
  Rows answers(const Rows& states, const Rows& actions) const {
    Rows tokens;
    for (size_t i = 0; i < states.size(); ++i) {
      std::vector<double> state = states[i];
      state.push_back(0);
      tokens.push_back(cycled(state));
      tokens.push_back(cycled(i < actions.size() ? actions[i] : std::vector<double>{0}));
    }
    const Rows y = transform(tokens);
    Rows out;
    for (size_t i = 0; i < states.size(); ++i) {
      double square = 0;
      for (size_t j = 0; j < states[i].size(); ++j)
        square += (states[i][j] - states[0][j]) * (states[i][j] - states[0][j]);
      const double w =
          std::exp(-spec_.sharpness * std::sqrt(square) / static_cast<double>(kRegentCalibration));
      std::vector<double> answer = cycled(actions[0]);
      for (size_t j = 0; j < answer.size(); ++j)
        answer[j] = w * answer[j] + spec_.reach * (1 - w) * std::clamp(y[2 * i][j], -1.0, 1.0);
      out.push_back(answer);
    }
    return out;
  }
  std::vector<double> cycled(const std::vector<double>& x) const {
    std::vector<double> out;
    while (std::ssize(out) < width_) out.push_back(x[out.size() % x.size()]);
    return out;
  }

 private:
  std::span<const float> at(const std::string& name) const {
    const Parameter& p = named_.at(name);
    return numbers_.subspan(static_cast<size_t>(p.offset), static_cast<size_t>(p.size));
  }
  Rows linear(const Rows& x, const std::string& name, bool has_bias = true) const {
    const auto weight = at(name + ".weight");
    const auto bias = has_bias ? at(name + ".bias") : std::span<const float>();
    const size_t inputs = x[0].size(), units = weight.size() / inputs;
    Rows out(x.size(), std::vector<double>(units));
    for (size_t i = 0; i < x.size(); ++i)
      for (size_t u = 0; u < units; ++u) {
        out[i][u] = has_bias ? static_cast<double>(bias[u]) : 0;
        for (size_t j = 0; j < inputs; ++j)
          out[i][u] += static_cast<double>(weight[u * inputs + j]) * x[i][j];
      }
    return out;
  }
  Rows norm(Rows x, const std::string& name) const {
    const auto scale = at(name + ".weight"), shift = at(name + ".bias");
    for (std::vector<double>& row : x) {
      const auto n = static_cast<double>(row.size());
      const double mean = std::accumulate(row.begin(), row.end(), 0.0) / n;
      double variance = 0;
      for (const double v : row) variance += (v - mean) * (v - mean) / n;
      for (size_t j = 0; j < row.size(); ++j)
        row[j] = (row[j] - mean) / std::sqrt(variance + 1e-5) * static_cast<double>(scale[j]) +
                 static_cast<double>(shift[j]);
    }
    return x;
  }
  Rows attend(const Rows& x, const std::string& name) const {
    const Rows q = linear(x, name + ".q", false), k = linear(x, name + ".k", false),
               v = linear(x, name + ".v", false);
    const size_t heads = static_cast<size_t>(spec_.transformer.heads), part = q[0].size() / heads;
    Rows seen(x.size(), std::vector<double>(q[0].size()));
    for (size_t h = 0; h < heads; ++h)
      for (size_t i = 0; i < x.size(); ++i) {
        std::vector<double> weights;
        for (size_t j = 0; j <= i; ++j) {
          double score = 0;
          for (size_t c = h * part; c < (h + 1) * part; ++c) score += q[i][c] * k[j][c];
          weights.push_back(std::exp(score));
        }
        const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
        for (size_t j = 0; j <= i; ++j)
          for (size_t c = h * part; c < (h + 1) * part; ++c)
            seen[i][c] += weights[j] / sum * v[j][c];
      }
    return linear(seen, name + ".out");
  }
  static void add(Rows& x, const Rows& more) {
    for (size_t i = 0; i < x.size(); ++i)
      for (size_t j = 0; j < x[i].size(); ++j) x[i][j] += more[i][j];
  }
  Rows transform(const Rows& tokens) const {
    Rows x = linear(tokens, "embed");
    const auto positions = at("positions");
    for (size_t i = 0; i < x.size(); ++i)
      for (size_t j = 0; j < x[i].size(); ++j)
        x[i][j] += static_cast<double>(positions[i * x[i].size() + j]);
    for (int64_t b = 0; b < spec_.transformer.layers; ++b) {
      const std::string name = fmt::format("blocks.{}", b);
      add(x, attend(norm(x, name + ".ln_1"), name + ".attn"));
      Rows wide = linear(norm(x, name + ".ln_2"), name + ".mlp.fc");
      for (std::vector<double>& row : wide)
        for (double& v : row)
          v = 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
      add(x, linear(wide, name + ".mlp.proj"));
    }
    return linear(norm(x, "ln_f"), "head");
  }

  RegentSpec spec_;
  std::span<const float> numbers_;
  std::map<std::string, Parameter> named_;
  int64_t width_ = 0;
};

inline std::vector<double> in_double(std::span<const float> numbers) {
  return {numbers.begin(), numbers.end()};
}

/// A query's context as loops take it; the last retrieved row stands for those that are missing.
inline std::pair<Rows, Rows> plain_context(MatrixView states, MatrixView actions,
                                           std::span<const int32_t> rows, int64_t k,
                                           std::span<const float> query) {
  std::pair<Rows, Rows> out;
  for (int64_t i = 0; i < k; ++i) {
    const int32_t row = rows[static_cast<size_t>(std::min(i, std::ssize(rows) - 1))];
    out.first.push_back(in_double(states.row(row)));
    out.second.push_back(in_double(actions.row(row)));
  }
  out.first.push_back(in_double(query));
  return out;
}

/// Of two networks.
inline std::shared_ptr<const PolicyArchive> regent_policy(Rng& rng, const PolicySpec& spec,
                                                          const RandomPolicyShape& shape) {
  PolicyContents c;
  c.spec = spec;
  c.spec.members = 2;
  do c.demonstrations = random_rows(rng, shape);
  while (c.demonstrations.episode_ends.back() < spec.retrieval()->k);
  c.observations = random_normalizer(rng, shape.observation_dim);
  c.actions = random_normalizer(rng, shape.action_dim);
  for (int m = 0; m < 2; ++m)
    c.members.push_back(lively_parameters(rng, spec, shape.observation_dim, shape.action_dim));
  c.distance_quantiles = random_quantiles(rng.split(1));
  c.calibration = {kRegentCalibration};
  return std::make_shared<const PolicyArchive>(std::move(c));
}

}  // namespace darp
