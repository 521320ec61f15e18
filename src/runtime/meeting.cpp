// SPDX-License-Identifier: Apache-2.0
// Barrier and exchange of set-up: before there are communicators, and between them.
#include "meeting.hpp"

#include <algorithm>

#include "atoll/base/config.hpp"
#include "atoll/runtime/context.hpp"
#include "atoll/runtime/peers.hpp"

namespace atl::runtime {
namespace {

HeapOffset arrived_at(std::size_t round) { return HeapOffset(meeting_offset + round * sizeof(std::uint64_t)); }
HeapOffset value_at(PeId pe) {
  return HeapOffset(meeting_offset + sizeof(MeetingArea) + pe.value() * sizeof(std::uint64_t));
}

}  // namespace

std::vector<std::uint64_t> Context::exchange(std::uint64_t value) {
  std::vector<std::uint64_t> all;
  if (job_->nodes() == 1) {
    job_->record(pe_).offered.store(value, std::memory_order_relaxed);
    barrier();
    for (std::uint32_t rank = 0; rank < npes_; ++rank)
      all.push_back(job_->record(world_.pe_of(rank)).offered.load(std::memory_order_relaxed));
  } else {
    put_value<std::uint64_t>(job_->leader_of(job_->node()), value_at(pe_), value);
    meet(Meeting::with_values);
    for (std::uint32_t pe = 0; pe < npes_; ++pe)
      all.push_back(get_value<std::uint64_t>(job_->leader_of(job_->node()), value_at(PeId(pe))));
  }
  barrier();  // no PE offers another value before all have read
  return all;
}

void Context::barrier() { meet(Meeting::plain); }

void Context::meet(Meeting what) {
  quiet();
  fabric::Gate& gate = job_->gate();
  const std::uint32_t local = job_->is_guest() ? npes_ : job_->local_pes();
  std::uint32_t epoch = barrier_epoch_++;
  // 0 means for ever.
  double limit = config::seconds(config::Variable::peer_timeout);
  Deadline deadline = limit == 0 ? Deadline::never() : Deadline::after_seconds(limit);
  bool leader = job_->place_of(pe_) == 0;
  // Acquire-release: what each did before the barrier, all see after it. The last one in passes it on by `epoch`, or
  // has the node's leader meet those of the other nodes first.
  bool last = gate.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == local;
  if (job_->nodes() == 1 && last) return open_barrier(epoch);
  if (last && !leader) notify(job_->leader_of(job_->node()));
  if (leader && job_->nodes() > 1) {
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
  const std::uint32_t nodes = job_->nodes(), node = job_->node();
  auto is_known = [&](std::uint32_t pe) { return (node + nodes - job_->node_of(PeId(pe))) % nodes < count; };
  for (std::uint32_t first = 0, last = 0; first < npes_; first = last + 1) {
    for (last = first; last < npes_ && is_known(last); ++last) {}
    if (last == first) continue;
    put(job_->leader_of(to_node), value_at(PeId(first)), local_pointer(value_at(PeId(first))),
        (last - first) * sizeof(std::uint64_t));
  }
}

// Dissemination (Hensgen, Finkel, Manber 1988): in each round a node tells the one twice as far after it. Values go
// along: after round k a node has those of 2^(k+1) nodes, so that an exchange takes log2 n messages of each node and
// not n of each PE.
void Context::meet_nodes(std::uint32_t epoch, Meeting what, Deadline deadline, double limit_seconds) {
  std::uint32_t nodes = job_->nodes(), node = job_->node();
  std::uint64_t count = std::uint64_t{epoch} + 1;
  for (std::size_t round = 0, step = 1; step < nodes; ++round, step *= 2) {
    auto after = static_cast<std::uint32_t>((node + step) % nodes),
         before = static_cast<std::uint32_t>((node + nodes - step) % nodes);
    if (what == Meeting::with_values)
      hand_values(after, std::min(static_cast<std::uint32_t>(step), nodes - static_cast<std::uint32_t>(step)));
    // Does not overtake the values.
    set<std::uint64_t>(job_->leader_of(after), arrived_at(round), count);
    const auto* word = local_pointer<const std::uint64_t>(arrived_at(round));
    if (wait_until(word, Compare::greater_equal, count, deadline) != Status::ok)
      throw TimeoutError(
          fmt::format("{} or another PE of its node has not come to a barrier within {} s (ATOLL_PEER_TIMEOUT)",
                      job_->describe(job_->leader_of(before)), limit_seconds));
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
  throw TimeoutError(culprits.empty()
                         ? fmt::format("not all PEs came to a barrier within {} s (ATOLL_PEER_TIMEOUT)", limit_seconds)
                         : fmt::format("{} did not come to a barrier within {} s (ATOLL_PEER_TIMEOUT)",
                                       describe(*job_, culprits), limit_seconds));
}

}  // namespace atl::runtime
