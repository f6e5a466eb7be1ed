#include "darp/env/maze/maze_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "darp/core/error.h"

namespace darp {
namespace {

// Physics first, then what is only for the eye (group 1, no contacts). The mark's body stands at
// the target in the ball's coordinates; its picture is shifted to where a ball with these would be.
constexpr std::string_view kWorld = R"(<mujoco model="{name}">
  <compiler inertiafromgeom="true" angle="radian" coordinate="local"/>
  <option timestep="0.01" gravity="0 0 0" iterations="20" integrator="Euler"/>
  <statistic center="{middle_x} {middle_y} 0" extent="{extent}"/>
  <visual>
    <headlight ambient="0.45 0.45 0.45" diffuse="0.15 0.15 0.15" specular="0 0 0"/>
    <map znear="0.05" zfar="20"/>
  </visual>
  <default>
    <joint damping="1" limited="false"/>
    <geom friction="0.5 0.1 0.1" density="1000" margin="0.002" condim="1" contype="2" conaffinity="1"/>
    <default class="eye">
      <geom contype="0" conaffinity="0" margin="0" group="1"/>
    </default>
  </default>
  <asset>
    <texture type="skybox" builtin="flat" rgb1="0.93 0.94 0.95" width="32" height="192"/>
    <material name="wall" rgba="0.36 0.44 0.55 1" specular="0.1" shininess="0.1"/>
    <material name="ball" rgba="0.87 0.30 0.21 1" specular="0.4" shininess="0.5"/>
  </asset>
  <worldbody>
    <light directional="true" castshadow="false" pos="{middle_x} {middle_y} 8" dir="0.35 -0.25 -1" diffuse="0.4 0.4 0.4" specular="0.1 0.1 0.1"/>
    <camera name="top" pos="{middle_x} {middle_y} {height}" xyaxes="0 1 0 -1 0 0" fovy="{fovy}"/>
    <camera name="angled" pos="{angled_x} {middle_y} {angled_z}" xyaxes="0 1 0 -0.8 0 0.6" fovy="{fovy}"/>
    <geom name="ground" type="plane" pos="0 0 -0.1" size="40 40 0.25" contype="1" conaffinity="0" rgba="0.80 0.82 0.84 1"/>
    <body name="ball" pos="1.2 1.2 0">
      <joint name="ball_x" type="slide" axis="1 0 0"/>
      <joint name="ball_y" type="slide" axis="0 1 0"/>
      <geom name="ball" type="sphere" size="0.1" contype="1" material="ball"/>
      <site type="cylinder" pos="0 0 -0.086" size="0.2 0.002" rgba="0.87 0.30 0.21 0.35"/>
    </body>
{cells}    <body mocap="true" pos="{goal_x} {goal_y} 0">
      <site type="cylinder" pos="1.2 1.2 -0.094" size="0.5 0.002" rgba="0.30 0.72 0.38 0.45"/>
      <site type="cylinder" pos="1.2 1.2 -0.090" size="0.12 0.002" rgba="0.13 0.55 0.24 1"/>
    </body>
  </worldbody>
  <actuator>
    <motor joint="ball_x" ctrllimited="true" ctrlrange="-1 1" gear="100"/>
    <motor joint="ball_y" ctrllimited="true" ctrlrange="-1 1" gear="100"/>
  </actuator>
</mujoco>
)";

/// Walls, and tiles of two shades where there are none.
std::string cell_geoms(const MazeLayout& layout) {
  std::string text;
  for (int row = 0; row < layout.rows(); ++row)
    for (int column = 0; column < layout.columns(); ++column) {
      if (layout.is_open({row, column}))
        text += fmt::format(
            "    <geom class=\"eye\" type=\"box\" pos=\"{} {} -0.099\" size=\"0.5 0.5 0.002\" "
            "rgba=\"{}\"/>\n",
            row + 1, column + 1, (row + column) % 2 == 0 ? "0.97 0.97 0.96 1" : "0.91 0.92 0.92 1");
      else
        text += fmt::format(
            "    <geom type=\"box\" pos=\"{} {} 0\" size=\"0.5 0.5 0.2\" material=\"wall\"/>\n",
            row + 1, column + 1);
    }
  return text;
}

[[noreturn]] void refuse_layout(std::string_view what) {
  throw Error("maze layout", what,
              "lines of '#', ' ' and one 'G', all as long, with '#' all around");
}

}  // namespace

MazeLayout::MazeLayout(std::vector<std::string> lines) : lines_(std::move(lines)) {
  if (lines_.empty() || lines_[0].empty()) refuse_layout("is empty");
  int goals = 0;
  for (int row = 0; row < rows(); ++row) {
    const std::string& line = lines_[static_cast<size_t>(row)];
    if (line.size() != lines_[0].size()) refuse_layout("has lines of different lengths");
    for (int column = 0; column < columns(); ++column) {
      const char mark = line[static_cast<size_t>(column)];
      if (mark == '#') continue;
      if (mark != ' ' && mark != 'G') refuse_layout("has a character that means nothing");
      if (row == 0 || column == 0 || row == rows() - 1 || column == columns() - 1)
        refuse_layout("is open at its rim");
      if (mark == ' ') open_cells_.push_back({row, column});
      if (mark != 'G') continue;
      goal_ = {row, column};
      ++goals;
    }
  }
  if (goals != 1) refuse_layout(fmt::format("has {} goals", goals));
  open_cells_.push_back(goal_);
}

bool MazeLayout::is_open(Cell cell) const {
  return cell.row >= 0 && cell.row < rows() && cell.column >= 0 && cell.column < columns() &&
         lines_[static_cast<size_t>(cell.row)][static_cast<size_t>(cell.column)] != '#';
}

MazeLayout umaze_layout() {
  return MazeLayout({"#####",  //
                     "#G  #",  //
                     "### #",  //
                     "#   #",  //
                     "#####"});
}

MazeLayout long_maze_layout() {
  return MazeLayout({"############",  //
                     "#G         #",  //
                     "########## #",  //
                     "#          #",  //
                     "############"});
}

std::string maze_mjcf(std::string_view name, const MazeLayout& layout) {
  // A narrow view from far away hides little behind walls.
  const double fovy = 20 * std::numbers::pi / 180;
  const double middle_x = (layout.rows() + 1) / 2.0, middle_y = (layout.columns() + 1) / 2.0;
  const double reach = std::max(layout.rows(), layout.columns()) / 2.0 + 0.25;
  const double height = reach / std::tan(fovy / 2) + 0.2;
  // Tilted, the near side is nearer.
  const double away = height + 0.6 * layout.rows() / 2;
  using fmt::arg;
  return fmt::format(kWorld, arg("name", name), arg("middle_x", middle_x),
                     arg("middle_y", middle_y), arg("extent", 2 * reach), arg("height", height),
                     arg("fovy", 20), arg("angled_x", middle_x + 0.6 * away),
                     arg("angled_z", 0.8 * away), arg("goal_x", layout.goal().row),
                     arg("goal_y", layout.goal().column), arg("cells", cell_geoms(layout)));
}

}  // namespace darp
