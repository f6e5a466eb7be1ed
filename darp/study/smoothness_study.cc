// The paper's one-dimensional illustration, with the trainings that everything else uses: noisy
// samples of a sine, fitted by each method (docs/studies/theory.md).

#include <algorithm>
#include <cmath>
#include <numbers>

#include "darp/core/hash.h"
#include "darp/core/make_folders.h"
#include "darp/core/numbers.h"
#include "darp/data/ingest/read_dataset.h"
#include "darp/study/analysis/kept_numbers.h"
#include "darp/study/analysis/smoothness_curve.h"
#include "darp/study/study.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

constexpr size_t kGridSteps = 2000, kApart = 40;

/// From the first sample to the last: what a fit does outside is another question.
struct CurveGrid {
  explicit CurveGrid(const CurveSettings& settings) {
    const std::vector<double> samples = curve_places(settings);
    spacing = (samples.back() - samples.front()) / kGridSteps;
    for (size_t i = 0; i <= kGridSteps; ++i)
      places.push_back(samples.front() + spacing * static_cast<double>(i));
  }
  std::vector<double> places;
  double spacing;
};

/// One training for each method and noise.
std::vector<StudyRun> curve_runs(const StudySpec& spec, const StudyContext& context) {
  std::vector<StudyRun> runs;
  for (const std::string& method : spec.methods)
    for (int64_t seed = 0; seed < spec.seeds; ++seed) {
      const fs::path file =
          fs::absolute(context.options.out / "data" / fmt::format("seed-{}.npz", seed));
      if (context.options.planned == nullptr) {
        make_folders(file.parent_path());
        write_dataset(curve_samples(spec.curve, static_cast<uint64_t>(seed)), file);
      }
      const TaskSpec task{.name = "curve",
                          .environment = "",
                          .configs = "configs/curve",
                          .demonstrations = file.string(),
                          .bundled = file.string()};
      runs.push_back({fmt::format("{}/seed-{}", method, seed),
                      method_config(spec, task, method, seed, context.places)});
    }
  return runs;
}

/// A method's fits on the grid, by seed.
struct CurveMethod {
  std::string name;
  std::vector<std::vector<double>> fits;
  std::vector<double> sample_errors;  // mean squared, at the samples
};

CurveMethod curve_method(const StudySpec& spec, const std::string& name,
                         std::span<const StudyRunResult> results, const StudyContext& context) {
  CurveMethod method{name, {}, {}};
  for (size_t seed = 0; seed < results.size(); ++seed) {
    const fs::path file = context.options.out / "analysis" / (results[seed].id + ".json");
    const std::string key = Hasher()
                                .add(MappedFile(results[seed].policy).bytes())
                                .add(uint64_t{kGridSteps})
                                .add(std::string_view("within samples"))
                                .hex();
    const NamedNumbers record = kept_numbers(file, key, [&] {
      const PolicyFunction function = policy_function(results[seed].policy);
      const Dataset samples = curve_samples(spec.curve, seed);
      std::vector<double> places;
      for (int64_t i = 0; i < samples.steps(); ++i) places.push_back(samples.observations()(i, 0));
      const std::vector<double> there = curve_fit(function, places);
      double squares = 0;
      for (size_t i = 0; i < there.size(); ++i)
        squares += std::pow(there[i] - samples.actions()(static_cast<int64_t>(i), 0), 2);
      return NamedNumbers{{"fit", curve_fit(function, CurveGrid(spec.curve).places)},
                          {"error", {squares / static_cast<double>(there.size())}}};
    });
    method.fits.push_back(record.at("fit"));
    method.sample_errors.push_back(record.at("error")[0]);
  }
  return method;
}

/// Every fourth point of the grid: enough to draw.
std::vector<double> thinned(const std::vector<double>& values) {
  std::vector<double> some;
  for (size_t i = 0; i < values.size(); i += 4) some.push_back(values[i]);
  return some;
}

ExhibitCurves::Series truth_series(const StudySpec& spec) {
  ExhibitCurves::Series series{
      .name = "truth", .x = thinned(CurveGrid(spec.curve).places), .y = {}};
  for (const double x : series.x) series.y.push_back(curve_truth(spec.curve, x));
  return series;
}

ExhibitCurves::Series sample_series(const StudySpec& spec) {
  const Dataset samples = curve_samples(spec.curve, 0);
  ExhibitCurves::Series series{.name = "samples", .x = {}, .y = {}, .points = true};
  for (int64_t i = 0; i < samples.steps(); ++i) {
    series.x.push_back(samples.observations()(i, 0));
    series.y.push_back(samples.actions()(i, 0));
  }
  return series;
}

ExhibitCurves all_fits_figure(const StudySpec& spec, const std::vector<CurveMethod>& methods) {
  ExhibitCurves figure{
      {"fits", "Fits to the same noisy samples", "Every method once, on the first samples."},
      {"x"},
      {"f(x)"},
      {truth_series(spec), sample_series(spec)}};
  for (const CurveMethod& method : methods)
    figure.series.push_back({.name = method.name,
                             .x = thinned(CurveGrid(spec.curve).places),
                             .y = thinned(method.fits[0])});
  return figure;
}

