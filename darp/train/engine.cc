#include "darp/train/engine.h"

#include "darp/train/fused_objective.h"

namespace darp {

using Engine = TrainSettings::Engine;
using Precision = TrainSettings::Precision;
using Device = GraphOptions::Device;

Engine chosen_engine(const PolicySpec& spec, const TrainSettings& settings, Device device) {
  const bool fused = fused_engine_supports(spec) && device == Device::kCpu;
  if (settings.engine == Engine::kFused && !fused)
    throw Error(
        "train.engine",
        "the fused engine has neither dropout nor attention, and needs a hidden layer and a CPU",
        "set train.engine to auto");
  if (settings.precision == Precision::kBfloat16 && (settings.engine == Engine::kGraph || !fused))
    throw Error("train.precision", "bf16 is there for the fused engine alone",
                "set train.precision to fp32");
  return settings.engine == Engine::kGraph || !fused ? Engine::kGraph : Engine::kFused;
}

bool learns(const PolicySpec& spec) {
  return spec.as<LwrSpec>() == nullptr;
}

std::string engine_name(const PolicySpec& spec, const TrainSettings& settings, Device device) {
  if (!learns(spec)) return "nothing to learn";
  if (chosen_engine(spec, settings, device) == Engine::kGraph)
    return device == Device::kCuda ? "LibTorch graph on CUDA" : "LibTorch graph";
  return settings.precision == Precision::kFloat ? "fused engine" : "fused engine, bf16";
}

std::unique_ptr<Objective> make_objective(const PolicySpec& spec, const TrainSettings& settings,
                                          Device device, const MemoryRows& memory,
                                          const Examples& examples, ThreadPool& pool) {
  if (chosen_engine(spec, settings, device) == Engine::kFused)
    return make_fused_objective(spec, memory, examples, pool,
                                settings.precision != Precision::kFloat);
  return make_graph_objective(spec, memory, examples,
                              {.device = device, .threads = pool.threads()});
}

}  // namespace darp
