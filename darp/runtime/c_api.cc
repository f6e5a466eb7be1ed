#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <string>

#include "darp.h"
#include "darp/runtime/realtime_policy.h"

struct darp_model {
  std::shared_ptr<const darp::RealtimeModel> model;
  std::string summary;
};

struct darp_policy {
  darp::RealtimePolicy policy;
  std::vector<darp::ExplainedNeighbor> neighbors;  // as many as there can be
};

namespace {

using darp::ActStatus;
using darp::Error;

static_assert(DARP_OK == static_cast<int>(ActStatus::kOk));
static_assert(DARP_WRONG_SIZE == static_cast<int>(ActStatus::kWrongSize));
static_assert(DARP_NOT_FINITE == static_cast<int>(ActStatus::kNotFinite));
static_assert(DARP_TOO_LARGE == static_cast<int>(ActStatus::kTooLarge));
static_assert(DARP_NO_NEIGHBORS == static_cast<int>(ActStatus::kNoNeighbors));
static_assert(DARP_NO_ACTION == static_cast<int>(ActStatus::kNoAction));

/// Not a string: to say that memory is short takes none.
thread_local std::array<char, 2048> last_error{};

void set_last_error(const char* text) noexcept {
  const size_t length = std::min(std::strlen(text), last_error.size() - 1);
  std::copy_n(text, length, last_error.data());
  last_error[length] = '\0';
}

/// What `make` gives; null, with the reason for darp_last_error, if it throws.
template <class Make>
auto made_or_null(const Make& make) noexcept -> decltype(make()) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    set_last_error("not enough memory; free some, or use a policy with fewer demonstrations");
  } catch (const std::exception& error) {
    set_last_error(error.what());
  } catch (...) {
    set_last_error("failed for an unknown reason");
  }
  return nullptr;
}

darp::Precision precision_of(darp_precision precision) {
  switch (precision) {
    case DARP_FP32:
      return darp::Precision::kFloat32;
    case DARP_BF16:
      return darp::Precision::kBfloat16;
    default:
      throw Error("precision", fmt::format("{} is none", precision), "give DARP_FP32 or DARP_BF16");
  }
}

darp::RealtimeOptions::OnFault on_fault_of(darp_on_fault on_fault) {
  switch (on_fault) {
    case DARP_LAST_GOOD:
      return darp::RealtimeOptions::OnFault::kLastGood;
    case DARP_HOLD:
      return darp::RealtimeOptions::OnFault::kHold;
    default:
      throw Error("options: on_fault", fmt::format("{} is no such choice", on_fault),
                  "give DARP_LAST_GOOD or DARP_HOLD");
  }
}

/// The fields that this library knows. A newer program's further ones must be zero, since they
/// would be ignored.
darp_options known_fields(const darp_options& given) {
  // Up to the last field of the first version, and more than any will have.
  constexpr size_t kFirstSize = offsetof(darp_options, hold_count) + sizeof(size_t);
  constexpr size_t kMostSize = 4096;
  if (given.size < kFirstSize || given.size > kMostSize)
    throw Error("options: size", fmt::format("{} bytes is none", given.size),
                "start from DARP_OPTIONS_INIT");
  darp_options known = DARP_OPTIONS_INIT;
  std::memcpy(&known, &given, std::min(given.size, sizeof known));
  const auto* bytes = reinterpret_cast<const unsigned char*>(&given);
  if (std::any_of(bytes + std::min(given.size, sizeof known), bytes + given.size,
                  [](unsigned char byte) { return byte != 0; }))
    throw Error("options", "set something that this version of darp does not know",
                "link the version that the program was compiled for");
  return known;
}

