#pragma once
// Rows become columns.

#include "darp/core/matrix.h"

namespace darp::kernels {

/// to <- the transpose of `from`; they do not overlap.
void transpose(MatrixView from, MutableMatrixView to);

}  // namespace darp::kernels
