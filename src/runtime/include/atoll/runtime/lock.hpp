// SPDX-License-Identifier: Apache-2.0
// Locks among PEs: first come, first served, and each waits on its own memory.
#pragma once

#include <cstdint>

#include "atoll/base/ids.hpp"

namespace atl::runtime {

class OneSided;
class Progress;

/// A lock is a symmetric 64-bit word, 8-byte aligned, 0 on every PE before its first use and whenever no PE holds it.
/// Not reentrant: a PE, whichever of its threads, holds or waits for a lock once at a time.
///
/// The queue is that of Mellor-Crummey and Scott (1991): a PE that waits spins on its own word, and passing the lock on
/// is one atomic to the next PE. Free: one compare-and-swap at the lock's home each to take and to give.
class Lock {
 public:
  Lock(OneSided& one_sided, Progress& progress, HeapOffset word);

  /// Returns when this PE holds it: what the last holder did before clear() is visible.
  void set();
  /// True: this PE holds it now.
  bool test();
  /// Gives it up after completing what this PE has put.
  void clear();

 private:
  // A word's halves: at the home PE the PE that came last, on every PE its place in the queue.
  HeapOffset last() const { return word_; }
  HeapOffset place() const { return HeapOffset(word_.value() + 4); }

  OneSided& one_sided_;
  Progress& progress_;
  HeapOffset word_;
  PeId home_;
};

}  // namespace atl::runtime
