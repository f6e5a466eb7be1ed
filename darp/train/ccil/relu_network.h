#pragma once
// A perceptron with ReLU between its layers, forward and back, for losses that look at many answers
// at once. Its numbers are a part of a flat vector (policy/network_parameters.h).

#include <span>
#include <vector>

#include "darp/core/matrix.h"
#include "darp/core/thread_pool.h"
#include "darp/kernels/float_products.h"
#include "darp/policy/network_parameters.h"

namespace darp {

/// Not for two threads at once; it uses those of the pool. The same bits for any number of them.
class ReluNetwork {
 public:
  /// The network with this prefix; LayerNorm is not for it.
  ReluNetwork(const std::vector<Parameter>& parameters, const std::string& prefix,
              ThreadPool& pool);

  /// Takes the weights; `parameters` may go away.
  void set(std::span<const float> parameters);

  /// A row of answers for each of inputs; valid until the next call.
  MatrixView forward(MatrixView inputs);

  /// After forward() of the same inputs: the gradient by the network's part of the parameters, of
  /// the sum over rows of answers times `by_answers`. Other parts of `gradient` stay as they are.
  void backward(MatrixView inputs, MatrixView by_answers, std::span<float> gradient);

 private:
  void backward_rows(MatrixView inputs, MatrixView by_answers, int64_t begin, int64_t end,
                     std::vector<float>& gradient);

  std::vector<LayerParameters> layers_;
  ThreadPool& pool_;
  int64_t begin_ = 0, end_ = 0;  // of its part
  std::vector<kernels::PackedFloat> forward_, backward_;
  std::vector<std::vector<float>> biases_;
  std::vector<Matrix> values_, gradients_;  // after each layer; by those of hidden ones
  std::vector<std::vector<float>> shards_;
};

}  // namespace darp
