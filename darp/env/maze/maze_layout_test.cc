#include "darp/env/maze/maze_layout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "darp/env/mujoco/mujoco_model.h"
#include "tests/error_of.h"

namespace darp {
namespace {

int walls(const mjModel& model) {
  int count = 0;
  for (int i = 0; i < model.ngeom; ++i)
    count += model.geom_type[i] == mjGEOM_BOX && model.geom_contype[i] == 2 ? 1 : 0;
  return count;
}

TEST(MazeLayout, ListsTheUMazesCellsAsPublished) {
  EXPECT_EQ(umaze_layout().open_cells(),
            (std::vector<Cell>{{1, 2}, {1, 3}, {2, 3}, {3, 1}, {3, 2}, {3, 3}, {1, 1}}));
  EXPECT_EQ(umaze_layout().goal(), (Cell{1, 1}));
}

TEST(MazeLayout, ListsTheLongMazesCells) {
  const MazeLayout layout = long_maze_layout();
  std::vector<Cell> cells;
  for (int column = 2; column <= 10; ++column) cells.push_back({1, column});
  cells.push_back({2, 10});
  for (int column = 1; column <= 10; ++column) cells.push_back({3, column});
  cells.push_back({1, 1});
  EXPECT_EQ(layout.open_cells(), cells);
  EXPECT_EQ(cells.size(), 21u);
  EXPECT_EQ(layout.rows(), 5);
  EXPECT_EQ(layout.columns(), 12);
}

TEST(MazeLayout, KnowsWhatIsOpen) {
  const MazeLayout layout = umaze_layout();
  EXPECT_TRUE(layout.is_open({1, 1}));
  EXPECT_TRUE(layout.is_open({2, 3}));
  EXPECT_FALSE(layout.is_open({2, 1}));
  EXPECT_FALSE(layout.is_open({0, 0}));
  EXPECT_FALSE(layout.is_open({-1, 2}));
  EXPECT_FALSE(layout.is_open({1, 5}));
}

TEST(MazeLayout, RefusesWhatIsNoMaze) {
  const auto problem = [](std::vector<std::string> lines) {
    return error_of([&] { MazeLayout layout(lines); });
  };
  EXPECT_SAYS(problem({}), "is empty");
  EXPECT_SAYS(problem({"###", "#G#", "##"}), "different lengths");
  EXPECT_SAYS(problem({"###", "#G ", "###"}), "open at its rim");
  EXPECT_SAYS(problem({"####", "#GG#", "####"}), "2 goals");
  EXPECT_SAYS(problem({"###", "# #", "###"}), "0 goals");
  EXPECT_SAYS(problem({"###", "#x#", "###"}), "means nothing");
}

TEST(MazeLayout, MakesTheWorldOfThePublishedTask) {
  const auto model = compile_mjcf("umaze", maze_mjcf("umaze", umaze_layout()));
  EXPECT_EQ(walls(*model), 18);
  EXPECT_EQ(model->nq, 2);
  EXPECT_EQ(model->nu, 2);
  EXPECT_EQ(model->opt.timestep, 0.01);
  EXPECT_EQ(model->opt.iterations, 20);
  const int ball = mj_name2id(model.get(), mjOBJ_BODY, "ball");
  EXPECT_NEAR(model->body_mass[ball], 4.188790204786, 1e-12);
  EXPECT_EQ(walls(*compile_mjcf("long", maze_mjcf("long", long_maze_layout()))), 60 - 21);
}

TEST(MazeLayout, HasCamerasThatSeeTheWholeMaze) {
  for (const MazeLayout& layout : {umaze_layout(), long_maze_layout()}) {
    const auto model = compile_mjcf("maze", maze_mjcf("maze", layout));
    ASSERT_EQ(model->ncam, 2);
    for (int camera = 0; camera < model->ncam; ++camera)
      for (const double x : {0.5, layout.rows() + 0.5})
        for (const double y : {0.5, layout.columns() + 0.5})
          for (const double z : {-0.1, 0.2}) {
            // Into the camera's axes: it looks along its -z.
            const double* eye = model->cam_pos + 3 * camera;
            const double away[3] = {x - eye[0], y - eye[1], z - eye[2]};
            double back[4], seen[3];
            mju_negQuat(back, model->cam_quat + 4 * camera);
            mju_rotVecQuat(seen, away, back);
            const double edge = std::tan(model->cam_fovy[camera] / 2 * std::numbers::pi / 180);
            EXPECT_LT(std::abs(seen[0]), edge * -seen[2]) << camera << ": " << x << ", " << y;
            EXPECT_LT(std::abs(seen[1]), edge * -seen[2]) << camera << ": " << x << ", " << y;
          }
  }
}

}  // namespace
}  // namespace darp
