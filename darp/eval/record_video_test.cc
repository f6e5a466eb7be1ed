#include "darp/eval/record_video.h"

#include <gtest/gtest.h>

#include "darp/env/registry.h"
#include "tests/error_of.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

/// Does the same all the time and has three neighbours.
class SteadyPolicy : public Policy {
 public:
  SteadyPolicy(int64_t observations, int64_t actions)
      : observations_(observations), actions_(actions) {}

  int64_t observation_dim() const override { return observations_; }
  int64_t action_dim() const override { return actions_; }
  void reset(uint64_t) override {}
  void act(std::span<const float>, std::span<float> action) override {
    std::fill(action.begin(), action.end(), 0.3f);
  }
  float novelty() const override { return 0.5f; }
  int64_t explain(std::span<ExplainedNeighbor> neighbors) override {
    for (size_t i = 0; i < 3; ++i) neighbors[i].distance = static_cast<float>(i);
    return 3;
  }

 private:
  int64_t observations_, actions_;
};

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

TEST(RecordVideo, FilmingChangesNothingOfTheEpisode) {
  for (const std::string name : {"hopper", "dummy"}) {
    EnvironmentSettings settings;
    settings.time_limit = 12;
    const auto environment = make_environment(name, settings);
    SteadyPolicy policy(environment->info().observations.dim(), environment->info().actions.dim());
    EpisodeRecord plain = run_episode(*environment, policy, 4);
    VideoOptions options;
    options.frames = test_folder() / name;
    options.width = 64, options.height = 48;
    EpisodeRecord filmed = record_video(*environment, policy, 4, options);
    plain.seconds = filmed.seconds = -1;
    EXPECT_EQ(plain, filmed) << name;
  }
}

TEST(RecordVideo, FilmsInRealTimeAndShowsTheEnd) {
  EnvironmentSettings settings;
  settings.time_limit = 10;
  const auto environment = make_environment("hopper", settings);  // 8 ms a step
  SteadyPolicy policy(11, 3);
  VideoOptions options;
  options.frames = test_folder();
  options.width = 64, options.height = 48;
  record_video(*environment, policy, 0, options);
  EXPECT_EQ(files_in(options.frames),
            (std::vector<std::string>{"000000.png", "000004.png", "000008.png", "000010.png"}));
}

TEST(RecordVideo, LeavesNoHalfVideoWhenPicturesFail) {
  const auto environment = make_environment("dummy");
  SteadyPolicy policy(4, 2);
  VideoOptions options;
  options.file = test_folder() / "v.mp4";
  options.camera = "behind";
  EXPECT_SAYS(error_of([&] { record_video(*environment, policy, 0, options); }), "top");
  EXPECT_TRUE(files_in(options.file.parent_path()).empty());
}

}  // namespace
}  // namespace darp
