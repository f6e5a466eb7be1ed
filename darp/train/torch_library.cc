#include "darp/train/torch_library.h"

#include <dlfcn.h>

#include <cstdio>

#include "darp/core/openblas.h"
#include "darp/train/torch_policy.h"

namespace darp {
namespace {

constexpr const char* kName = "libdarp_torch.so";

[[noreturn]] void throw_foreign() {
  throw Error(kName, "is of another build of darp", "build and install both anew");
}

const TorchLibrary* load() {
  const std::string told = prepare_openblas();
  void* library = ::dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw Error(kName, fmt::format("cannot be loaded: {}", printable(::dlerror())),
                "install LibTorch (Debian: libtorch1.13), or use train.engine fused on the CPU");
  const auto entry =
      reinterpret_cast<const TorchLibrary* (*)()>(::dlsym(library, "darp_torch_library"));
  if (entry == nullptr) throw_foreign();
  check_layout(*entry());
  if (!told.empty()) std::fputs(("note: " + told + "\n").c_str(), stderr);
  return entry();
}

}  // namespace

void check_layout(const TorchLibrary& library) {
  if (library.layout != kSharedLayout) throw_foreign();
}

const TorchLibrary& torch_library() {
  static const TorchLibrary* const library = load();
  return *library;
}

void check_device(GraphOptions::Device device) {
  torch_library().check_device(device);
}

std::unique_ptr<Objective> make_graph_objective(const PolicySpec& spec, const MemoryRows& memory,
                                                const Examples& examples,
                                                const GraphOptions& options) {
  return torch_library().make_graph_objective(spec, memory, examples, options);
}

double precise_gradient(const PolicySpec& spec, const MemoryRows& memory, const Examples& examples,
                        std::span<const double> parameters, const QueryBatch& batch,
                        std::span<double> gradient) {
  return torch_library().precise_gradient(spec, memory, examples, parameters, batch, gradient);
}

double precise_loss(const PolicySpec& spec, const MemoryRows& memory, const Examples& examples,
                    std::span<const double> parameters, const QueryBatch& batch) {
  return torch_library().precise_loss(spec, memory, examples, parameters, batch);
}

std::unique_ptr<Policy> make_torch_policy(std::shared_ptr<const PolicyArchive> archive) {
  return torch_library().make_torch_policy(std::move(archive));
}

}  // namespace darp
