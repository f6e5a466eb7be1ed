#pragma once
// The exponential of whole matrices, softmax both ways (down the columns of a matrix, and along
// rows that come in pieces) and Mish.

#include <span>

#include "darp/kernels/column_products.h"

namespace darp::kernels {

/// x <- exp(x), within 1e-6 of it relatively; 0 where that is below 3e-38.
void apply_exp(MutableMatrixView x);

/// The functions below take exponents of two: numbers times kLog2E, which costs nothing where they
/// come out of a product. They work on multiples of kTileColumns columns.
inline constexpr double kLog2E = 1.4426950408889634;

/// Every column becomes the softmax of its numbers.
void softmax_columns(MutableMatrixView x);

/// The softmax of rows that come in pieces, without the division at its end. It starts with
/// `shifts` at -infinity and `totals` at 0; with each piece, for each row,
///   shifts  <- the largest number so far, or less by at most 32
///   factors <- what earlier results (and sums of them) must be multiplied by; mostly 1
///   totals  <- results so far, added up into kTileColumns parts
///   piece   <- 2^(piece - shift)
/// Entries of -infinity become 0, as long as a row's first piece has others.
void softmax_rows_piece(MutableMatrixView piece, std::span<float> shifts, std::span<float> factors,
                        MutableMatrixView totals);

/// y = x tanh(log(1 + exp(x))), within 2e-6 of it relatively; 0 for x below -86.
void mish(std::span<const float> x, std::span<float> y);
/// dx = dy times Mish's slope at x, which is within 2e-6 of its own.
void mish_gradient(std::span<const float> x, std::span<const float> dy, std::span<float> dx);

}  // namespace darp::kernels
