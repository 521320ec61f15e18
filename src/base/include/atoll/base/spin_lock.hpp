// SPDX-License-Identifier: Apache-2.0
// A lock for a few dozen instructions: one exchange to take it, a store to leave it. Where PEs share cores its holder
// may be off its core, so a thread that waits for long yields its own.
#pragma once

#include <sched.h>

#include <atomic>

#include "atoll/base/clock.hpp"

namespace atl {

class SpinLock {
 public:
  void take() {
    // Acquire: what it guards. Partner: leave().
    for (int attempt = 0; taken_.load(std::memory_order_relaxed) || taken_.exchange(true, std::memory_order_acquire);
         ++attempt) {
      if (attempt < 64) cpu_relax();
      else ::sched_yield();
    }
  }
  void leave() { taken_.store(false, std::memory_order_release); }  // partner: take()

 private:
  std::atomic<bool> taken_{false};
};

class SpinGuard {
 public:
  explicit SpinGuard(SpinLock& lock) : lock_(lock) { lock_.take(); }
  ~SpinGuard() { lock_.leave(); }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;

 private:
  SpinLock& lock_;
};

}  // namespace atl
