#include "darp/retrieval/history_metric.h"

#include <cmath>

namespace darp {

HistoryMetric::HistoryMetric(const HistorySettings& settings) : settings_(settings) {
  const bool exponential = settings.decay == HistorySettings::Decay::kExponential;
  if (settings.lookback < 1 || settings.lookback > 10'000)
    throw Error("history.lookback", fmt::format("is {}", settings.lookback),
                "1 compares only the present; at most 10,000");
  if (!std::isfinite(settings.rate) || (exponential ? settings.rate < 0 : settings.rate > 0))
    throw Error(
        "history.rate",
        fmt::format("is {} with {} decay", settings.rate, exponential ? "exponential" : "power"),
        exponential ? "e^(-rate n) needs a rate of at least 0"
                    : "(n + 1)^rate needs a rate of at most 0");
  double sum = 0;
  for (int64_t n = 0; n < settings.lookback; ++n) {
    const auto age = static_cast<double>(n);
    const double weight =
        exponential ? std::exp(-settings.rate * age) : std::pow(age + 1, settings.rate);
    weight_.push_back(static_cast<float>(weight));
    sum_.push_back(static_cast<float>(sum += weight));
  }
}

float HistoryMetric::distance(std::span<const float> newest_first) const {
  const size_t terms = std::min(newest_first.size(), weight_.size());
  DARP_CHECK(terms > 0, "a history without steps");
  float sum = weight_[0] * newest_first[0];
  for (size_t n = 1; n < terms; ++n) sum += weight_[n] * newest_first[n];
  return settings_.renormalize ? sum / sum_[terms - 1] : sum;
}

}  // namespace darp
