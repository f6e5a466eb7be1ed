// How long an epoch of training takes, beside a plain LibTorch loop that does what the published
// Python code does. Both start from the same weights and see the same batches, so that their losses
// tell whether they did the same work. Two threads each. --without-stack leaves out the larger
// case, which takes minutes.

#include <torch/torch.h>

#include <chrono>
#include <cstring>
#include <ctime>

#include "bench/bench.h"
#include "darp/data/ingest/read_dataset.h"
#include "darp/kernels/bfloat_level.h"
#include "darp/runtime/sample_policies.h"
#include "darp/train/adamw.h"
#include "darp/train/batch_order.h"
#include "darp/train/fused_objective.h"

namespace {

using darp::Matrix;

constexpr int kThreads = 2;
constexpr int64_t kBatch = 32;

/// Something to learn: standardised demonstrations, their neighbours and the policy.
struct Case {
  std::string name;
  darp::PolicySpec spec;
  Matrix states, actions;
  std::optional<darp::NeighborTable> neighbors;

  /// As the published code does it, with the settings of one of sample_policy's.
  Case(std::string case_name, darp::PolicySpec sample, darp::MatrixView observations,
       darp::MatrixView raw_actions, const std::vector<int64_t>& ends)
      : name(std::move(case_name)), spec(std::move(sample)) {
    states = darp::Normalizer::fit(spec.observations, observations).apply(observations);
    actions = darp::Normalizer::fit(spec.actions, raw_actions).apply(raw_actions);
    darp::ThreadPool pool(kThreads);
    neighbors = darp::build_neighbor_table(
        std::make_shared<const darp::Retriever>(states, ends, spec.darp()->retrieval), pool);
  }

  darp::MemoryRows memory() const { return {states, actions}; }
  darp::Examples examples() const { return {states, actions, &*neighbors}; }
  std::vector<float> first_weights() const {
    const auto parameters = darp::policy_parameters(spec, states.cols(), actions.cols());
    std::vector<float> weights(darp::parameter_count(parameters));
    darp::initialize_parameters(parameters, darp::initial_weights_rng(0, 0), weights);
    return weights;
  }
};

Case sample_case(std::string name, const darp::PolicyArchive& sample) {
  const darp::DemonstrationRows& rows = sample.demonstrations();
  return {std::move(name), sample.spec(), rows.observations, rows.actions, rows.episode_ends};
}

/// The paper's demonstration where it is at hand, one of the same size otherwise.
Case hopper() {
  const darp::PolicyArchive sample = darp::sample_policy("hopper");
  const auto path = darp::bench::reference_file("demos/hopper-expert-v2_1.hdf5");
  if (!path) return sample_case("Hopper (synthetic, the paper's size)", sample);
  const darp::Dataset data = darp::read_dataset(*path).dataset;
  return {"Hopper (the paper's demonstration)", sample.spec(), data.observations(), data.actions(),
          data.episode_ends()};
}

Case stack() {
  return sample_case("Stack (synthetic, the paper's size)", darp::sample_policy("stack"));
}

/// The published training loop with LibTorch's own modules, optimizer and clipping.
class Plain : torch::nn::Module {
 public:
  explicit Plain(const Case& c)
      : scale_(c.spec.darp()->input.difference_scale),
        states_(tensor(c.states)),
        actions_(tensor(c.actions)),
        neighbors_(torch::empty({c.neighbors->queries(), c.neighbors->width()}, torch::kLong)) {
    for (int64_t i = 0; i < c.neighbors->queries(); ++i) {
      DARP_CHECK(c.neighbors->count(i) == c.neighbors->width(), "neighbours are missing");
      std::ranges::copy(c.neighbors->rows(i),
                        neighbors_.data_ptr<int64_t>() + i * c.neighbors->width());
    }
    int64_t inputs = c.spec.inputs(c.states.cols(), c.actions.cols());
    for (const int64_t units : c.spec.network()->hidden) {
      const std::string number = std::to_string(norms_.size());
      linears_.push_back(register_module("linear" + number, torch::nn::Linear(inputs, units)));
      norms_.push_back(register_module("norm" + number,
                                       torch::nn::LayerNorm(torch::nn::LayerNormOptions({units}))));
      inputs = units;
    }
    linears_.push_back(register_module("last", torch::nn::Linear(inputs, c.actions.cols())));

    // The same start: modules are registered in the order of the flat vector.
    const std::vector<float> weights = c.first_weights();
    const torch::NoGradGuard no_gradient;
    const float* from = weights.data();
    for (torch::Tensor& parameter : parameters()) {
      parameter.copy_(torch::from_blob(const_cast<float*>(from), parameter.sizes()));
      from += parameter.numel();
    }
    DARP_CHECK(from == weights.data() + weights.size(), "weights are left over");
    optimizer_ = std::make_unique<torch::optim::AdamW>(
        parameters(), torch::optim::AdamWOptions(1e-3).weight_decay(1e-5));
  }

  /// The mean loss of the batches.
  double epoch(int64_t number) {
    std::vector<int64_t> order = darp::epoch_order({0, 0, number}, states_.size(0));
    const torch::Tensor rows = torch::from_blob(order.data(), {std::ssize(order)}, torch::kLong);
    double sum = 0;
    for (const torch::Tensor& batch : rows.split(kBatch)) sum += step(batch);
    return sum / static_cast<double>(darp::batch_count(std::ssize(order), kBatch));
  }

