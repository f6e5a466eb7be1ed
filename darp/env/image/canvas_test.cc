#include "darp/env/image/canvas.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "darp/core/rng.h"

namespace darp {
namespace {

constexpr Color kCanvasWhite = {1, 1, 1, 1}, kCanvasBlack = {0, 0, 0, 1}, kCanvasRed = {1, 0, 0, 1};

std::array<int, 3> pixel_of(const Image& image, int x, int y) {
  const uint8_t* rgb = image.at(x, y);
  return {rgb[0], rgb[1], rgb[2]};
}
constexpr std::array<int, 3> kWhitePixel = {255, 255, 255}, kRedPixel = {255, 0, 0};

int64_t pixels_unlike(const Image& image, std::array<int, 3> color) {
  int64_t count = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) count += pixel_of(image, x, y) != color;
  return count;
}

TEST(Canvas, BeginsWithItsBackground) {
  const Image image = Canvas(7, 5, {1, 0, 0, 1}).image();
  EXPECT_EQ(image.width, 7);
  EXPECT_EQ(image.height, 5);
  EXPECT_EQ(image.pixels.size(), 7u * 5 * 3);
  EXPECT_EQ(pixels_unlike(image, kRedPixel), 0);
}

TEST(Canvas, KeepsEveryPixelOfThePictureItDrawsOn) {
  Rng rng(1);
  Image image(33, 21);
  for (uint8_t& value : image.pixels) value = static_cast<uint8_t>(rng.below(256));
  EXPECT_EQ(Canvas(image).image().pixels, image.pixels);
}

TEST(Canvas, ShapesColorTheirInsideAndNothingElse) {
  Canvas canvas(100, 60, kCanvasWhite);
  canvas.fill_rectangle({10, 5}, 20, 10, kCanvasRed);
  canvas.fill_circle({60, 30}, 10, kCanvasRed);
  const Point triangle[] = {{80, 50}, {98, 50}, {89, 58}};
  canvas.fill_polygon(triangle, kCanvasRed);
  const Image image = canvas.image();
  for (const auto& [x, y] : {std::pair{10, 5}, {29, 14}, {60, 30}, {68, 30}, {89, 52}})
    EXPECT_EQ(pixel_of(image, x, y), kRedPixel) << x << " " << y;
  for (const auto& [x, y] :
       {std::pair{9, 5}, {30, 14}, {10, 4}, {29, 15}, {71, 30}, {68, 38}, {81, 56}})
    EXPECT_EQ(pixel_of(image, x, y), kWhitePixel) << x << " " << y;
}

TEST(Canvas, LinesAndOutlinesAreAsWideAsAsked) {
  Canvas canvas(60, 60, kCanvasWhite);
  canvas.line({10, 10}, {50, 10}, 4, kCanvasRed);
  const Point square[] = {{20, 30}, {40, 30}, {40, 50}, {20, 50}};
  canvas.outline_polygon(square, 2, kCanvasRed);
  const Image image = canvas.image();
  for (const auto& [x, y] : {std::pair{30, 8}, {30, 11}, {20, 40}, {30, 30}, {40, 49}})
    EXPECT_EQ(pixel_of(image, x, y), kRedPixel) << x << " " << y;
  for (const auto& [x, y] : {std::pair{30, 7}, {30, 12}, {30, 40}, {42, 40}})
    EXPECT_EQ(pixel_of(image, x, y), kWhitePixel) << x << " " << y;
}

TEST(Canvas, TransparentColorsMixWithWhatIsBelow) {
  Canvas canvas(4, 4, kCanvasWhite);
  canvas.fill_rectangle({0, 0}, 4, 4, {0, 0, 0, 0.5});
  EXPECT_NEAR(pixel_of(canvas.image(), 2, 2)[0], 127, 1);
}

TEST(Canvas, ScaleMultipliesCoordinatesAndSizes) {
  Canvas canvas(40, 40, kCanvasWhite);
  canvas.scale(10);
  canvas.fill_rectangle({1, 2}, 2, 1, kCanvasRed);
  const Image image = canvas.image();
  EXPECT_EQ(pixels_unlike(image, kWhitePixel), 20 * 10);
  EXPECT_EQ(pixel_of(image, 10, 20), kRedPixel);
  EXPECT_EQ(pixel_of(image, 29, 29), kRedPixel);
}

TEST(Canvas, TextLeavesMarksAboveItsBaselineAndWithinItsWidth) {
  Canvas canvas(200, 40, kCanvasWhite);
  const double width = canvas.text_width(20, "Hopper 12");
  EXPECT_GT(width, 40);
  EXPECT_LT(width, 150);
  EXPECT_NEAR(canvas.text_width(40, "Hopper 12"), 2 * width, 1);
  canvas.text({10, 30}, 20, "Hopper 12", kCanvasBlack);
  const Image image = canvas.image();
  EXPECT_GT(pixels_unlike(image, kWhitePixel), 200);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      if (x < 9 || x > 11 + width || y < 8 || y > 37) {
        ASSERT_EQ(pixel_of(image, x, y), kWhitePixel) << x << " " << y;
      }
}

TEST(Canvas, TextThatIsNotUtf8IsWrittenEscapedAndDrawingGoesOn) {
  Canvas canvas(200, 40, kCanvasWhite);
  canvas.text({10, 30}, 20, "a\xff\x01\n b", kCanvasBlack);
  EXPECT_GT(canvas.text_width(20, "\xff"), canvas.text_width(20, "x"));
  canvas.fill_rectangle({0, 0}, 1, 1, kCanvasRed);
  EXPECT_EQ(pixel_of(canvas.image(), 0, 0), kRedPixel);
}

TEST(CanvasDeathTest, WithoutPixelsOrScaleItAborts) {
  EXPECT_DEATH(Canvas(0, 5, kCanvasWhite), "0 x 5 pixels");
  EXPECT_DEATH(Canvas(5, 5, kCanvasWhite).scale(0), "scale 0");
}

}  // namespace
}  // namespace darp
