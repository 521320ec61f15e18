// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/ops/routing.hpp"

#include "atoll/array/phase.hpp"
#include "atoll/coll/collectives.hpp"

namespace atl::array {
namespace {

constexpr std::size_t routing_grain = 16384;  // indices worth waking a thread for

}  // namespace

Routing::Routing(Engine& engine, const OpenBlocks& holders, const std::int64_t* indices, std::size_t count,
                 std::optional<const std::byte*> values)
    : engine_(engine), row_bytes_(holders.row_bytes()) {
  engine.together([&] {
    rows_ = Buffer<std::int64_t>(engine.memory(), std::max<std::size_t>(count, 1));
    positions_ = Buffer<std::int64_t>(engine.memory(), std::max<std::size_t>(count, 1));
    if (values) values_ = Buffer<std::byte>(engine.memory(), std::max<std::size_t>(count * row_bytes_, 1));
  });
  group_by_holder(holders.distribution(), indices, count);
  engine.together([&] {
    if (!values) return;
    const PeerBlocks source(const_cast<std::byte*>(*values), static_cast<std::int64_t>(count), row_bytes_);
    (void)gather(engine.work(), source, positions_.data(), count, values_.data());
  });
  row_reach_ = Reach(engine, rows_.data());
  if (values) value_reach_ = Reach(engine, values_.data());
  std::vector<Asked> mine(engine.npes());
  for (std::uint32_t pe = 0; pe < engine.npes(); ++pe) mine[pe] = {starts_[pe], starts_[pe + 1] - starts_[pe]};
  {
    const Phase phase(engine, wait_phase);
    asked_ = engine.communicator().alltoall(mine);
  }

  const std::span<std::byte> staging = holders.staging();
  room_ = staging.size() / (sizeof(std::int64_t) + row_bytes_);
  staged_rows_ = reinterpret_cast<std::int64_t*>(staging.data());
  staged_values_ = staging.data() + room_ * sizeof(std::int64_t);
}

/// A stable counting sort: every thread counts and then moves the same part of the list.
void Routing::group_by_holder(const Distribution& distribution, const std::int64_t* indices, std::size_t count) {
  const std::uint32_t npes = engine_.npes();
  const std::int64_t all_rows = distribution.rows();
  std::vector<std::size_t> next(std::size_t{engine_.threads().size()} * npes);
  auto row_of = [&](std::size_t i) { return indices[i] + (indices[i] < 0 ? all_rows : 0); };
  engine_.threads().for_ranges(count, routing_grain, [&](std::size_t begin, std::size_t end, unsigned thread) {
    std::size_t* counts = next.data() + std::size_t{thread} * npes;
    for (std::size_t i = begin; i < end; ++i) ++counts[distribution.owner(row_of(i))];
  });
  std::size_t start = 0;
  for (std::uint32_t pe = 0; pe < npes; ++pe) {
    starts_.push_back(start);
    for (std::size_t at = pe; at < next.size(); at += npes) start += std::exchange(next[at], start);
  }
  starts_.push_back(start);
  engine_.threads().for_ranges(count, routing_grain, [&](std::size_t begin, std::size_t end, unsigned thread) {
    std::size_t* slots = next.data() + std::size_t{thread} * npes;
    for (std::size_t i = begin; i < end; ++i) {
      const std::int64_t row = row_of(i);
      const std::uint32_t pe = distribution.owner(row);
      const std::size_t slot = slots[pe]++;
      rows_[slot] = row - distribution.begin(pe);
      positions_[slot] = static_cast<std::int64_t>(i);
    }
  });
}

void Routing::start_fetch(std::uint32_t pe, std::size_t slot, std::size_t count) {
  row_reach_.start_get(staged_rows_ + used_, pe, slot * sizeof(std::int64_t), count * sizeof(std::int64_t));
  std::byte* values = staged_values_ + used_ * row_bytes_;
  if (values_.size() != 0) value_reach_.start_get(values, pe, slot * row_bytes_, count * row_bytes_);
  under_way_.push_back({pe, slot, count, staged_rows_ + used_, values});
  used_ += count;
}

void gather_over_nodes(Engine& engine, const OpenBlocks& from, const std::int64_t* indices, std::size_t count,
                       std::byte* to) {
  const std::size_t row_bytes = from.row_bytes();
  const Work work = engine.work(), uninterrupted = engine.work(Interruptible::no);
  Routing routing(engine, from, indices, count);
  Buffer<std::byte> answers;
  engine.together([&] { answers = Buffer<std::byte>(engine.memory(), std::max<std::size_t>(count * row_bytes, 1)); });
  const Reach answer_reach(engine, answers.data());
  // Co-located PEs' rows are read where they lie; PEs of other nodes answer into our memory, as this PE does for them.
  engine.together([&] {
    for (std::uint32_t step = 0; step < engine.npes(); ++step) {
      const std::uint32_t pe = (engine.pe() + step) % engine.npes();
      const auto group = routing.group(pe);
      if (group.count == 0 || !from.reach().maps(pe)) continue;
      const PeerBlocks block(from.reach().mapped(pe), from.distribution().count(pe), row_bytes);
      (void)gather(work, block, group.rows, group.count, answers.data() + routing.start(pe) * row_bytes);
    }
  });
  const PeerBlocks own(from.reach().mapped(engine.pe()), from.distribution().count(engine.pe()), row_bytes);
  routing.for_far_requests([&](const Routing::Requests& requests) {
    // Requests of other PEs are on their way into the staging memory.
    (void)gather(uninterrupted, own, requests.rows, requests.count, const_cast<std::byte*>(requests.values));
    answer_reach.put(requests.pe, requests.slot * row_bytes, requests.values, requests.count * row_bytes);
  });
  answer_reach.complete();
  engine.barrier();
  const PeerBlocks result(to, static_cast<std::int64_t>(count), row_bytes);
  engine.together(
      [&] { (void)scatter(work, result, routing.positions(), count, answers.data(), row_bytes, {}, Bounds::checked); });
}

}  // namespace atl::array
