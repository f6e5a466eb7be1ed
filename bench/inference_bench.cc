// How long a step of a policy takes on one core, in fp32 and in bf16, beside two LibTorch versions
// that take turns with ours; where our time goes; and what bf16 does to the actions.

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "bench/bench.h"
#include "bench/published_step.h"
#include "bench/rollout.h"
#include "darp/data/ingest/read_dataset.h"
#include "darp/data/sample_demonstrations.h"
#include "darp/kernels/bfloat_level.h"
#include "darp/kernels/bfloat_products.h"
#include "darp/policy/import_reference.h"
#include "darp/retrieval/retrieval_session.h"
#include "darp/runtime/control_thread.h"
#include "darp/runtime/realtime_policy.h"
#include "darp/runtime/sample_policies.h"
#include "darp/train/torch_policy.h"

namespace {

using darp::Matrix;
using darp::PolicyArchive;
using darp::Precision;
using darp::RealtimeModel;
using darp::RealtimePolicy;
using darp::bench::Contender;
using darp::bench::Result;

using Act = std::function<void(std::span<const float>, std::span<float>)>;
using Times = std::map<std::string, std::vector<double>>;

constexpr const char* kExecutor = "LibTorch executor";
constexpr const char* kPublished = "published step";
constexpr const char* kRetrieval = "retrieval";
constexpr const char* kPrecisions[] = {"fp32", "bf16"};

/// Whoever acts along a rollout.
struct Runner {
  std::string name;
  Act act;
  darp::bench::Rollout rollout;
  std::vector<float> action;

