#include "darp/env/image/png.h"

#include <gtest/gtest.h>

#include "darp/core/error.h"
#include "darp/core/file.h"
#include "darp/core/rng.h"
#include "darp/env/image/cairo_surface.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

class Png : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "darp_png_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  static Image noise(int width, int height) {
    Rng rng(2);
    Image image(width, height);
    for (uint8_t& value : image.pixels) value = static_cast<uint8_t>(rng.below(256));
    return image;
  }

  fs::path folder_;
};

TEST_F(Png, KeepsEveryPixelInARoundTrip) {
  for (const auto& [width, height] : {std::pair{1, 1}, {3, 2}, {224, 224}, {641, 37}}) {
    const Image image = noise(width, height);
    const fs::path path = folder_ / "x.png";
    write_png(path, image);
    const CairoSurface read(cairo_image_surface_create_from_png(path.c_str()));
    ASSERT_EQ(cairo_surface_status(read.get()), CAIRO_STATUS_SUCCESS);
    const Image again = from_cairo(*read);
    EXPECT_EQ(again.width, width);
    EXPECT_EQ(again.height, height);
    EXPECT_EQ(again.pixels, image.pixels);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(Png, TheSamePictureIsTheSameFile) {
  write_png(folder_ / "a.png", noise(20, 10));
  write_png(folder_ / "b.png", noise(20, 10));
  EXPECT_EQ(as_text(MappedFile(folder_ / "a.png").bytes()),
            as_text(MappedFile(folder_ / "b.png").bytes()));
}

TEST_F(Png, AFolderThatIsNotThereIsAnErrorThatNamesTheFile) {
  try {
    write_png(folder_ / "missing" / "x.png", noise(2, 2));
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("missing/x.png: cannot be written"), std::string::npos)
        << e.what();
  }
}

TEST_F(Png, APictureWithoutPixelsAborts) {
  EXPECT_DEATH(write_png(folder_ / "x.png", Image()), "0 x 0 pixels");
}

}  // namespace
}  // namespace darp
