#include "darp/env/manipulation/stack.xml.h"
#include "darp/env/manipulation/table_scene.h"
#include "darp/env/manipulation/table_tasks.h"

namespace darp {
namespace {

constexpr double kReach = 0.08;         // of the cubes' starts about the table's middle
constexpr double kLeastApart = 0.0636;  // of their centres: neither touches the other
constexpr double kStackedHeight = 0.84;

std::vector<std::string> stack_names() {
  std::vector<std::string> names = pose_names("A");
  for (const std::string& name : pose_names("B")) names.push_back(name);
  for (const char* what : {"A - hand", "B - hand", "B - A"})
    for (const char* axis : {"x", "y", "z"}) names.push_back(fmt::format("{} {}", what, axis));
  return names;
}

class Stack final : public ManipulationTask {
 public:
  explicit Stack(std::shared_ptr<const mjModel> model)
      : ManipulationTask({.name = "stack",
                          .title = "Panda arm, to put a small cube onto a larger one",
                          .time_limit = 200,
                          .posture = kTablePosture,
                          .observations = stack_names()},
                         std::move(model)) {
    reset(0);
  }

  bool succeeded() const override {
    return !holds("cube_a") && body("cube_a").position[2] > kStackedHeight &&
           touch("cube_a", "cube_b");
  }

 private:
  void place_objects(Rng& rng) override {
    const auto drawn = [&](double z) {
      const double x = rng.uniform(-kReach, kReach), y = rng.uniform(-kReach, kReach);
      return Vec3{x, y, z};
    };
    const auto yaw = [&] { return rng.uniform(0, 2 * std::numbers::pi); };
    const Vec3 a = drawn(0.83);
    place("cube_a", a, yaw());
    Vec3 b;
    do b = drawn(a[2]);
    while (length(b - a) < kLeastApart);
    b[2] = 0.835;
    place("cube_b", b, yaw());
  }

  void observe_objects(std::vector<double>& seen) const override {
    see_pose("cube_a", seen);
    see_pose("cube_b", seen);
    const Vec3 a = body("cube_a").position, b = body("cube_b").position, grip = hand().position;
    for (const Vec3& difference : {a - grip, b - grip, b - a})
      seen.insert(seen.end(), difference.begin(), difference.end());
  }
};

}  // namespace

std::unique_ptr<Environment> make_stack() {
  static const auto model = compile_table_scene("stack", kStackXml);
  return std::make_unique<Stack>(model);
}

}  // namespace darp
