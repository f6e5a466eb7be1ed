#include "darp/eval/overlay.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "darp/env/image/canvas.h"

// Fontconfig keeps its caches by offsets instead of pointers, where LeakSanitizer does not see
// them.
extern "C" const char* __lsan_default_suppressions();  // NOLINT: the name is the sanitizer's
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libfontconfig";
}

namespace darp {
namespace {

Image plain_picture(int width, int height, double gray) {
  return Canvas(width, height, {gray, gray, gray, 1}).image();
}

bool same_pixel(const Image& a, const Image& b, int x, int y) {
  return std::equal(a.at(x, y), a.at(x, y) + 3, b.at(x, y));
}

/// Pixels in these rows that are mainly blue, and mainly orange.
std::pair<int, int> blue_and_orange(const Image& image, int from, int to) {
  int blue = 0, orange = 0;
  for (int y = from; y < to; ++y)
    for (int x = 0; x < image.width; ++x) {
      const uint8_t* rgb = image.at(x, y);
      blue += rgb[2] > 180 && rgb[0] < 120;
      orange += rgb[0] > 200 && rgb[2] < 90 && rgb[1] < 170;
    }
  return {blue, orange};
}

TEST(Overlay, OfNothingChangesNothing) {
  const Image image = plain_picture(64, 48, 0.4);
  EXPECT_EQ(with_overlay(image, {}).pixels, image.pixels);
}

TEST(Overlay, TextStandsAtTheUpperLeftOnAnyBackground) {
  for (const double gray : {0.0, 0.5, 1.0}) {
    const Image image = plain_picture(640, 480, gray);
    const Image drawn = with_overlay(image, {.lines = {"hopper, seed 1", "step 12"}});
    int brightest = 0, darkest = 255;
    for (int y = 0; y < 50; ++y)
      for (int x = 0; x < 120; ++x) {
        brightest = std::max<int>(brightest, drawn.at(x, y)[0]);
        darkest = std::min<int>(darkest, drawn.at(x, y)[0]);
      }
    EXPECT_GT(brightest, 240) << gray;
    EXPECT_LT(darkest, 110) << gray;
    for (int y = 0; y < 480; ++y)
      for (int x = 0; x < 640; ++x)
        if (x > 200 || y > 60) {
          ASSERT_TRUE(same_pixel(image, drawn, x, y)) << x << " " << y;
        }
  }
}

TEST(Overlay, LongLinesShrinkIntoThePicture) {
  const std::string line(100, 'm');
  const Image image = plain_picture(320, 240, 0);
  const Image drawn = with_overlay(image, {.lines = {line}});
  const auto marks = [&](int from, int to) {
    int count = 0;
    for (int y = 0; y < 30; ++y)
      for (int x = from; x < to; ++x) count += !same_pixel(image, drawn, x, y);
    return count;
  };
  EXPECT_GT(marks(280, 310), 0);
  EXPECT_EQ(marks(317, 320), 0);
}

TEST(Overlay, BarsGrowWithDistances) {
  const std::vector<float> near(10, 0.2f), far(10, 0.8f);
  const Image image = plain_picture(640, 480, 0.5);
  const auto [low, none] =
      blue_and_orange(with_overlay(image, {.neighbor_distances = near, .full_bar = 1}), 380, 480);
  const auto [high, also_none] =
      blue_and_orange(with_overlay(image, {.neighbor_distances = far, .full_bar = 1}), 380, 480);
  EXPECT_GT(low, 100);
  EXPECT_NEAR(high, 4.0 * low, 0.5 * low);
  EXPECT_EQ(none + also_none, 0);
  const auto [own_scale, orange] =
      blue_and_orange(with_overlay(image, {.neighbor_distances = near}), 380, 480);
  EXPECT_GT(own_scale, high);
  EXPECT_EQ(orange, 0);
}

TEST(Overlay, DistancesBeyondTheScaleOrNotFiniteAreOrange) {
  const Image image = plain_picture(640, 480, 0.5);
  for (const float distance : {2.0f, std::nanf(""), std::numeric_limits<float>::infinity()}) {
    const float distances[] = {0.5f, distance};
    const auto [blue, orange] = blue_and_orange(
        with_overlay(image, {.neighbor_distances = distances, .full_bar = 1}), 380, 480);
    EXPECT_GT(blue, 50) << distance;
    EXPECT_GT(orange, blue) << distance;
  }
}

TEST(Overlay, NoveltyIsBlueWhereDemonstrationsAreAndOrangeBeyondThem) {
  const Image image = plain_picture(640, 480, 0.5);
  const auto usual = blue_and_orange(with_overlay(image, {.novelty = 0.3f}), 380, 480);
  EXPECT_GT(usual.first, 20);
  EXPECT_EQ(usual.second, 0);
  for (const float novelty : {1.5f, 1e6f, std::nanf("")}) {
    const auto unseen = blue_and_orange(with_overlay(image, {.novelty = novelty}), 380, 480);
    EXPECT_EQ(unseen.first, 0) << novelty;
    EXPECT_GT(unseen.second, 20) << novelty;
  }
}

TEST(Overlay, WorksOnPicturesOfAnySizeWithAnyNumberOfNeighbors) {
  for (const auto& [width, height] : {std::pair{1, 1}, {5, 300}, {300, 5}, {96, 96}, {1920, 1080}})
    for (const size_t count : {0, 1, 7, 5000}) {
      const std::vector<float> distances(count, 0.5f);
      const Image drawn =
          with_overlay(plain_picture(width, height, 1),
                       {.lines = {"", "task"}, .neighbor_distances = distances, .novelty = 0.5f});
      EXPECT_EQ(drawn.width, width);
      EXPECT_EQ(drawn.height, height);
    }
}

}  // namespace
}  // namespace darp
