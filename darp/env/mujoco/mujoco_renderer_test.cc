#include "darp/env/mujoco/mujoco_renderer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <thread>

#include "darp/core/error.h"
#include "darp/core/file.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

// A red ball above a floor, a green box at its right. "above" looks down, "front" along y.
constexpr std::string_view kScene = R"(
<mujoco>
  <visual><headlight ambient=".6 .6 .6" diffuse=".4 .4 .4" specular="0 0 0"/></visual>
  <worldbody>
    <camera name="front" pos="0 -3 1" xyaxes="1 0 0 0 0 1"/>
    <camera name="above" pos="0 0 5" xyaxes="1 0 0 0 1 0"/>
    <geom type="plane" size="3 3 .1" rgba=".2 .2 .8 1"/>
    <geom type="box" pos=".8 0 1" size=".2 .2 .2" rgba="0 1 0 1"/>
    <body name="ball" pos="0 0 1">
      <freejoint/>
      <geom type="sphere" size=".3" rgba="1 0 0 1"/>
    </body>
  </worldbody>
</mujoco>)";

struct RendererScene {
  explicit RendererScene(std::string_view mjcf = kScene)
      : model(compile_mjcf("scene", mjcf)), data(mj_makeData(model.get()), mj_deleteData) {
    mj_forward(model.get(), data.get());
  }
  std::shared_ptr<const mjModel> model;
  std::unique_ptr<mjData, void (*)(mjData*)> data;
};

/// Which of red, green and blue is by far the largest; "none" where none is.
std::string hue(const Image& image, int x, int y) {
  const uint8_t* rgb = image.at(x, y);
  const char* names[] = {"red", "green", "blue"};
  for (int i = 0; i < 3; ++i)
    if (rgb[i] > 80 && rgb[i] > 2 * rgb[(i + 1) % 3] && rgb[i] > 2 * rgb[(i + 2) % 3])
      return names[i];
  return "none";
}

