// SPDX-License-Identifier: Apache-2.0
// Starting a process that dies with its parent.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace atl::runtime {

struct SpawnRequest {
  std::vector<std::string> command;  ///< the program is looked for in PATH
  std::vector<std::pair<std::string, std::string>> environment;  ///< set on top of ours
  std::vector<unsigned> cores;       ///< to bind to; empty: as we are
  int standard_input = -1;           ///< -1: inherited
  int standard_output = -1;
  int standard_error = -1;
  int inherited = -1;                ///< one more descriptor that the program gets, under the same number
  bool ignore_interrupt = false;     ///< Ctrl-C on the terminal is not for it
  bool own_session = false;          ///< nothing on the terminal is for it
  bool outlives_us = false;          ///< it does not die with us
  std::string path;                  ///< folders, as in PATH, in which the program is looked for first
  std::string directory;             ///< to start in; empty: ours
  bool is_looked_for_there = false;  ///< the program, where PATH has none: as other launchers do
};

/// Sets a variable of its environment, in the place of what it was.
void set_variable(SpawnRequest& request, std::string name, std::string value);
/// Those of NAME=VALUE; what has no value is passed over.
void set_variables(SpawnRequest& request, const std::vector<std::string>& assignments);

/// Starts the process in our own session (but see own_session) and process group, to be killed by the kernel when the
/// calling *thread* ends. Throws SetupError when the program cannot be started.
pid_t spawn(const SpawnRequest& request);

/// Processes whose parent is this one (with PR_SET_CHILD_SUBREAPER also orphaned grandchildren).
std::vector<pid_t> children();

/// Kills and reaps them all, with what becomes ours when they are gone.
void kill_children();

}  // namespace atl::runtime