ExhibitCurves method_figure(const StudySpec& spec, const CurveMethod& method) {
  const std::vector<double> grid = CurveGrid(spec.curve).places;
  ExhibitCurves::Series middle{.name = "mean of all fits", .x = thinned(grid), .y = {}};
  for (size_t i = 0; i < grid.size(); i += 4) {
    std::vector<double> values;
    for (const auto& fit : method.fits) values.push_back(fit[i]);
    const double center = mean(values), spread = standard_deviation(values);
    middle.y.push_back(center);
    middle.band.push_back({center - spread, center + spread});
  }
  return {{"fit-" + method.name, method.name + ": one fit, and all of them",
           fmt::format("The band is one standard deviation over {} of the samples, each with "
                       "its own training.",
                       counted(std::ssize(method.fits), "draw"))},
          {"x"},
          {"f(x)"},
          {truth_series(spec),
           sample_series(spec),
           middle,
           {.name = "one fit", .x = thinned(grid), .y = thinned(method.fits[0])}}};
}

/// "4.1 [3.9, 4.6]": the mean of the fits' numbers and their range.
ExhibitCell fits_cell(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  std::string text = fmt::format("{:.3g}", mean(values));
  if (values.size() > 1) text += fmt::format(" [{:.3g}, {:.3g}]", *least, *most);
  return {.text = text, .value = mean(values), .interval = Interval{*least, *most}};
}

ExhibitCell curve_cell(double value) {
  return {.text = fmt::format("{:.3g}", value), .value = value};
}

std::vector<double> curve_truths(const StudySpec& spec) {
  std::vector<double> truth;
  for (const double x : CurveGrid(spec.curve).places) truth.push_back(curve_truth(spec.curve, x));
  return truth;
}

std::vector<ExhibitCell> shape_cells(const std::vector<std::vector<double>>& fits, double spacing) {
  std::vector<double> variations, slopes, jumps;
  for (const auto& fit : fits) {
    variations.push_back(total_variation(fit));
    slopes.push_back(steepest_slope(fit, spacing, kApart));
    jumps.push_back(steepest_slope(fit, spacing, 1));
  }
  return {fits_cell(variations), fits_cell(slopes), fits_cell(jumps)};
}

ExhibitTable curve_table(const StudySpec& spec, const std::vector<CurveMethod>& methods) {
  const std::vector<double> truth = curve_truths(spec);
  const double spacing = CurveGrid(spec.curve).spacing;
  ExhibitTable table{
      {"fits-table", "Fits by numbers",
       fmt::format("{} with noise of standard deviation {}, so a fit that goes through all of "
                   "them has error 0 there. Error to the truth = squared bias + variance, means "
                   "over x. The steepest slopes over {} of {} places and over one, "
                   "where a jump shows. In brackets the range over draws of the noise.",
                   counted(spec.curve.samples, "sample"), spec.curve.noise, kApart,
                   grouped(kGridSteps + 1))},
      {{"method", false},
       {"error at the samples"},
       {"error to the truth"},
       {"squared bias"},
       {"variance"},
       {"total variation"},
       {fmt::format("slope over {:.1g}", kApart * spacing)},
       {fmt::format("slope over {:.1g}", spacing)}},
      {}};
  std::vector<ExhibitCell> first = {{.text = "truth"},
                                    curve_cell(spec.curve.noise * spec.curve.noise),
                                    curve_cell(0),
                                    curve_cell(0),
                                    curve_cell(0)};
  for (ExhibitCell& cell : shape_cells({truth}, spacing)) first.push_back(std::move(cell));
  table.rows.push_back(std::move(first));
  for (const CurveMethod& method : methods) {
    const CurveErrors errors = curve_errors(method.fits, truth);
    std::vector<ExhibitCell> row = {{.text = method.name},
                                    fits_cell(method.sample_errors),
                                    curve_cell(errors.squared_error),
                                    curve_cell(errors.squared_bias),
                                    curve_cell(errors.variance)};
    for (ExhibitCell& cell : shape_cells(method.fits, spacing)) row.push_back(std::move(cell));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string curve_summary(const StudySpec& spec, const std::vector<CurveMethod>& methods) {
  const std::vector<double> truth = curve_truths(spec);
  const double spacing = CurveGrid(spec.curve).spacing;
  std::string text;
  for (const CurveMethod& method : methods) {
    const CurveErrors errors = curve_errors(method.fits, truth);
    std::vector<double> variations, jumps;
    for (const auto& fit : method.fits) {
      variations.push_back(total_variation(fit));
      jumps.push_back(steepest_slope(fit, spacing, 1));
    }
    text += fmt::format(
        "{}{}: error to the truth {:.2g} (variance {:.2g}), total variation {:.3g} (the truth's "
        "is {:.3g}), steepest slope {:.3g} (the truth's {:.3g}).",
        text.empty() ? "" : " ", method.name, errors.squared_error, errors.variance,
        mean(variations), total_variation(truth), mean(jumps), steepest_slope(truth, spacing, 1));
  }
  return text;
}

}  // namespace

std::optional<ExhibitSet> smoothness_study(const StudySpec& spec, const StudyContext& context) {
  if (spec.methods.empty()) throw Error(spec.name, "has no methods", "name some");
  const auto results = do_runs(curve_runs(spec, context), context.options);
  if (!results) return std::nullopt;
  std::vector<CurveMethod> methods;
  const auto seeds = static_cast<size_t>(spec.seeds);
  for (size_t m = 0; m < spec.methods.size(); ++m)
    methods.push_back(curve_method(spec, spec.methods[m],
                                   std::span(*results).subspan(m * seeds, seeds), context));
  ExhibitSet set;
  set.summary = curve_summary(spec, methods);
  set.exhibits.push_back(curve_table(spec, methods));
  set.exhibits.push_back(all_fits_figure(spec, methods));
  for (const CurveMethod& method : methods) set.exhibits.push_back(method_figure(spec, method));
  return set;
}

}  // namespace darp
