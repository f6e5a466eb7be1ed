#include "darp/env/mujoco/mujoco_simulation.h"

#include <algorithm>
#include <utility>

#include "darp/core/error.h"
#include "darp/core/finite.h"
#include "darp/core/suggest.h"
#include "darp/env/mujoco/mujoco_renderer.h"

namespace darp {
namespace {

/// All that mj_step starts from, in the order of a saved state. `Data` is mjData or const mjData.
template <class Data, class Visit>
void visit_state(const mjModel& model, Data& data, const Visit& visit) {
  visit(&data.time, 1);
  visit(data.qpos, model.nq);
  visit(data.qvel, model.nv);
  visit(data.act, model.na);
  visit(data.ctrl, model.nu);
  visit(data.mocap_pos, 3 * model.nmocap);
  visit(data.mocap_quat, 4 * model.nmocap);
  visit(data.qacc_warmstart, model.nv);
}

}  // namespace

MujocoSimulation::MujocoSimulation(std::shared_ptr<const mjModel> model)
    : model_(std::move(model)), data_(mj_makeData(model_.get())) {
  if (!data_) throw std::bad_alloc();
  mj_forward(model_.get(), data_.get());
}

MujocoSimulation::~MujocoSimulation() = default;

std::span<const double> MujocoSimulation::qpos() const {
  return {data_->qpos, static_cast<size_t>(model_->nq)};
}

std::span<const double> MujocoSimulation::qvel() const {
  return {data_->qvel, static_cast<size_t>(model_->nv)};
}

bool MujocoSimulation::quiet() const {
  // Others are about drawing.
  for (const int kind : {mjWARN_INERTIA, mjWARN_CONTACTFULL, mjWARN_CNSTRFULL, mjWARN_BADQPOS,
                         mjWARN_BADQVEL, mjWARN_BADQACC, mjWARN_BADCTRL})
    if (data_->warning[kind].number != 0) return false;
  return true;
}

bool MujocoSimulation::sound() const {
  return quiet() && all_finite(qpos()) && all_finite(qvel());
}

void MujocoSimulation::reset() {
  mj_resetData(model_.get(), data_.get());
}

void MujocoSimulation::set_state(std::span<const double> qpos, std::span<const double> qvel) {
  DARP_CHECK(qpos.size() == static_cast<size_t>(model_->nq) &&
                 qvel.size() == static_cast<size_t>(model_->nv),
             "{} positions and {} velocities", qpos.size(), qvel.size());
  std::copy(qpos.begin(), qpos.end(), data_->qpos);
  std::copy(qvel.begin(), qvel.end(), data_->qvel);
  mj_forward(model_.get(), data_.get());
}

bool MujocoSimulation::step(std::span<const float> control, int count) {
  DARP_CHECK(control.size() == static_cast<size_t>(model_->nu), "{} controls", control.size());
  std::copy(control.begin(), control.end(), data_->ctrl);
  for (int i = 0; i < count; ++i) {
    mj_step(model_.get(), data_.get());
    if (!quiet()) return false;
  }
  return sound();
}

int64_t MujocoSimulation::state_size() const {
  int64_t size = 0;
  visit_state(*model_, *data_, [&](const double*, int count) { size += count; });
  return size;
}

void MujocoSimulation::save(std::vector<double>& state) const {
  visit_state(*model_, std::as_const(*data_), [&](const double* values, int count) {
    state.insert(state.end(), values, values + count);
  });
}

void MujocoSimulation::restore(std::span<const double> state) {
  if (static_cast<int64_t>(state.size()) != state_size() || !all_finite(state))
    throw Error(
        "saved state",
        fmt::format("holds {} numbers, expected {} finite ones", state.size(), state_size()),
        "restore only what this environment saved");
  const auto write = [&] {
    const double* next = state.data();
    visit_state(*model_, *data_, [&](double* values, int count) {
      std::copy(next, next + count, values);
      next += count;
    });
  };
  // What follows from the state is for pictures; finding it changes the warm start and may round
  // quaternions, so the state is written once more.
  mj_resetData(model_.get(), data_.get());
  write();
  mj_forward(model_.get(), data_.get());
  write();
}

void MujocoSimulation::set_force(std::string_view body, std::array<double, 3> force) {
  const int id = mj_name2id(model_.get(), mjOBJ_BODY, std::string(body).c_str());
  if (id <= 0)
    throw Error("push", fmt::format("'{}' is no body", printable(body)),
                suggestion(body, bodies()));
  std::copy(force.begin(), force.end(), data_->xfrc_applied + 6 * id);
}

std::vector<std::string> MujocoSimulation::bodies() const {
  std::vector<std::string> names;
  for (int i = 1; i < model_->nbody; ++i)
    if (const char* name = mj_id2name(model_.get(), mjOBJ_BODY, i))
      if (model_->body_weldid[i] != 0) names.emplace_back(name);
  return names;
}

std::vector<std::string> MujocoSimulation::cameras() const {
  std::vector<std::string> names;
  for (int i = 0; i < model_->ncam; ++i)
    if (const char* name = mj_id2name(model_.get(), mjOBJ_CAMERA, i)) names.emplace_back(name);
  return names;
}

Image MujocoSimulation::render(std::string_view camera, int width, int height) {
  if (!renderer_) renderer_ = std::make_unique<MujocoRenderer>(model_);
  return renderer_->render(*data_, camera, width, height);
}

}  // namespace darp
