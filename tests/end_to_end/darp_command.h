#pragma once
// The program as a user runs it.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "tests/test_folder.h"

namespace darp {

struct Outcome {
  int code = 0;
  std::string output;  // both streams
};

inline Outcome shell_command(const std::string& command) {
  FILE* pipe = popen(("(" + command + ") 2>&1").c_str(), "r");
  Outcome outcome;
  for (int c; (c = std::fgetc(pipe)) != EOF;) outcome.output.push_back(static_cast<char>(c));
  outcome.code = WEXITSTATUS(pclose(pipe));
  return outcome;
}

inline Outcome darp_command(const std::string& arguments) {
  return shell_command(DARP_BINARY_DIR "/bin/darp " + arguments);
}

/// Tests of commands.
class Cli : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  /// A file's content; the file must be there.
  std::string bytes(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    EXPECT_TRUE(in.is_open()) << name;
    return {std::istreambuf_iterator<char>(in), {}};
  }

  /// Starts `darp`, sends `signal` after a while and waits; gives the wait status.
  int interrupt(const std::string& arguments, std::chrono::microseconds after, int signal) const {
    const pid_t child = fork();
    if (child == 0) {
      const int null = open("/dev/null", O_WRONLY);
      dup2(null, 1);
      dup2(null, 2);
      // `exec` keeps the process number, so that the signal reaches darp itself.
      const std::string command = "exec " DARP_BINARY_DIR "/bin/darp " + arguments;
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    std::this_thread::sleep_for(after);
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }

  const std::filesystem::path folder_ = test_folder();
};

}  // namespace darp

/// The output has this in it.
#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
