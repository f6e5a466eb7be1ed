// How fast neighbours are found, one thread each, beside FAISS and beside computing the history
// anew at every step; what a longer lookback costs; how long a whole table takes; what the
// approximate index gains at a million rows. All in one run. --without-hnsw leaves out the last,
// which takes minutes to build.

#include <faiss/IndexFlat.h>
#include <faiss/utils/distances.h>
#include <omp.h>

#include <cstring>

#include "bench/bench.h"
#include "bench/rollout.h"
#include "darp/data/sample_demonstrations.h"
#include "darp/retrieval/neighbor_table.h"
#include "darp/retrieval/retrieval_session.h"

namespace {

using darp::Matrix;
using darp::RetrievalSession;
using darp::RetrievalSettings;
using darp::Retriever;
using darp::SampleDemonstrations;
using darp::bench::Contender;
using darp::bench::Result;
using darp::bench::Rollout;

struct Case {
  const char* name;
  int64_t episodes, steps, cols, k, lookback;
  double ratio;
  int rounds, run_length;
};

// The paper's Hopper and Stack settings, two larger sets, and its Push-T setting.
const Case kCases[] = {
    {"1,000 x 11, k 246, lookback 13", 1, 1000, 11, 246, 13, 0.5934852692, 20, 250},
    {"4,200 x 32, k 536, lookback 23", 40, 105, 32, 536, 23, 0.298171598, 20, 100},
    {"100,000 x 32, k 500, lookback 16", 200, 500, 32, 500, 16, 1, 10, 20},
    {"1,000,000 x 32, k 500, lookback 16", 2000, 500, 32, 500, 16, 1, 5, 6},
    {"25,650 x 5, k 2,699, lookback 49", 190, 135, 5, 2699, 49, 0.6392639813, 10, 60},
};

RetrievalSettings settings_of(const Case& c, int64_t lookback, RetrievalSettings::Scope scope) {
  RetrievalSettings s;
  s.k = c.k;
  s.scope = scope;
  s.exclude = RetrievalSettings::Exclude::kNothing;
  s.index = RetrievalSettings::Index::kExact;
  s.history.lookback = lookback;
  s.history.decay = darp::HistorySettings::Decay::kPower;
  s.history.rate = -0.7;
  if (scope == RetrievalSettings::Scope::kCandidates && lookback > 1) s.ratio = c.ratio;
  return s;
}

/// A contender that pushes a rollout through a session.
Contender streaming(std::string name, const SampleDemonstrations& data,
                    const RetrievalSettings& settings, const Matrix& queries) {
  auto session = std::make_shared<RetrievalSession>(
      std::make_shared<const Retriever>(data.rows, data.ends, settings));
  auto rollout = std::make_shared<Rollout>(queries);
  return {std::move(name), [session, rollout] { session->push(rollout->next()); }};
}

/// FAISS, one query at a time. By default it compares row by row; with a threshold of 0 it goes
/// through BLAS instead.
Contender faiss_flat(std::string name, const SampleDemonstrations& data, int64_t k,
                     const Matrix& queries, int blas_threshold) {
  auto index = std::make_shared<faiss::IndexFlatL2>(data.rows.cols());
  for (int64_t i = 0; i < data.rows.rows(); ++i) index->add(1, data.rows.row(i).data());
  auto rollout = std::make_shared<Rollout>(queries);
  auto distances = std::make_shared<std::vector<float>>(k);
  auto labels = std::make_shared<std::vector<faiss::Index::idx_t>>(k);
  return {std::move(name), [=] {
            faiss::distance_compute_blas_threshold = blas_threshold;
            index->search(1, rollout->next().data(), k, distances->data(), labels->data());
          }};
}

/// The history distance of all rows computed anew at every step, as the published code does.
class Rescan {
 public:
  Rescan(const SampleDemonstrations& data, int64_t lookback, int64_t k)
      : rows_(data.rows.rows()),
        lookback_(lookback),
        k_(k),
        blocks_(data.rows),
        position_(rows_),
        distances_(blocks_.padded_rows()),
        sums_(rows_),
        selector_(k, rows_),
        rows_major_(data.rows) {
    int64_t begin = 0;
    for (const int64_t end : data.ends) {
      for (int64_t i = begin; i < end; ++i) position_[i] = i - begin;
      begin = end;
    }
    for (int64_t n = 0; n < lookback; ++n)
      weights_.push_back(static_cast<float>(std::pow(static_cast<double>(n + 1), -0.7)));
  }
  /// With the same kernels as ours: one scan for every step of the past.
  void with_kernels(const Matrix& queries, int64_t now) {
    std::fill(sums_.begin(), sums_.end(), 0.0f);
    for (int64_t n = 0; n < lookback_; ++n) {
      darp::kernels::distances(blocks_, {}, queries.row((now - n) % queries.rows()).data(),
                               distances_.data());
      for (int64_t i = n; i < rows_; ++i)
        sums_[i] += position_[i] >= n ? weights_[n] * distances_[i - n] : 0.0f;
    }
    select();
  }
  /// The formula written down: a loop over rows, steps and columns.
  void plainly(const Matrix& queries, int64_t now) {
    const int64_t cols = rows_major_.cols();
    for (int64_t i = 0; i < rows_; ++i) {
      float sum = 0;
      for (int64_t n = 0; n < lookback_ && n <= position_[i]; ++n) {
        const float* query = queries.row((now - n) % queries.rows()).data();
        const float* row = rows_major_.row(i - n).data();
        float square = 0;
        for (int64_t j = 0; j < cols; ++j) square += (query[j] - row[j]) * (query[j] - row[j]);
        sum += weights_[n] * std::sqrt(square);
      }
      sums_[i] = sum;
    }
    select();
  }

