#include "darp/eval/record_video.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "darp/core/error.h"
#include "darp/core/make_folders.h"
#include "darp/env/image/png.h"
#include "darp/eval/overlay.h"
#include "darp/eval/video_writer.h"

namespace darp {
namespace {

constexpr double kPicturesPerSecond = 30;
constexpr int64_t kMostBars = 512;

/// Makes the folder; pictures of another episode, which may have been longer, go.
void clear_pictures(const std::filesystem::path& folder) {
  make_folders(folder);
  const auto is_ours = [](const std::string& name) {
    return name.size() == 10 && name.ends_with(".png") &&
           std::all_of(name.begin(), name.begin() + 6, [](char c) { return c >= '0' && c <= '9'; });
  };
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file() && is_ours(entry.path().filename().string()))
      std::filesystem::remove(entry.path());
}

/// Draws every so many steps and hands the picture on.
class Camera {
 public:
  Camera(const EnvironmentInfo& info, const VideoOptions& options)
      : options_(options),
        camera_(options.camera.empty() ? info.cameras.front() : options.camera),
        stride_(std::max<int64_t>(1, std::llround(1 / (kPicturesPerSecond * info.step_seconds)))),
        neighbors_(kMostBars) {
    if (!options.file.empty())
      video_ =
          std::make_unique<VideoWriter>(options.file, options.width, options.height,
                                        1 / (static_cast<double>(stride_) * info.step_seconds));
    if (!options.frames.empty()) clear_pictures(options.frames);
  }

  void see(const EpisodeMoment& moment) {
    if (options_.progress != nullptr && moment.record.length > 0) options_.progress->advance();
    // The last one too, which shows how it ended.
    if (moment.record.length % stride_ != 0 && moment.record.end == EpisodeEnd::kRunning) return;
    const Image image = with_overlay(
        moment.environment.render(camera_, options_.width, options_.height), overlay(moment));
    if (video_) video_->add(image);
    if (!options_.frames.empty())
      write_png(options_.frames / fmt::format("{:06}.png", moment.record.length), image);
  }

  void finish() {
    if (video_) video_->finish();
  }

 private:
  Overlay overlay(const EpisodeMoment& moment) {
    const EpisodeRecord& record = moment.record;
    Overlay shown;
    shown.lines = {fmt::format("{}  seed {}", moment.environment.info().name, record.seed),
                   fmt::format("step {}  return {:.2f}", record.length, record.episode_return)};
    if (record.end != EpisodeEnd::kRunning)
      shown.lines.push_back(
          fmt::format("{}{}", name_of(record.end), record.success ? ", success" : ""));
    if (record.length == 0) return shown;  // nobody has acted yet
    distances_.clear();
    for (int64_t i = 0, count = moment.policy.explain(neighbors_); i < count; ++i)
      distances_.push_back(neighbors_[static_cast<size_t>(i)].distance);
    // One scale for the whole film, so that growing bars mean growing distances.
    for (const float distance : distances_)
      if (std::isfinite(distance)) largest_ = std::max(largest_, distance);
    shown.neighbor_distances = distances_;
    shown.full_bar = largest_;
    shown.novelty = moment.policy.novelty();
    return shown;
  }

  const VideoOptions& options_;
  std::string camera_;
  int64_t stride_;
  std::unique_ptr<VideoWriter> video_;
  std::vector<ExplainedNeighbor> neighbors_;
  std::vector<float> distances_;
  float largest_ = 0;
};

}  // namespace

EpisodeRecord record_video(Environment& environment, Policy& policy, uint64_t seed,
                           const VideoOptions& options) {
  check_dimensions(environment, policy);
  Camera camera(environment.info(), options);
  const EpisodeRecord record = run_episode(
      environment, policy, seed, [&](const EpisodeMoment& moment) { camera.see(moment); });
  camera.finish();
  return record;
}

}  // namespace darp
