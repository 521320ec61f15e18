// SPDX-License-Identifier: Apache-2.0
// The PE that this process is: one Context for the doors that ask here (MPI, OpenSHMEM, Portals, arrays), whichever
// opens first, though each is a library with a copy of this code of its own.
#pragma once

#include <memory>
#include <mutex>
#include <type_traits>

#include "atoll/bootstrap/job.hpp"
#include "atoll/runtime/deaths.hpp"
#include "atoll/runtime/options.hpp"

namespace atl::runtime {

class Context;

/// What the libraries of a process share. Nothing of it ends: each library would end it once more at exit.
struct ProcessSlot {
  std::mutex mutex;
  const Membership* membership = nullptr;     ///< from the first use to the exit of the process
  std::weak_ptr<Context>* context = nullptr;  ///< from the first use; what it names, while a door is open
  std::size_t layout = 0;                     ///< of Context: libraries of different builds share nothing
  std::int64_t owner = 0;                     ///< the process that has opened it: the child of a fork is no PE
};
static_assert(std::is_trivially_destructible_v<ProcessSlot>);

/// The loader makes it one for all libraries that have it (a unique symbol), also where they were loaded apart. Each
/// door exports it and gives it to share_process() when it is loaded.
template <class Of>
struct [[gnu::visibility("default")]] ProcessPlace {
  static ProcessSlot slot;
};
template <class Of>
constinit ProcessSlot ProcessPlace<Of>::slot{};

/// Without it a library has a place of its own, and answers.
void share_process(ProcessSlot& slot, Deaths deaths);

/// `options` with room for global data, unless that is said or memory is short: the same on all PEs of a job.
ContextOptions with_static_area(ContextOptions options, const fabric::Job& job);

/// The open Context, or a new one: collective then. The job is that of the environment; alone, one of this process. The
/// first to open it says how (`wishes`); room for global data is there unless memory is short. Hold it as long as the
/// door is open: the last to let go leaves the job.
std::shared_ptr<Context> open_process(const ContextOptions& wishes = {});
/// The place that open_process() takes or has taken.
const Membership& process_membership();
/// The Context that is open in this process. Null: none, or its parent's before a fork.
std::shared_ptr<Context> process_if_open();
/// How the PE of this process asks the launcher for further ones. Null: it does not do so, or there is no PE yet.
GuestDesk* guest_desk();

}  // namespace atl::runtime
