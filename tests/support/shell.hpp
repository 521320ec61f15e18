// SPDX-License-Identifier: Apache-2.0
// Command lines for tests that start jobs: run by a shell, with what they wrote and how they ended.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "atoll/base/clock.hpp"

namespace atl::testing {

struct Outcome {
  int status = 0;
  std::string output;  // standard output and error
  double seconds = 0;

  std::vector<std::string> lines() const {
    std::vector<std::string> found;
    std::istringstream stream(output);
    for (std::string line; std::getline(stream, line);) found.push_back(line);
    return found;
  }
  bool has(const std::string& text) const { return output.find(text) != std::string::npos; }
};

// `@run` and `@pe` stand for the launcher and the test program.
inline std::string with_paths(std::string command) {
  for (auto [name, path] : {std::pair{"@run", ATOLL_RUN_PATH}, std::pair{"@pe", PE_PROGRAM_PATH}})
    for (std::size_t at; (at = command.find(name)) != std::string::npos;)
      command.replace(at, std::string(name).size(), path);
  return command;
}

inline Outcome shell(const std::string& command) {
  Outcome outcome;
  std::int64_t begin = now_ns();
  std::FILE* pipe = ::popen(("export ATOLL_HEAP_SIZE=64M; " + with_paths(command) + " 2>&1").c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  char buffer[4096];
  while (std::size_t got = std::fread(buffer, 1, sizeof(buffer), pipe)) outcome.output.append(buffer, got);
  int status = ::pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  outcome.seconds = 1e-9 * static_cast<double>(now_ns() - begin);
  return outcome;
}

}  // namespace atl::testing
