// SPDX-License-Identifier: Apache-2.0
// The launcher's deputy on one host of a job: starts the PEs there, passes on what they write and what happens to them,
// and keeps the table that they find one another by. It ends them when the launcher is gone, and they end with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace atl::runtime {

struct AgentOptions {
  std::uint32_t host = 0;  ///< index
  std::vector<std::string> addresses;
  std::uint16_t port = 0;
};

/// Reads the job's secret from standard input. That this input ends later, as it does when the ssh that started the
/// agent dies, is no reason to end: the agent and the launcher have a connection of their own by then. Returns the exit
/// status.
int run_agent(const AgentOptions& options);

}  // namespace atl::runtime
