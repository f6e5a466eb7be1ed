#include "darp/cli/outputs.h"

#include <filesystem>

#include "darp/core/error.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code failure;
  if (fs::equivalent(a, b, failure)) return true;
  return fs::absolute(a, failure).lexically_normal() == fs::absolute(b, failure).lexically_normal();
}

}  // namespace

void check_outputs(const std::vector<std::string>& outputs,
                   const std::vector<std::string>& inputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const fs::path out = outputs[i];
    if (out.empty()) continue;
    std::error_code failure;
    if (fs::is_directory(out, failure))
      throw Error(out.string(), "is a folder", "give the name of a file to write");
    const fs::path folder = fs::absolute(out).parent_path();
    if (!fs::is_directory(folder, failure))
      throw Error(out.string(), "cannot be written: its folder does not exist",
                  "make the folder, or write somewhere else");
    for (const std::string& in : inputs)
      if (is_same_file(out, in))
        throw Error(out.string(), "is read by this command, and would be lost",
                    "write to another file");
    for (size_t j = 0; j < i; ++j)
      if (!outputs[j].empty() && is_same_file(out, outputs[j]))
        throw Error(out.string(), "is to be written twice", "give each output a name of its own");
  }
}

}  // namespace darp
