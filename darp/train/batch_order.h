#pragma once
// All randomness of training, each piece from its own address: nothing has to be drawn before it,
// so training goes on after any batch with the numbers it would have had.

#include <cstdint>
#include <span>
#include <vector>

#include "darp/core/matrix.h"
#include "darp/core/rng.h"

namespace darp {

/// An epoch of one network's training.
struct EpochAddress {
  uint64_t seed = 0;
  int64_t member = 0, epoch = 0;
};

/// For a network's first weights.
Rng initial_weights_rng(uint64_t seed, int64_t member);

/// The numbers 0 to rows - 1 in the order of this epoch.
std::vector<int64_t> epoch_order(const EpochAddress& address, int64_t rows);

/// How many batches an epoch has; the last may be smaller than `batch_size`.
int64_t batch_count(int64_t rows, int64_t batch_size);

/// Batch number `batch`, from 0, of an epoch's order: a view into it.
std::span<const int64_t> batch_rows(std::span<const int64_t> order, int64_t batch_size,
                                    int64_t batch);

/// Fills `out` with independent Gaussians of standard deviation `sigma`: the noise of a batch.
void batch_noise(const EpochAddress& address, int64_t batch, double sigma, MutableMatrixView out);

/// Adds to each row of `out` the moves of its query, to half of them (by chance) only.
void batch_backsteps(const EpochAddress& address, int64_t batch, std::span<const int64_t> queries,
                     MatrixView moves, MutableMatrixView out);

/// For a batch's dropout.
uint64_t batch_seed(const EpochAddress& address, int64_t batch);

}  // namespace darp
