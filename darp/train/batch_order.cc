#include "darp/train/batch_order.h"

#include <algorithm>
#include <numeric>

namespace darp {
namespace {

/// Below each network's generator. The numbers are part of what a seed means: never change them.
enum class Purpose : uint64_t {
  kInitialWeights = 1,
  kOrder = 2,
  kNoise = 3,
  kDropout = 4,
  kBackstep = 5
};

Rng member_rng(uint64_t seed, int64_t member, Purpose purpose) {
  return Rng(seed).split(static_cast<uint64_t>(member)).split(static_cast<uint64_t>(purpose));
}

Rng epoch_rng(const EpochAddress& address, Purpose purpose) {
  return member_rng(address.seed, address.member, purpose)
      .split(static_cast<uint64_t>(address.epoch));
}

}  // namespace

Rng initial_weights_rng(uint64_t seed, int64_t member) {
  return member_rng(seed, member, Purpose::kInitialWeights);
}

std::vector<int64_t> epoch_order(const EpochAddress& address, int64_t rows) {
  std::vector<int64_t> order(static_cast<size_t>(rows));
  std::iota(order.begin(), order.end(), int64_t{0});
  epoch_rng(address, Purpose::kOrder).shuffle(std::span(order));
  return order;
}

int64_t batch_count(int64_t rows, int64_t batch_size) {
  DARP_CHECK(rows >= 0 && batch_size > 0, "{} rows in batches of {}", rows, batch_size);
  return rows / batch_size + (rows % batch_size != 0 ? 1 : 0);
}

std::span<const int64_t> batch_rows(std::span<const int64_t> order, int64_t batch_size,
                                    int64_t batch) {
  const auto rows = static_cast<int64_t>(order.size());
  DARP_CHECK(batch >= 0 && batch < batch_count(rows, batch_size), "batch {} of {}", batch,
             batch_count(rows, batch_size));
  const int64_t begin = batch * batch_size;
  return order.subspan(static_cast<size_t>(begin),
                       static_cast<size_t>(std::min(batch_size, rows - begin)));
}

void batch_noise(const EpochAddress& address, int64_t batch, double sigma, MutableMatrixView out) {
  Rng rng = epoch_rng(address, Purpose::kNoise).split(static_cast<uint64_t>(batch));
  for (int64_t i = 0; i < out.rows(); ++i)
    for (float& number : out.row(i)) number = static_cast<float>(sigma * rng.normal());
}

void batch_backsteps(const EpochAddress& address, int64_t batch, std::span<const int64_t> queries,
                     MatrixView moves, MutableMatrixView out) {
  Rng rng = epoch_rng(address, Purpose::kBackstep).split(static_cast<uint64_t>(batch));
  for (int64_t i = 0; i < out.rows(); ++i) {
    if (rng.next_u64() >> 63) continue;
    const auto move = moves.row(queries[i]);
    for (int64_t j = 0; j < out.cols(); ++j) out.row(i)[j] += move[j];
  }
}

uint64_t batch_seed(const EpochAddress& address, int64_t batch) {
  return epoch_rng(address, Purpose::kDropout).split(static_cast<uint64_t>(batch)).next_u64();
}

}  // namespace darp
