// SPDX-License-Identifier: Apache-2.0
// What is known of requests, and waits that are looked at from outside.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check/buffers.hpp"
#include "check/call_record.hpp"
#include "check/deadlock.hpp"
#include "core/library.hpp"
#include "request/request.hpp"

namespace atl::mpi::check {

struct Track {
  std::string what;  ///< the function that made it, and with whom
  Buffers buffers;
  std::vector<PeId> peers;     ///< one of them has to do something; none: not known
  std::shared_ptr<CallRecord> record;  ///< of a collective: all have to
  std::optional<std::size_t> digest{};  ///< of what is sent, as it was; of a request that is started once
};

void track(Request& request, Track track);
std::optional<Track> track_of(const Request& request);
/// Failure when a request that is not complete uses the same bytes.
void check_against_active(const Buffers& buffers, const Request* itself);
std::vector<PeId> peers_of(Comm& comm, int rank);

std::uint64_t next_wait();
/// So far, where the program has asked for less than MPI_THREAD_MULTIPLE. Where more do, or may, one that waits does
/// not keep its rank from going on.
bool one_thread_calls();

/// Has been told of one that waits; whatever ends that, is told of, too.
struct Told {
  bool told = false;
  Told() = default;
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;
  ~Told() {
    if (told) tell_going_on();
  }
};

/// Until `ready`, which is looked at each `step_seconds` at least. Meanwhile rank 0 is told now and then what `need`
/// says.
template <class Ready, class Needs>
void wait_watched(Ready&& ready, Needs&& needs, double step_seconds = look_again_seconds) {
  const std::uint64_t wait = next_wait();
  Told told;  // also where `ready` throws: rank 0 would take this rank for one that waits, whatever it does
  Deadline tells = Deadline::after_seconds(look_again_seconds);
  while (library().context().wait(ready, Deadline::after_seconds(step_seconds)) != Status::ok) {
    if (!tells.passed()) continue;
    tells = Deadline::after_seconds(look_again_seconds);
    if (!one_thread_calls()) continue;
    tell_waiting(wait, needs());
    told.told = true;
  }
}

}  // namespace atl::mpi::check
