#pragma once
// The obvious version of the set transformer (policy/set_transformer.h), for tests: loops in double
// precision over parameters by name.

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "darp/core/matrix.h"
#include "darp/policy/network_parameters.h"

namespace darp {

class DirectSetTransformer {
 public:
  using Rows = std::vector<std::vector<double>>;

  /// All must outlive this.
  DirectSetTransformer(const AggregationSettings& settings,
                       const std::vector<Parameter>& parameters, std::string prefix,
                       std::span<const float> numbers)
      : settings_(settings),
        parameters_(parameters),
        prefix_(std::move(prefix)),
        numbers_(numbers) {}

  std::vector<double> answer(MatrixView features) const {
    Rows x;
    for (int64_t i = 0; i < features.rows(); ++i)
      x.emplace_back(features.row(i).begin(), features.row(i).end());
    for (const std::string name : {"enc.0", "enc.1"})
      x = attend(name + ".mab1", x, attend(name + ".mab0", points(name + ".I"), x));
    x = attend("dec.0.mab", points("dec.0.S"), x);
    x = attend("dec.1.mab", x, x);
    x = attend("dec.2.mab", x, x);
    return linear("dec.3", x)[0];
  }

 private:
  const Parameter& parameter(const std::string& name) const {
    const auto found = std::ranges::find(parameters_, prefix_ + name, &Parameter::name);
    DARP_CHECK(found != parameters_.end(), "no {}{}", prefix_, name);
    return *found;
  }

  Rows points(const std::string& name) const {
    const Parameter& p = parameter(name);
    Rows rows(p.shape[1]);
    for (int64_t i = 0; i < p.shape[1]; ++i)
      for (int64_t j = 0; j < p.shape[2]; ++j)
        rows[i].push_back(double{numbers_[p.offset + i * p.shape[2] + j]});
    return rows;
  }

  Rows linear(const std::string& name, const Rows& x) const {
    const Parameter &weight = parameter(name + ".weight"), &bias = parameter(name + ".bias");
    const int64_t units = weight.shape[0], inputs = weight.shape[1];
    Rows out;
    for (const std::vector<double>& row : x) {
      std::vector<double>& y = out.emplace_back();
      for (int64_t i = 0; i < units; ++i) {
        double sum = double{numbers_[bias.offset + i]};
        for (int64_t j = 0; j < inputs; ++j)
          sum += double{numbers_[weight.offset + i * inputs + j]} * row[j];
        y.push_back(sum);
      }
    }
    return out;
  }

  /// mab(from, to).
  Rows attend(const std::string& name, const Rows& from, const Rows& to) const {
    Rows out = linear(name + ".fc_q", from);
    const Rows query = out, key = linear(name + ".fc_k", to), value = linear(name + ".fc_v", to);
    const int64_t head_width = settings_.width / settings_.heads;
    for (size_t i = 0; i < from.size(); ++i)
      for (int64_t begin = 0; begin < settings_.width; begin += head_width) {
        std::vector<double> weights(to.size());
        for (size_t p = 0; p < to.size(); ++p) {
          for (int64_t j = begin; j < begin + head_width; ++j)
            weights[p] += query[i][j] * key[p][j];
          weights[p] /= std::sqrt(static_cast<double>(settings_.width));
        }
        double total = 0;
        const double largest = *std::max_element(weights.begin(), weights.end());
        for (double& weight : weights) total += weight = std::exp(weight - largest);
        for (size_t p = 0; p < to.size(); ++p)
          for (int64_t j = begin; j < begin + head_width; ++j)
            out[i][j] += weights[p] / total * value[p][j];
      }
    const Rows z = linear(name + ".fc_o", out);
    for (size_t i = 0; i < from.size(); ++i)
      for (int64_t j = 0; j < settings_.width; ++j) out[i][j] += std::max(z[i][j], 0.0);
    return out;
  }

  const AggregationSettings& settings_;
  const std::vector<Parameter>& parameters_;
  std::string prefix_;
  std::span<const float> numbers_;
};

}  // namespace darp
