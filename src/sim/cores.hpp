// SPDX-License-Identifier: Apache-2.0
// Cores that several PEs of a node share. A PE runs until it waits. An idle core switches from one PE to the next, in
// switch_ps each, and each PE polls for messages, as PEs do that wait with sched_yield().
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "atoll/sim/machine.hpp"

namespace atl::sim {

/// `Event` has `time` and the PE `to`. Those of a node are touched by one thread.
template <class Event>
class Cores {
 public:
  Cores(const Machine& machine, std::uint32_t nodes, std::uint32_t pes_per_node, Executor executor)
      : machine_(machine), pes_per_node_(pes_per_node) {
    if (machine.cores != 0 && pes_per_node > machine.cores && executor == Executor::host)
      cores_.resize(nodes * machine.cores);
  }
  /// False: each PE has a core of its own, and nothing below is called.
  bool are_shared() const { return !cores_.empty(); }

  /// From when on the PE's core is free: until what it does then is told by work_until().
  Time free(std::uint32_t pe) const { return cores_[number(pe)].free; }
  void work_until(std::uint32_t pe, Time end) { cores_[number(pe)].free = end; }

  /// The event waits for its PE's turn. When next() has to be called for that PE, if that is not known already.
  std::optional<Time> add(const Event& event) {
    Core& core = cores_[number(event.to)];
    core.pending.push_back(event);
    if (std::exchange(core.has_turn, true)) return std::nullopt;
    return std::max(event.time, core.free);
  }
  /// The event that is seen first, when it is seen by `now`, whose PE then has the core; else when to call again.
  std::pair<std::optional<Event>, Time> next(std::uint32_t pe, Time now) {
    Core& core = cores_[number(pe)];
    auto first = core.pending.begin();
    Time start = seen(core, *first);
    for (auto one = first + 1; one != core.pending.end(); ++one)
      if (const Time time = seen(core, *one); time < start) start = time, first = one;
    if (start > now) return {std::nullopt, start};
    Event event = *first;
    event.time = start;
    core.pending.erase(first);
    core.last = event.to;
    core.free = start;
    return {event, start};
  }
  /// After what followed from next(): when to call it again.
  std::optional<Time> rest(std::uint32_t pe, Time now) {
    Core& core = cores_[number(pe)];
    if (!core.pending.empty()) return std::max(now, core.free);
    core.has_turn = false;
    return std::nullopt;
  }

 private:
  struct Core {
    Time free = 0;
    std::uint32_t last = 0;  // the PE that ran last
    bool has_turn = false;  // next() is scheduled
    std::vector<Event> pending;
  };
  std::size_t number(std::uint32_t pe) const {
    return pe / pes_per_node_ * machine_.cores + pe % pes_per_node_ % machine_.cores;
  }
  // The time at which a PE sees an event, if no other PE sees one before.
  Time seen(const Core& core, const Event& event) const {
    const std::uint64_t first = event.to % pes_per_node_ % machine_.cores;
    const std::uint64_t sharers = (pes_per_node_ - first + machine_.cores - 1) / machine_.cores;
    auto on_core = [&](std::uint32_t pe) { return pe % pes_per_node_ / machine_.cores; };
    const std::uint64_t ahead = (on_core(event.to) + sharers - on_core(core.last)) % sharers;
    if (sharers == 1 || (ahead == 0 && event.time <= core.free)) return std::max(core.free, event.time);
    const Time round = sharers * machine_.switch_ps, look = core.free + ahead * machine_.switch_ps;
    if (look >= event.time || round == 0) return std::max(look, event.time);
    return look + (event.time - look + round - 1) / round * round;
  }

  const Machine& machine_;
  const std::uint32_t pes_per_node_;
  std::vector<Core> cores_;
};

}  // namespace atl::sim
