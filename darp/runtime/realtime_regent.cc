#include "darp/runtime/realtime_regent.h"

#include <algorithm>
#include <cmath>

#include "darp/kernels/exponential.h"
#include "darp/kernels/layer_norm.h"
#include "darp/kernels/tanh.h"
#include "darp/kernels/transpose.h"

namespace darp {
namespace {

/// A layer of which the output's mean does not matter: that is taken out.
void center(Matrix& weight, std::vector<float>& bias) {
  const auto units = static_cast<double>(weight.rows());
  for (int64_t j = 0; j < weight.cols(); ++j) {
    double sum = 0;
    for (int64_t i = 0; i < weight.rows(); ++i) sum += double{weight(i, j)};
    for (int64_t i = 0; i < weight.rows(); ++i)
      weight(i, j) = static_cast<float>(double{weight(i, j)} - sum / units);
  }
  double sum = 0;
  for (const float b : bias) sum += double{b};
  for (float& b : bias) b = static_cast<float>(double{b} - sum / units);
}

std::vector<float> vector_of(std::span<const float> numbers) {
  return {numbers.begin(), numbers.end()};
}

RealtimeLinear centered_linear(const NamedParameters& named, const std::string& name) {
  Matrix weight = Matrix::copy_of(named.matrix(name + ".weight"));
  std::vector<float> bias = vector_of(named.vector(name + ".bias"));
  center(weight, bias);
  return {weight, bias};
}

/// The embedding of `count` numbers that are repeated to a token's width; of states the last
/// number, the reward, is 0.
RealtimeLinear embedding(const NamedParameters& named, int64_t count, bool reward) {
  const MatrixView all = named.matrix("embed.weight");
  const int64_t period = count + (reward ? 1 : 0);
  Matrix weight = Matrix::zeros(all.rows(), count);
  for (int64_t i = 0; i < all.rows(); ++i)
    for (int64_t j = 0; j < all.cols(); ++j)
      if (j % period < count) weight(i, j % period) += all(i, j);
  std::vector<float> bias = vector_of(named.vector("embed.bias"));
  center(weight, bias);
  return {weight, bias};
}

/// Layers side by side behind a LayerNorm, with its scale and shift.
RealtimeLinear behind_norm(const NamedParameters& named, const std::string& norm,
                           const std::vector<std::string>& layers, bool has_bias) {
  const auto scale = named.vector(norm + ".weight"), shift = named.vector(norm + ".bias");
  const int64_t inputs = std::ssize(scale);
  std::vector<float> numbers, bias;
  for (const std::string& layer : layers) {
    const MatrixView weight = named.matrix(layer + ".weight");
    const auto old = has_bias ? named.vector(layer + ".bias") : std::span<const float>();
    for (int64_t i = 0; i < weight.rows(); ++i) {
      double sum = has_bias ? double{old[i]} : 0;
      for (int64_t j = 0; j < inputs; ++j) {
        numbers.push_back(weight(i, j) * scale[j]);
        sum += double{weight(i, j)} * double{shift[j]};
      }
      bias.push_back(static_cast<float>(sum));
    }
  }
  return {MatrixView{numbers.data(), std::ssize(bias), inputs, inputs}, bias};
}

/// LayerNorm of rows without a mean.
void divide_by_deviation(MatrixView x, MutableMatrixView out) noexcept {
  constexpr int64_t kLanes = 16;
  for (int64_t i = 0; i < x.rows(); ++i) {
    const float* from = x.data() + i * x.stride();
    float* to = out.data() + i * out.stride();
    float squares[kLanes] = {};
    int64_t j = 0;
    for (; j + kLanes <= x.cols(); j += kLanes)
      for (int64_t l = 0; l < kLanes; ++l) squares[l] += from[j + l] * from[j + l];
    for (; j < x.cols(); ++j) squares[j % kLanes] += from[j] * from[j];
    float sum = 0;
    for (const float square : squares) sum += square;
    const float factor =
        1 / std::sqrt(sum / static_cast<float>(x.cols()) + kernels::kLayerNormEpsilon);
    for (j = 0; j < x.cols(); ++j) to[j] = from[j] * factor;
  }
}

/// x += more.
void add(MatrixView more, MutableMatrixView x) noexcept {
  for (int64_t i = 0; i < x.rows(); ++i) {
    const float* from = more.data() + i * more.stride();
    float* to = x.data() + i * x.stride();
    for (int64_t j = 0; j < x.cols(); ++j) to[j] += from[j];
  }
}

/// GELU by its tanh formula; `scratch` has x's shape.
void apply_gelu(MutableMatrixView x, MutableMatrixView scratch) noexcept {
  constexpr float kSlope = 0.7978845608f, kCubic = 0.044715f;  // sqrt(2 / pi)
  for (int64_t i = 0; i < x.rows(); ++i) {
    const float* from = x.data() + i * x.stride();
    float* to = scratch.data() + i * scratch.stride();
    for (int64_t j = 0; j < x.cols(); ++j)
      to[j] = kSlope * (from[j] + kCubic * from[j] * from[j] * from[j]);
  }
  kernels::apply_tanh(scratch);
  for (int64_t i = 0; i < x.rows(); ++i) {
    const float* from = scratch.data() + i * scratch.stride();
    float* to = x.data() + i * x.stride();
    for (int64_t j = 0; j < x.cols(); ++j) to[j] *= 0.5f * (1 + from[j]);
  }
}

/// The softmax of each row's first numbers, one more in each row than in the one before; zeros
/// behind them.
void causal_softmax(MutableMatrixView scores, int64_t first) noexcept {
  constexpr float kNothing = -200;  // exp is 0
  for (int64_t i = 0; i < scores.rows(); ++i) {
    float* row = scores.data() + i * scores.stride();
    const int64_t count = first + i + 1;
    const float largest = *std::max_element(row, row + count);
    for (int64_t j = 0; j < count; ++j) row[j] -= largest;
    std::fill(row + count, row + scores.cols(), kNothing);
  }
  kernels::apply_exp(scores);
  for (int64_t i = 0; i < scores.rows(); ++i) {
    float* row = scores.data() + i * scores.stride();
    float sum = 0;
    for (int64_t j = 0; j <= first + i; ++j) sum += row[j];
    for (int64_t j = 0; j <= first + i; ++j) row[j] /= sum;
  }
}

/// out <- left right, of few rows and short sums.
void multiply_small(MatrixView left, MatrixView right, MutableMatrixView out) noexcept {
  for (int64_t i = 0; i < out.rows(); ++i) {
    float* to = out.data() + i * out.stride();
    std::fill(to, to + out.cols(), 0.0f);
    for (int64_t k = 0; k < left.cols(); ++k) {
      const float factor = left(i, k);
      const float* from = right.data() + k * right.stride();
      for (int64_t j = 0; j < out.cols(); ++j) to[j] += factor * from[j];
    }
  }
}

}  // namespace

RealtimeRegent::RealtimeRegent(const PolicyArchive& archive, int64_t member)
    : spec_(*archive.spec().as<RegentSpec>()),
      retrieved_(spec_.retrieval.kept()),
      width_(spec_.transformer.width),
      decay_(static_cast<float>(-spec_.sharpness / double{archive.calibration()[0]})) {
  const NamedParameters named{archive.parameters(), "", archive.members()[member]};
  state_ = embedding(named, archive.observation_dim(), true);
  action_ = embedding(named, archive.action_dim(), false);
  positions_ = Matrix::copy_of(named.matrix("positions"));
  for (int64_t i = 0; i < positions_.rows(); ++i) {
    double sum = 0;
    for (const float x : positions_.row(i)) sum += double{x};
    for (float& x : positions_.row(i))
      x = static_cast<float>(double{x} - sum / static_cast<double>(width_));
  }
  for (int64_t i = 0; i < spec_.transformer.layers; ++i) {
    const std::string name = fmt::format("blocks.{}", i), attention = name + ".attn";
    blocks_.push_back({behind_norm(named, name + ".ln_1",
                                   {attention + ".q", attention + ".k", attention + ".v"}, false),
                       centered_linear(named, attention + ".out"),
                       behind_norm(named, name + ".ln_2", {name + ".mlp.fc"}, true),
                       centered_linear(named, name + ".mlp.proj")});
  }
  head_ = behind_norm(named, "ln_f", {"head"}, true);
}

/// State and action tokens in turn; the last neighbour stands for those that are missing.
void RealtimeRegent::embed(const Query& query, RegentMemory& memory) const noexcept {
  const int64_t states = query.states.cols(), actions = query.actions.cols();
  const MutableMatrixView tokens = memory.tokens_.mutable_view();
  const auto row_of = [&](int64_t i) {
    return query.rows[std::min(i, std::ssize(query.rows) - 1)];
  };
  const MutableMatrixView embedded = memory.added_.mutable_view();
  const auto place = [&](int64_t count, int64_t offset) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t p = 2 * i + offset;
      for (int64_t j = 0; j < width_; ++j) memory.stream_(p, j) = embedded(i, j) + positions_(p, j);
    }
  };
  for (int64_t i = 0; i < retrieved_; ++i)
    std::ranges::copy(query.states.row(row_of(i)), tokens.row(i).begin());
  std::ranges::copy(query.state, tokens.row(retrieved_).begin());
  state_.apply(tokens.cols_between(0, states).rows_between(0, retrieved_ + 1),
               embedded.rows_between(0, retrieved_ + 1));
  place(retrieved_ + 1, 0);
  for (int64_t i = 0; i < retrieved_; ++i)
    std::ranges::copy(query.actions.row(row_of(i)), tokens.row(i).begin());
  action_.apply(tokens.cols_between(0, actions).rows_between(0, retrieved_),
                embedded.rows_between(0, retrieved_));
  place(retrieved_, 1);
}

