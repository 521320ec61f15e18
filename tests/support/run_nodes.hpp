// SPDX-License-Identifier: Apache-2.0
// Runs one body in a process for each node of a job over the network of this host.
#pragma once

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "atoll/base/clock.hpp"
#include "atoll/bootstrap/job.hpp"
#include "atoll/fabric/network.hpp"
#include "atoll/runtime/context.hpp"
#include "process_bootstrap.hpp"
#include "run_pes.hpp"

namespace atl::testing {

// Runs `be` in a process for each node name; its answer is the process's exit status. Returns how all ended.
inline std::vector<int> run_nodes(const std::vector<std::string>& nodes,
                                  const std::function<int(std::shared_ptr<runtime::Bootstrap>, PeId)>& be) {
  SharedTable table(static_cast<std::uint32_t>(nodes.size()));
  std::vector<pid_t> pids;
  std::fflush(nullptr);
  for (std::uint32_t pe = 0; pe < nodes.size(); ++pe) {
    pid_t pid = ::fork();
    EXPECT_GE(pid, 0);
    if (pid == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::setenv("ATOLL_HEAP_SIZE", "64M", 0);
      ::setenv("ATOLL_THREADS", "1", 1);
      int status = 99;
      try {
        status = be(std::make_shared<ProcessBootstrap>(table, pe, nodes[pe]), PeId(pe));
      } catch (const std::exception& error) { std::fprintf(stderr, "PE %u threw: %s\n", pe, error.what()); }
      std::fflush(nullptr);
      std::_Exit(::testing::Test::HasFailure() ? 98 : status);
    }
    pids.push_back(pid);
  }
  std::vector<int> ends;
  Deadline deadline = Deadline::after_seconds(60);
  for (pid_t pid : pids) {
    int status = 0;
    while (::waitpid(pid, &status, WNOHANG) == 0) {
      if (deadline.passed()) ::kill(pid, SIGKILL);
      ::poll(nullptr, 0, 2);
    }
    ends.push_back(status);
  }
  EXPECT_FALSE(deadline.passed()) << "a PE hangs";
  return ends;
}

inline bool succeeded(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }

class Network : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string network = fabric::describe_network();
    if (network.starts_with("none")) GTEST_SKIP() << "no network: " << network;
  }
};

}  // namespace atl::testing
