#include "darp/env/push_t/push_t_drawing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "darp/env/push_t/push_t.h"
#include "tests/error_of.h"

namespace darp {
namespace {

/// Which of red, green and blue there is most of; 3: a gray.
int strongest(const Image& image, int x, int y) {
  const uint8_t* pixel = image.at(x, y);
  if (pixel[0] == pixel[1] && pixel[1] == pixel[2]) return 3;
  return static_cast<int>(std::max_element(pixel, pixel + 3) - pixel);
}

TEST(PushTDrawing, ShowsGoalBlockAndAgentWhereTheyAre) {
  for (const int size : {96, 256, 512}) {
    const auto at = [&](double unit) { return static_cast<int>(unit * size / 512); };
    const Image image = draw_push_t({400, 100}, {100, 380, 0}, size, size);
    ASSERT_EQ(image.width, size);
    ASSERT_EQ(image.height, size);
    EXPECT_EQ(strongest(image, at(256 - 40), at(256 + 40)), 1) << "the goal's stem is green";
    EXPECT_EQ(strongest(image, at(400), at(100)), 2) << "the agent is blue";
    EXPECT_EQ(image.at(at(330), at(450))[0], 255) << "the floor is white";
    EXPECT_LT(image.at(at(100), at(395))[0], 160) << "the block is dark";
    EXPECT_LT(image.at(at(100), at(460))[0], 160) << "so is its stem";
    EXPECT_EQ(image.at(at(150), at(460))[0], 255) << "and beside that is floor";
  }
}

TEST(PushTDrawing, StandsInTheMiddleOfWidePictures) {
  const Image wide = draw_push_t({100, 256}, {300, 100, 1}, 1024, 512);
  EXPECT_EQ(strongest(wide, 256 + 100, 256), 2);
  const Image tall = draw_push_t({100, 256}, {300, 100, 1}, 256, 512);
  EXPECT_EQ(strongest(tall, 50, 128 + 128), 2);
}

TEST(PushTDrawing, IsWhatTheTaskRenders) {
  PushT task({});
  task.reset(1);
  const auto before = saved_state(task);
  EXPECT_EQ(task.render("top", 128, 96).pixels,
            draw_push_t(task.agent(), task.block(), 128, 96).pixels);
  EXPECT_EQ(saved_state(task), before);
  EXPECT_SAYS(error_of([&] { task.render("side", 64, 64); }), "no camera 'side'");
  EXPECT_SAYS(error_of([&] { task.render("top", 0, 64); }), "0 x 64");
  EXPECT_SAYS(error_of([&] { task.render("top", 64, 5000); }), "64 x 5000");
}

}  // namespace
}  // namespace darp