 private:
  void select() {
    selector_.select(sums_.data(), rows_, k_, {});
    selector_.sort();
  }

  int64_t rows_, lookback_, k_;
  darp::kernels::RowBlocks blocks_;
  std::vector<int64_t> position_;
  std::vector<float> distances_, sums_, weights_;
  darp::kernels::Selector selector_;
  const Matrix& rows_major_;
};

Result result_of(std::string name, const std::map<std::string, std::vector<double>>& times) {
  Result r{.name = std::move(name), .unit = "us", .rivals = {}, .extra = {}};
  for (const auto& [who, list] : times) {
    if (who == "ours") {
      r.ours = darp::bench::median(list);
      r.extra["p99"] = darp::bench::quantile(list, 0.99);
    } else {
      r.rivals[who] = darp::bench::median(list);
      r.extra["p99 " + who] = darp::bench::quantile(list, 0.99);
    }
  }
  return r;
}

void bench_case(const Case& c, std::vector<Result>& results) {
  const SampleDemonstrations data(7, 1, c.episodes, c.steps, c.cols),
      rollout(7, 2, 1, 4000, c.cols);
  const Matrix& queries = rollout.rows;
  const auto candidates = RetrievalSettings::Scope::kCandidates,
             all = RetrievalSettings::Scope::kAll;

  results.push_back(result_of(
      std::string(c.name) + ": plain",
      darp::bench::latencies({streaming("ours", data, settings_of(c, 1, candidates), queries),
                              faiss_flat("faiss", data, c.k, queries, 20),
                              faiss_flat("faiss_blas", data, c.k, queries, 0)},
                             c.rounds, c.run_length)));
  const Retriever retriever(data.rows, data.ends, settings_of(c, 1, candidates));
  results.back().extra["index bytes / raw bytes"] =
      static_cast<double>(retriever.bytes()) / static_cast<double>(data.rows.rows() * c.cols * 4);

  // Ours is the plain query here and longer lookbacks are its rivals: their ratio is what the past
  // costs.
  std::vector<Contender> lookbacks = {
      streaming("ours", data, settings_of(c, 1, candidates), queries)};
  for (const int64_t lookback : {2, 4, 8, 16, 32, 50})
    lookbacks.push_back(streaming(fmt::format("lookback_{:02}", lookback), data,
                                  settings_of(c, lookback, candidates), queries));
  lookbacks.push_back(
      streaming("lookback_of_case", data, settings_of(c, c.lookback, candidates), queries));
  results.push_back(result_of(std::string(c.name) + ": plain against streaming history",
                              darp::bench::latencies(lookbacks, c.rounds, c.run_length)));

  // All rows by history, lookback 16.
  auto rescan = std::make_shared<Rescan>(data, 16, c.k);
  auto step = std::make_shared<int64_t>(4000);
  RetrievalSettings exponential = settings_of(c, 16, all);
  exponential.history.decay = darp::HistorySettings::Decay::kExponential;
  exponential.history.rate = 0.1;
  results.push_back(result_of(
      std::string(c.name) + ": all rows, lookback 16",
      darp::bench::latencies(
          {streaming("ours", data, exponential, queries),
           streaming("ours_power_decay", data, settings_of(c, 16, all), queries),
           {"rescan", [=, &queries] { rescan->plainly(queries, (*step)++); }},
           {"rescan_our_kernels", [=, &queries] { rescan->with_kernels(queries, (*step)++); }}},
          std::max(2, c.rounds / 5), c.run_length)));
}

void bench_table(std::vector<Result>& results) {
  const Case& c = kCases[4];
  const SampleDemonstrations data(7, 1, c.episodes, c.steps, c.cols);
  RetrievalSettings settings = settings_of(c, c.lookback, RetrievalSettings::Scope::kCandidates);
  settings.exclude = RetrievalSettings::Exclude::kZero;
  const auto retriever = std::make_shared<const Retriever>(data.rows, data.ends, settings);
  darp::ThreadPool two(2), one(1);
  results.push_back(
      darp::bench::compare("neighbour table of 25,650 x 5, 2 threads",
                           {{"ours", [&] { darp::build_neighbor_table(retriever, two); }},
                            {"one_thread", [&] { darp::build_neighbor_table(retriever, one); }}},
                           1));
}

void bench_hnsw(std::vector<Result>& results) {
  const Case& c = kCases[3];
  const SampleDemonstrations data(7, 1, c.episodes, c.steps, c.cols),
      rollout(7, 2, 1, 4000, c.cols);
  RetrievalSettings settings = settings_of(c, 1, RetrievalSettings::Scope::kCandidates);
  const Contender exact = streaming("exact", data, settings, rollout.rows);
  settings.index = RetrievalSettings::Index::kHnsw;
  darp::Progress progress("hnsw", data.rows.rows(), "rows");
  const auto start = std::chrono::steady_clock::now();
  const auto retriever =
      std::make_shared<const Retriever>(data.rows, data.ends, settings, &progress);
  const std::chrono::duration<double> built = std::chrono::steady_clock::now() - start;
  progress.finish();
  fmt::print("{}\n", retriever->summary());
  auto session = std::make_shared<RetrievalSession>(retriever);
  auto queries = std::make_shared<Rollout>(rollout.rows);
  results.push_back(result_of(
      "1,000,000 x 32, k 500: approximate against exact",
      darp::bench::latencies({{"ours", [=] { session->push(queries->next()); }}, exact}, 8, 40)));

  // Recall on the rollout, too: these queries are no rows of the data.
  settings.index = RetrievalSettings::Index::kExact;
  RetrievalSession truth(std::make_shared<const Retriever>(data.rows, data.ends, settings));
  double found = 0, wanted = 0;
  for (int64_t i = 0; i < 4000; i += 40) {
    const auto got = session->push(rollout.rows.row(i)).rows,
               expected = truth.push(rollout.rows.row(i)).rows;
    std::vector<int32_t> a(got.begin(), got.end()), b(expected.begin(), expected.end()), both;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    found += static_cast<double>(both.size());
    wanted += static_cast<double>(b.size());
  }
  results.back().extra["recall"] = found / wanted;
  results.back().extra["build seconds"] = built.count();
}

}  // namespace

int main(int argc, char** argv) {
  darp::bench::prepare_blas(1, argv);
  bool hnsw = true;
  if (argc > 1 && std::strcmp(argv[argc - 1], "--without-hnsw") == 0) {
    hnsw = false;
    --argc;
  }
  const std::string json = darp::bench::json_argument(argc, argv);
  omp_set_num_threads(1);
  std::vector<Result> results;
  for (const Case& c : kCases) bench_case(c, results);
  bench_table(results);
  if (hnsw) bench_hnsw(results);
  darp::bench::report(results, json);
}
