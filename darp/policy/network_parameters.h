#pragma once
// A network's numbers as one flat vector, in the order of a forward pass, and their names as
// PyTorch users know them: layers.0.linear.weight [units, inputs], layers.0.linear.bias,
// layers.0.norm.weight, layers.0.norm.bias, layers.1.linear.weight, ...

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "darp/core/matrix.h"
#include "darp/core/rng.h"
#include "darp/policy/network_settings.h"

namespace darp {

/// What a parameter's numbers are before learning.
struct ParameterStart {
  enum class Kind { kUniform, kNormal, kConstant };
  Kind kind = Kind::kConstant;
  double size = 0;  // bound of uniform numbers, standard deviation of normal ones, or the constant

  static ParameterStart uniform(double bound) { return {Kind::kUniform, bound}; }
  static ParameterStart normal(double deviation) { return {Kind::kNormal, deviation}; }
  static ParameterStart constant(double value) { return {Kind::kConstant, value}; }
};

struct Parameter {
  std::string name;
  std::vector<int64_t> shape;
  int64_t offset = 0, size = 0;  // floats
  ParameterStart start;
};

/// Each parameter begins where the one before ends. Throws Error beyond 2^40 numbers in all.
void append(std::vector<Parameter>& parameters, std::string name, std::vector<int64_t> shape,
            ParameterStart start);
/// `name`.weight [units, inputs] and `name`.bias, PyTorch's default start: uniform within
/// +-1/sqrt(inputs).
void append_linear(std::vector<Parameter>& parameters, const std::string& name, int64_t inputs,
                   int64_t units);
/// The same for a convolution along time: weight [units, inputs, kernel].
void append_convolution(std::vector<Parameter>& parameters, const std::string& name, int64_t inputs,
                        int64_t units, int64_t kernel);
/// `name`.weight and `name`.bias of a normalisation: 1 and 0.
void append_norm(std::vector<Parameter>& parameters, const std::string& name, int64_t units);

/// A perceptron's: `prefix`layers.0.linear.weight, ...
void append_mlp(std::vector<Parameter>& parameters, const std::string& prefix,
                const MlpSettings& network, int64_t inputs, int64_t outputs);
/// One perceptron's parameters alone.
std::vector<Parameter> network_parameters(const MlpSettings& network, int64_t inputs,
                                          int64_t outputs);
/// All of them together.
int64_t parameter_count(const std::vector<Parameter>& parameters);

/// Where one layer's numbers are in the flat vector.
struct LayerParameters {
  Parameter weight, bias;
  Parameter scale, shift;  // of LayerNorm; empty without

  /// The weight's numbers in a vector that is laid out as the parameters are.
  template <class T>
  BasicMatrixView<T> weight_in(T* numbers) const {
    return {numbers + weight.offset, weight.shape[0], weight.shape[1], weight.shape[1]};
  }
};
/// The perceptron whose parameters have this prefix: hidden layers, then the output layer.
std::vector<LayerParameters> layer_parameters(const std::vector<Parameter>& parameters,
                                              const std::string& prefix = "");

/// Every parameter as its start says, from a stream of its own: a wider layer leaves the others as
/// they were. `out` has parameter_count floats.
void initialize_parameters(const std::vector<Parameter>& parameters, Rng rng, std::span<float> out);

}  // namespace darp
