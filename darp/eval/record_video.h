#pragma once
// One episode as a film.

#include <filesystem>
#include <string>

#include "darp/core/progress.h"
#include "darp/eval/episode.h"

namespace darp {

struct VideoOptions {
  std::filesystem::path file, frames;  // an mp4, a folder for PNG pictures; either may be empty
  std::string camera;                  // empty: the environment's first
  int width = 640, height = 480;
  Progress* progress = nullptr;  // counts steps
};

/// Rolls one episode out and films it in real time, at about 30 pictures a second or one per step,
/// whichever is less. Over each picture stand seed, step and return, and for policies that retrieve
/// their neighbours' distances. Throws Error where pictures cannot be drawn or written.
EpisodeRecord record_video(Environment& environment, Policy& policy, uint64_t seed,
                           const VideoOptions& options);

}  // namespace darp
