#include "darp/expert/demonstration_file.h"

#include <nlohmann/json.hpp>

#include "darp/core/error.h"

namespace darp {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr int kRobomimicGym = 2;  // robomimic's number for environments of Gym
constexpr const char* kNotCollected = "give a file of darp collect";

std::string json_line(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

/// {"a": {"b": c}} for "a.b=c".
OrderedJson settings_object(const std::vector<std::string>& settings) {
  OrderedJson object = OrderedJson::object();
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    OrderedJson* place = &object;
    std::string_view path = std::string_view(setting).substr(0, equals);
    for (size_t dot; (dot = path.find('.')) != path.npos; path.remove_prefix(dot + 1))
      place = &(*place)[std::string(path.substr(0, dot))];
    const std::string value = equals == setting.npos ? "" : setting.substr(equals + 1);
    const OrderedJson parsed = OrderedJson::parse(value, nullptr, false);
    (*place)[std::string(path)] = parsed.is_discarded() ? OrderedJson(value) : parsed;
  }
  return object;
}

OrderedJson provenance_object(const Provenance& provenance, int64_t kept) {
  const DemonstrationSubject& subject = provenance.subject;
  const EpisodeChoice& choice = provenance.choice;
  OrderedJson json = {{"program", "darp"},
                      {"version", subject.version},
                      {"command", provenance.command},
                      {"environment", subject.environment},
                      {"environment_settings", settings_object(subject.environment_settings)},
                      {"expert", subject.expert},
                      {"network_hash", subject.network_hash},
                      {"noise", subject.noise},
                      {"success_only", choice.success_only},
                      {"min_return", nullptr},
                      {"seeds", choice.seeds.text()},
                      {"tried", provenance.tried},
                      {"kept", kept}};
  if (choice.min_return) json["min_return"] = *choice.min_return;
  return json;
}

MatrixView demonstration_rows(const std::vector<float>& values, const Space& space) {
  const int64_t cols = space.dim(), rows = static_cast<int64_t>(values.size()) / cols;
  return {values.data(), rows, cols, cols};
}

/// What a demonstration must have, whoever made it.
void check_demonstration(const Demonstration& made, const EnvironmentInfo& info) {
  const auto steps = static_cast<size_t>(made.record.length);
  const size_t actions = steps * info.actions.names.size();
  DARP_CHECK(steps > 0 && made.rewards.size() == steps && made.actions.size() == actions &&
                 made.observations.size() == steps * info.observations.names.size() &&
                 (made.executed.empty() || made.executed.size() == actions) &&
                 (made.states.empty() || made.states.size() == steps * made.initial_state.size()),
             "seed {} has arrays that do not fit its {} steps", made.record.seed, steps);
}

}  // namespace

DemonstrationWriter::DemonstrationWriter(const std::filesystem::path& path, EnvironmentInfo info,
                                         StoredStates states)
    : info_(std::move(info)), states_(states), out_(path) {
  out_.group("/data");
}

void DemonstrationWriter::add(const Demonstration& made) {
  check_demonstration(made, info_);
  const EpisodeRecord& record = made.record;
  const std::string group = fmt::format("/data/demo_{}", episodes_);
  out_.floats(group + "/actions", demonstration_rows(made.actions, info_.actions));
  if (!made.executed.empty())
    out_.floats(group + "/executed_actions", demonstration_rows(made.executed, info_.actions));
  out_.floats(group + "/obs/" + std::string(kDemonstrationKey),
              demonstration_rows(made.observations, info_.observations));
  out_.doubles(group + "/rewards", made.rewards);
  std::vector<uint8_t> dones(made.rewards.size(), 0);
  dones.back() = 1;
  out_.bytes(group + "/dones", dones);
  if (states_ == StoredStates::kEvery && !made.states.empty())
    out_.doubles(group + "/states", made.states, static_cast<int64_t>(made.initial_state.size()));
  else
    out_.doubles(group + "/initial_state", made.initial_state);
  out_.attribute(group, "num_samples", record.length);
  out_.attribute(group, "seed", record.seed);
  out_.attribute(group, "return", record.episode_return);
  out_.attribute(group, "success", int64_t{record.success});
  out_.attribute(group, "end", std::string(name_of(record.end)));
  ++episodes_;
  steps_ += record.length;
}

void DemonstrationWriter::finish(const Provenance& provenance) {
  const DemonstrationSubject& subject = provenance.subject;
  out_.attribute("/data", "total", steps_);
  out_.attribute("/data", "env_args",
                 json_line({{"env_name", subject.environment},
                            {"type", kRobomimicGym},
                            {"env_kwargs", settings_object(subject.environment_settings)}}));
  out_.attribute("/data", "observation_keys", json_line(OrderedJson::array({kDemonstrationKey})));
  out_.attribute("/data", "observation_names", json_line(info_.observations.names));
  out_.attribute("/data", "action_names", json_line(info_.actions.names));
  out_.attribute("/data", "provenance", json_line(provenance_object(provenance, episodes_)));
  out_.finish();
}

namespace {

template <class T>
T required_attribute(std::optional<T> value, const Hdf5Group& group, std::string_view name) {
  if (!value) throw Error(group.where(), fmt::format("has no attribute '{}'", name), kNotCollected);
  return std::move(*value);
}

std::vector<float> read_float_rows(const Hdf5Group& group, const std::string& name, uint64_t rows) {
  const Hdf5Dataset dataset = group.floats(name, rows);
  std::vector<float> values(rows * dataset.width());
  dataset.read_floats(rows, values.data());
  return values;
}

EpisodeRecord record_of(const Hdf5Group& demo) {
  EpisodeRecord record;
  record.seed = required_attribute(demo.unsigned_attribute("seed"), demo, "seed");
  record.episode_return = required_attribute(demo.number_attribute("return"), demo, "return");
  record.length = static_cast<int64_t>(demo.dataset("actions").rows());
  record.success = required_attribute(demo.unsigned_attribute("success"), demo, "success") != 0;
  record.end = episode_end_named(required_attribute(demo.text_attribute("end"), demo, "end"));
  return record;
}

}  // namespace

DemonstrationReader::DemonstrationReader(const std::filesystem::path& path)
    : file_(Hdf5Group::open_file(path)),
      data_(file_.group("data")),
      names_(data_.numbered_children("demo_")) {}

EpisodeRecord DemonstrationReader::record(int64_t episode) const {
  return record_of(data_.group(names_.at(static_cast<size_t>(episode))));
}

Demonstration DemonstrationReader::demonstration(int64_t episode) const {
  const Hdf5Group demo = data_.group(names_.at(static_cast<size_t>(episode)));
  Demonstration made;
  made.record = record_of(demo);
  const auto steps = static_cast<uint64_t>(made.record.length);
  made.observations = read_float_rows(demo, fmt::format("obs/{}", kDemonstrationKey), steps);
  made.actions = read_float_rows(demo, "actions", steps);
  if (demo.contains("executed_actions"))
    made.executed = read_float_rows(demo, "executed_actions", steps);
  made.rewards = demo.floats("rewards", steps, 1).read_doubles();
  if (demo.contains("states")) {
    const Hdf5Dataset states = demo.floats("states", steps);
    made.states = states.read_doubles();
    made.initial_state.assign(made.states.begin(),
                              made.states.begin() + static_cast<int64_t>(states.width()));
  } else {
    made.initial_state = demo.floats("initial_state").read_doubles();
  }
  return made;
}

std::string DemonstrationReader::provenance() const {
  return required_attribute(data_.text_attribute("provenance"), data_, "provenance");
}

}  // namespace darp
