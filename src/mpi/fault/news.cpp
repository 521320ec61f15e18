// SPDX-License-Identifier: Apache-2.0
#include "fault/news.hpp"

#include <atomic>
#include <cstring>
#include <vector>

#include "atoll/base/clock.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/runtime/failure_detector.hpp"
#include "atoll/runtime/messenger.hpp"
#include "comm/live.hpp"
#include "core/library.hpp"
#include "fault/departure.hpp"

namespace atl::mpi {
namespace {

runtime::HandlerId revocation{};

void end_pending(Comm& comm, Status why) {
  library().matcher().fail(why, [&](PeId, std::uint64_t tag) { return comm.owns(tag); });
  comm.fail_coll(why);
}

// Every rank forwards the first revocation that it receives, so that it reaches all even if the revoking rank fails.
void spread(Comm& comm) {
  if (comm.mark_revoked()) return;
  for (PeId pe : comm.everybody())
    if (pe != library().pe() && !library().job().has_died(pe)) {
      std::uint64_t number = comm.number();
      library().messenger().send(pe, revocation, std::as_bytes(std::span(&number, 1)));
    }
}

// Runs under a lock of progress(): the next check() ends pending operations.
void hear_revocation(runtime::Context&, PeId, std::span<const std::byte> payload) {
  std::uint64_t number;
  std::memcpy(&number, payload.data(), sizeof(number));
  bool known = false;
  for_each_comm([&](Comm& comm) {
    if (comm.number() != number) return;
    known = true;
    spread(comm);
  });
  if (!known) note_revoked(number);  // not created here yet, or freed already
  library().failures().note_news();
}

// Collectives on a communicator with a failed member end this long after the failure, because members that got an error
// may not take part.
constexpr std::int64_t grace_ns = 30'000'000;
// The longer limit for collectives whose members announce their departure: something else may delay those members.
constexpr std::int64_t long_grace_ns = 2'000'000'000;

// Time since the last known failure.
std::int64_t since_last_death() {
  static std::atomic<std::uint32_t> known{0};
  static std::atomic<std::int64_t> since_ns{0};
  std::uint32_t deaths = library().job().deaths();
  if (known.exchange(deaths) != deaths) since_ns.store(now_ns());
  return now_ns() - since_ns.load();
}

// Failed PEs, by number. All messages that they had sent have arrived by then.
std::vector<bool> hear_of_deaths() {
  fabric::Job& job = library().job();
  std::vector<bool> dead(job.places());
  if (!job.has_failed()) return dead;
  for (std::uint32_t pe = 0; pe < job.npes() + job.guests(); ++pe) dead[pe] = job.has_died(PeId(pe));
  library().messenger().take_arrived();
  return dead;
}

// Why the members of a communicator under creation give up.
Status cause_to_leave(Comm& comm, bool others_had_time) {
  auto bits = comm.made_by();
  if (!bits) return Status::ok;
  Status why = comm.cause_to_leave();
  if (why == Status::revoked || (why == Status::peer_lost && others_had_time)) return why;
  for (PeId pe : comm.everybody())
    if (has_departed(pe, *bits)) return Status::peer_lost;
  return Status::ok;
}

// Ends operations that can no longer complete: those with a failed or departed rank, and finally all collectives on
// communicators that contain one.
void on_news() {
  fabric::Job& job = library().job();
  const std::int64_t had_ns = since_last_death();
  const bool others_had_time = had_ns >= long_grace_ns;
  const std::vector<bool> dead = hear_of_deaths();
  if (job.has_failed() || any_departed()) {
    library().matcher().fail(Status::peer_lost, [&](PeId peer, std::uint64_t tag) {
      return peer != runtime::Matcher::no_pe && (dead[peer.value()] || has_departed(peer, tag));
    });
    for_each_comm([&](Comm& comm) {
      comm.fail_ending();
      if (had_ns < grace_ns || comm.failed().empty()) return;
      comm.fail_coll(Status::peer_lost);
      if (!others_had_time) return;
      library().matcher().fail(Status::peer_lost, [&](PeId, std::uint64_t tag) {
        return comm.owns(tag) && (talk_of(tag) == Talk::library || talk_of(tag) == Talk::partitioned);
      });
    });
  }
  for_each_comm([&](Comm& comm) {
    Status why = comm.revoked() && !comm.is_being_made() ? Status::revoked : cause_to_leave(comm, others_had_time);
    if (why != Status::ok) end_pending(comm, why);
  });
}

[[maybe_unused]] const bool added = (add_service([] {
                                       revocation = library().messenger().register_handler(hear_revocation);
                                       library().failures().answer_news(on_news);
                                     }),
                                     true);

}  // namespace

void revoke(Comm& comm) {
  spread(comm);
  end_pending(comm, Status::revoked);
}

void answer_deaths_here() { library().job().survive(fabric::Survival::recovers); }

}  // namespace atl::mpi
