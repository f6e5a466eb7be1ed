#include "darp/train/torch/torch_edge.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "tests/error_of.h"

namespace darp {
namespace {

TEST(TorchEdge, TurnsWhatLibTorchThrowsIntoOneLine) {
  const std::string message = error_of([] {
    at_torch_edge([] { return at::zeros({2, 3}).matmul(at::zeros({2, 3})); });
  });
  EXPECT_SAYS(message, "LibTorch ");
  EXPECT_SAYS(message, "2x3");
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST(TorchEdge, SaysWhatToDoWhenMemoryDoesNotSuffice) {
  EXPECT_SAYS(error_of([] { at_torch_edge([]() -> int { throw std::bad_alloc(); }); }),
              "smaller batch");
  EXPECT_SAYS(error_of([] { at_torch_edge([] { TORCH_CHECK(false, "CUDA out of memory"); }); }),
              "smaller batch");
}

TEST(TorchEdge, LetsErrorsPass) {
  EXPECT_EQ(error_of([] { at_torch_edge([]() -> int { throw Error("here", "this", "that"); }); }),
            Error("here", "this", "that").what());
}

TEST(TorchEdge, ProductsShareTheThreadsAndNeverHaveASecondSet) {
  const auto of_openblas = [](const char* name) {
    return reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, name));
  };
  const auto kind = of_openblas("openblas_get_parallel");
  const auto blas_threads = of_openblas("openblas_get_num_threads");
  if (kind == nullptr) GTEST_SKIP() << "this LibTorch's products are not OpenBLAS's";
  for (const int count : {2, 1, 2}) {
    use_threads(count);
    EXPECT_EQ(at::get_num_threads(), count);
    constexpr int kOpenMp = 2;
    EXPECT_EQ(blas_threads(), kind() == kOpenMp ? count : 1);
  }
}

TEST(TorchEdge, CopiesMatricesWithoutTheirPadding) {
  Matrix matrix = Matrix::zeros(2, 3);
  matrix(1, 2) = 5;
  const at::Tensor tensor = to_tensor(matrix, at::TensorOptions(at::kDouble));
  matrix(1, 2) = 6;
  EXPECT_TRUE(tensor.is_contiguous());
  EXPECT_TRUE(tensor.equal(at::tensor({0., 0., 0., 0., 0., 5.}, at::kDouble).view({2, 3})));
}

}  // namespace
}  // namespace darp
