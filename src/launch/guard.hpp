// SPDX-License-Identifier: Apache-2.0
// Two processes, each of which ends the job when the other is killed by whatever means: the guard, which is the one
// that the user sees, and its child, which does the work.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <functional>
#include <vector>

#include "descriptor.hpp"

namespace atl::runtime {

/// What the child says when the guard was killed.
inline constexpr const char* guard_was_killed =
    "the outer process of this launcher was killed: what it has started ends";

/// Runs `work` in a child and returns its exit status; nothing that it has started is left then. Signals go to the
/// child. `work` gets the guard's pid, for Signals.
int run_guarded(const std::function<int(pid_t guard)>& work);

/// The signals that a launcher receives, as a descriptor to poll. Made by the child of run_guarded().
class Signals {
 public:
  explicit Signals(pid_t guard);

  struct Signal {
    int number;
    bool from_terminal;  ///< then the whole foreground process group has it already
  };
  /// What has come, SIGCHLD aside: a look for ended children follows in any case.
  std::vector<Signal> take();
  /// The guard was killed: everything is to end at once. Known after take().
  bool guard_is_gone() const { return gone_; }
  int descriptor() const { return signals_.number(); }

 private:
  pid_t guard_;
  Descriptor signals_;
  bool gone_ = false;
};

/// Whether the signal asks a program to end.
bool asks_to_end(int signal);

}  // namespace atl::runtime
