#pragma once
// What an expert that learned by trial and error is: observations are shifted, scaled and cut at
// +-10, then a network with hyperbolic tangents gives the action, which is cut to its limits.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "darp/data/safetensors.h"
#include "darp/expert/expert.h"
#include "darp/expert/ppo/tanh_network.h"

namespace darp {

/// The file is safetensors with a checksum (docs/formats/expert.md).
struct ExpertNetwork {
  std::string environment;
  NetworkShape shape;
  std::vector<float> parameters;
  std::vector<float> shift, scale;  // of observations: (o - shift) scale
  std::vector<float> log_std;       // of the noise that it explored with, one per action
  SafetensorsMetadata about;        // where it comes from, for people
};

/// How far an observation may be from the usual, in standard deviations.
inline constexpr float kObservationCut = 10;

/// `to` gets the observation as the network sees it.
void normalize(std::span<const float> observation, std::span<const float> shift,
               std::span<const float> scale, std::span<float> to);

/// Atomic; the same network gives the same bytes.
void write_expert_network(const std::filesystem::path& path, const ExpertNetwork& network);
/// What the file holds; `where` names it in errors.
std::vector<std::byte> expert_network_bytes(const ExpertNetwork& network,
                                            std::string_view where = "expert network");
/// Throws Error for files that are missing, damaged or no such network.
ExpertNetwork read_expert_network(const std::filesystem::path& path);
/// The same of a file that is open already.
ExpertNetwork read_expert_network(const SafetensorsFile& file);

/// The expert; `network` may be shared. start() throws Error in environments of other sizes.
std::unique_ptr<Expert> make_rl_expert(std::shared_ptr<const ExpertNetwork> network);

}  // namespace darp
