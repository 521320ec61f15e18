// SPDX-License-Identifier: Apache-2.0
// Barrier and exchange of set-up: before there are communicators, and between them.
#include "meeting.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "atoll/base/config.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/runtime/context.hpp"
#include "atoll/runtime/peers.hpp"

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

std::vector<std::uint64_t> Context::exchange(std::uint64_t value) {
  const CohortNodes nodes(*job_, pe_);
  std::vector<std::uint64_t> all;
  if (nodes.count() == 1) {
    job_->record(pe_).offered.store(value, std::memory_order_relaxed);
    barrier();
    for (std::uint32_t rank = 0; rank < npes_; ++rank)
      all.push_back(job_->record(world_.pe_of(rank)).offered.load(std::memory_order_relaxed));
  } else {
    put_value<std::uint64_t>(nodes.leader(), value_at(pe_.value() - world_.pe_of(0).value()), value);
    meet(Meeting::with_values);
    for (std::uint32_t rank = 0; rank < npes_; ++rank)
      all.push_back(get_value<std::uint64_t>(nodes.leader(), value_at(rank)));
  }
  barrier();  // no PE offers another value before all have read
  return all;
}

void Context::barrier() { meet(Meeting::plain); }

void Context::meet(Meeting what) {
  quiet();
  const CohortNodes nodes(*job_, pe_);
  fabric::Gate& gate = job_->gate();
  const std::uint32_t local = nodes.local;
  std::uint32_t epoch = barrier_epoch_++;
  // 0 means for ever.
  double limit = config::seconds(config::Variable::peer_timeout);
  Deadline deadline = limit == 0 ? Deadline::never() : Deadline::after_seconds(limit);
  bool leader = nodes.leader() == pe_;
  // Acquire-release: what each did before the barrier, all see after it. The last one in passes it on by `epoch`, or
  // has the node's leader meet those of the other nodes first.
  bool last = gate.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == local;
  if (nodes.count() == 1 && last) return open_barrier(epoch);
  if (last && !leader) notify(nodes.leader());
  if (leader && nodes.count() > 1) {
    // Acquire: partner is the addition above.
    Status status = wait([&] { return gate.arrived.load(std::memory_order_acquire) == local; }, deadline);
    if (status != Status::ok) throw_absent(limit);
    meet_nodes(epoch, what, deadline, limit);
    return open_barrier(epoch);
  }
  // Acquire: partner is the store in open_barrier().
  if (wait([&] { return gate.epoch.load(std::memory_order_acquire) == epoch + 1; }, deadline) != Status::ok)
    throw_absent(limit);
}

void Context::open_barrier(std::uint32_t epoch) {
  job_->gate().arrived.store(0, std::memory_order_relaxed);
  job_->gate().epoch.store(epoch + 1, std::memory_order_release);
  job_->wake_all();
}

// The values of `count` nodes, this one and those before it round the circle, to the table of another.
void Context::hand_values(std::uint32_t to_node, std::uint32_t count) {
  const CohortNodes nodes(*job_, pe_);
  auto is_known = [&](std::uint32_t rank) {
    return (nodes.own + nodes.count() - nodes.of_rank[rank]) % nodes.count() < count;
  };
  for (std::uint32_t first = 0, last = 0; first < npes_; first = last + 1) {
    for (last = first; last < npes_ && is_known(last); ++last) {}
    if (last == first) continue;
    put(nodes.leaders[to_node], value_at(first), local_pointer(value_at(first)),
        (last - first) * sizeof(std::uint64_t));
  }
}

// Dissemination (Hensgen, Finkel, Manber 1988): in each round a node tells the one twice as far after it. Values go
// along: after round k a node has those of 2^(k+1) nodes, so that an exchange takes log2 n messages of each node and
// not n of each PE.
void Context::meet_nodes(std::uint32_t epoch, Meeting what, Deadline deadline, double limit_seconds) {
  const CohortNodes known(*job_, pe_);
  const std::uint32_t nodes = known.count(), node = known.own;
  std::uint64_t count = std::uint64_t{epoch} + 1;
  for (std::size_t round = 0, step = 1; step < nodes; ++round, step *= 2) {
    auto after = static_cast<std::uint32_t>((node + step) % nodes),
         before = static_cast<std::uint32_t>((node + nodes - step) % nodes);
    if (what == Meeting::with_values)
      hand_values(after, std::min(static_cast<std::uint32_t>(step), nodes - static_cast<std::uint32_t>(step)));
    // Does not overtake the values.
    set<std::uint64_t>(known.leaders[after], arrived_at(round), count);
    const auto* word = local_pointer<const std::uint64_t>(arrived_at(round));
    if (wait_until(word, Compare::greater_equal, count, deadline) != Status::ok)
      raise<TimeoutError>(
          fmt::format("{} or another PE of its node has not come to a barrier within {} s (ATOLL_PEER_TIMEOUT)",
                      job_->describe(known.leaders[before]), limit_seconds));
  }
}

void Context::throw_absent(double limit_seconds) const {
  for (std::uint32_t rank = 0; rank < npes_; ++rank) {
    PeId pe = world_.pe_of(rank);
    ATOLL_VALIDATE(!job_->is_local(pe) || job_->record(pe).state.load(std::memory_order_relaxed) != 0, TimeoutError,
                   "PE {} has not joined the job within {} s", pe.value(), limit_seconds);
  }
  std::vector<PeId> all;
  for (std::uint32_t rank = 0; rank < npes_; ++rank) all.push_back(world_.pe_of(rank));
  const std::vector<PeId> culprits = find_culprits(*job_, {}, all);
  if (!culprits.empty()) job_->suspect(culprits.front());
  raise<TimeoutError>(culprits.empty()
                          ? fmt::format("not all PEs came to a barrier within {} s (ATOLL_PEER_TIMEOUT)", limit_seconds)
                          : fmt::format("{} did not come to a barrier within {} s (ATOLL_PEER_TIMEOUT)",
                                        describe(*job_, culprits), limit_seconds));
}

}  // namespace atl::runtime
