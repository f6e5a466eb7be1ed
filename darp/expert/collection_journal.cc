#include "darp/expert/collection_journal.h"

#include <nlohmann/json.hpp>

#include "darp/core/checked.h"
#include "darp/core/error.h"
#include "darp/core/file.h"
#include "darp/core/hash.h"

namespace darp {
namespace {

constexpr int kJournalVersion = 1;
constexpr size_t kHashDigits = 32, kFrameBytes = sizeof(uint64_t) + kHashDigits;
constexpr const char* kJournalRemedy = "delete it to start over";

std::string journal_heading(const DemonstrationSubject& subject, const EnvironmentInfo& info) {
  using Json = nlohmann::ordered_json;
  return Json{{"kind", "darp collection"},
              {"version", kJournalVersion},
              {"program", subject.version},
              {"env", subject.environment},
              {"env_settings", subject.environment_settings},
              {"expert", subject.expert},
              {"network_hash", subject.network_hash},
              {"noise", subject.noise},
              {"observations", info.observations.dim()},
              {"actions", info.actions.dim()}}
             .dump(-1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

std::string payload_hash(Bytes payload) {
  return Hasher().add(payload).hex();
}

template <class T>
void write_vector(const std::vector<T>& values, ByteWriter& out) {
  out.write(uint64_t{values.size()}).append(std::as_bytes(std::span(values)));
}

template <class T>
std::vector<T> read_vector(ByteReader& in) {
  const auto count = in.read<uint64_t>();
  const uint64_t factors[] = {count, sizeof(T)};
  const Bytes bytes = in.take(checked_product(factors).value_or(UINT64_MAX));
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::vector<std::byte> encoded(const Demonstration& made) {
  const EpisodeRecord& record = made.record;
  ByteWriter out;
  out.write(record.seed).write(record.episode_return).write(record.length);
  out.write(uint8_t{record.success}).write(static_cast<uint8_t>(record.end));
  out.write(uint64_t{record.problem.size()}).append(record.problem);
  write_vector(made.observations, out);
  write_vector(made.actions, out);
  write_vector(made.executed, out);
  write_vector(made.rewards, out);
  write_vector(made.initial_state, out);
  write_vector(made.states, out);
  return out.release();
}

}  // namespace

std::filesystem::path CollectionJournal::path_for(const std::filesystem::path& out) {
  return std::filesystem::path(out) += ".partial";
}

CollectionJournal::CollectionJournal(const std::filesystem::path& path,
                                     const DemonstrationSubject& subject,
                                     const EnvironmentInfo& info)
    : path_(path),
      heading_(journal_heading(subject, info)),
      observation_dim_(info.observations.names.size()),
      action_dim_(info.actions.names.size()),
      lock_(FileLock::of(path, "another collection writes into it")) {
  if (std::filesystem::exists(path)) scan(MappedFile(path).bytes());
  file_ = std::make_unique<AppendFile>(path, static_cast<int64_t>(position_));
  if (position_ == 0) {
    file_->append(as_byte_span(heading_));
    position_ = heading_.size();
  }
}

void CollectionJournal::scan(Bytes bytes) {
  const std::string_view text = as_text(bytes);
  if (!text.starts_with(heading_)) {
    if (heading_.starts_with(text)) return;  // torn in its first line
    throw Error(path_.string(),
                "holds episodes of another collection (environment, settings, expert, noise or "
                "version of darp differ)",
                "go on with the command that it is from, give another --out, or delete it");
  }
  position_ = heading_.size();
  while (bytes.size() - position_ > kFrameBytes) {
    ByteReader frame(bytes.subspan(position_), path_.string());
    const auto size = frame.read<uint64_t>();
    const std::string_view hash = as_text(frame.take(kHashDigits));
    if (size > frame.remaining()) return;
    const Bytes payload = frame.take(size);
    if (payload_hash(payload) != hash) return;
    EpisodeRecord record = decode(payload).record;
    if (!places_.emplace(record.seed, Place{position_ + kFrameBytes, payload.size()}).second)
      throw Error(path_.string(), fmt::format("has seed {} twice", record.seed), kJournalRemedy);
    records_.push_back(std::move(record));
    position_ += frame.offset();
  }
}

Demonstration CollectionJournal::decode(Bytes payload) const {
  ByteReader in(payload, path_.string());
  Demonstration made;
  EpisodeRecord& record = made.record;
  record.seed = in.read<uint64_t>();
  record.episode_return = in.read<double>();
  record.length = in.read<int64_t>();
  record.success = in.read<uint8_t>() != 0;
  const auto end = in.read<uint8_t>();
  record.end = static_cast<EpisodeEnd>(end);
  record.problem = as_text(in.take(in.read<uint64_t>()));
  made.observations = read_vector<float>(in);
  made.actions = read_vector<float>(in);
  made.executed = read_vector<float>(in);
  made.rewards = read_vector<double>(in);
  made.initial_state = read_vector<double>(in);
  made.states = read_vector<double>(in);
  const size_t steps = made.rewards.size();
  const bool fits =
      in.done() && end > 0 && end < kEpisodeEnds && record.length == static_cast<int64_t>(steps) &&
      made.observations.size() == steps * observation_dim_ &&
      made.actions.size() == steps * action_dim_ &&
      (made.executed.empty() || made.executed.size() == made.actions.size()) &&
      (made.states.empty() || made.states.size() == steps * made.initial_state.size());
  if (!fits)
    throw Error(path_.string(), fmt::format("seed {} is not an episode", record.seed),
                kJournalRemedy);
  return made;
}

void CollectionJournal::append(const Demonstration& made) {
  const std::vector<std::byte> payload = encoded(made);
  ByteWriter frame;
  frame.write(uint64_t{payload.size()}).append(payload_hash(payload)).append(payload);
  file_->append(frame.bytes());
  places_[made.record.seed] = {position_ + kFrameBytes, payload.size()};
  position_ += frame.size();
}

Demonstration CollectionJournal::read(uint64_t seed) const {
  const auto found = places_.find(seed);
  DARP_CHECK(found != places_.end(), "seed {} is not in {}", seed, path_.string());
  const MappedFile file(path_);
  ByteReader in(file.bytes(), path_.string());
  in.seek(found->second.begin - kHashDigits);
  const std::string_view hash = as_text(in.take(kHashDigits));
  const Bytes payload = in.take(found->second.size);
  if (payload_hash(payload) != hash)
    throw Error(path_.string(), fmt::format("seed {} has changed since it was written", seed),
                kJournalRemedy);
  return decode(payload);
}

void CollectionJournal::remove() {
  file_.reset();
  std::error_code failed;
  if (!std::filesystem::remove(path_, failed) && failed)
    throw Error(path_.string(), fmt::format("cannot be deleted: {}", failed.message()),
                "delete it yourself: the collection is complete");
}

}  // namespace darp
