#pragma once
// What libdarp_torch gives to whoever loads it (torch_library.h). The functions are those of the
// same names in graph_objective.h and torch_policy.h.

#include "darp/train/torch_library.h"

namespace darp::with_torch {

void check_device(GraphOptions::Device device);
std::unique_ptr<Objective> make_graph_objective(const PolicySpec& spec, const MemoryRows& memory,
                                                const Examples& examples,
                                                const GraphOptions& options);
double precise_gradient(const PolicySpec& spec, const MemoryRows& memory, const Examples& examples,
                        std::span<const double> parameters, const QueryBatch& batch,
                        std::span<double> gradient);
double precise_loss(const PolicySpec& spec, const MemoryRows& memory, const Examples& examples,
                    std::span<const double> parameters, const QueryBatch& batch);
std::unique_ptr<Policy> make_torch_policy(std::shared_ptr<const PolicyArchive> archive);

}  // namespace darp::with_torch
