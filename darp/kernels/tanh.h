#pragma once
// The hyperbolic tangent of whole matrices, forward and back.

#include "darp/core/matrix.h"

namespace darp::kernels {

/// x <- tanh(x), within 1e-6 of it.
void apply_tanh(MutableMatrixView x);

/// gradient <- gradient (1 - y^2): from that of y = tanh(x) to that of x.
void backpropagate_tanh(MatrixView y, MutableMatrixView gradient);

}  // namespace darp::kernels
