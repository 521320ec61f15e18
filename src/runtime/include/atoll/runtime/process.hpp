// SPDX-License-Identifier: Apache-2.0
// The PE that this process is: one Context for the doors that ask here (MPI, OpenSHMEM), whichever opens first, though each is a
// library with a copy of this code of its own.
#pragma once

#include <memory>
#include <mutex>

#include "atoll/runtime/context.hpp"
#include "atoll/runtime/job.hpp"

namespace atl::runtime {

/// What the libraries of a process share.
struct ProcessSlot {
  std::mutex mutex;
  const Membership* membership = nullptr;  ///< from the first use to the exit of the process
  std::weak_ptr<Context> context;          ///< while a door is open
  std::size_t layout = 0;                  ///< of Context: libraries of different builds share nothing
};

/// The loader makes it one for all libraries that have it (a unique symbol), also where they were loaded apart. Each door exports
/// it and gives it to share_process() when it is loaded.
template <class Of>
struct [[gnu::visibility("default")]] ProcessPlace {
  static ProcessSlot slot;
};
template <class Of>
constinit ProcessSlot ProcessPlace<Of>::slot{};

/// When a PE has died, waits of a library's callers throw, or somebody answers that (Context::answer_news), who may be in another library.
enum class Deaths { fatal, answered };
/// Without it a library has a place of its own, and answers.
void share_process(ProcessSlot& slot, Deaths deaths);
Deaths deaths_here();

/// The open Context, or a new one: collective then. The job is that of the environment; alone, one of this process. Who opens first
/// says how (`wishes`); room for global data is there unless memory is short. Hold it as long as the door is open: the last to let go leaves the job.
std::shared_ptr<Context> open_process(const ContextOptions& wishes = {});

}  // namespace atl::runtime