 private:
  static torch::Tensor tensor(const Matrix& matrix) {
    return torch::from_blob(const_cast<float*>(matrix.view().data()),
                            {matrix.rows(), matrix.cols()}, {matrix.stride(), 1})
        .clone(torch::MemoryFormat::Contiguous);
  }

  double step(const torch::Tensor& queries) {
    const torch::Tensor rows = neighbors_.index_select(0, queries);
    const auto gather = [&](const torch::Tensor& from) {
      return from.index_select(0, rows.flatten()).view({rows.size(0), rows.size(1), from.size(1)});
    };
    const torch::Tensor state = gather(states_);
    const torch::Tensor query = states_.index_select(0, queries).unsqueeze(1);
    torch::Tensor x = torch::cat({state, gather(actions_), (state - query) * scale_}, 2);
    for (size_t i = 0; i < norms_.size(); ++i) x = torch::relu(norms_[i](linears_[i](x)));
    const torch::Tensor answer = linears_.back()(x).mean(1);
    const torch::Tensor loss = torch::mse_loss(answer, actions_.index_select(0, queries));
    optimizer_->zero_grad();
    loss.backward();
    torch::nn::utils::clip_grad_norm_(parameters(), 1.0);
    optimizer_->step();
    return loss.item<double>();
  }

  double scale_;
  torch::Tensor states_, actions_, neighbors_;
  std::vector<torch::nn::Linear> linears_;
  std::vector<torch::nn::LayerNorm> norms_;
  std::unique_ptr<torch::optim::AdamW> optimizer_;
};

/// Ours: the fused objective, and AdamW on flat vectors.
class Ours {
 public:
  Ours(const Case& c, bool bfloat16)
      : rows_(c.states.rows()),
        objective_(darp::make_fused_objective(c.spec, c.memory(), c.examples(), pool_, bfloat16)),
        weights_(c.first_weights()),
        gradient_(weights_.size()),
        first_moments_(weights_.size()),
        second_moments_(weights_.size()) {}

  double epoch(int64_t number) {
    const std::vector<int64_t> order = darp::epoch_order({0, 0, number}, rows_);
    const int64_t batches = darp::batch_count(rows_, kBatch);
    double sum = 0;
    for (int64_t batch = 0; batch < batches; ++batch) {
      sum += objective_->gradient(weights_, {darp::batch_rows(order, kBatch, batch), {}, 0},
                                  gradient_);
      darp::adamw_step({}, {.step = ++steps_, .rate = 1e-3, .ema = 0}, gradient_,
                       {weights_, first_moments_, second_moments_, {}}, &pool_);
    }
    return sum / static_cast<double>(batches);
  }

 private:
  int64_t rows_, steps_ = 0;
  darp::ThreadPool pool_{kThreads};
  std::unique_ptr<darp::Objective> objective_;
  std::vector<float> weights_, gradient_, first_moments_, second_moments_;
};

/// A trainer that takes part: an epoch at a time, and how many cores it kept busy.
template <class Trainer>
struct Runner {
  template <class... Arguments>
  explicit Runner(const Case& c, Arguments... arguments) : trainer(c, arguments...) {}

  void run() {
    const std::clock_t busy = std::clock();
    const auto start = std::chrono::steady_clock::now();
    losses.push_back(trainer.epoch(std::ssize(losses)));
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    cores.push_back(static_cast<double>(std::clock() - busy) / CLOCKS_PER_SEC / wall.count());
  }

  Trainer trainer;
  std::vector<double> losses, cores;
};

/// Two results: ours in fp32 and in bf16, each beside the same runs of the rival.
std::vector<darp::bench::Result> bench_case(const Case& c, int rounds) {
  Runner<Ours> fp32(c, false), bf16(c, true);
  Runner<Plain> plain(c);
  const std::string name =
      fmt::format("{}: an epoch of {} x {}", c.name, c.states.rows(), c.neighbors->width());
  const auto times = darp::bench::compare(name,
                                          {{"ours", [&] { fp32.run(); }},
                                           {"bf16", [&] { bf16.run(); }},
                                           {"libtorch", [&] { plain.run(); }}},
                                          rounds);
  std::vector<darp::bench::Result> results;
  const auto add = [&](const std::string& precision, double seconds, const Runner<Ours>& ours) {
    results.push_back({name + ", " + precision,
                       times.unit,
                       seconds,
                       {{"libtorch", times.rivals.at("libtorch")}},
                       {{"loss", ours.losses.back()},
                        {"loss libtorch", plain.losses.back()},
                        {"cores", darp::bench::median(ours.cores)},
                        {"cores libtorch", darp::bench::median(plain.cores)}}});
  };
  add("fp32", times.ours, fp32);
  add(fmt::format("bf16 ({})", darp::kernels::to_string(darp::kernels::bfloat_level())),
      times.rivals.at("bf16"), bf16);
  return results;
}

}  // namespace

int main(int argc, char** argv) {
  darp::bench::prepare_blas(kThreads, argv);
  const bool with_stack = argc == 1 || std::strcmp(argv[argc - 1], "--without-stack") != 0;
  const std::string json = darp::bench::json_argument(with_stack ? argc : argc - 1, argv);
  at::set_num_threads(kThreads);
  std::vector<darp::bench::Result> results = bench_case(hopper(), 5);
  if (with_stack)
    for (auto& result : bench_case(stack(), 3)) results.push_back(std::move(result));
  darp::bench::report(results, json);
}
