#include "darp/train/torch/graph_unet.h"

#include <cmath>

#include "darp/train/torch/graph_mish.h"

namespace darp {
namespace {

/// Sines, then cosines, of the step at wavelengths from 2 pi to 20000 pi.
at::Tensor waves(const at::Tensor& step, int64_t width, at::TensorOptions options) {
  const int64_t half = width / 2;
  const double rate = std::log(10000.0) / static_cast<double>(half - 1);
  const at::Tensor frequency = (at::arange(half, options) * -rate).exp();
  const at::Tensor angle = step.to(options).unsqueeze(1) * frequency.unsqueeze(0);
  return at::cat({angle.sin(), angle.cos()}, 1);
}

/// One pass. Inside, chunks are batch x channels x time.
class UnetPass {
 public:
  UnetPass(const UnetSettings& settings, const NamedTensors& parameters, const std::string& prefix,
           const at::Tensor& step, const at::Tensor& condition)
      : settings_(settings), parameters_(parameters), prefix_(prefix) {
    const std::string encoder = prefix + "diffusion_step_encoder";
    at::Tensor x = waves(step, settings.step_width, condition.options());
    x = graph_mish(parameters.linear(x, encoder + ".1"));
    x = parameters.linear(x, encoder + ".3");
    told_ = graph_mish(at::cat({x, condition}, 1));
  }

  at::Tensor operator()(at::Tensor x) const {
    const auto levels = std::ssize(settings_.channels);
    std::vector<at::Tensor> kept;
    for (int64_t l = 0; l < levels; ++l) {
      const std::string name = fmt::format("down_modules.{}", l);
      x = two_residuals(x, name);
      kept.push_back(x);
      if (l + 1 < levels)
        x = at::conv1d(x, weight(name + ".2.conv"), bias(name + ".2.conv"), /*stride=*/2,
                       /*padding=*/1);
    }
    x = two_residuals(x, "mid_modules");
    for (int64_t i = 0; i + 1 < levels; ++i) {
      const std::string name = fmt::format("up_modules.{}", i);
      x = two_residuals(at::cat({x, kept[levels - 1 - i]}, 1), name);
      x = at::conv_transpose1d(x, weight(name + ".2.conv"), bias(name + ".2.conv"), /*stride=*/2,
                               /*padding=*/1);
    }
    return at::conv1d(block(x, "final_conv.0"), weight("final_conv.1"), bias("final_conv.1"));
  }

 private:
  const at::Tensor& weight(const std::string& name) const {
    return parameters_[prefix_ + name + ".weight"];
  }
  const at::Tensor& bias(const std::string& name) const {
    return parameters_[prefix_ + name + ".bias"];
  }

  at::Tensor block(const at::Tensor& x, const std::string& name) const {
    const std::string conv = name + ".block.0", norm = name + ".block.1";
    const at::Tensor y =
        at::conv1d(x, weight(conv), bias(conv), /*stride=*/1, settings_.kernel / 2);
    return graph_mish(at::group_norm(y, settings_.groups, weight(norm), bias(norm)));
  }

  at::Tensor residual(const at::Tensor& x, const std::string& name) const {
    at::Tensor y = block(x, name + ".blocks.0");
    const at::Tensor film =
        parameters_.linear(told_, prefix_ + name + ".cond_encoder.1").unsqueeze(2);
    y = film.narrow(1, 0, y.size(1)) * y + film.narrow(1, y.size(1), y.size(1));
    y = block(y, name + ".blocks.1");
    if (x.size(1) == y.size(1)) return y + x;
    return y + at::conv1d(x, weight(name + ".residual_conv"), bias(name + ".residual_conv"));
  }
  at::Tensor two_residuals(const at::Tensor& x, const std::string& name) const {
    return residual(residual(x, name + ".0"), name + ".1");
  }

  const UnetSettings& settings_;
  const NamedTensors& parameters_;
  const std::string& prefix_;
  at::Tensor told_;
};

}  // namespace

at::Tensor graph_unet(const UnetSettings& settings, const NamedTensors& parameters,
                      const std::string& prefix, const at::Tensor& chunk, const at::Tensor& step,
                      const at::Tensor& condition) {
  const UnetPass pass(settings, parameters, prefix, step, condition);
  return pass(chunk.transpose(1, 2)).transpose(1, 2);
}

}  // namespace darp
