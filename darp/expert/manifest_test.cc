#include "darp/expert/manifest.h"

#include <gtest/gtest.h>

#include "darp/core/file.h"
#include "darp/env/registry.h"
#include "tests/error_of.h"
#include "tests/stand_in_experts.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

ManifestEntry listed_file(const fs::path& folder, const std::string& name, uint64_t seed) {
  const auto environment = make_environment("dummy");
  PuckExpert expert;
  DemonstrationWriter writer(folder / name, environment->info(), StoredStates::kEvery);
  for (uint64_t i = 0; i < 2; ++i) writer.add(demonstrate(*environment, expert, seed + i, 0));
  Provenance provenance;
  provenance.subject = {"dummy", {"time_limit=250"}, "puck", "", 0, "1"};
  provenance.choice.seeds = {seed, seed + 9};
  provenance.tried = 2;
  provenance.command = "darp collect --out " + name;
  writer.finish(provenance);
  return describe_demonstrations(folder / name, folder / "manifest.json", provenance);
}

std::string text_of(const fs::path& path) {
  return std::string(as_text(MappedFile(path).bytes()));
}

TEST(Manifest, IsReadAsWritten) {
  const fs::path folder = test_folder(), path = folder / "manifest.json";
  const ManifestEntry a = listed_file(folder, "a.hdf5", 1'000'000),
                      b = listed_file(folder, "b.hdf5", 1'000'007);
  EXPECT_EQ(a.episodes, 2);
  EXPECT_EQ(a.returns.size(), 2u);
  EXPECT_EQ(a.success_rate, 1);
  EXPECT_EQ(a.bytes, fs::file_size(folder / "a.hdf5"));
  write_manifest(path, {b, a});
  EXPECT_EQ(read_manifest(path), (std::vector<ManifestEntry>{a, b}));
  const std::string text = text_of(path);
  write_manifest(path, read_manifest(path));
  EXPECT_EQ(text_of(path), text);
  check_manifest(path);
}

TEST(Manifest, EntriesAreAddedAndReplaced) {
  const fs::path folder = test_folder(), path = folder / "manifest.json";
  update_manifest(path, listed_file(folder, "b.hdf5", 1'000'000));
  update_manifest(path, listed_file(folder, "a.hdf5", 1'000'002));
  const ManifestEntry again = listed_file(folder, "b.hdf5", 1'000'004);
  update_manifest(path, again);
  const auto entries = read_manifest(path);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].file, "a.hdf5");
  EXPECT_EQ(entries[1], again);
  check_manifest(path);
}

TEST(Manifest, FilesAreNamedFromItsFolder) {
  const fs::path folder = test_folder();
  fs::create_directories(folder / "deeper");
  const ManifestEntry entry = listed_file(folder, "deeper/a.hdf5", 1'000'000);
  EXPECT_EQ(entry.file, "deeper/a.hdf5");
  EXPECT_SAYS(error_of([&] {
                describe_demonstrations(folder / "deeper/a.hdf5", folder / "other/manifest.json",
                                        {});
              }),
              "keep the manifest in the folder");
}

TEST(Manifest, NoticesWhatIsMissingOrChanged) {
  const fs::path folder = test_folder(), path = folder / "manifest.json";
  ManifestEntry entry = listed_file(folder, "a.hdf5", 1'000'000);
  const auto message = [&](const ManifestEntry& changed) {
    write_manifest(path, {changed});
    return error_of([&] { check_manifest(path); });
  };
  EXPECT_EQ(message(entry), "no error");
  ManifestEntry other = entry;
  other.returns[1] += 1e-9;
  EXPECT_SAYS(message(other), "has returns [");
  other = entry;
  ++other.steps;
  EXPECT_SAYS(message(other), "has steps ");
  other = entry;
  other.data_hash = "0";
  EXPECT_SAYS(message(other), "has data hash ");
  std::string bytes = text_of(folder / "a.hdf5");
  bytes[bytes.size() / 2] ^= 1;
  write_file(folder / "a.hdf5", bytes);
  EXPECT_SAYS(message(entry), "make it again: darp collect --out a.hdf5");
  EXPECT_SAYS(message(entry), "has hash ");
  fs::remove(folder / "a.hdf5");
  EXPECT_SAYS(message(entry), "a.hdf5");
}

TEST(Manifest, OtherFilesAreErrors) {
  const fs::path path = test_folder() / "manifest.json";
  const auto message = [&](const std::string& text) {
    write_file(path, text);
    return error_of([&] { read_manifest(path); });
  };
  EXPECT_SAYS(message("{"), "manifest.json");
  EXPECT_SAYS(message(R"({"kind": "darp evaluation", "version": 1, "files": []})"), "no manifest");
  EXPECT_SAYS(message(R"({"kind": "darp demonstrations", "version": 1, "files": [{}]})"), "file");
  EXPECT_EQ(message(R"({"kind": "darp demonstrations", "version": 1, "files": []})"), "no error");
}

}  // namespace
}  // namespace darp
