#include "darp/train/member_training.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "darp/train/adamw.h"
#include "darp/train/batch_order.h"

namespace darp {
namespace {

constexpr int64_t kValidationBatch = 64;

/// A young average would still remember the random start: it forgets faster.
double warm_ema(const TrainSettings& settings, int64_t step) {
  const auto done = static_cast<double>(step);
  const double warm = settings.ema_power > 0 ? 1 - std::pow(1 + done, -settings.ema_power)
                                             : (1 + done) / (10 + done);
  return std::min(settings.ema, warm);
}

}  // namespace

int64_t MemberTraining::batches() const {
  return batch_count(parts_.training_rows, parts_.settings.batch);
}

TrainLimits MemberTraining::limits() const {
  return {.parameters = parameter_count(parts_.parameters),
          .members = parts_.members,
          .epochs = parts_.settings.epochs,
          .batches = batches(),
          .averages = parts_.settings.ema > 0};
}

TrainState MemberTraining::start() const {
  TrainState state;
  start_member(state);
  return state;
}

void MemberTraining::start_member(TrainState& state) const {
  const auto size = static_cast<size_t>(parameter_count(parts_.parameters));
  state.epoch = state.batch = state.step = 0;
  state.parameters.resize(size);
  initialize_parameters(
      parts_.parameters,
      initial_weights_rng(static_cast<uint64_t>(parts_.settings.seed), state.member),
      state.parameters);
  state.first_moments.assign(size, 0);
  state.second_moments.assign(size, 0);
  if (parts_.settings.ema > 0) state.averaged = state.parameters;
  state.loss_sum = 0;
  state.loss_count = 0;
  state.plateau = {};
  state.best_loss = TrainState().best_loss;
  state.best_epoch = -1;
  state.best.clear();
}

double MemberTraining::step(TrainState& state) {
  const TrainSettings& settings = parts_.settings;
  const EpochAddress address{static_cast<uint64_t>(settings.seed), state.member, state.epoch};
  if (order_member_ != state.member || order_epoch_ != state.epoch) {
    order_ = epoch_order(address, parts_.training_rows);
    order_member_ = state.member;
    order_epoch_ = state.epoch;
  }
  QueryBatch batch{batch_rows(order_, settings.batch, state.batch), {}};
  Matrix noise;
  if (settings.query_noise > 0 || parts_.backsteps.rows() > 0) {
    noise = Matrix::zeros(std::ssize(batch.queries), parts_.observation_dim);
    if (settings.query_noise > 0)
      batch_noise(address, state.batch, settings.query_noise, noise.mutable_view());
    if (parts_.backsteps.rows() > 0)
      batch_backsteps(address, state.batch, batch.queries, parts_.backsteps, noise.mutable_view());
    batch.noise = noise;
  }
  batch.seed = batch_seed(address, state.batch);
  batch.neighbor_sample = settings.neighbor_sample;

  std::vector<float> gradient(state.parameters.size());
  const double loss = parts_.training.gradient(state.parameters, batch, gradient);
  const std::string where =
      fmt::format("training, member {}, epoch {}, step {}", state.member, state.epoch, state.step);
  const char* remedy = "lower train.optimizer.learning_rate or look at the data";
  if (!std::isfinite(loss) || loss > settings.stop_above)
    throw Error(where, fmt::format("it diverged: the loss is {:.3g}", loss), remedy);

  last_rate_ = learning_rate(settings.optimizer.learning_rate, settings.schedule, state.plateau,
                             state.step, settings.epochs * batches());
  const StepReport report = adamw_step(
      settings.optimizer,
      {.step = state.step + 1, .rate = last_rate_, .ema = warm_ema(settings, state.step)}, gradient,
      {state.parameters, state.first_moments, state.second_moments, std::span(state.averaged)},
      &parts_.pool);
  if (!report.taken)
    throw Error(where, fmt::format("it diverged: the gradient's norm is {:.3g}", report.norm),
                remedy);
  last_norm_ = report.norm;
  const int64_t queries = std::ssize(batch.queries);
  state.loss_sum += loss * static_cast<double>(queries);
  state.loss_count += queries;
  ++state.batch;
  ++state.step;
  return loss;
}

double MemberTraining::validation_loss(const TrainState& state) {
  std::vector<int64_t> queries(parts_.validation_rows);
  std::iota(queries.begin(), queries.end(), 0);
  double sum = 0;
  for (int64_t begin = 0; begin < parts_.validation_rows; begin += kValidationBatch) {
    const int64_t count = std::min(kValidationBatch, parts_.validation_rows - begin);
    sum +=
        static_cast<double>(count) *
        parts_.validation->loss(answering(state), {std::span(queries).subspan(begin, count), {}});
  }
  return sum / static_cast<double>(parts_.validation_rows);
}

EpochReport MemberTraining::end_epoch(TrainState& state) {
  DARP_CHECK(epoch_is_over(state), "epoch {} is not over", state.epoch);
  const TrainSettings& settings = parts_.settings;
  EpochReport report{.member = state.member,
                     .epoch = state.epoch,
                     .step = state.step,
                     .training_loss = state.loss_sum / static_cast<double>(state.loss_count),
                     .learning_rate = last_rate_,
                     .gradient_norm = last_norm_};
  if (parts_.validation) {
    report.validation_loss = validation_loss(state);
    state.plateau.update(report.validation_loss, settings.schedule);
    if (report.validation_loss < state.best_loss) {
      report.best = true;
      state.best_loss = report.validation_loss;
      state.best_epoch = state.epoch;
      state.best = answering(state);
    }
  }
  ++state.epoch;
  state.batch = 0;
  state.loss_sum = 0;
  state.loss_count = 0;

  const bool stop_early = parts_.validation && settings.validation.patience > 0 &&
                          state.epoch - 1 - state.best_epoch >= settings.validation.patience;
  if (state.epoch < settings.epochs && !stop_early) return report;
  state.finished.push_back(state.best.empty() ? answering(state) : state.best);
  ++state.member;
  if (!finished(state)) {
    start_member(state);
  } else {
    // The best is among the finished now.
    state.best.clear();
    state.best_epoch = -1;
  }
  return report;
}

}  // namespace darp
