// SPDX-License-Identifier: Apache-2.0
// How a PE sleeps until a peer changes its memory, at the price of one load for the peer.
//
// The sleeper sets `sleeping`, makes every other core run a full fence (membarrier), looks at its condition once
// more, and only then blocks. A peer stores its data and then looks at `sleeping`. The fence that keeps the peer's
// load behind its store is the sleeper's membarrier, so a put pays no fence of its own: with one it would cost
// about 5 ns more. Where the kernel has no membarrier, sleeps are short instead.
#pragma once

#include <atomic>
#include <cstdint>

#include "atoll/fabric/layout.hpp"

namespace atl::fabric {

/// Wakes every thread sleeping on the bell. A system call.
void wake_sleepers(PeRecord& record) noexcept;

/// To be called after storing what a thread of that PE may wait for.
inline void ring_bell(PeRecord& record) noexcept {
  // The store before and this load must stay in program order for the compiler; the processor's order is the
  // business of the sleeper's membarrier in `Sleeper::announce`.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (record.sleeping.load(std::memory_order_relaxed) != 0) [[unlikely]]
    wake_sleepers(record);
}

/// Registers this process with membarrier. Called by every job before its first sleep; false: not available.
bool prepare_sleeping() noexcept;

/// One sleep: announce(), check the condition, block(). Several threads of a PE may do so at once.
class Sleeper {
 public:
  explicit Sleeper(PeRecord& record) : record_(record) {}
  /// From here on a peer that stores and then calls ring_bell() ends the sleep.
  void announce() noexcept;
  /// Blocks until the bell rings, at most `limit_ns`. May return early.
  void block(std::int64_t limit_ns) noexcept;

 private:
  PeRecord& record_;
};

}  // namespace atl::fabric
