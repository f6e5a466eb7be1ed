// The theorems' figures on the neighbour graphs of real demonstrations: measured filters, and the
// energy of trained policies by frequency (docs/studies/theory.md).

#include <mutex>

#include "darp/core/hash.h"
#include "darp/core/make_folders.h"
#include "darp/core/numbers.h"
#include "darp/data/ingest/read_dataset.h"
#include "darp/study/spectral_exhibits.h"
#include "darp/study/study.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

/// The first rows of every array.
Dataset first_rows(const Dataset& all, int64_t rows) {
  DatasetContents contents;
  contents.observations = Matrix::copy_of(all.observations().rows_between(0, rows));
  contents.actions = Matrix::copy_of(all.actions().rows_between(0, rows));
  for (int64_t e = 0; e < all.episodes() && all.episode_begin(e) < rows; ++e)
    contents.episode_ends.push_back(std::min(rows, all.episode_end(e)));
  contents.source = all.source();
  return Dataset(std::move(contents));
}

/// One task: its demonstrations, the configs on them and the graphs, made when first needed.
class SpectralWork {
 public:
  SpectralWork(const StudySpec& spec, const std::string& name, const StudyContext& context)
      : spec_(spec), context_(context), task_(find_task(name, context.places)) {
    for (const std::string& method : spec.methods)
      configs_.push_back(method_config(spec, task_, method, 0, context.places));
    DARP_CHECK(!configs_.empty(), "a spectral study without methods");
    take_rows();
    plans_ = graph_plans(configs_);
    if (plans_.empty())
      throw Error(spec.name, "none of its methods has neighbours", "add darp, imril or mril");
  }

  /// All trainings, method by method.
  std::vector<StudyRun> runs() const {
    std::vector<StudyRun> runs;
    for (size_t m = 0; m < spec_.methods.size(); ++m)
      for (int64_t seed = 0; seed < spec_.seeds; ++seed) {
        TrainConfig config = configs_[m];
        config.train.seed = seed;
        runs.push_back({fmt::format("{}/{}/seed-{}", task_.name, spec_.methods[m], seed), config});
      }
    return runs;
  }

  SpectralTask measure(const std::vector<StudyRunResult>& results) {
    SpectralTask task{task_.name, dataset_->steps(), {}, {}};
    Progress progress(task_.name, std::ssize(plans_) + std::ssize(results), "measurements",
                      context_.options.progress);
    for (size_t g = 0; g < plans_.size(); ++g) {
      task.graphs.push_back({plans_[g], filters(g)});
      progress.advance();
    }
    task.policies.resize(results.size());
    pool_.parallel_for(std::ssize(results), 1, [&](int64_t i, int64_t) {
      const auto at = static_cast<size_t>(i);
      const size_t method = at / static_cast<size_t>(spec_.seeds);
      task.policies[at] = {spec_.methods[method], policy(results[at])};
      progress.advance();
    });
    progress.finish();
    return task;
  }

 private:
  fs::path folder(const char* what) const { return context_.options.out / what; }

  /// Fewer rows are demonstrations of their own, so that training has no others either.
  void take_rows() {
    Dataset all = read_dataset(configs_[0].data, configs_[0].reading).dataset;
    if (spec_.rows > 0 && spec_.rows < all.steps() && context_.options.planned == nullptr) {
      const fs::path file = fs::absolute(folder("data") / (task_.name + ".npz"));
      make_folders(file.parent_path());
      write_dataset(first_rows(all, spec_.rows), file);
      for (TrainConfig& config : configs_) config.data = file.string(), config.reading = {};
      dataset_.emplace(read_dataset(file).dataset);
    } else {
      dataset_.emplace(std::move(all));
    }
    hash_ = dataset_->content_hash();
    if (context_.options.planned == nullptr && dataset_->steps() > kLargestSpectrum)
      throw Error(configs_[0].data, fmt::format("has {} rows", grouped(dataset_->steps())),
                  fmt::format("a spectrum has at most {}: set rows", grouped(kLargestSpectrum)));
  }

