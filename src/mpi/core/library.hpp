// SPDX-License-Identifier: Apache-2.0
// The one MPI library of this process, which exists from the first MPI_Init or MPI_Session_init to the last finalize.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "atoll/base/ids.hpp"
#include "atoll/messaging/matching.hpp"
#include "atoll/runtime/parts.hpp"

namespace atl::mpi {

/// Match bits contain the number of the communicator from this bit on, so that each communicator is matched separately.
inline constexpr unsigned communicator_bit = 31;

class Library {
 public:
  /// Joins the job. Collective.
  Library();
  /// The second part of initialisation, when library() returns this object. Collective.
  void begin();
  /// Leaves the job; the last call. Collective.
  void leave();
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  runtime::Context& context() { return *context_; }
  runtime::Matcher& matcher() { return *matcher_; }
  void start_progress(std::optional<unsigned> core);
  bool has_progress() const { return progress_started_; }
  PeId pe() const { return pe_; }
  std::uint32_t npes() const { return npes_; }
  fabric::Job& job() { return parts_.job; }
  runtime::OneSided& one_sided() { return parts_.one_sided; }
  runtime::PeMemory& memory() { return parts_.memory; }
  runtime::Progress& progress() { return parts_.progress; }
  runtime::FailureDetector& failures() { return parts_.failures; }
  runtime::Messenger& messenger() { return parts_.messenger; }
  runtime::Directory& directory() { return parts_.directory; }
  runtime::ForeignMemory& foreign_memory() { return parts_.foreign_memory; }

 private:
  void part();
  std::shared_ptr<runtime::Context> context_;  // shared with the other programming interfaces (OpenSHMEM, …)
  runtime::Parts parts_;
  PeId pe_;
  std::uint32_t npes_;
  std::unique_ptr<runtime::Matcher> matcher_;
  std::atomic<bool> progress_started_{false};
};

/// Of the thread level that the program has asked for, MPI_THREAD_MULTIPLE: any thread may call, whatever others do.
/// Used by the checks only: the library itself is thread-safe at every level.
void let_all_threads_call();
bool all_threads_may_call();

/// Registers a function that each new Library calls before its barrier, in which higher folders register their message
/// handlers. All PEs must make the same calls in the same order, before the first Library exists.
using Service = void (*)();
void add_service(Service begin);
/// Registers a function that is called when a Library ends, after its last use.
void add_end(void (*end)());

namespace detail {
/// Null before the first initialisation and after the last finalisation.
extern Library* library;
}  // namespace detail

/// Whether the world or a session is initialized and not yet finalized.
inline bool is_active() { return detail::library != nullptr; }
/// Valid only while is_active().
inline Library& library() { return *detail::library; }

/// Adds a user of the library (the world, a session). The first one creates the library, which is collective.
void enter_library();
/// Removes a user. The last one ends the library.
void leave_library();

}  // namespace atl::mpi
