// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "atoll/bootstrap/job.hpp"
#include "atoll/bootstrap/process.hpp"
#include "environment.hpp"

namespace atl::gasnet {
namespace {

constexpr const char* ranks_variable = "GASNET_PSHM_NODES";

// bin/atoll-run beside the folder of this library.
std::string launcher_path() {
  Dl_info here{};
  ::dladdr(reinterpret_cast<void*>(&launcher_path), &here);
  const auto library = std::filesystem::weakly_canonical(here.dli_fname != nullptr ? here.dli_fname : "");
  return (library.parent_path().parent_path() / "bin" / "atoll-run").string();
}

// The arguments of this process.
std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(file, argument, '\0');) arguments.push_back(argument);
  return arguments;
}

}  // namespace

void launch_ranks(Call call) {
  const std::int64_t ranks = environment_number(ranks_variable, 1, 0);
  if (ranks < 2 || runtime::in_job() || runtime::process_if_open() != nullptr) return;
  const std::string launcher = launcher_path();
  std::vector<std::string> words = command_line();
  if (words.empty()) words.emplace_back();
  words[0] = std::filesystem::read_symlink("/proc/self/exe").string();
  words.insert(words.begin(), {launcher, "-n", std::to_string(ranks)});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  unset_environment(ranks_variable);  // its ranks do not start others
  std::fflush(nullptr);
  ::execv(launcher.c_str(), arguments.data());
  fail(call, "cannot start {} ranks ({}={}): {}: {}. Start the program with gasnetrun_atoll -n {}?", ranks,
       ranks_variable, ranks, launcher, std::strerror(errno), ranks);
}

}  // namespace atl::gasnet
