// SPDX-License-Identifier: Apache-2.0
// Barrier and exchange of set-up: before there are communicators, and between them.
#include "meeting.hpp"

#include "atoll/base/config.hpp"
#include "atoll/runtime/context.hpp"

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
    for (std::uint32_t pe = 0; pe < npes_; ++pe)
      all.push_back(job_->record(PeId(pe)).offered.load(std::memory_order_relaxed));
  } else {
    for (std::uint32_t node = 0; node < job_->nodes(); ++node)
      put_value<std::uint64_t>(job_->leader_of(node), value_at(pe_), value);
    barrier();
    for (std::uint32_t pe = 0; pe < npes_; ++pe)
      all.push_back(get_value<std::uint64_t>(job_->leader_of(job_->node()), value_at(PeId(pe))));
  }
  barrier();  // nobody offers anew before all have read
  return all;
}

void Context::barrier() {
  quiet();
  fabric::JobControl& control = job_->control();
  std::uint32_t epoch = barrier_epoch_++;
  // 0 means for ever.
  double limit = config::seconds(config::Variable::peer_timeout);
  Deadline deadline = limit == 0 ? Deadline::never() : Deadline::after_seconds(limit);
  bool leader = job_->place_of(pe_) == 0;
  // Acquire-release: what each did before the barrier, all see after it. The last one in passes it on by `epoch`, or
  // has the node's leader meet those of the other nodes first.
  bool last = control.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == job_->local_pes();
  if (job_->nodes() == 1 && last) return open_barrier(epoch);
  if (last && !leader) notify(job_->leader_of(job_->node()));
  if (leader && job_->nodes() > 1) {
    // Acquire: partner is the addition above.
    Status status = wait([&] { return control.arrived.load(std::memory_order_acquire) == job_->local_pes(); }, deadline);
    if (status != Status::ok) throw_absent(limit);
    meet_nodes(epoch, deadline, limit);
    return open_barrier(epoch);
  }
  // Acquire: partner is the store in open_barrier().
  if (wait([&] { return control.epoch.load(std::memory_order_acquire) == epoch + 1; }, deadline) != Status::ok)
    throw_absent(limit);
}

void Context::open_barrier(std::uint32_t epoch) {
  job_->control().arrived.store(0, std::memory_order_relaxed);
  job_->control().epoch.store(epoch + 1, std::memory_order_release);
  job_->wake_all();
}

// Dissemination (Hensgen, Finkel, Manber 1988): in each round a node tells the one twice as far after it.
void Context::meet_nodes(std::uint32_t epoch, Deadline deadline, double limit_seconds) {
  std::uint32_t nodes = job_->nodes(), node = job_->node();
  std::uint64_t count = std::uint64_t{epoch} + 1;
  for (std::size_t round = 0, step = 1; step < nodes; ++round, step *= 2) {
    auto after = static_cast<std::uint32_t>((node + step) % nodes), before = static_cast<std::uint32_t>((node + nodes - step) % nodes);
    set<std::uint64_t>(job_->leader_of(after), arrived_at(round), count);
    const auto* word = local_pointer<const std::uint64_t>(arrived_at(round));
    if (wait_until(word, Compare::greater_equal, count, deadline) != Status::ok)
      throw TimeoutError(fmt::format("{} or another PE of its node has not come to a barrier within {} s (ATOLL_PEER_TIMEOUT)",
                                     job_->describe(job_->leader_of(before)), limit_seconds));
  }
}

void Context::throw_absent(double limit_seconds) const {
  for (std::uint32_t pe = 0; pe < npes_; ++pe)
    ATOLL_VALIDATE(!job_->is_local(PeId(pe)) || job_->record(PeId(pe)).state.load(std::memory_order_relaxed) != 0,
                   TimeoutError, "PE {} has not joined the job within {} s", pe, limit_seconds);
  throw TimeoutError(fmt::format("not all PEs came to a barrier within {} s (ATOLL_PEER_TIMEOUT)", limit_seconds));
}

}  // namespace atl::runtime
