// SPDX-License-Identifier: Apache-2.0
// Sleeping until a peer changes this PE's memory, at the cost of one load for the peer.
//
// The sleeper sets `sleeping`, makes every other core run a full fence (membarrier), checks its condition once more,
// and only then blocks. A peer stores its data and then loads `sleeping`. The sleeper's membarrier orders the peer's
// load after its store, so a put needs no fence of its own, which would cost about 5 ns. Where the kernel has no
// membarrier, sleeps are short instead.
#pragma once

#include <atomic>
#include <cstdint>

#include "atoll/fabric/layout.hpp"

namespace atl::fabric {

/// Wakes all threads that sleep on the bell. Makes a system call.
void wake_sleepers(PeRecord& record) noexcept;

/// Call after a store for which a thread of this PE may wait.
inline void ring_bell(PeRecord& record) noexcept {
  // Keeps the compiler from moving the load before the store; the sleeper's membarrier in `Sleeper::announce` orders
  // the processor.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (record.sleeping.load(std::memory_order_relaxed) != 0) [[unlikely]]
    wake_sleepers(record);
}

/// Registers this process for membarrier. Every job calls it before its first sleep. Returns false when unavailable.
bool prepare_sleeping() noexcept;

/// One sleep: announce(), check the condition, block(). Several threads of a PE may sleep at the same time.
class Sleeper {
 public:
  explicit Sleeper(PeRecord& record) : record_(record) {}
  /// From now on a peer that stores and then calls ring_bell() ends the sleep.
  void announce() noexcept;
  /// Blocks until the bell rings, at most `limit_ns` nanoseconds. May return early.
  void block(std::int64_t limit_ns) noexcept;

 private:
  PeRecord& record_;
};

}  // namespace atl::fabric
