#pragma once
// The program as a user runs it.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "tests/test_folder.h"

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
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  const std::filesystem::path folder_ = test_folder();
};

}  // namespace darp

/// The output has this in it.
#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
