#pragma once
// "Did you mean": an unknown name is an error that lists the valid ones and points at the nearest.

#include <span>
#include <string>
#include <string_view>

namespace darp {

/// The candidate with the smallest edit distance, if that is small enough to be a slip of the pen;
/// else empty.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

/// "did you mean 'lookback'? valid: k, lookback, ratio" (the question only when there is a near
/// one).
std::string suggestion(std::string_view name, std::span<const std::string> candidates);

}  // namespace darp
