// The one rule of the tree: include downward, never sideways, never up. Reads every source and
// checks its includes.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// Levels of docs/architecture.md. A module may include itself and modules of lower levels.
const std::map<std::string, int> kLevel = {{"core", 0},
                                           {"kernels", 1},
                                           {"data", 1},
                                           {"env", 1},
                                           {"retrieval", 2},
                                           {"data/ingest", 2},
                                           {"retrieval/graph", 3},
                                           {"policy", 3},
                                           {"eval/statistics", 1},
                                           {"exhibit", 2},
                                           {"eval", 4},
                                           {"runtime", 4},
                                           {"train", 4},
                                           {"train/torch", 5},
                                           {"expert", 5},
                                           {"report", 5},
                                           {"study", 5},
                                           {"cli", 6}};

/// Libraries that only some modules may see. The lean modules (core, kernels, data, retrieval,
/// policy, runtime) have none but Highway, hnswlib and yaml-cpp.
const std::vector<std::pair<std::regex, std::vector<std::string>>> kLibraries = {
    {std::regex("^(hdf5|blosc|zlib)\\.h$"), {"data/ingest"}},
    {std::regex("^hwy/.*"), {"kernels"}},
    {std::regex("^hnswlib/.*"), {"retrieval"}},
    {std::regex("^(torch|ATen|c10)/.*"), {"train/torch", "expert"}},
    {std::regex("^(mujoco|chipmunk|EGL|cairo)/.*|^cairo\\.h$"), {"env"}},
    {std::regex("^lib(av|sw)[a-z]*/.*"), {"eval"}},
    {std::regex("^CLI/.*"), {"cli"}},
    {std::regex("^yaml-cpp/.*"), {"core"}},
};

/// "darp/data/ingest/zip.h" -> "data/ingest": the longest module that the path lies in, or empty.
std::string module_of(const std::string& path) {
  std::string best;
  for (const auto& [name, level] : kLevel)
    if (path.starts_with("darp/" + name + "/") && name.size() > best.size()) best = name;
  return best;
}

struct Include {
  std::string file, target;
};

std::vector<Include> includes_below(const fs::path& root) {
  std::vector<Include> found;
  const std::regex pattern("^\\s*#\\s*include\\s*[<\"]([^>\"]+)[>\"].*");
  for (const auto& entry : fs::recursive_directory_iterator(root / "darp")) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cc") continue;
    std::ifstream in(entry.path());
    std::smatch match;
    for (std::string line; std::getline(in, line);)
      if (std::regex_match(line, match, pattern))
        found.push_back({fs::relative(entry.path(), root).string(), match[1]});
  }
  return found;
}

const std::vector<Include>& includes() {
  static const std::vector<Include> all = includes_below(DARP_SOURCE_DIR);
  return all;
}

TEST(Architecture, EverySourceBelongsToAModuleWithALevel) {
  ASSERT_GT(includes().size(), 100u);
  for (const Include& include : includes())
    EXPECT_NE(module_of(include.file), "") << include.file << ": add its module to kLevel";
}

TEST(Architecture, IncludesGoDownward) {
  for (const Include& include : includes()) {
    if (!include.target.starts_with("darp/")) continue;
    const std::string from = module_of(include.file), to = module_of(include.target);
    ASSERT_NE(to, "") << include.file << " includes " << include.target;
    EXPECT_TRUE(from == to || kLevel.at(to) < kLevel.at(from))
        << include.file << " (level " << kLevel.at(from) << ") includes " << include.target
        << " (level " << kLevel.at(to) << ")";
  }
}

TEST(Architecture, LibrariesStayInTheirModules) {
  for (const Include& include : includes())
    for (const auto& [pattern, modules] : kLibraries) {
      const bool allowed = std::count(modules.begin(), modules.end(), module_of(include.file)) > 0;
      EXPECT_TRUE(allowed || !std::regex_match(include.target, pattern))
          << include.file << " includes " << include.target;
    }
}

TEST(Architecture, OnlyTestsIncludeTests) {
  for (const Include& include : includes()) {
    const bool of_tests =
        include.target.starts_with("tests/") || include.target.starts_with("gtest/");
    EXPECT_TRUE(!of_tests || include.file.ends_with("_test.cc"))
        << include.file << " includes " << include.target;
  }
}

}  // namespace
