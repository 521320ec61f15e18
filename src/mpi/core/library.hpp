// SPDX-License-Identifier: Apache-2.0
// The one MPI library of this process: what the first MPI_Init or MPI_Session_init makes and the last finalize takes
// away.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "atoll/runtime/context.hpp"
#include "atoll/runtime/matching.hpp"

namespace atl::mpi {

/// Tags of messages have the number of their communicator from this bit on: each is matched apart.
inline constexpr unsigned communicator_bit = 31;

class Library {
 public:
  /// Joins the job. Collective.
  Library();
  /// The rest of it, when library() knows it. Collective.
  void begin();
  /// Leaves it: the last thing to do. Collective.
  void leave();
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  runtime::Context& context() { return *context_; }
  runtime::Matcher& matcher() { return *matcher_; }
  void start_progress(std::optional<unsigned> core);
  bool has_progress() const { return progress_started_; }
  PeId pe() const { return context_->pe(); }
  std::uint32_t npes() const { return context_->npes(); }

 private:
  void part();
  std::shared_ptr<runtime::Context> context_;  // of all doors
  std::unique_ptr<runtime::Matcher> matcher_;
  std::atomic<bool> progress_started_{false};
};

/// Of the thread level that the program has asked for, MPI_THREAD_MULTIPLE: any thread may call, whatever others do.
/// For the checks alone: everything is safe to call from any thread.
void let_all_threads_call();
bool all_threads_may_call();

/// Called when a Library has been made, before its barrier: for message handlers of folders above. The same calls in
/// the same order on every PE; made before the first Library.
using Service = void (*)(runtime::Context& context);
void add_service(Service begin);
/// Called when a Library ends, after its last use.
void add_end(void (*end)());

namespace detail {
/// Null before the first init and after the last finalize.
extern Library* library;
}  // namespace detail

/// Whether MPI has been initialized, by world or session, and not all of that finalized.
inline bool is_active() { return detail::library != nullptr; }
/// Only while active.
inline Library& library() { return *detail::library; }

/// Counts a user of the library (the world, a session) in; the first one makes it. Collective then.
void enter_library();
/// The last one out ends it.
void leave_library();

}  // namespace atl::mpi
