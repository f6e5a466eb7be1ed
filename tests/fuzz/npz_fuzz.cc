// NPZ files from strangers. Checksums keep a fuzzer out of everything behind them, so the input is
// taken three ways: as a whole archive, as one .npy member, and as a recipe for an archive of such
// members whose checksums are right.

#include <algorithm>
#include <array>
#include <cstdint>

#include "darp/data/ingest/npy.h"
#include "darp/data/ingest/npz.h"

namespace {

using namespace darp;

constexpr std::array<const char*, 18> kNames = {
    "observations", "obs",      "states",        "state",      "obs/a",      "obs/b",
    "actions",      "action",   "rewards",       "terminals",  "timeouts",   "dones",
    "episode_ends", "env_args", "episode_names", "mask/train", "mask/other", "extra"};
constexpr std::array<const char*, 12> kTypes = {"<f4", "<f8", "<f2", ">f4", "<i8", "|b1",
                                                "|u1", ">i4", "<U3", "|S2", "<f4", "<f4"};

/// Hands out the input; zeros once it is used up.
class Recipe {
 public:
  explicit Recipe(Bytes bytes) : bytes_(bytes) {}
  bool done() const { return bytes_.empty(); }
  uint8_t byte() {
    const Bytes one = take(1);
    return one.empty() ? uint8_t{0} : static_cast<uint8_t>(one[0]);
  }
  Bytes take(size_t count) {
    const Bytes taken = bytes_.first(std::min(count, bytes_.size()));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }

 private:
  Bytes bytes_;
};

/// A member with a proper header whose numbers come from the recipe, or as the recipe says.
std::string cook_member(Recipe& recipe) {
  const uint8_t kind = recipe.byte();
  if (kind % 4 == 0) return std::string(as_text(recipe.take(recipe.byte() * size_t{2})));
  const ElementType type = parse_element_type(kTypes[recipe.byte() % kTypes.size()], "fuzz");
  std::vector<uint64_t> shape(recipe.byte() % 4);
  auto size = static_cast<size_t>(type.size);
  for (uint64_t& n : shape) size *= n = recipe.byte() % 8;
  std::string member = npy_header(type, shape);
  if (kind % 4 == 3) member.replace(member.find("False"), 5, "True ");
  std::string numbers(as_text(recipe.take(size)));
  numbers.resize(size, '\0');
  return member + numbers;
}

void read_and_write_back(Bytes archive, const ReadSettings& settings) {
  try {
    const Dataset dataset = read_npz(archive, "fuzz.npz", settings);
    ByteWriter out;
    ZipWriter writer([&](Bytes bytes) { out.append(bytes); });
    write_npz(dataset, writer);
    writer.finish();
    DARP_CHECK(identical(dataset, read_npz(out.bytes(), "again.npz")), "lost in a round trip");
  } catch (const Error&) {
  }
}

void read_cooked(Bytes input) {
  Recipe recipe(input);
  const uint8_t choices = recipe.byte();
  ReadSettings settings;
  settings.keep_unfinished = choices & 1;
  if (choices & 2) settings.filter_key = "train";
  if (choices & 4) settings.observation_keys = {"b", "a"};
  ByteWriter out;
  ZipWriter writer([&](Bytes bytes) { out.append(bytes); }, choices & 8 ? 64 : 0xFFFFFFFF);
  std::array<bool, kNames.size()> used{};
  while (!recipe.done()) {
    const size_t name = recipe.byte() % kNames.size();
    const std::string member = cook_member(recipe);
    if (std::exchange(used[name], true)) continue;
    writer.add(std::string(kNames[name]) + ".npy", as_byte_span(member));
  }
  writer.finish();
  read_and_write_back(out.bytes(), settings);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Bytes input = std::as_bytes(std::span(data, size));
  read_and_write_back(input, {});
  try {
    parse_npy(input, "fuzz.npy");
  } catch (const Error&) {
  }
  read_cooked(input);
  return 0;
}
