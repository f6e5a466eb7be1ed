#include "darp/env/manipulation/table_scene.h"
#include "darp/env/manipulation/table_tasks.h"
#include "darp/env/manipulation/threading.xml.h"

namespace darp {
namespace {

constexpr double kThreaded = 0.012;

std::vector<std::string> threading_names() {
  std::vector<std::string> names = both_pose_names("needle");
  for (const std::string& name : both_pose_names("tripod")) names.push_back(name);
  return names;
}

class Threading final : public ManipulationTask {
 public:
  explicit Threading(std::shared_ptr<const mjModel> model)
      : ManipulationTask({.name = "threading",
                          .title = "Panda arm, to put a needle through the ring of a tripod",
                          .time_limit = 300,
                          .posture = kTablePosture,
                          .observations = threading_names()},
                         std::move(model)) {
    reset(0);
  }

  bool succeeded() const override {
    return length(body("needle") * kNeedleShaft - body("tripod") * kTripodRing) < kThreaded;
  }

 private:
  void place_objects(Rng& rng) override {
    const double x = rng.uniform(-0.2, -0.05), y = rng.uniform(0.15, 0.25);
    place("needle", {x, y, 0.82}, rng.uniform(-2, -1) * std::numbers::pi / 3);
    place("tripod", {0, -0.15, 0.901}, std::numbers::pi / 2);
  }

  void observe_objects(std::vector<double>& seen) const override {
    for (const char* object : {"needle", "tripod"}) {
      see_pose(object, seen);
      see_from_hand(object, seen);
    }
  }
};

}  // namespace

std::unique_ptr<Environment> make_threading() {
  static const auto model = compile_table_scene("threading", kThreadingXml);
  return std::make_unique<Threading>(model);
}

}  // namespace darp
