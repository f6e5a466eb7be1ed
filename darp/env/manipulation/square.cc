#include <cmath>

#include "darp/env/manipulation/square.xml.h"
#include "darp/env/manipulation/table_scene.h"
#include "darp/env/manipulation/table_tasks.h"

namespace darp {
namespace {

constexpr double kWithin = 0.03, kOnPeg = 0.87;
constexpr double kGripFar = 0.6;  // of 1 - tanh(10 d), which is 1 at the nut

class Square final : public ManipulationTask {
 public:
  explicit Square(std::shared_ptr<const mjModel> model)
      : ManipulationTask({.name = "square",
                          .title = "Panda arm, to put a square nut onto a peg",
                          .time_limit = 200,
                          .posture = kTablePosture,
                          .observations = both_pose_names("nut")},
                         std::move(model)) {
    reset(0);
  }

  bool succeeded() const override {
    const Vec3 nut = body("nut").position, peg = body("peg").position;
    return std::abs(nut[0] - peg[0]) < kWithin && std::abs(nut[1] - peg[1]) < kWithin &&
           nut[2] < kOnPeg && 1 - std::tanh(10 * length(grip().position - nut)) < kGripFar;
  }

 private:
  void place_objects(Rng& rng) override {
    const double x = rng.uniform(-0.115, -0.11), y = rng.uniform(0.11, 0.225);
    place("nut", {x, y, 0.89}, rng.uniform(0, 2 * std::numbers::pi));
  }

  void observe_objects(std::vector<double>& seen) const override {
    see_pose("nut", seen);
    see_from_hand("nut", seen);
  }
};

}  // namespace

std::unique_ptr<Environment> make_square() {
  static const auto model = compile_table_scene("square", kSquareXml);
  return std::make_unique<Square>(model);
}

}  // namespace darp
