// SPDX-License-Identifier: Apache-2.0
// Barrier and exchange of set-up: before there are communicators, and between them.
#include "atoll/runtime/meeting.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "atoll/base/config.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/peers.hpp"
#include "atoll/runtime/progress.hpp"
#include "meeting_area.hpp"

namespace atl::runtime {
namespace {

HeapOffset arrived_at(std::size_t round) { return HeapOffset(meeting_offset + round * sizeof(std::uint64_t)); }
HeapOffset value_at(std::uint32_t rank) {
  return HeapOffset(meeting_offset + sizeof(MeetingArea) + rank * sizeof(std::uint64_t));
}

}  // namespace

CohortNodes::CohortNodes(const fabric::Job& job, PeId self) {
  const fabric::Cohort cohort = job.cohort();
  std::vector<std::uint32_t> numbers(job.nodes(), UINT32_MAX);
  for (std::uint32_t rank = 0; rank < cohort.count; ++rank) {
    const PeId pe(cohort.first.value() + rank);
    std::uint32_t& number = numbers[job.node_of(pe)];
    if (number == UINT32_MAX) {
      number = count();
      leaders.push_back(pe);
    }
    of_rank.push_back(number);
  }
  own = numbers[job.node_of(self)];
  local = static_cast<std::uint32_t>(std::count(of_rank.begin(), of_rank.end(), own));
}

std::vector<std::uint64_t> Meeting::exchange(std::uint64_t value) {
  const CohortNodes nodes(one_sided_.job(), one_sided_.pe());
  std::vector<std::uint64_t> all;
  if (nodes.count() == 1) {
    one_sided_.job().record(one_sided_.pe()).offered.store(value, std::memory_order_relaxed);
    barrier();
    for (std::uint32_t rank = 0; rank < one_sided_.npes(); ++rank)
      all.push_back(one_sided_.job().record(one_sided_.world().pe_of(rank)).offered.load(std::memory_order_relaxed));
  } else {
    one_sided_.put_value<std::uint64_t>(nodes.leader(),
                                        value_at(one_sided_.pe().value() - one_sided_.world().pe_of(0).value()), value);
    meet(Kind::with_values);
    for (std::uint32_t rank = 0; rank < one_sided_.npes(); ++rank)
      all.push_back(one_sided_.get_value<std::uint64_t>(nodes.leader(), value_at(rank)));
  }
  barrier();  // no PE offers another value before all have read
  return all;
}

void Meeting::barrier() { meet(Kind::plain); }

void Meeting::meet(Kind kind) {
  one_sided_.quiet();
  const CohortNodes nodes(one_sided_.job(), one_sided_.pe());
  fabric::Gate& gate = one_sided_.job().gate();
  const std::uint32_t local = nodes.local;
  std::uint32_t epoch = barrier_epoch_++;
  // 0 means for ever.
  double limit = config::seconds(config::Variable::peer_timeout);
  Deadline deadline = limit == 0 ? Deadline::never() : Deadline::after_seconds(limit);
  bool leader = nodes.leader() == one_sided_.pe();
  // Acquire-release: what each did before the barrier, all see after it. The last one in passes it on by `epoch`, or
  // has the node's leader meet those of the other nodes first.
  bool last = gate.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == local;
  if (nodes.count() == 1 && last) return open_barrier(epoch);
  if (last && !leader) one_sided_.notify(nodes.leader());
  if (leader && nodes.count() > 1) {
    // Acquire: partner is the addition above.
    Status status = progress_.wait([&] { return gate.arrived.load(std::memory_order_acquire) == local; }, deadline);
    if (status != Status::ok) throw_absent(limit);
    meet_nodes(epoch, kind, deadline, limit);
    return open_barrier(epoch);
  }
  // Acquire: partner is the store in open_barrier().
  if (progress_.wait([&] { return gate.epoch.load(std::memory_order_acquire) == epoch + 1; }, deadline) != Status::ok)
    throw_absent(limit);
}

void Meeting::open_barrier(std::uint32_t epoch) {
  one_sided_.job().gate().arrived.store(0, std::memory_order_relaxed);
  one_sided_.job().gate().epoch.store(epoch + 1, std::memory_order_release);
  one_sided_.job().wake_all();
}

// The values of `count` nodes, this one and those before it round the circle, to the table of another.
void Meeting::hand_values(std::uint32_t to_node, std::uint32_t count) {
  const CohortNodes nodes(one_sided_.job(), one_sided_.pe());
  auto is_known = [&](std::uint32_t rank) {
    return (nodes.own + nodes.count() - nodes.of_rank[rank]) % nodes.count() < count;
  };
  for (std::uint32_t first = 0, last = 0; first < one_sided_.npes(); first = last + 1) {
    for (last = first; last < one_sided_.npes() && is_known(last); ++last) {}
    if (last == first) continue;
    one_sided_.put(nodes.leaders[to_node], value_at(first), one_sided_.local_pointer(value_at(first)),
                   (last - first) * sizeof(std::uint64_t));
  }
}

// Dissemination (Hensgen, Finkel, Manber 1988): in each round a node tells the one twice as far after it. Values go
// along: after round k a node has those of 2^(k+1) nodes, so that an exchange takes log2 n messages of each node and
// not n of each PE.
void Meeting::meet_nodes(std::uint32_t epoch, Kind kind, Deadline deadline, double limit_seconds) {
  const CohortNodes known(one_sided_.job(), one_sided_.pe());
  const std::uint32_t nodes = known.count(), node = known.own;
  std::uint64_t count = std::uint64_t{epoch} + 1;
  for (std::size_t round = 0, step = 1; step < nodes; ++round, step *= 2) {
    auto after = static_cast<std::uint32_t>((node + step) % nodes),
         before = static_cast<std::uint32_t>((node + nodes - step) % nodes);
    if (kind == Kind::with_values)
      hand_values(after, std::min(static_cast<std::uint32_t>(step), nodes - static_cast<std::uint32_t>(step)));
    // Does not overtake the values.
    one_sided_.set<std::uint64_t>(known.leaders[after], arrived_at(round), count);
    const auto* word = one_sided_.local_pointer<const std::uint64_t>(arrived_at(round));
    if (progress_.wait_until(word, Compare::greater_equal, count, deadline) != Status::ok)
      raise<TimeoutError>(
          fmt::format("{} or another PE of its node has not come to a barrier within {} s (ATOLL_PEER_TIMEOUT)",
                      one_sided_.job().describe(known.leaders[before]), limit_seconds));
  }
}

void Meeting::throw_absent(double limit_seconds) const {
  for (std::uint32_t rank = 0; rank < one_sided_.npes(); ++rank) {
    PeId pe = one_sided_.world().pe_of(rank);
    ATOLL_VALIDATE(
        !one_sided_.job().is_local(pe) || one_sided_.job().record(pe).state.load(std::memory_order_relaxed) != 0,
        TimeoutError, "PE {} has not joined the job within {} s", pe.value(), limit_seconds);
  }
  std::vector<PeId> all;
  for (std::uint32_t rank = 0; rank < one_sided_.npes(); ++rank) all.push_back(one_sided_.world().pe_of(rank));
  const std::vector<PeId> culprits = find_culprits(one_sided_.job(), {}, all);
  if (!culprits.empty()) one_sided_.job().suspect(culprits.front());
  raise<TimeoutError>(culprits.empty()
                          ? fmt::format("not all PEs came to a barrier within {} s (ATOLL_PEER_TIMEOUT)", limit_seconds)
                          : fmt::format("{} did not come to a barrier within {} s (ATOLL_PEER_TIMEOUT)",
                                        describe(one_sided_.job(), culprits), limit_seconds));
}

}  // namespace atl::runtime
