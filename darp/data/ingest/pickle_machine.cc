#include "darp/data/ingest/pickle_machine.h"

#include <algorithm>
#include <bit>

#include "darp/core/utf8.h"
#include "darp/data/ingest/pickle_text.h"

namespace darp {
namespace {

constexpr const char* kOnlyPlainData =
    "only lists, dicts, strings, numbers and numpy arrays are read";
constexpr const char* kSaveOtherwise =
    "save the arrays as NPZ or HDF5 instead, or pickle plain lists, dicts and numpy arrays";

}  // namespace

PickleMachine::PickleMachine(Bytes file, const std::string& source, PickleArena& arena)
    : file_(file),
      source_(source),
      reader_(file, source),
      arena_(arena),
      calls_(arena, file.size()),
      none_(arena.make(PickleNone{})),
      true_(arena.make(true)),
      false_(arena.make(false)),
      empty_tuple_(arena.make(PickleTuple{})) {}

PickleValue* PickleMachine::run() {
  for (;;) {
    position_ = reader_.offset();
    const auto code = static_cast<PickleOpcode>(reader_.read<uint8_t>());
    if (code == PickleOpcode::kStop) break;
    const bool done = run_number(code) || run_string(code) || run_container(code) ||
                      run_memo(code) || run_call(code) || run_framing(code);
    if (!done) refuse(code);
    if (frame_end_ != 0 && reader_.offset() > frame_end_) damaged("reaches past its frame");
    if (reader_.offset() == frame_end_) frame_end_ = 0;
  }
  if (stack_.size() != 1 || !marks_.empty()) damaged("does not end with exactly one value");
  if (!reader_.done())
    throw Error(source_,
                fmt::format("holds {} more bytes after its pickle's end at byte {}",
                            reader_.remaining(), reader_.offset()),
                "write one list of all episodes with a single pickle.dump");
  return stack_[0];
}

bool PickleMachine::run_number(PickleOpcode code) {
  switch (code) {
    case PickleOpcode::kNone:
      return push(none_), true;
    case PickleOpcode::kNewTrue:
      return push(true_), true;
    case PickleOpcode::kNewFalse:
      return push(false_), true;
    case PickleOpcode::kInt: {
      // Protocol 0 has no opcode for bool: it writes these two spellings.
      const std::string_view line = take_line();
      if (line == "00" || line == "01") return push(line == "01" ? true_ : false_), true;
      return push_new(required(parse_integer_line(line), "an integer that is none")), true;
    }
    case PickleOpcode::kLong: {
      std::string_view line = take_line();
      if (line.ends_with('L')) line.remove_suffix(1);
      return push_new(required(parse_integer_line(line), "an integer beyond 64 bits")), true;
    }
    case PickleOpcode::kBinInt:
      return push_new(int64_t{reader_.read<int32_t>()}), true;
    case PickleOpcode::kBinInt1:
      return push_new(int64_t{reader_.read<uint8_t>()}), true;
    case PickleOpcode::kBinInt2:
      return push_new(int64_t{reader_.read<uint16_t>()}), true;
    case PickleOpcode::kLong1:
    case PickleOpcode::kLong4: {
      const uint64_t size =
          code == PickleOpcode::kLong1 ? reader_.read<uint8_t>() : reader_.read<uint32_t>();
      return push_new(required(decode_long(reader_.take(size)), "an integer beyond 64 bits")), true;
    }
    case PickleOpcode::kFloat:
      return push_new(required(parse_float_line(take_line()), "a float that is none")), true;
    case PickleOpcode::kBinFloat:
      return push_new(std::bit_cast<double>(__builtin_bswap64(reader_.read<uint64_t>()))), true;
    default:
      return false;
  }
}

bool PickleMachine::run_string(PickleOpcode code) {
  switch (code) {
    case PickleOpcode::kUnicode: {
      std::string text = required(decode_unicode_line(take_line()), "text with a broken escape");
      return push_new(PickleText{arena_.keep(std::move(text))}), true;
    }
    case PickleOpcode::kShortBinUnicode:
      return push_new(PickleText{take_utf8(reader_.read<uint8_t>())}), true;
    case PickleOpcode::kBinUnicode:
      return push_new(PickleText{take_utf8(reader_.read<uint32_t>())}), true;
    case PickleOpcode::kBinUnicode8:
      return push_new(PickleText{take_utf8(reader_.read<uint64_t>())}), true;
    case PickleOpcode::kString: {
      std::string text = required(decode_quoted_line(take_line()), "a string with a broken escape");
      return push_new(PickleByteText{arena_.keep(std::move(text))}), true;
    }
    case PickleOpcode::kShortBinString:
      return push_new(PickleByteText{take_text(reader_.read<uint8_t>())}), true;
    case PickleOpcode::kBinString:
      return push_new(PickleByteText{take_text(reader_.read<uint32_t>())}), true;
    case PickleOpcode::kShortBinBytes:
      return push_new(PickleBytes{reader_.take(reader_.read<uint8_t>())}), true;
    case PickleOpcode::kBinBytes:
      return push_new(PickleBytes{reader_.take(reader_.read<uint32_t>())}), true;
    case PickleOpcode::kBinBytes8:
    case PickleOpcode::kByteArray8:
      return push_new(PickleBytes{reader_.take(reader_.read<uint64_t>())}), true;
    default:
      return false;
  }
}

bool PickleMachine::run_call(PickleOpcode code) {
  switch (code) {
    case PickleOpcode::kGlobal: {
      const std::string_view module = take_line(), name = take_line();
      return push_global(module, name), true;
    }
    case PickleOpcode::kStackGlobal: {
      const PickleItems names = pop_some(2);
      const auto *module = names[0]->get<PickleText>(), *name = names[1]->get<PickleText>();
      if (!module || !name) damaged("names a function by something other than text");
      return push_global(module->text, name->text), true;
    }
    case PickleOpcode::kInst: {
      const std::string_view module = take_line(), name = take_line();
      refuse_global(module, name);
    }
    case PickleOpcode::kReduce: {
      const PickleItems call = pop_some(2);
      const auto* function = call[0]->get<PickleGlobal>();
      const auto* arguments = call[1]->get<PickleTuple>();
      if (!function || !arguments) damaged("calls something that is not a function of a tuple");
      return push(calls_.call(*function, arguments->items, place())), true;
    }
    case PickleOpcode::kBuild: {
      const PickleValue* state = pop();
      return calls_.set_state(*top(), *state, place()), true;
    }
    default:
      return false;
  }
}

bool PickleMachine::run_framing(PickleOpcode code) {
  if (code == PickleOpcode::kProto) {
    constexpr int kNewest = 5;
    const int protocol = reader_.read<uint8_t>();
    if (position_ != 0) damaged("states its protocol in the middle");
    if (protocol > kNewest)
      throw Error(source_, fmt::format("is a pickle of protocol {}", protocol),
                  "protocols 0 to 5 are read: write it again with pickle.dump(..., protocol=5)");
    return true;
  }
  if (code == PickleOpcode::kFrame) {
    const auto size = reader_.read<uint64_t>();
    if (frame_end_ != 0) damaged("opens a frame inside a frame");
    if (size > reader_.remaining()) damaged("opens a frame longer than the file");
    frame_end_ = reader_.offset() + static_cast<size_t>(size);
    return true;
  }
  return false;
}

void PickleMachine::refuse(PickleOpcode code) const {
  const auto byte = static_cast<uint8_t>(code);
  if (const std::string_view name = refused_opcode_name(byte); !name.empty())
    throw Error(place(),
                fmt::format("refuses opcode {} (0x{:02x}): {}", name, byte, kOnlyPlainData),
                kSaveOtherwise);
  throw Error(place(), fmt::format("unknown pickle opcode 0x{:02x}", byte),
              "the file is damaged or not a pickle: copy or create it again");
}

void PickleMachine::refuse_global(std::string_view module, std::string_view name) const {
  throw Error(place(),
              fmt::format("refuses to load '{}.{}': {}", printable(module, 100),
                          printable(name, 100), kOnlyPlainData),
              kSaveOtherwise);
}

void PickleMachine::damaged(std::string_view what) const {
  throw Error(place(), what, "the file is damaged or not a pickle: copy or create it again");
}

std::string PickleMachine::place() const {
  return fmt::format("{}: byte {}", source_, position_);
}

std::string_view PickleMachine::take_line() {
  const std::string_view rest = as_text(file_.subspan(reader_.offset()));
  const size_t length = rest.find('\n');
  if (length == std::string_view::npos) damaged("has a line without an end");
  reader_.take(length + 1);
  return rest.substr(0, length);
}

std::string_view PickleMachine::take_utf8(uint64_t size) {
  const std::string_view text = take_text(size);
  if (!is_valid_utf8(text)) damaged("has text that is not UTF-8");
  return text;
}

uint64_t PickleMachine::take_index_line() {
  const auto index = parse_integer_line(take_line());
  if (!index || *index < 0) damaged("has a memo number that is none");
  return static_cast<uint64_t>(*index);
}

void PickleMachine::push_global(std::string_view module, std::string_view name) {
  const auto global = find_pickle_global(module, name);
  if (!global) refuse_global(module, name);
  push_new(*global);
}

}  // namespace darp
