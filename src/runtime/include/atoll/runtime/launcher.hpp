// SPDX-License-Identifier: Apache-2.0
// The launcher: starts the PEs of a job on this node, passes their output on, and ends the job when one of them dies.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace atl::runtime {

enum class Binding { none, core, numa };
enum class Labels { no, yes };

struct LaunchOptions {
  std::uint32_t npes = 1;
  unsigned threads = 0;         ///< per PE; 0: ATOLL_THREADS, or an even share of the cores
  Binding binding = Binding::none;
  Labels labels = Labels::no;   ///< put "[3] " before each line of PE 3
  double timeout_seconds = 0;   ///< 0: none
  std::vector<std::string> command;
};

/// Runs the command as `npes` PEs and returns when all have ended: 0, or the exit status of the first that failed
/// (128 + signal when it was killed, 124 on time-out). When a PE dies, or leaves without finalizing while others work,
/// says so on standard error, lets the others' waits fail, and within 2 seconds ends what is left, children included. So
/// it does when it is killed itself, in any way: a second process watches the first, and the first the second.
/// Takes over this process's signals; meant for a process that does nothing else.
int launch(const LaunchOptions& options);

/// `atoll-run`: reads the command line, launches. Returns the exit status; 2 for a wrong command line.
int launcher_main(std::span<const char* const> arguments);

}  // namespace atl::runtime
