#pragma once
// The program as a user runs it.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <string>

namespace darp {

struct Outcome {
  int code = 0;
  std::string output;  // both streams
};

inline Outcome darp_command(const std::string& arguments) {
  const std::string command = DARP_BINARY_DIR "/bin/darp " + arguments + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  Outcome outcome;
  for (int c; (c = std::fgetc(pipe)) != EOF;) outcome.output.push_back(static_cast<char>(c));
  outcome.code = WEXITSTATUS(pclose(pipe));
  return outcome;
}

/// Tests of commands.
class Cli : public ::testing::Test {
 protected:
  // A folder of its own for each test: tests run side by side.
  Cli()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                (std::string("darp_cli_") +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

}  // namespace darp

/// The output has this in it.
#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