  /// What a graph is made of.
  std::string plan_key(const GraphPlan& plan) const {
    Hasher hasher;
    hasher.add(std::string_view("spectral 1"))
        .add(hash_)
        .add(plan.name)
        .add(to_string(plan.observations))
        .add(fmt::format("{}", plan.observation_floor));
    for (const std::string& setting : changed_settings(plan.retrieval)) hasher.add(setting);
    for (const std::string& setting : changed_settings(plan.graph)) hasher.add(setting);
    return hasher.hex();
  }

  NamedNumbers filters(size_t g) {
    const std::vector<double>& lambdas = spec_.lambdas;
    const std::string key = fmt::format("{} {}", plan_key(plans_[g]), fmt::join(lambdas, " "));
    return kept_numbers(
        folder("analysis") / task_.name / fmt::format("graph-{}.json", plans_[g].name), key,
        [&] { return filter_record(*graphs()[g], *dataset_, lambdas, pool_); });
  }

  NamedNumbers policy(const StudyRunResult& result) {
    const SlopeSettings slopes;
    Hasher hasher;
    hasher.add(MappedFile(result.policy).bytes()).add(static_cast<uint64_t>(slopes.draws));
    for (const GraphPlan& plan : plans_) hasher.add(plan_key(plan));
    return kept_numbers(folder("analysis") / (result.id + ".json"), hasher.hex(), [&] {
      std::vector<const Spectrum*> spectra;
      for (const auto& graph : graphs()) spectra.push_back(&graph->spectrum);
      return policy_record(policy_function(result.policy), *dataset_, plans_, spectra, slopes);
    });
  }

  const std::vector<std::unique_ptr<const PlannedGraph>>& graphs() {
    const std::lock_guard lock(mutex_);
    if (graphs_.empty())
      for (const GraphPlan& plan : plans_)
        graphs_.push_back(std::make_unique<const PlannedGraph>(make_graph(plan, *dataset_, pool_)));
    return graphs_;
  }

  const StudySpec& spec_;
  const StudyContext& context_;
  TaskSpec task_;
  std::vector<TrainConfig> configs_;  // by method, seed 0
  std::optional<Dataset> dataset_;
  std::string hash_;
  std::vector<GraphPlan> plans_;
  ThreadPool pool_{context_.options.jobs};
  std::mutex mutex_;
  std::vector<std::unique_ptr<const PlannedGraph>> graphs_;
};

}  // namespace

std::optional<ExhibitSet> spectral_study(const StudySpec& spec, const StudyContext& context) {
  if (spec.methods.empty() || spec.tasks.empty())
    throw Error(spec.name, "has no tasks or no methods", "name some");
  std::vector<std::unique_ptr<SpectralWork>> works;
  std::vector<StudyRun> runs;
  for (const std::string& task : spec.tasks) {
    works.push_back(std::make_unique<SpectralWork>(spec, task, context));
    for (StudyRun& run : works.back()->runs()) runs.push_back(std::move(run));
  }
  const auto results = do_runs(runs, context.options);
  if (!results) return std::nullopt;

  ExhibitSet set;
  const size_t each = results->size() / works.size();
  for (size_t i = 0; i < works.size(); ++i) {
    const auto first = results->begin() + static_cast<std::ptrdiff_t>(i * each);
    const SpectralTask task = works[i]->measure({first, first + static_cast<std::ptrdiff_t>(each)});
    set.summary += (i ? "\n\n" : "") + spectral_summary(task);
    set.exhibits.push_back(claims_table(task));
    set.exhibits.push_back(roughness_table(task));
    for (const SpectralGraph& graph : task.graphs) {
      set.exhibits.push_back(filters_figure(task, graph));
      set.exhibits.push_back(energy_figure(task, graph));
      set.exhibits.push_back(kept_figure(task, graph));
    }
  }
  return set;
}

}  // namespace darp
