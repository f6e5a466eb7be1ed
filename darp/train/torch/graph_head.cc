#include "darp/train/torch/graph_head.h"

#include <cmath>
#include <numbers>

namespace darp {

at::Tensor graph_log_likelihood(const HeadSettings& head, const at::Tensor& answers,
                                const at::Tensor& actions) {
  const int64_t modes = head.mode_count(), numbers = actions.size(1), rows = actions.size(0);
  const at::Tensor parts =
      answers.narrow(1, 0, 2 * modes * numbers).reshape({rows, modes, 2, numbers});
  const auto part = [&](int64_t i) { return parts.select(2, i); };
  const at::Tensor scale = at::softplus(part(1)) + head.least_scale;
  const at::Tensor z = (actions.unsqueeze(1) - part(0)) / scale;
  const double constant = 0.5 * std::log(2 * std::numbers::pi);
  const at::Tensor density = -(0.5 * z.square() + scale.log() + constant).sum(2);
  if (head.kind != HeadSettings::Kind::kGmm) return density.squeeze(1);
  const at::Tensor weight = answers.narrow(1, 2 * modes * numbers, modes).log_softmax(1);
  return (weight + density).logsumexp(1);
}

at::Tensor graph_head_loss(const HeadSettings& head, const at::Tensor& answers,
                           const at::Tensor& actions) {
  if (head.is_distribution()) return -graph_log_likelihood(head, answers, actions).mean();
  if (head.huber > 0)  // LibTorch's is half of ours
    return 2 * at::huber_loss(answers, actions, at::Reduction::Mean, head.huber);
  return at::mse_loss(answers, actions);
}

}  // namespace darp