  void step() { act(rollout.next(), action); }
};

Act realtime(const PolicyArchive& archive, Precision precision) {
  auto policy =
      std::make_shared<RealtimePolicy>(std::make_shared<const RealtimeModel>(archive, precision));
  policy->warm_up();
  return [policy](std::span<const float> observation, std::span<float> action) {
    const darp::ActStatus status = policy->act(observation, action);
    DARP_CHECK(status == darp::ActStatus::kOk, "{}", describe(status));
  };
}

/// Whether bf16 is more than a word on this CPU.
bool multiplies_bfloat16(const PolicyArchive& archive) {
  return RealtimeModel(archive, Precision::kBfloat16).precision() == Precision::kBfloat16;
}

/// The part of a step before the network: standardise, find neighbours.
Act retrieval_alone(const PolicyArchive& archive) {
  auto session = std::make_shared<darp::RetrievalSession>(RealtimeModel(archive).retriever());
  auto query = std::make_shared<std::vector<float>>(archive.observation_dim());
  return [&archive, session, query](std::span<const float> observation, std::span<float>) {
    archive.observations().apply(observation, *query);
    session->push(*query);
  };
}

std::vector<std::shared_ptr<Runner>> runners(const std::shared_ptr<const PolicyArchive>& archive,
                                             const Matrix& rollout) {
  std::vector<std::shared_ptr<Runner>> all;
  const auto add = [&](const char* name, Act act) {
    all.push_back(std::make_shared<Runner>(
        Runner{name, std::move(act), darp::bench::Rollout(rollout),
               std::vector<float>(static_cast<size_t>(archive->action_dim()))}));
  };
  std::shared_ptr<darp::Policy> executor = darp::make_torch_policy(archive);
  auto published = std::make_shared<darp::bench::PublishedStep>(*archive);
  add("fp32", realtime(*archive, Precision::kFloat32));
  if (multiplies_bfloat16(*archive)) add("bf16", realtime(*archive, Precision::kBfloat16));
  add(kExecutor, [executor](auto observation, auto action) { executor->act(observation, action); });
  add(kPublished,
      [published](auto observation, auto action) { published->act(observation, action); });
  add(kRetrieval, retrieval_alone(*archive));
  return all;
}

/// They must do the same work: 400 steps, each action beside the first runner's.
void check_agreement(const std::string& title, const std::vector<std::shared_ptr<Runner>>& all) {
  std::map<std::string, float> most;
  for (int i = 0; i < 400; ++i)
    for (const auto& runner : all) {
      runner->step();
      if (runner->name == kRetrieval) continue;
      for (size_t j = 0; j < runner->action.size(); ++j)
        most[runner->name] =
            std::max(most[runner->name], std::abs(runner->action[j] - all.front()->action[j]));
    }
  for (const auto& [name, difference] : most) {
    if (name != "fp32") fmt::print("{}: {} differs by at most {:.2g}\n", title, name, difference);
    DARP_CHECK(name == "bf16" || difference < 1e-4f, "{}: {} is another policy", title, name);
  }
}

/// Our product kernels at their best, everything in the nearest cache: 144 x 256 x 256, in GFLOP/s.
std::map<std::string, double> hot_product_rates() {
  constexpr int64_t kRows = 144, kWidth = 256;
  const Matrix rows = darp::SampleDemonstrations(1, 1, 1, kRows, kWidth).rows,
               weight = darp::SampleDemonstrations(2, 1, 1, kWidth, kWidth).rows;
  Matrix out = Matrix::zeros(kRows, kWidth);
  darp::kernels::PackedFloat packed;
  packed.pack(weight, darp::kernels::PackedFloat::Factor::kTransposedWeight);
  darp::kernels::PackedBfloat packed_bfloat(kWidth, kWidth);
  packed_bfloat.set_transposed(weight);
  darp::kernels::BfloatRows rounded(kRows, kWidth);
  rounded.resize(kRows, kWidth);
  rounded.set(0, rows);
  const Times times = darp::bench::latencies(
      {{"fp32", [&] { darp::kernels::multiply(rows, packed, {}, out.mutable_view()); }},
       {"bf16",
        [&] {
          darp::kernels::multiply(rounded, 0, kRows, packed_bfloat, {}, out.mutable_view());
        }}},
      10, 200);
  std::map<std::string, double> rates;
  for (const auto& [name, list] : times)
    rates[name] = 2e-3 * kRows * kWidth * kWidth / darp::bench::median(list);
  return rates;
}

/// What the products between hidden layers take for all neighbours.
double hidden_flops(const PolicyArchive& archive) {
  double sum = 0;
  const std::vector<int64_t>& hidden = archive.spec().network()->hidden;
  for (size_t l = 1; l < hidden.size(); ++l)
    sum += 2 *
           static_cast<double>(archive.spec().darp()->retrieval.kept() * hidden[l - 1] * hidden[l]);
  return sum;
}

Result whole_step(const std::string& title, const std::string& precision, const Times& times) {
  const std::vector<double>& ours = times.at(precision);
  return {title + ", " + precision,
          "us",
          darp::bench::median(ours),
          {{kExecutor, darp::bench::median(times.at(kExecutor))},
           {kPublished, darp::bench::median(times.at(kPublished))}},
          {{"p99", darp::bench::quantile(ours, 0.99)},
           {"p99.9", darp::bench::quantile(ours, 0.999)},
           {"max", *std::ranges::max_element(ours)}}};
}

/// Three lines: before the network, the network, and the least that its products can take.
void where_the_time_goes(const std::string& title, const std::string& precision, const Times& times,
                         double flops, double hot_rate, std::vector<Result>& results) {
  const double retrieval = darp::bench::median(times.at(kRetrieval));
  const double network = darp::bench::median(times.at(precision)) - retrieval;
  const std::string start = fmt::format("  {}, {}: ", title, precision);
  results.push_back({start + "standardise, retrieve", "us", retrieval, {}, {}});
  results.push_back({start + "the rest", "us", network, {}, {{"GFLOP/s", flops / network * 1e-3}}});
  results.push_back({start + "its products in a hot cache",
                     "us",
                     flops / hot_rate * 1e-3,
                     {},
                     {{"GFLOP/s", hot_rate}}});
}

void bench_case(const std::string& name, const std::string& title, int rounds, int run_length,
                const std::map<std::string, double>& hot_rates, std::vector<Result>& results) {
  const auto archive = std::make_shared<const PolicyArchive>(darp::sample_policy(name));
  const Matrix rollout = darp::sample_rollout(name, 4000);
  const auto all = runners(archive, rollout);
  check_agreement(title, all);
  std::vector<Contender> contenders;
  for (const auto& runner : all) contenders.push_back({runner->name, [runner] { runner->step(); }});
  const Times times = darp::bench::latencies(contenders, rounds, run_length);
  for (const char* precision : kPrecisions)
    if (times.contains(precision)) {
      results.push_back(whole_step(title, precision, times));
      where_the_time_goes(title, precision, times, hidden_flops(*archive), hot_rates.at(precision),
                          results);
    }
}

/// Methods beside plain DARP: the runtime, where it executes them, beside the LibTorch executor.
void bench_method(const std::string& name, const std::string& title, int rounds,
                  std::vector<Result>& results) {
  const auto archive = std::make_shared<const PolicyArchive>(darp::sample_policy(name));
  const Matrix rollout = darp::sample_rollout(name, 1000);
  std::vector<Contender> contenders;
  std::vector<float> action(static_cast<size_t>(archive->action_dim()));
  const auto add = [&](const std::string& contender, Act act) {
    contenders.push_back({contender, [&rollout, &action, act, i = int64_t{0}]() mutable {
                            act(rollout.row(i++ % rollout.rows()), action);
                          }});
  };
  if (archive->spec().runs_in_runtime()) {
    add("fp32", realtime(*archive, Precision::kFloat32));
    if (multiplies_bfloat16(*archive)) add("bf16", realtime(*archive, Precision::kBfloat16));
  }
  const std::shared_ptr<darp::Policy> torch = darp::make_torch_policy(archive);
  torch->reset(0);
  add(kExecutor,
      [torch](std::span<const float> seen, std::span<float> out) { torch->act(seen, out); });
  const Times times = darp::bench::latencies(contenders, rounds, 10);
  for (const auto& [contender, list] : times) {
    const bool rival = contender == kExecutor && times.size() > 1;
    if (rival) continue;
    std::map<std::string, double> rivals;
    if (times.size() > 1) rivals[kExecutor] = darp::bench::median(times.at(kExecutor));
    results.push_back({title + ", " + contender,
                       "us",
                       darp::bench::median(list),
                       rivals,
                       {{"p99", darp::bench::quantile(list, 0.99)}}});
  }
}

/// How far actions in bf16 are from those in fp32 along a rollout, in units of the actions' scale.
void bench_precision(const std::string& title, const PolicyArchive& archive,
                     darp::MatrixView rollout, std::vector<Result>& results) {
  if (!multiplies_bfloat16(archive)) return;
  const Act fp32 = realtime(archive, Precision::kFloat32),
            bf16 = realtime(archive, Precision::kBfloat16);
  std::vector<float> exact(archive.action_dim()), rounded(archive.action_dim());
  std::vector<double> differences;
  for (int64_t i = 0; i < rollout.rows(); ++i) {
    fp32(rollout.row(i), exact);
    bf16(rollout.row(i), rounded);
    for (size_t j = 0; j < exact.size(); ++j)
      differences.push_back(
          static_cast<double>(std::abs(exact[j] - rounded[j]) / archive.actions().scale()[j]));
  }
  results.push_back({fmt::format("{}: |bf16 - fp32|, {} steps", title, rollout.rows()),
                     "of the action's scale",
                     darp::bench::median(differences),
                     {},
                     {{"p99", darp::bench::quantile(differences, 0.99)},
                      {"max", darp::bench::quantile(differences, 1)}}});
}

/// The paper's own network on the paper's own demonstration, where they are at hand.
void bench_published_precision(std::vector<Result>& results) {
  const auto network = darp::bench::reference_file("weights/hopper-darp.safetensors"),
             demonstration = darp::bench::reference_file("demos/hopper-expert-v2_1.hdf5");
  if (!network || !demonstration) return;
  const PolicyArchive archive(darp::import_reference(darp::SafetensorsFile::open(*network),
                                                     darp::read_dataset(*demonstration).dataset));
  bench_precision("Hopper, the published network", archive, archive.demonstrations().observations,
                  results);
}

/// LibTorch allocates for every result: keep what it gives back, or large ones fault in anew at
/// every step.
void keep_freed_memory() {
  constexpr int kLarge = 1 << 28;
  mallopt(M_MMAP_THRESHOLD, kLarge);
  mallopt(M_TRIM_THRESHOLD, kLarge);
}

}  // namespace

