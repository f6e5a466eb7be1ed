// A plan as bytes: how a reading process hands its result over.

#include "darp/data/ingest/read_plan.h"

namespace darp {
namespace {

void encode_text(ByteWriter& out, std::string_view text) {
  out.write(uint64_t{text.size()}).append(text);
}

std::string decode_text(ByteReader& in) {
  return std::string(as_text(in.take(in.read<uint64_t>())));
}

/// A count, then each item.
template <class List, class Item>
void encode_list(ByteWriter& out, const List& list, Item item) {
  out.write(uint64_t{list.size()});
  for (const auto& entry : list) item(entry);
}

template <class Item>
void decode_list(ByteReader& in, Item item) {
  for (auto count = in.read<uint64_t>(); count > 0; --count) item();
}

template <class E>
E decode_enum(ByteReader& in, E last) {
  const auto value = in.read<uint8_t>();
  if (value > static_cast<uint8_t>(last)) throw Error(in.where(), "is not a plan", "");
  return static_cast<E>(value);
}

void encode_read(ByteWriter& out, const PlannedRead& read) {
  out.write(static_cast<uint8_t>(read.target)).write(static_cast<uint8_t>(read.source));
  encode_text(out, to_string(read.type));
  out.write(read.offset)
      .write(read.rows)
      .write(read.width)
      .write(read.first_row)
      .write(read.first_col);
}

PlannedRead decode_read(ByteReader& in) {
  PlannedRead read;
  read.target = decode_enum(in, PlannedRead::Target::kRewards);
  read.source = decode_enum(in, PlannedRead::Source::kStaging);
  read.type = parse_element_type(decode_text(in), in.where());
  read.offset = in.read<uint64_t>();
  for (int64_t* number : {&read.rows, &read.width, &read.first_row, &read.first_col})
    *number = in.read<int64_t>();
  return read;
}

}  // namespace

void encode_plan(ByteWriter& out, const ReadPlan& plan) {
  const DatasetContents& c = plan.assembler.declared();
  encode_text(out, plan.format);
  encode_list(out, c.parts, [&](const ObservationPart& part) {
    encode_text(out, part.name);
    out.write(part.width());
  });
  out.write(plan.assembler.action_dim());
  encode_list(out, c.episode_names, [&](const std::string& name) { encode_text(out, name); });
  encode_list(out, c.episode_ends, [&](int64_t end) { out.write(end); });
  encode_list(out, c.filters, [&](const auto& filter) {
    encode_text(out, filter.first);
    encode_list(out, filter.second, [&](int64_t episode) { out.write(episode); });
  });
  encode_text(out, c.environment);
  encode_list(out, c.notes, [&](const std::string& note) { encode_text(out, note); });
  out.write(static_cast<uint8_t>(plan.with_rewards));
  encode_list(out, plan.reads, [&](const PlannedRead& read) { encode_read(out, read); });
}

ReadPlan decode_plan(ByteReader& in, const std::string& source) {
  ReadPlan plan{.format = decode_text(in),
                .assembler = EpisodeAssembler(source),
                .with_rewards = false,
                .reads = {}};
  std::vector<std::pair<std::string, int64_t>> parts;
  decode_list(in, [&] {
    std::string name = decode_text(in);
    parts.emplace_back(std::move(name), in.read<int64_t>());
  });
  plan.assembler.set_columns(parts, in.read<int64_t>());
  std::vector<std::string> names;
  std::vector<int64_t> ends;
  decode_list(in, [&] { names.push_back(decode_text(in)); });
  decode_list(in, [&] { ends.push_back(in.read<int64_t>()); });
  if (names.size() != ends.size()) throw Error(in.where(), "is not a plan", "");
  plan.assembler.add_episodes(ends, names);
  decode_list(in, [&] {
    const std::string key = decode_text(in);
    std::vector<int64_t> members;
    decode_list(in, [&] { members.push_back(in.read<int64_t>()); });
    plan.assembler.add_filter(key, std::move(members));
  });
  plan.assembler.set_environment(decode_text(in));
  decode_list(in, [&] { plan.assembler.add_note(decode_text(in)); });
  plan.with_rewards = in.read<uint8_t>() != 0;
  decode_list(in, [&] { plan.reads.push_back(decode_read(in)); });
  if (!in.done()) throw Error(in.where(), "goes on after its end", "");
  return plan;
}

}  // namespace darp