std::string error_of_rendering(MujocoRenderer& renderer, const mjData& data,
                               std::string_view camera, int width, int height) {
  try {
    renderer.render(data, camera, width, height);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(MujocoRenderer, ShowsWhatStandsWhereWithTheRightSideUp) {
  const RendererScene scene;
  MujocoRenderer renderer(scene.model);
  const Image image = renderer.render(*scene.data, "front", 300, 200);
  ASSERT_EQ(image.width, 300);
  ASSERT_EQ(image.height, 200);
  EXPECT_EQ(hue(image, 150, 100), "red");
  EXPECT_EQ(hue(image, 214, 100), "green");
  EXPECT_NE(hue(image, 86, 100), "green");
  EXPECT_EQ(hue(image, 30, 195), "blue");
  EXPECT_NE(hue(image, 30, 5), "blue");
}

TEST(MujocoRenderer, FollowsTheState) {
  const RendererScene scene;
  MujocoRenderer renderer(scene.model);
  scene.data->qpos[0] = -0.8;
  mj_forward(scene.model.get(), scene.data.get());
  const Image image = renderer.render(*scene.data, "front", 300, 200);
  EXPECT_NE(hue(image, 150, 100), "red");
  EXPECT_EQ(hue(image, 86, 100), "red");
}

TEST(MujocoRenderer, CamerasSeeDifferentThings) {
  const RendererScene scene;
  MujocoRenderer renderer(scene.model);
  const Image front = renderer.render(*scene.data, "front", 64, 64);
  const Image above = renderer.render(*scene.data, "above", 64, 64);
  EXPECT_EQ(hue(above, 32, 32), "red");
  EXPECT_EQ(hue(above, 2, 2), "blue");
  EXPECT_NE(front.pixels, above.pixels);
  EXPECT_EQ(renderer.render(*scene.data, "front", 64, 64).pixels, front.pixels);
}

TEST(MujocoRenderer, UnknownCamerasAreErrorsThatNameThoseThereAre) {
  const RendererScene scene;
  MujocoRenderer renderer(scene.model);
  EXPECT_EQ(error_of_rendering(renderer, *scene.data, "fronr", 64, 64),
            "there is no camera 'fronr'; did you mean 'front'? valid: front, above");
  const RendererScene blind("<mujoco><worldbody><camera/><geom size='.1'/></worldbody></mujoco>");
  MujocoRenderer without(blind.model);
  EXPECT_EQ(error_of_rendering(without, *blind.data, "", 64, 64),
            "there is no camera ''; the model has no camera with a name");
}

TEST(MujocoRenderer, TakesSizesOddSmallAndLargeInAnyOrder) {
  const RendererScene scene;
  MujocoRenderer renderer(scene.model);
  const Image first = renderer.render(*scene.data, "front", 101, 77);
  EXPECT_EQ(hue(first, 50, 38), "red");
  EXPECT_EQ(renderer.render(*scene.data, "front", 1, 1).pixels.size(), 3u);
  for (const auto& [width, height] : {std::pair{3, 1200}, {1601, 5}, {1283, 721}}) {
    const Image image = renderer.render(*scene.data, "front", width, height);
    ASSERT_EQ(image.pixels.size(), 3u * static_cast<size_t>(width * height));
    EXPECT_EQ(hue(image, width / 2, height / 2), "red") << width << " x " << height;
  }
  EXPECT_EQ(renderer.render(*scene.data, "front", 101, 77).pixels, first.pixels)
      << "a picture depends on those before it";
}

TEST(MujocoRenderer, TheLargestSizeIsDrawnAndLargerOnesAreErrors) {
  const RendererScene scene;
  MujocoRenderer renderer(scene.model);
  EXPECT_EQ(hue(renderer.render(*scene.data, "front", 4096, 4096), 2048, 2048), "red");
  for (const auto& [width, height] : {std::pair{0, 10}, {10, 0}, {-5, 10}, {4097, 10}, {10, 4097}})
    EXPECT_NE(error_of_rendering(renderer, *scene.data, "front", width, height)
                  .find("ask for 1 to 4096 pixels each way"),
              std::string::npos)
        << width << " x " << height;
}

TEST(MujocoRenderer, ChangesNothingThatTheFutureDependsOn) {
  const RendererScene watched, alone;
  MujocoRenderer renderer(watched.model);
  const mjModel& model = *watched.model;
  for (int step = 0; step < 200; ++step) {
    mj_step(watched.model.get(), watched.data.get());
    mj_step(alone.model.get(), alone.data.get());
    if (step % 20 == 0) renderer.render(*watched.data, "front", 32, 32);
    const auto same = [](const double* a, const double* b, int count) {
      return std::memcmp(a, b, sizeof(double) * static_cast<size_t>(count)) == 0;
    };
    ASSERT_EQ(watched.data->time, alone.data->time);
    ASSERT_TRUE(same(watched.data->qpos, alone.data->qpos, model.nq)) << step;
    ASSERT_TRUE(same(watched.data->qvel, alone.data->qvel, model.nv)) << step;
    ASSERT_TRUE(same(watched.data->qacc_warmstart, alone.data->qacc_warmstart, model.nv)) << step;
  }
  for (const mjWarningStat& warning : watched.data->warning) EXPECT_EQ(warning.number, 0);
}

TEST(MujocoRenderer, TwoDrawAtOnceInTwoThreads) {
  const RendererScene scene;
  MujocoRenderer reference(scene.model);
  const Image expected = reference.render(*scene.data, "front", 120, 90);
  std::vector<std::thread> threads;
  std::array<bool, 4> right{};
  for (size_t t = 0; t < right.size(); ++t)
    threads.emplace_back([&, t] {
      bool all = true;
      for (int round = 0; round < 3; ++round) {
        const RendererScene own;
        MujocoRenderer renderer(own.model);
        for (int i = 0; i < 5; ++i)
          all &= renderer.render(*own.data, "front", 120, 90).pixels == expected.pixels;
      }
      right[t] = all;
    });
  for (std::thread& thread : threads) thread.join();
  for (const bool one : right) EXPECT_TRUE(one);
}

TEST(MujocoRenderer, WorksInOtherThreadsThanTheOneItWasMadeIn) {
  const RendererScene scene;
  auto renderer = std::make_unique<MujocoRenderer>(scene.model);
  const Image here = renderer->render(*scene.data, "front", 64, 64);
  Image there;
  std::thread([&] { there = renderer->render(*scene.data, "front", 64, 64); }).join();
  EXPECT_EQ(there.pixels, here.pixels);
  EXPECT_EQ(renderer->render(*scene.data, "front", 64, 64).pixels, here.pixels);
  std::thread([&] { renderer.reset(); }).join();
  EXPECT_EQ(MujocoRenderer(scene.model).render(*scene.data, "front", 64, 64).pixels, here.pixels);
}

// Says what goes wrong with drawing, twice, and that simulating goes on; then ends the program.
[[noreturn]] void draw_and_go_on() {
  const RendererScene scene;
  for (int attempt = 0; attempt < 2; ++attempt) try {
      MujocoRenderer(scene.model).render(*scene.data, "front", 32, 32);
      std::fprintf(stderr, "a picture\n");
    } catch (const Error& e) {
      std::fprintf(stderr, "error: %s\n", e.what());
    }
  mj_step(scene.model.get(), scene.data.get());
  std::exit(scene.data->time > 0 ? 0 : 1);
}

/// The test program starts anew for the part that is to end, so that EGL is loaded there for the
/// first time, with these variables.
class MujocoRendererDeathTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
    // The same name in both programs, another for each test.
    folder_ = ::testing::TempDir() + "darp_no_opengl_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::create_directories(folder_);
  }
  void TearDown() override {
    for (const char* name : {"LD_LIBRARY_PATH", "__EGL_VENDOR_LIBRARY_DIRS", "LIBGL_DRIVERS_PATH"})
      ::unsetenv(name);
    fs::remove_all(folder_);
  }
  fs::path folder_;
};

TEST_F(MujocoRendererDeathTest, WithoutALibraryTheErrorNamesPackagesAndSimulatingGoesOn) {
  write_file(folder_ / "libEGL.so.1", "no library");
  ::setenv("LD_LIBRARY_PATH", folder_.c_str(), 1);
  EXPECT_EXIT(draw_and_go_on(), ::testing::ExitedWithCode(0),
              "error: .*libEGL cannot be loaded: .*apt-get install libegl1 libgl1 libegl-mesa0 "
              "libgl1-mesa-dri(.|\n)*error: .*libEGL cannot be loaded");
}

TEST_F(MujocoRendererDeathTest, WithoutAVendorOfEglTheErrorNamesPackagesAndSimulatingGoesOn) {
  ::setenv("__EGL_VENDOR_LIBRARY_DIRS", folder_.c_str(), 1);
  EXPECT_EXIT(draw_and_go_on(), ::testing::ExitedWithCode(0),
              "error: .*EGL finds no driver.*apt-get install libegl1(.|\n)*error: .*no driver");
}

TEST_F(MujocoRendererDeathTest, WithoutADriverTheErrorNamesPackagesAndSimulatingGoesOn) {
  ::setenv("LIBGL_DRIVERS_PATH", folder_.c_str(), 1);
  EXPECT_EXIT(draw_and_go_on(), ::testing::ExitedWithCode(0),
              "error: .*EGL finds no driver.*apt-get install libegl1(.|\n)*error: .*no driver");
}

}  // namespace
}  // namespace darp
