#include "darp/study/spectral_exhibits.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "darp/core/numbers.h"

namespace darp {
namespace {

using Series = ExhibitCurves::Series;

const std::vector<double>& list(const NamedNumbers& record, const std::string& name) {
  const auto found = record.find(name);
  DARP_CHECK(found != record.end(), "no list '{}' in a record", name);
  return found->second;
}

std::vector<double> eigenvalue_grid() {
  std::vector<double> grid;
  for (int i = 0; i <= 100; ++i) grid.push_back(0.02 * i);
  return grid;
}

Series theory(const std::string& name, const std::function<double(double)>& phi) {
  Series series{.name = name, .x = eigenvalue_grid(), .y = {}};
  for (const double mu : series.x) series.y.push_back(phi(mu));
  return series;
}

/// At most some hundred points, evenly along the eigenvalue: modes crowd around 1.
Series measured(const std::string& name, const std::vector<double>& mu,
                const std::vector<double>& gain, double spacing) {
  Series series{.name = name, .x = {}, .y = {}, .points = true};
  for (size_t j = 0; j < mu.size(); ++j) {
    const bool ends = j == 0 || j + 1 == mu.size();
    if (!ends && mu[j] - series.x.back() < spacing) continue;
    series.x.push_back(mu[j]);
    series.y.push_back(gain[j]);
  }
  return series;
}

/// Methods in their order, with the records of their trainings.
std::vector<std::pair<std::string, std::vector<const NamedNumbers*>>> by_method(
    const SpectralTask& task) {
  std::vector<std::pair<std::string, std::vector<const NamedNumbers*>>> methods;
  for (const SpectralPolicy& policy : task.policies) {
    if (methods.empty() || methods.back().first != policy.method)
      methods.push_back({policy.method, {}});
    methods.back().second.push_back(&policy.record);
  }
  return methods;
}

/// The mean of what each training gives, in the band from the least to the most of them.
Series over_trainings(const std::string& name, const std::vector<double>& x,
                      const std::vector<std::vector<double>>& trainings) {
  Series series{.name = name, .x = x, .y = {}};
  for (size_t i = 0; i < x.size(); ++i) {
    std::vector<double> values;
    for (const auto& training : trainings) values.push_back(training[i]);
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    series.y.push_back(mean(values));
    series.band.push_back({*least, *most});
  }
  if (trainings.size() == 1) series.band.clear();
  return series;
}

ExhibitHeading heading(const std::string& name, const SpectralTask& task,
                       const SpectralGraph& graph, const std::string& title,
                       const std::string& note) {
  return {fmt::format("{}-{}-{}", name, task.name, graph.plan.name),
          fmt::format("{}: {}", task.name, title), note};
}

std::vector<double> shares_of(const std::vector<double>& energy) {
  return SignalModes{energy, {}}.shares();
}

double largest_gap(const NamedNumbers& record, const std::string& gain,
                   const std::function<double(double)>& phi) {
  const auto &mu = list(record, "eigenvalues"), &measured_gain = list(record, gain);
  double largest = 0;
  for (size_t j = 0; j < mu.size(); ++j)
    largest = std::max(largest, std::abs(measured_gain[j] - phi(mu[j])));
  return largest;
}

double part_of_modes(const NamedNumbers& record, const std::function<bool(double)>& has) {
  const auto& mu = list(record, "eigenvalues");
  return static_cast<double>(std::count_if(mu.begin(), mu.end(), has)) /
         static_cast<double>(mu.size());
}

double largest_of(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}

/// The part of the demonstrated actions' energy where averaging leaves less than a tenth.
double nearly_lost(const NamedNumbers& record) {
  const auto& mu = list(record, "eigenvalues");
  const std::vector<double> shares = shares_of(list(record, "demonstrated.energy"));
  double part = 0;
  for (size_t j = 0; j < mu.size(); ++j)
    if (std::abs(1 - mu[j]) < 0.1) part += shares[j];
  return part;
}

/// How much |M u - (1 - mu) u| is beside what M leaves of u, over all modes: their root mean
/// squares.
double relative_leak(const NamedNumbers& record, const std::string& map) {
  const auto &gain = list(record, map + ".gain"), &leak = list(record, map + ".leak");
  double leaked = 0, kept = 0;
  for (size_t j = 0; j < gain.size(); ++j) {
    leaked += leak[j] * leak[j];
    kept += gain[j] * gain[j];
  }
  return std::sqrt(leaked / kept);
}

struct Claim {
  std::string said, measured;
  std::function<double(const NamedNumbers&)> number;
};

std::vector<Claim> claims() {
  const auto one_minus = [](double mu) { return 1 - mu; };
  return {
      {"S u = (1 - mu) u for the modes u of the symmetric Laplacian (the paper's lemma)",
       "largest |<u, S u> - (1 - mu)|",
       [=](const NamedNumbers& r) { return largest_gap(r, "walk.gain", one_minus); }},
      {"the same", "largest part of S u outside u",
       [](const NamedNumbers& r) { return largest_of(list(r, "walk.leak")); }},
      {"S v = (1 - mu) v for the modes v = D^-1/2 u of the random walk",
       "largest |S v - (1 - mu) v|",
       [](const NamedNumbers& r) { return list(r, "walk.own.error")[0]; }},
      {"a policy's mean over its neighbours is S", "largest |<u, mean u> - (1 - mu)|",
       [=](const NamedNumbers& r) { return largest_gap(r, "retrieved.gain", one_minus); }},
      {"the same: S", "what leaves the modes over what stays (root mean squares)",
       [](const NamedNumbers& r) { return relative_leak(r, "walk"); }},
      {"the same: the mean as retrieved", "what leaves the modes over what stays",
       [](const NamedNumbers& r) { return relative_leak(r, "retrieved"); }},
      {"1 / (1 + lambda mu) minimises the penalised objective", "largest gap, over all lambdas",
       [](const NamedNumbers& r) {
         double largest = 0;
         for (size_t i = 0; i < list(r, "lambda").size(); ++i)
           largest =
               std::max(largest, largest_gap(r, fmt::format("penalty.{}.gain", i), [&](double mu) {
                          return 1 / (1 + list(r, "lambda")[i] * mu);
                        }));
         return largest;
       }},
      {"large mu are driven towards zero", "largest mu",
       [](const NamedNumbers& r) { return list(r, "eigenvalues").back(); }},
      {"the same", "gain 1 - mu there",
       [](const NamedNumbers& r) { return 1 - list(r, "eigenvalues").back(); }},
      {"modes keep their sign", "part of modes with a negative gain (mu > 1)",
       [](const NamedNumbers& r) { return part_of_modes(r, [](double mu) { return mu > 1; }); }},
      {"damps more than any fixed lambda", "part of modes that lambda = 2 damps more",
       [](const NamedNumbers& r) {
         return part_of_modes(r, [](double mu) { return std::abs(1 - mu) > 1 / (1 + 2 * mu); });
       }},
      {"damps as lambda = 1 does", "part of modes where the two differ by more than 0.1",
       [](const NamedNumbers& r) {
         return part_of_modes(r, [](double mu) { return std::abs(1 - mu - 1 / (1 + mu)) > 0.1; });
       }},
      {"averaging suppresses what the actions have at high mu",
       "part of the demonstrated energy where |1 - mu| < 0.1",
       [](const NamedNumbers& r) { return nearly_lost(r); }},
      {"degrees are alike", "largest over smallest",
       [](const NamedNumbers& r) { return list(r, "degrees")[1] / list(r, "degrees")[0]; }},
  };
}

ExhibitCell number_cell(double value) {
  return {.text = fmt::format("{:.3g}", value), .value = value};
}

/// "0.53 [0.51, 0.55]": the mean and the range over trainings.
ExhibitCell trainings_cell(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double middle = mean(values);
  std::string text = fmt::format("{:.3g}", middle);
  if (values.size() > 1) text += fmt::format(" [{:.3g}, {:.3g}]", *least, *most);
  return {.text = text, .value = middle, .interval = Interval{*least, *most}};
}

double roughness_on(const SpectralGraph& graph, const std::vector<double>& energy) {
  return roughness(list(graph.record, "eigenvalues"), shares_of(energy));
}

}  // namespace

ExhibitCurves filters_figure(const SpectralTask& task, const SpectralGraph& graph) {
  const NamedNumbers& record = graph.record;
  const auto& mu = list(record, "eigenvalues");
  ExhibitCurves figure{
      heading("filters", task, graph, fmt::format("filters on the graph of {}", graph.plan.title),
              "Lines: theory. Points: measured on this graph. Averaging: each mode u of the "
              "symmetric Laplacian through the mean over the neighbours as retrieved, projected "
              "back on u. Penalty: the minimiser of |f - a|^2 + lambda f'Lf by conjugate "
              "gradients."),
      {"eigenvalue mu"},
      {"gain"},
      {}};
  figure.series.push_back(theory("averaging, 1 - mu", [](double m) { return 1 - m; }));
  figure.series.push_back(
      measured("averaging, measured", mu, list(record, "retrieved.gain"), 0.005));
  for (size_t i = 0; i < list(record, "lambda").size(); ++i) {
    const double lambda = list(record, "lambda")[i];
    figure.series.push_back(theory(fmt::format("penalty, lambda {}", lambda),
                                   [=](double m) { return 1 / (1 + lambda * m); }));
    figure.series.push_back(measured(fmt::format("lambda {}, measured", lambda), mu,
                                     list(record, fmt::format("penalty.{}.gain", i)), 0.04));
  }
  figure.marks.push_back({0, "", true});
  figure.marks.push_back({mu.back(), "largest mu here"});
  return figure;
}

ExhibitCurves energy_figure(const SpectralTask& task, const SpectralGraph& graph) {
  const auto& mu = list(graph.record, "eigenvalues");
  const std::vector<double> grid = eigenvalue_grid();
  ExhibitCurves figure{
      heading("energy", task, graph,
              fmt::format("energy of actions by frequency, {}", graph.plan.title),
              "The part of the energy of the actions at the demonstrated states that lies in modes "
              "up to mu: the further left, the smoother. Mean over trainings, with their range."),
      {"eigenvalue mu"},
      {"part of the energy up to mu"},
      {}};
  const auto up_to = [&](const std::vector<double>& energy) {
    return energy_up_to(mu, shares_of(energy), grid);
  };
  figure.series.push_back(
      {.name = "demonstrated", .x = grid, .y = up_to(list(graph.record, "demonstrated.energy"))});
  for (const auto& [method, records] : by_method(task)) {
    std::vector<std::vector<double>> trainings;
    for (const NamedNumbers* record : records)
      trainings.push_back(up_to(list(*record, graph.plan.name + ".energy")));
    figure.series.push_back(over_trainings(method, grid, trainings));
  }
  return figure;
}

ExhibitCurves kept_figure(const SpectralTask& task, const SpectralGraph& graph) {
  const auto& mu = list(graph.record, "eigenvalues");
  const auto& demonstrated = list(graph.record, "demonstrated.energy");
  const std::vector<ModeBand> bands = mode_bands(mu, 0.1);
  std::vector<double> places;
  for (const ModeBand& band : bands) places.push_back(band.eigenvalue);
  ExhibitCurves figure{
      heading("kept", task, graph,
              fmt::format("what trained policies keep of the demonstrated actions, {}",
                          graph.plan.title),
              "For bands of mu 0.1 wide: the factor that brings the demonstrated actions nearest "
              "to the policy's. 1: reproduced; 0: nothing of it. Were a policy the filter of the "
              "theorem on the demonstrated actions, it would lie on its line."),
      {"eigenvalue mu"},
      {"gain on the demonstrated actions"},
      {}};
  figure.series.push_back(theory("1 - mu", [](double m) { return 1 - m; }));
  figure.series.push_back(theory("1 / (1 + mu)", [](double m) { return 1 / (1 + m); }));
  for (const auto& [method, records] : by_method(task)) {
    std::vector<std::vector<double>> trainings;
    for (const NamedNumbers* record : records) {
      const SignalModes modes{list(*record, graph.plan.name + ".energy"),
                              list(*record, graph.plan.name + ".shared")};
      std::vector<double>& gains = trainings.emplace_back();
      for (const ModeBand& band : bands) gains.push_back(band_gain(band, modes, demonstrated));
    }
    figure.series.push_back(over_trainings(method, places, trainings));
  }
  return figure;
}

ExhibitTable claims_table(const SpectralTask& task) {
  ExhibitTable table{{fmt::format("claims-{}", task.name),
                      fmt::format("{}: the theorems on real graphs", task.name),
                      fmt::format("{} rows. Gaps of 1e-10 and less are rounding: the statement "
                                  "holds exactly.",
                                  grouped(task.rows))},
                     {{"statement", false}, {"measured", false}},
                     {}};
  for (const SpectralGraph& graph : task.graphs) table.columns.push_back({graph.plan.title});
  for (const Claim& claim : claims()) {
    std::vector<ExhibitCell> row = {{.text = claim.said}, {.text = claim.measured}};
    for (const SpectralGraph& graph : task.graphs)
      row.push_back(number_cell(claim.number(graph.record)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

ExhibitTable roughness_table(const SpectralTask& task) {
  ExhibitTable table{
      {fmt::format("roughness-{}", task.name),
       fmt::format("{}: how smooth trained policies are", task.name),
       "Means over trainings [their range]. Roughness: f'Lf / f'f of the actions at the "
       "demonstrated states, the mean mu by energy. Slopes: |f(s + e) - f(s)| / |e| with noise e "
       "of 0.1 standard deviations, states and actions in standard deviations."},
      {{"method", false}, {"imitation error"}},
      {}};
  for (const SpectralGraph& graph : task.graphs)
    table.columns.push_back({fmt::format("roughness, {}", graph.plan.title)});
  for (const char* title : {"slope, median", "slope, 95 %", "slope, largest"})
    table.columns.push_back({title});

  std::vector<ExhibitCell>& demonstrated = table.rows.emplace_back();
  demonstrated = {{.text = "demonstrated"}, number_cell(0)};
  for (const SpectralGraph& graph : task.graphs)
    demonstrated.push_back(
        number_cell(roughness_on(graph, list(graph.record, "demonstrated.energy"))));
  demonstrated.resize(table.columns.size());

  for (const auto& [method, records] : by_method(task)) {
    const auto over = [&, &all = records](const std::function<double(const NamedNumbers&)>& of) {
      std::vector<double> values;
      for (const NamedNumbers* record : all) values.push_back(of(*record));
      return trainings_cell(values);
    };
    std::vector<ExhibitCell> row = {{.text = method}};
    row.push_back(over([](const NamedNumbers& r) { return list(r, "error")[0]; }));
    for (const SpectralGraph& graph : task.graphs)
      row.push_back(over([&](const NamedNumbers& r) {
        return roughness_on(graph, list(r, graph.plan.name + ".energy"));
      }));
    for (size_t i = 0; i < 3; ++i)
      row.push_back(over([=](const NamedNumbers& r) { return list(r, "slopes")[i]; }));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string spectral_summary(const SpectralTask& task) {
  std::string text = fmt::format("{} ({} rows).", task.name, grouped(task.rows));
  for (const SpectralGraph& graph : task.graphs) {
    const double top = list(graph.record, "eigenvalues").back();
    text += fmt::format(
        " On the graph of {} mu reaches {:.2f}; {:.0f} % of the modes lie above 1, where averaging "
        "turns them round (gain {:.2f} at the end). S leaves u up to {:.2g} of its length outside "
        "u; on the random walk's own modes it is 1 - mu to {:.1g}.",
        graph.plan.title, top, 100 * part_of_modes(graph.record, [](double mu) { return mu > 1; }),
        1 - top, largest_of(list(graph.record, "walk.leak")),
        list(graph.record, "walk.own.error")[0]);
  }
  for (const auto& [method, records] : by_method(task)) {
    std::vector<double> slopes, rough;
    for (const NamedNumbers* record : records) {
      slopes.push_back(list(*record, "slopes")[1]);
      for (const SpectralGraph& graph : task.graphs)
        if (&graph == &task.graphs.front())
          rough.push_back(roughness_on(graph, list(*record, graph.plan.name + ".energy")));
    }
    text += fmt::format(" {}: 95th percentile of slopes {:.2g}", method, mean(slopes));
    if (!rough.empty()) text += fmt::format(", roughness {:.2g}", mean(rough));
    text += '.';
  }
  return text;
}

}  // namespace darp