int main(int argc, char** argv) {
  darp::bench::prepare_blas(1, argv);
  const std::string json = darp::bench::json_argument(argc, argv);
  const darp::CpuPin pin(darp::allowed_cpus().back());
  if (!pin.notice().empty()) fmt::print("{}\n", pin.notice());
  darp::bench::use_one_torch_thread();
  keep_freed_memory();
  fmt::print("bfloat16 products: {}\n", darp::kernels::to_string(darp::kernels::bfloat_level()));
  std::vector<Result> results;
  const std::map<std::string, double> hot_rates = hot_product_rates();
  bench_case("hopper", "Hopper", 40, 200, hot_rates, results);
  bench_case("stack", "Stack", 40, 100, hot_rates, results);
  bench_precision("Hopper, untrained", darp::sample_policy("hopper"),
                  darp::sample_rollout("hopper", 2000), results);
  bench_precision("Stack, untrained", darp::sample_policy("stack"),
                  darp::sample_rollout("stack", 2000), results);
  bench_published_precision(results);
  bench_method("push_t", "Push-T, set transformer and mixture", 10, results);
  bench_method("regent", "REGENT's default", 10, results);
  bench_method("diffusion", "Diffusion, 20 DDIM steps", 3, results);
  darp::bench::report(results, json);
}
