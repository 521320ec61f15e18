// SPDX-License-Identifier: Apache-2.0
// A PE for each NUMA domain or socket of every host: the agents count, then it is known how many PEs the job has.
#pragma once

#include "atoll/base/clock.hpp"
#include "atoll/launch/launcher.hpp"
#include "guard.hpp"
#include "host_agents.hpp"

namespace atl::runtime {

/// Asks the agents, which have been started, and numbers the PEs in `options`, whose `pe_for_each` says what to count.
/// The agents of hosts that are to have PEs wait for their orders then. Costs each host one message there and one back.
/// Returns 0, or the exit status of a job that cannot be: then all agents have been sent home, and why has been said.
int number_pes_by_parts(LaunchOptions& options, HostAgents& agents, Signals& signals, Deadline timeout);

}  // namespace atl::runtime
