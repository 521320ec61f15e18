// SPDX-License-Identifier: Apache-2.0
// The launcher: starts the PEs of a job, on this host or on several, passes their output on, and ends the job when one
// of them dies.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "atoll/launch/program.hpp"

namespace atl::runtime {

enum class Binding { none, core, numa, socket };
enum class Labels { no, yes };

/// A host with its PEs: first_pe … first_pe + pes - 1. None: not yet known, or the job begins with none there, and
/// processes may be spawned there.
struct HostShare {
  std::string name;
  std::uint32_t first_pe = 0;
  std::uint32_t pes = 0;
  std::uint32_t slots = 1;  ///< PEs that it should take
};

struct LaunchOptions {
  std::uint32_t npes = 1;       ///< with `pe_for_each`: at most so many; 0: as many as there are
  unsigned threads = 0;         ///< per PE; 0: ATOLL_THREADS, or an even share of the cores
  Binding binding = Binding::none;
  Labels labels = Labels::no;   ///< put "[3] " before each line of PE 3
  std::optional<std::uint32_t> shown_pe;  ///< only this PE's standard output is passed on; none: that of all PEs
  double timeout_seconds = 0;   ///< 0: none
  std::vector<Program> programs;  ///< at least one; with `pe_for_each` one
  std::vector<std::string> pass;  ///< NAME=VALUE for the PEs; NAME: so do those of other hosts get this process's
  bool pass_all = false;          ///< PEs of other hosts get all of this process's environment

  // Of a job on several hosts:
  std::vector<HostShare> hosts;  ///< empty: this one, without agents
  Binding pe_for_each =
      Binding::none;  ///< numa, socket: hosts get a PE for each of theirs, once their agents have counted
  std::string launch_agent;      ///< command that runs another on a host; empty: ATOLL_LAUNCH_AGENT
  std::string address;           ///< of this host, for the agents to come to; empty: ATOLL_ADDRESS, or by the routes
  std::uint16_t port = 0;        ///< 0: a free one

  /// Whether the job begins with no PE on a host; false while that host's agent has not counted (`pe_for_each`).
  bool leaves_idle(const HostShare& host) const { return host.pes == 0 && pe_for_each == Binding::none; }
};

/// Runs the programs as `npes` PEs and returns when all have ended: 0, or the exit status of the first that failed
/// (128 + signal when it was killed, 124 on time-out). When a PE dies, or leaves without finalizing while others work,
/// says so on standard error, lets the others' waits fail, and within 2 seconds ends what is left, children included.
/// So it does when it is killed itself, in any way: a second process watches the first, and the first the second. The
/// same holds on every host, where an agent stands in for the launcher; a host that does not answer for
/// ATOLL_PEER_TIMEOUT seconds counts as dead.
/// Takes over this process's signals; meant for a process that does nothing else.
int launch(const LaunchOptions& options);

/// `atoll-run`: reads the command line, launches. Returns the exit status; 2 for a wrong command line.
int launcher_main(std::span<const char* const> arguments);

}  // namespace atl::runtime