/// Places from `first` on; those before are looked at.
void RealtimeRegent::run(const Block& block, int64_t first, RegentMemory& memory) const noexcept {
  const int64_t count = places(), heads = spec_.transformer.heads, part = width_ / heads;
  const MutableMatrixView stream = memory.stream_.mutable_view().rows_between(first, count);
  const MutableMatrixView normed = memory.normed_.mutable_view();
  divide_by_deviation(memory.stream_, normed);
  const MutableMatrixView all = memory.queries_keys_values_.mutable_view();
  block.queries_keys_values.apply(normed, all);
  kernels::transpose(all.cols_between(width_, 2 * width_), memory.key_columns_.mutable_view());
  const MutableMatrixView seen = memory.seen_.mutable_view().rows_between(first, count),
                          scores = memory.scores_.mutable_view().rows_between(first, count);
  for (int64_t h = 0; h < heads; ++h) {
    const int64_t begin = h * part, end = begin + part;
    multiply_small(all.rows_between(first, count).cols_between(begin, end),
                   memory.key_columns_.view().rows_between(begin, end), scores);
    causal_softmax(scores, first);
    multiply_small(scores, all.cols_between(2 * width_ + begin, 2 * width_ + end),
                   seen.cols_between(begin, end));
  }
  const MutableMatrixView added = memory.added_.mutable_view().rows_between(first, count);
  block.out.apply(seen, added);
  add(added, stream);

  const MutableMatrixView ready = normed.rows_between(first, count),
                          wide = memory.wide_.mutable_view().rows_between(first, count);
  divide_by_deviation(stream, ready);
  block.wide.apply(ready, wide);
  apply_gelu(wide, memory.tanh_.mutable_view().rows_between(first, count));
  block.narrow.apply(wide, added);
  add(added, stream);
}