darp::RealtimeOptions options_of(const darp_options* given) {
  darp::RealtimeOptions options;
  if (given == nullptr) return options;
  const darp_options known = known_fields(*given);
  options.on_fault = on_fault_of(known.on_fault);
  if ((known.hold == nullptr) != (known.hold_count == 0))
    throw Error("options: hold",
                known.hold == nullptr ? "is NULL, but hold_count is not 0"
                                      : "is given, but hold_count is 0",
                "give an action and its size, or NULL and 0");
  options.hold.assign(known.hold, known.hold + known.hold_count);
  return options;
}

}  // namespace

const char* darp_version(void) {
  return DARP_VERSION;
}

const char* darp_last_error(void) {
  return last_error.data();
}

darp_model* darp_model_load(const char* path, darp_precision precision) {
  return made_or_null([&] {
    if (path == nullptr) throw Error("path", "is NULL", "give the name of a policy file");
    auto model = darp::RealtimeModel::load(path, precision_of(precision));
    std::string summary = model->summary();
    return new darp_model{std::move(model), std::move(summary)};
  });
}

void darp_model_free(darp_model* model) {
  delete model;
}

size_t darp_model_observation_dim(const darp_model* model) {
  return model == nullptr ? 0 : static_cast<size_t>(model->model->observation_dim());
}

size_t darp_model_action_dim(const darp_model* model) {
  return model == nullptr ? 0 : static_cast<size_t>(model->model->action_dim());
}

size_t darp_model_most_neighbors(const darp_model* model) {
  return model == nullptr ? 0 : static_cast<size_t>(model->model->most_neighbors());
}

const char* darp_model_summary(const darp_model* model) {
  return model == nullptr ? "" : model->summary.c_str();
}

const char* darp_model_notice(const darp_model* model) {
  return model == nullptr ? "" : model->model->notice().c_str();
}

darp_policy* darp_policy_create(const darp_model* model, const darp_options* options) {
  return made_or_null([&] {
    if (model == nullptr)
      throw Error("model", "is NULL", "give one that darp_model_load has loaded");
    return new darp_policy{darp::RealtimePolicy(model->model, options_of(options)),
                           std::vector<darp::ExplainedNeighbor>(darp_model_most_neighbors(model))};
  });
}

void darp_policy_free(darp_policy* policy) {
  delete policy;
}

void darp_policy_warm_up(darp_policy* policy) {
  if (policy != nullptr) policy->policy.warm_up();
}

void darp_policy_reset(darp_policy* policy) {
  darp_policy_reset_seeded(policy, 0);
}

void darp_policy_reset_seeded(darp_policy* policy, uint64_t seed) {
  if (policy != nullptr) policy->policy.reset(seed);
}

const char* darp_status_text(darp_status status) {
  return status == DARP_NO_POLICY ? "the policy is NULL"
                                  : darp::describe(static_cast<ActStatus>(status));
}

darp_status darp_policy_act(darp_policy* policy, const float* observation, size_t observation_count,
                            float* action, size_t action_count) {
  // What is NULL has no numbers, which is a wrong size.
  const std::span<const float> in(observation, observation == nullptr ? 0 : observation_count);
  const std::span<float> out(action, action == nullptr ? 0 : action_count);
  if (policy != nullptr) return static_cast<darp_status>(policy->policy.act(in, out));
  std::ranges::fill(out, 0.0f);
  return DARP_NO_POLICY;
}

float darp_policy_novelty(const darp_policy* policy) {
  return policy == nullptr ? -1 : policy->policy.novelty();
}

size_t darp_policy_explain(darp_policy* policy, darp_neighbor* neighbors, size_t most,
                           float* proposals) {
  if (policy == nullptr || neighbors == nullptr) return 0;
  const auto found = std::span(policy->neighbors).first(std::min(most, policy->neighbors.size()));
  const auto action_dim = static_cast<size_t>(policy->policy.model().action_dim());
  const auto count = static_cast<size_t>(policy->policy.explain(
      found, {proposals, proposals == nullptr ? 0 : found.size() * action_dim}));
  for (size_t i = 0; i < count; ++i)
    neighbors[i] = {found[i].row, found[i].episode, found[i].time, found[i].distance};
  return count;
}
