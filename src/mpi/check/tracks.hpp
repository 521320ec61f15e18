// SPDX-License-Identifier: Apache-2.0
// Data about requests for the checks, and waits that deadlock detection observes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "atoll/runtime/progress.hpp"
#include "check/buffers.hpp"
#include "check/call_record.hpp"
#include "check/deadlock.hpp"
#include "core/library.hpp"
#include "request/request.hpp"

namespace atl::mpi::check {

struct Track {
  std::string what;  ///< the function that created it, and its peer
  Buffers buffers;
  std::vector<PeId> peers;     ///< one of them has to act; empty: unknown
  std::shared_ptr<CallRecord> record;  ///< for a collective: all members have to act
  std::optional<std::size_t> digest{};  ///< of the send buffer at the start; not for persistent requests
};

void track(Request& request, Track track);
std::optional<Track> track_of(const Request& request);
/// Throws Failure when an incomplete request uses the same bytes.
void check_against_active(const Buffers& buffers, const Request* itself);
std::vector<PeId> peers_of(Comm& comm, int rank);

std::uint64_t next_wait();
/// Whether only one thread can call MPI: the program has asked for less than MPI_THREAD_MULTIPLE. Otherwise a waiting
/// thread does not block its rank, and deadlock detection is off.
bool one_thread_calls();

/// Guard of a reported wait: its destructor reports the end of the wait, also after an exception.
struct Told {
  bool told = false;
  Told() = default;
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;
  ~Told() {
    if (told) tell_going_on();
  }
};

/// Waits until `ready`, which is polled at least every `step_seconds`. Meanwhile reports the result of `needs` to rank
/// 0 about once a second.
template <class Ready, class Needs>
void wait_watched(Ready&& ready, Needs&& needs, double step_seconds = look_again_seconds) {
  const std::uint64_t wait = next_wait();
  Told told;  // also when `ready` throws: otherwise rank 0 would believe that this rank still waits
  Deadline tells = Deadline::after_seconds(look_again_seconds);
  while (library().progress().wait(ready, Deadline::after_seconds(step_seconds)) != Status::ok) {
    if (!tells.passed()) continue;
    tells = Deadline::after_seconds(look_again_seconds);
    if (!one_thread_calls()) continue;
    tell_waiting(wait, needs());
    told.told = true;
  }
}

}  // namespace atl::mpi::check
