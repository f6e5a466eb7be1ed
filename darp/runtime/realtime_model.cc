#include "darp/runtime/realtime_model.h"

#include <fmt/ranges.h>

#include "darp/core/numbers.h"
#include "darp/core/suggest.h"
#include "darp/kernels/bfloat_level.h"
#include "darp/policy/action_chunks.h"
#include "darp/policy/make_retriever.h"
#include "darp/runtime/realtime_member.h"
#include "darp/runtime/realtime_regent.h"

namespace darp {
namespace {

constexpr std::string_view kPrecisions[] = {"fp32", "bf16"};

/// "network 25-128-128-128-3", "10 networks 11-256-256-3".
std::string describe_networks(const PolicyArchive& archive) {
  const PolicySpec& spec = archive.spec();
  if (const auto* regent = spec.as<RegentSpec>())
    return fmt::format(
        "{} of {} and width {}",
        spec.members == 1 ? "a transformer" : fmt::format("{} transformers", spec.members),
        counted(regent->transformer.layers, "block"), regent->transformer.width);
  if (spec.network() == nullptr) return "no network";
  std::vector<int64_t> widths = spec.network()->hidden;
  widths.insert(widths.begin(), spec.inputs(archive.observation_dim(), archive.action_dim()));
  widths.push_back(spec.features(archive.action_dim()));
  return fmt::format("{} {}",
                     spec.members == 1 ? "network" : fmt::format("{} networks", spec.members),
                     fmt::join(widths, "-"));
}

/// Standardised states and actions side by side.
Matrix joined(const PolicyArchive& archive) {
  const DemonstrationRows& rows = archive.demonstrations();
  const int64_t states = archive.observation_dim();
  Matrix both = Matrix::zeros(rows.observations.rows(), states + archive.action_dim());
  for (int64_t i = 0; i < both.rows(); ++i) {
    const std::span<float> row = both.row(i);
    archive.observations().apply(rows.observations.row(i), row.first(states));
    archive.actions().apply(rows.actions.row(i), row.subspan(states));
  }
  return both;
}

}  // namespace

std::string_view to_string(Precision precision) {
  return kPrecisions[static_cast<size_t>(precision)];
}

Precision precision_named(std::string_view name) {
  for (const Precision precision : {Precision::kFloat32, Precision::kBfloat16})
    if (name == to_string(precision)) return precision;
  const std::vector<std::string> names(std::begin(kPrecisions), std::end(kPrecisions));
  throw Error("precision", fmt::format("'{}' is none", printable(name)), suggestion(name, names));
}

RealtimeModel::RealtimeModel(const PolicyArchive& archive, Precision wanted, Progress* progress)
    : observations_(archive.observations()),
      actions_(archive.actions_in_use()),
      chooser_(archive),
      quantiles_(archive.distance_quantiles().begin(), archive.distance_quantiles().end()),
      precision_(wanted),
      network_(describe_networks(archive)) {
  if (wanted == Precision::kBfloat16 &&
      kernels::bfloat_level() == kernels::BfloatLevel::kPortable) {
    precision_ = Precision::kFloat32;
    notice_ = "this CPU does not multiply bfloat16 numbers faster than float ones: running in fp32";
  }
  const PolicySpec& spec = archive.spec();
  if (precision_ == Precision::kBfloat16 && spec.as<RegentSpec>() != nullptr) {
    precision_ = Precision::kFloat32;
    notice_ = "REGENT's transformer is multiplied in fp32";
  }
  if (!spec.runs_in_runtime())
    throw Error("policy", fmt::format("the runtime does not execute the kind {}", spec.kind_name()),
                "act with LibTorch: darp eval --executor torch");
  Matrix rows;
  if (spec.retrieval() != nullptr) {
    rows = joined(archive);
    set_rows(archive, rows, progress);
  }
  if (spec.as<RegentSpec>() != nullptr)
    for (int64_t m = 0; m < spec.members; ++m)
      regents_.push_back(std::make_unique<const RealtimeRegent>(archive, m));
  if (spec.network() == nullptr) return;
  for (int64_t m = 0; m < spec.members; ++m)
    members_.push_back(std::make_unique<const RealtimeMember>(archive, m, rows,
                                                              precision_ == Precision::kBfloat16));
}

/// What the demonstrations are needed for beside the networks' first layer.
void RealtimeModel::set_rows(const PolicyArchive& archive, MatrixView rows, Progress* progress) {
  const PolicySpec& spec = archive.spec();
  const std::vector<int64_t>& ends = archive.demonstrations().episode_ends;
  const MatrixView states = rows.cols_between(0, observation_dim());
  retriever_ = make_retriever(*spec.retrieval(), observations_, states, ends, progress);
  if (const auto* lwr = spec.as<LwrSpec>()) local_ = *lwr;
  const bool sees_actions = local_ || spec.as<RegentSpec>() != nullptr;
  if (sees_actions)
    chunks_ =
        action_chunks(rows.cols_between(observation_dim(), rows.cols()), ends, spec.chunk.length);
  if (spec.darp() != nullptr && spec.aggregation().weighs())
    bandwidth_ = spec.aggregation().bandwidth;
  measures_distances_ =
      spec.darp() != nullptr &&
      (bandwidth_ > 0 || spec.network_input().difference == NeighborInput::Difference::kNorm);
  if (measures_distances_ || sees_actions) states_ = Matrix::copy_of(states);
  proposes_ = spec.darp() != nullptr && !spec.head().is_distribution() && spec.chunk.length == 1 &&
              spec.aggregation().kind == AggregationSettings::Kind::kMean;
  if (!proposes_) demonstrated_ = Matrix::copy_of(archive.demonstrations().actions);
}

RealtimeModel::~RealtimeModel() = default;

std::shared_ptr<const RealtimeModel> RealtimeModel::load(const std::filesystem::path& path,
                                                         Precision wanted) {
  const PolicyArchive archive = PolicyArchive::read(path);
  try {
    return std::make_shared<const RealtimeModel>(archive, wanted);
  } catch (const Error& error) {
    throw Error(path.string(), error.what(), "");
  }
}

std::string RealtimeModel::summary() const {
  return fmt::format(
      "{}{}, {}",
      retriever_ ? fmt::format("{}, {} neighbours, ", retriever_->summary(), most_neighbors()) : "",
      network_, to_string(precision_));
}

size_t RealtimeModel::bytes() const {
  size_t sum = states_.bytes() + chunks_.bytes() + demonstrated_.bytes() +
               (retriever_ ? retriever_->bytes() : 0);
  for (const auto& member : members_) sum += member->bytes();
  for (const auto& member : regents_) sum += member->bytes();
  return sum;
}

}  // namespace darp
