#pragma once
// How much the answers for a batch differ from those for neighbouring states (Smoothness).

#include "darp/train/batch_rows.h"
#include "darp/train/objective.h"

namespace darp {

/// The term that smoothness adds to the loss of these queries, weight included. `met` holds their
/// neighbours; `answers` are those for the queries, then those for met.rows(). The gradient by the
/// answers is added to `gradients` unless that is empty.
double roughness(const Smoothness& smoothness, std::span<const int64_t> queries,
                 const BatchRows& met, MatrixView answers, MutableMatrixView gradients = {});

}  // namespace darp
