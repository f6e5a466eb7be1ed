#include "darp/policy/unet.h"

namespace darp {
namespace {

/// Convolution, GroupNorm, Mish.
void append_conv_block(std::vector<Parameter>& parameters, const std::string& name, int64_t inputs,
                       int64_t units, int64_t kernel) {
  append_convolution(parameters, name + ".block.0", inputs, units, kernel);
  append_norm(parameters, name + ".block.1", units);
}

/// Two of them, with a scale and a shift from the condition in between, and a way around.
void append_residual(std::vector<Parameter>& parameters, const std::string& name, int64_t inputs,
                     int64_t units, int64_t condition, int64_t kernel) {
  append_conv_block(parameters, name + ".blocks.0", inputs, units, kernel);
  append_conv_block(parameters, name + ".blocks.1", units, units, kernel);
  append_linear(parameters, name + ".cond_encoder.1", condition, 2 * units);
  if (inputs != units) append_convolution(parameters, name + ".residual_conv", inputs, units, 1);
}

}  // namespace

void append_unet(std::vector<Parameter>& parameters, const std::string& prefix,
                 const UnetSettings& settings, int64_t channels, int64_t condition) {
  const std::vector<int64_t>& widths = settings.channels;
  const auto levels = std::ssize(widths);
  const int64_t kernel = settings.kernel, told = settings.step_width + condition;
  const std::string step = prefix + "diffusion_step_encoder";
  append_linear(parameters, step + ".1", settings.step_width, 4 * settings.step_width);
  append_linear(parameters, step + ".3", 4 * settings.step_width, settings.step_width);

  for (int64_t l = 0; l < levels; ++l) {
    const std::string name = fmt::format("{}down_modules.{}", prefix, l);
    append_residual(parameters, name + ".0", l == 0 ? channels : widths[l - 1], widths[l], told,
                    kernel);
    append_residual(parameters, name + ".1", widths[l], widths[l], told, kernel);
    if (l + 1 < levels) append_convolution(parameters, name + ".2.conv", widths[l], widths[l], 3);
  }
  for (const int64_t i : {0, 1})
    append_residual(parameters, fmt::format("{}mid_modules.{}", prefix, i), widths.back(),
                    widths.back(), told, kernel);
  for (int64_t i = 0; i + 1 < levels; ++i) {
    const std::string name = fmt::format("{}up_modules.{}", prefix, i);
    const int64_t from = widths[levels - 1 - i], to = widths[levels - 2 - i];
    append_residual(parameters, name + ".0", 2 * from, to, told, kernel);
    append_residual(parameters, name + ".1", to, to, told, kernel);
    append_convolution(parameters, name + ".2.conv", to, to, 4);
  }
  append_conv_block(parameters, prefix + "final_conv.0", widths.front(), widths.front(), kernel);
  append_convolution(parameters, prefix + "final_conv.1", widths.front(), channels, 1);
}

}  // namespace darp