void RealtimeRegent::answer(const Query& query, RegentMemory& memory,
                            std::span<float> answer) const noexcept {
  embed(query, memory);
  const int64_t last = places() - 1;
  for (size_t b = 0; b < blocks_.size(); ++b)
    run(blocks_[b], b + 1 == blocks_.size() ? last : 0, memory);
  const MutableMatrixView end = memory.normed_.mutable_view().rows_between(last, last + 1);
  divide_by_deviation(memory.stream_.view().rows_between(last, last + 1), end);
  const auto token = std::ssize(memory.answer_);
  head_.apply(end, {memory.answer_.data(), 1, token, token});

  const std::span<const float> near = query.states.row(query.rows[0]),
                               done = query.actions.row(query.rows[0]);
  float square = 0;
  for (size_t j = 0; j < near.size(); ++j)
    square += (query.state[j] - near[j]) * (query.state[j] - near[j]);
  const float weight = std::exp(decay_ * std::sqrt(square));
  const float reach = static_cast<float>(spec_.reach) * (1 - weight);
  for (size_t j = 0; j < answer.size(); ++j)
    answer[j] = weight * done[j] + reach * std::clamp(memory.answer_[j], -1.0f, 1.0f);
}

size_t RealtimeRegent::bytes() const {
  size_t sum = positions_.bytes() + state_.bytes() + action_.bytes() + head_.bytes();
  for (const Block& block : blocks_)
    sum += block.queries_keys_values.bytes() + block.out.bytes() + block.wide.bytes() +
           block.narrow.bytes();
  return sum;
}

RegentMemory::RegentMemory(const RealtimeRegent& regent)
    : tokens_(Matrix::zeros(regent.retrieved_ + 1,
                            std::max(regent.state_.weight.inner(), regent.action_.weight.inner()))),
      stream_(Matrix::zeros(regent.places(), regent.width_)),
      normed_(Matrix::zeros(regent.places(), regent.width_)),
      queries_keys_values_(Matrix::zeros(regent.places(), 3 * regent.width_)),
      key_columns_(Matrix::zeros(regent.width_, regent.places())),
      scores_(Matrix::zeros(regent.places(), regent.places())),
      seen_(Matrix::zeros(regent.places(), regent.width_)),
      added_(Matrix::zeros(regent.places(), regent.width_)),
      wide_(Matrix::zeros(regent.places(), 4 * regent.width_)),
      tanh_(Matrix::zeros(regent.places(), 4 * regent.width_)),
      answer_(regent.head_.bias.size()) {}

}  // namespace darp
