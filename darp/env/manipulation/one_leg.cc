#include <algorithm>
#include <cmath>

#include "darp/env/manipulation/one_leg.xml.h"
#include "darp/env/manipulation/table_scene.h"
#include "darp/env/manipulation/table_tasks.h"

namespace darp {
namespace {

// When the thread takes hold of the stud.
constexpr double kBesideHole = 0.003, kMostTilt = 8 * std::numbers::pi / 180, kDepth = 0.004;
constexpr double kTipBelowLeg = 0.05625, kTopHeight = 0.015625;
// Success.
constexpr double kSeated = 0.005, kAxesAlike = 0.94;
/// A leg on its side, its stud along -y.
constexpr Mat3 kLegLying = {{1, 0, 0, 0, 0, 1, 0, -1, 0}};
constexpr double kRaised = 0.021;  // the thread before it has a leg: that far above its seat

// What the task remembers: whether the leg is in the thread, and how high it would be unturned.
constexpr size_t kScrewed = 0, kUnturned = 1;

class OneLeg final : public ManipulationTask {
 public:
  explicit OneLeg(std::shared_ptr<mjModel> model)
      : ManipulationTask({.name = "one_leg",
                          .title = "Panda arm, to screw a leg into a table top",
                          .time_limit = 600,
                          .posture = kTablePosture,
                          .observations = both_pose_names("leg"),
                          .memory = 2},
                         model),
        model_(std::move(model)),
        pitch_(id(mjOBJ_EQUALITY, "pitch")),
        screwed_(id(mjOBJ_EQUALITY, "screwed")) {
    for (const char* name : {"stud", "stud_tip"}) stud_.push_back(id(mjOBJ_GEOM, name));
    reset(0);
  }

  bool succeeded() const override {
    const Pose off = inverse(seat()) * body("leg");
    if (std::ranges::any_of(off.position, [](double x) { return std::abs(x) >= kSeated; }))
      return false;
    // All quarter turns are the same leg.
    const double x = std::abs(off.rotation(0, 0)), y = std::abs(off.rotation(1, 0));
    return off.rotation(2, 2) >= kAxesAlike && std::max(x, y) >= kAxesAlike;
  }

 private:
  /// Where the leg is to be.
  Pose seat() const { return body("top") * Pose{kLegSeat, {}}; }

  void place_objects(Rng& rng) override {
    set_joint("thread_depth", kRaised);
    own_memory()[kUnturned] = kRaised;
    follow_memory();
    const double x = rng.uniform(-0.1, -0.02), y = rng.uniform(-0.23, -0.13),
                 yaw = rng.uniform(-1, 1) * std::numbers::pi / 4;
    place("leg", {x, y, 0.815}, quaternion_of(yaw_rotation(yaw) * kLegLying));
  }

  void observe_objects(std::vector<double>& seen) const override {
    see_pose("leg", seen);
    see_from_hand("leg", seen);
  }

  /// MuJoCo keeps in the model which constraints are active and what touches what; each of these
  /// tasks has a model of its own, and it is memory, saved and restored, that counts.
  void follow_memory() {
    const bool screwed = own_memory()[kScrewed] != 0;
    model_->eq_active[screwed_] = screwed ? 1 : 0;
    model_->eq_data[mjNEQDATA * pitch_] = own_memory()[kUnturned];
    for (const int geom : stud_)
      model_->geom_contype[geom] = model_->geom_conaffinity[geom] = screwed ? 0 : 1;
  }

  void before_step() override { follow_memory(); }

  /// Between two steps of physics: within one of the policy's a leg could fall to the bottom.
  void during_step() override {
    if (own_memory()[kScrewed] != 0) return;
    const Pose leg = inverse(seat()) * body("leg");
    const Vec3 tip = leg * Vec3{0, 0, -kTipBelowLeg};
    const double surface = -kLegSeat[2] + kTopHeight;
    if (std::hypot(tip[0], tip[1]) > kBesideHole || tip[2] > surface - kDepth ||
        leg.rotation(2, 2) < std::cos(kMostTilt))
      return;
    take_hold(std::clamp(leg.position[2], 0.0, kRaised),
              std::atan2(leg.rotation(1, 0), leg.rotation(0, 0)));
  }

  /// The thread goes to the leg: what is left between them is little, and vanishes at once.
  void take_hold(double depth, double turn) {
    const double per_turn = model_->eq_data[mjNEQDATA * pitch_ + 1];
    set_joint("thread_depth", depth);
    set_joint("thread_turn", turn);
    own_memory()[kScrewed] = 1;
    own_memory()[kUnturned] = depth - per_turn * turn;
    follow_memory();
  }

  const std::shared_ptr<mjModel> model_;
  const int pitch_, screwed_;
  std::vector<int> stud_;
};

}  // namespace

std::unique_ptr<Environment> make_one_leg() {
  static const auto model = compile_table_scene("one_leg", kOneLegXml);
  return std::make_unique<OneLeg>(
      std::shared_ptr<mjModel>(mj_copyModel(nullptr, model.get()), mj_deleteModel));
}

}  // namespace darp
