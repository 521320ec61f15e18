// SPDX-License-Identifier: Apache-2.0
// The counters of a PE, and operations that they trigger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>

#include "atoll/base/clock.hpp"
#include "atoll/base/ids.hpp"
#include "atoll/base/status.hpp"
#include "atoll/fabric/endpoint.hpp"
#include "atoll/runtime/counter.hpp"
#include "atoll/runtime/handler.hpp"
#include "atoll/runtime/progress.hpp"

namespace atl::runtime {

class Context;
class FailureDetector;
class PeMemory;
class OneSided;

/// Thread-safe except where said.
class Counters {
 public:
  /// The parts of one Context, which triggered functions get.
  Counters(Context& context, OneSided& one_sided, PeMemory& memory, Progress& progress, FailureDetector& failures,
           Messenger& messenger);
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;

  /// The lowest free counter of this PE, at 0.
  CounterId allocate_counter();
  /// Drops what is still queued on it, see cancel_triggers().
  void release_counter(CounterId id);
  std::uint64_t counter(CounterId id) const {
    return area_->counters[id.value()].value.load(std::memory_order_acquire);  // partner: bump()
  }
  /// Failures too.
  Count count(CounterId id) const {
    const CounterCell& cell = area_->counters[id.value()];
    std::uint64_t failures = cell.failures.load(std::memory_order_acquire);  // partner: count()
    return {counter(id), failures};
  }
  /// Not while anything may bump it, nor to start what waits.
  void reset_counter(CounterId id, std::uint64_t value = 0);
  void bump(CounterRef counter, std::uint64_t by = 1);
  /// bump(), failures too. A trigger is due when successes and failures together reach its threshold: a chain does not
  /// stop at what failed, and waits for the end report the failures.
  void count(CounterRef counter, Count by);
  /// Sets a counter, and starts what is due then.
  void set_counter(CounterRef counter, Count to);
  /// Until `at_least` operations succeeded or one failed.
  Count wait_count(CounterId id, std::uint64_t at_least) {
    progress_.wait([&] { return is_settled(id, at_least); });
    return count(id);
  }
  /// The first of several counters that is at `at_least` (by counter) or has a failure. None: the deadline passed.
  std::optional<std::size_t> wait_any(std::span<const CounterId> ids, std::span<const std::uint64_t> at_least,
                                      Deadline deadline);
  void wait_counter(CounterId id, std::uint64_t at_least) {
    progress_.wait([&] { return counter(id) >= at_least; });
  }
  [[nodiscard]] Status wait_counter(CounterId id, std::uint64_t at_least, Deadline deadline) {
    return progress_.wait([&] { return counter(id) >= at_least; }, deadline);
  }
  /// A put that bumps a counter by 1, after the data is at the target: the target's own counter, or this PE's.
  void put_counted(PeId pe, HeapOffset to, const void* from, std::size_t bytes, CounterRef counter) {
    endpoint_.put(pe, to, from, bytes);
    bump_behind(pe, counter);
  }
  /// A get that bumps a counter by 1 when the data is here.
  void get_counted(void* to, PeId pe, HeapOffset from, std::size_t bytes, CounterRef counter) {
    endpoint_.get(to, pe, from, bytes);
    bump(counter);
  }

  /// Queues `operation` until this PE's counter reaches `threshold` (at least 1); started at once when it has. The
  /// thread that increments the counter carries it out, equal thresholds in the order they were queued; gets, fetches
  /// and functions run in this PE's progress(). Data are read then. Throws MemoryError when the PE's heap has no room
  /// for it, or most_triggers are queued.
  void trigger(CounterId on, std::uint64_t threshold, TriggeredOp operation);
  /// A triggered send(). `payload` is read when it starts.
  void trigger_send(CounterId on, std::uint64_t threshold, PeId pe, HandlerId handler,
                    std::span<const std::byte> payload, CounterRef then = {});
  /// Drops what is still queued on the counter: it never starts. Returns how many. `dropped_run` gets the arguments of
  /// make_run().
  std::size_t cancel_triggers(CounterId on, const std::function<void(void*)>& dropped_run = {});

 protected:
  /// A bump or a set that another node has posted. Throws Error when it is neither.
  void hear_count(PeId source, std::uint16_t kind, std::span<const std::byte> payload);

 private:
  friend class Progress;
  bool run_ready_triggers();

  TriggerArea& area_of(PeId pe) const;
  bool is_settled(CounterId id, std::uint64_t at_least) const {
    Count now = count(id);
    return now.success >= at_least || now.failure != 0;
  }
  bool count_up(CounterRef counter, std::uint64_t by);
  bool count_up_behind(PeId target, CounterRef counter, std::uint64_t by);
  bool count_all(CounterRef counter, Count by);
  bool set_all(CounterRef counter, Count to);
  bool count_after(const TriggerCell& cell, CounterRef then);
  std::uint32_t take_cell();
  void add_cells();
  bool run_ready(const TriggerCell& cell);
  void fetch_for(const TriggerCell& cell);
  std::uint64_t fetch_by(fabric::AtomicOp how, PeId pe, HeapOffset word, std::uint64_t value, std::uint64_t expected);
  void bump_behind(PeId target, CounterRef counter);
  void post_bump(PeId pe, CounterRef counter, std::uint64_t by);
  void post_count(PeId pe, std::uint16_t kind, CounterRef counter, Count count);
  bool take_due(CounterRef counter, TriggerCell& taken);
  void fire(CounterRef counter);
  void carry_out(PeId owner, const TriggerCell& cell);
  void lock_area(TriggerArea& area);
  static void unlock_area(TriggerArea& area);

  TriggerArea* area_;
  fabric::Endpoint& endpoint_;
  fabric::Job& job_;
  Context& context_;
  OneSided& one_sided_;
  PeMemory& memory_;
  Progress& progress_;
  FailureDetector& failures_;
  Messenger& messenger_;
  std::mutex calls_mutex_;
  std::map<std::uint64_t, std::function<void(Context&)>> calls_;  // functions of queued triggers
  std::uint64_t next_call_ = 1;
};

}  // namespace atl::runtime
