// SPDX-License-Identifier: Apache-2.0
#include "fault/news.hpp"

#include <atomic>
#include <cstring>

#include "atoll/base/clock.hpp"
#include "comm/live.hpp"
#include "core/library.hpp"

namespace atl::mpi {
namespace {

runtime::HandlerId revocation{};

void end_pending(Comm& comm, Status why) {
  library().matcher().fail(why, [&](PeId, std::uint64_t tag) { return comm.owns(tag); });
  comm.fail_coll(why);
}

// Whoever hears it first tells all: it reaches everybody, though who revokes may die meanwhile.
void spread(Comm& comm) {
  if (comm.mark_revoked()) return;
  for (PeId pe : comm.everybody())
    if (pe != library().pe() && !library().context().job().has_died(pe)) {
      std::uint64_t number = comm.number();
      library().context().send(pe, revocation, std::as_bytes(std::span(&number, 1)));
    }
}

// Under a lock of progress(): what is pending ends in the next check().
void hear_revocation(runtime::Context&, PeId, std::span<const std::byte> payload) {
  std::uint64_t number;
  std::memcpy(&number, payload.data(), sizeof(number));
  bool known = false;
  for_each_comm([&](Comm& comm) {
    if (comm.number() != number) return;
    known = true;
    spread(comm);
  });
  if (!known) note_revoked(number);  // not yet, or not any more: who has freed one has no use for the news
  library().context().note_news();
}

// Messages that came before a death, or from those who go on, may not have been looked at when it is noticed: what waits for those who
// are alive has this long. Without it 4 of 20 runs on 4 ranks of 2 busy cores lost communicators that were almost made.
constexpr std::int64_t grace_ns = 30'000'000;

// Whether all deaths that are known have been for so long.
bool settled() {
  static std::atomic<std::uint32_t> known{0};
  static std::atomic<std::int64_t> since_ns{0};
  std::uint32_t deaths = library().context().job().deaths();
  if (known.exchange(deaths) != deaths) since_ns.store(now_ns());
  return now_ns() - since_ns.load() >= grace_ns;
}

// What cannot end any more: with one that is dead, and collectives of communicators that have one, as others have given up.
void on_news() {
  fabric::Job& job = library().context().job();
  const bool others_had_time = settled();
  if (job.has_failed()) {
    library().matcher().fail(Status::peer_lost, [&](PeId peer, std::uint64_t) { return peer != runtime::Matcher::no_pe && job.has_died(peer); });
    for_each_comm([&](Comm& comm) {
      comm.fail_ending();
      if (!others_had_time || comm.failed().empty()) return;
      // Those who make a communicator of some members leave when one of these has died.
      library().matcher().fail(Status::peer_lost, [&](PeId, std::uint64_t tag) {
        return comm.owns(tag) && (talk_of(tag) == Talk::library || talk_of(tag) == Talk::partitioned);
      });
      comm.fail_coll(Status::peer_lost);
    });
  }
  for_each_comm([&](Comm& comm) {
    Status why = comm.revoked() && !comm.is_being_made() ? Status::revoked : others_had_time ? comm.cause_to_leave() : Status::ok;
    if (why != Status::ok) end_pending(comm, why);
  });
}

[[maybe_unused]] const bool added = (add_service([](runtime::Context& context) {
                                       revocation = context.register_handler(hear_revocation);
                                       context.answer_news(on_news);
                                     }),
                                     true);

}  // namespace

void revoke(Comm& comm) {
  spread(comm);
  end_pending(comm, Status::revoked);
}

void answer_deaths_here() { library().context().job().survive(fabric::Survival::recovers); }

}  // namespace atl::mpi
