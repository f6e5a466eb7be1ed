#include "darp/env/manipulation/kitchen_tasks.h"

#include <cmath>
#include <numbers>

#include "darp/env/manipulation/close_door.xml.h"
#include "darp/env/manipulation/close_drawer.xml.h"
#include "darp/env/manipulation/kitchen.xml.h"
#include "darp/env/manipulation/manipulation_task.h"
#include "darp/env/manipulation/panda.xml.h"
#include "darp/env/manipulation/panda_arm.xml.h"
#include "darp/env/manipulation/stove.xml.h"

namespace darp {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kStand = 0.7;  // of the arm above the floor
constexpr ArmVector kKitchenPosture = {-0.01612974, -1.03446714, -0.02397936, -2.27550888,
                                       0.03932365,  1.51639493,  0.69615947};
constexpr double kShut = 0.05;          // of the way
constexpr double kDrawerWay = 0.33;     // of a drawer that is open
constexpr double kDoorWay = kPi / 2;    // of a door
constexpr double kDrawerBeside = 0.55;  // the robot stands to a side of it

std::shared_ptr<const mjModel> compile_kitchen(std::string_view name, std::string_view mjcf) {
  const MjcfPiece pieces[] = {
      {"panda.xml", kPandaXml}, {"panda_arm.xml", kPandaArmXml}, {"kitchen.xml", kKitchenXml}};
  return compile_mjcf(name, mjcf, pieces);
}

Manipulation kitchen(std::string name, std::string title, int64_t time_limit,
                     std::vector<std::string> observations) {
  return {.name = std::move(name),
          .title = std::move(title),
          .time_limit = time_limit,
          .posture = kKitchenPosture,
          .observations = std::move(observations),
          .kitchen = true};
}

/// Something that is open, to be shut, with an item inside.
class Shut : public ManipulationTask {
 public:
  Shut(Manipulation task, std::shared_ptr<const mjModel> model, std::string joint, double way)
      : ManipulationTask(std::move(task), std::move(model)), joint_(std::move(joint)), way_(way) {}

  bool succeeded() const override { return openness() <= kShut; }

 protected:
  double openness() const { return std::abs(joint(joint_)) / way_; }
  /// Opens it for the start of an episode.
  double open(Rng& rng) {
    const double place = -way_ * rng.uniform(0.9, 1);
    set_joint(joint_, place);
    return place;
  }

 private:
  void observe_objects(std::vector<double>& seen) const override {
    see_pose("item", seen);
    see_from_hand("item", seen);
  }

  std::string joint_;
  double way_;
};

class CloseDrawer final : public Shut {
 public:
  explicit CloseDrawer(std::shared_ptr<const mjModel> model)
      : Shut(kitchen("close_drawer", "Panda arm in a kitchen, to close a drawer", 300,
                     both_pose_names("item")),
             std::move(model), "drawer", kDrawerWay) {
    reset(0);
  }

 private:
  void place_objects(Rng& rng) override {
    const double side = rng.below(2) == 0 ? -1 : 1;
    place_base(rng, {0, side * kDrawerBeside, kStand});
    const double out = open(rng);
    const double x = kDrawerFace + out + rng.uniform(0.12, 0.25), y = rng.uniform(-0.12, 0.12);
    place("item", {x, y, 0.737}, rng.uniform(0, 2 * kPi));
  }
};

class CloseDoor final : public Shut {
 public:
  explicit CloseDoor(std::shared_ptr<const mjModel> model)
      : Shut(kitchen("close_door", "Panda arm in a kitchen, to close a microwave's door", 400,
                     both_pose_names("item")),
             std::move(model), "door", kDoorWay) {
    reset(0);
  }

 private:
  void place_objects(Rng& rng) override {
    place_base(rng, {0, 0, kStand});
    open(rng);
    const double x = rng.uniform(0.55, 0.75), y = rng.uniform(-0.1, 0.2);
    place("item", {x, y, 1.441}, rng.uniform(0, 2 * kPi));
  }
};

class Stove final : public ManipulationTask {
 public:
  Stove(bool turn_on, std::shared_ptr<const mjModel> model)
      : ManipulationTask(task(turn_on), std::move(model)), turn_on_(turn_on) {
    reset(0);
  }

  bool succeeded() const override {
    const bool on = std::abs(knob_angle(*this, knob())) >= kKnobOff;
    return on == turn_on_;
  }
  int knob() const { return static_cast<int>(own_memory()[0]); }

 private:
  static Manipulation task(bool turn_on) {
    const char* way = turn_on ? "on" : "off";
    Manipulation out =
        kitchen(fmt::format("turn_{}_stove", way),
                fmt::format("Panda arm in a kitchen, to turn a stove's knob {}", way), 400,
                {"knob x", "knob y", "knob z"});
    out.memory = 1;
    return out;
  }

  void place_objects(Rng& rng) override {
    place_base(rng, {0, 0, kStand});
    own_memory()[0] = static_cast<double>(rng.below(kKnobs));
    if (turn_on_) return;
    const double angle = rng.uniform(0.5, kPi / 2);
    set_joint(fmt::format("knob_{}", knob()), rng.below(2) == 0 ? angle : 2 * kPi - angle);
  }

  void observe_objects(std::vector<double>& seen) const override {
    const Vec3 place = body(fmt::format("knob_{}", knob())).position;
    seen.insert(seen.end(), place.begin(), place.end());
  }

  bool turn_on_;
};

}  // namespace

int wanted_knob(const ManipulationTask& task) {
  return dynamic_cast<const Stove&>(task).knob();
}

double knob_angle(const ManipulationTask& task, int knob) {
  return std::remainder(task.joint(fmt::format("knob_{}", knob)), 2 * kPi);
}

std::unique_ptr<Environment> make_close_drawer() {
  static const auto model = compile_kitchen("close_drawer", kCloseDrawerXml);
  return std::make_unique<CloseDrawer>(model);
}

std::unique_ptr<Environment> make_close_door() {
  static const auto model = compile_kitchen("close_door", kCloseDoorXml);
  return std::make_unique<CloseDoor>(model);
}

std::unique_ptr<Environment> make_turn_on_stove() {
  static const auto model = compile_kitchen("turn_on_stove", kStoveXml);
  return std::make_unique<Stove>(true, model);
}

std::unique_ptr<Environment> make_turn_off_stove() {
  static const auto model = compile_kitchen("turn_off_stove", kStoveXml);
  return std::make_unique<Stove>(false, model);
}

}  // namespace darp
