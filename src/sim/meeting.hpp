// SPDX-License-Identifier: Apache-2.0
// Where the threads of a simulation wait for one another, a few times in a simulated microsecond: a sleep and a wake-up
// took longer than what lies between.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "atoll/base/clock.hpp"

namespace atl::sim {

class Meeting {
 public:
  explicit Meeting(std::size_t threads)
      : threads_(static_cast<std::uint32_t>(threads)),
        looks_(threads <= std::thread::hardware_concurrency() ? 4000 : 0) {}
  // The last thread to come calls `last` before all go on.
  template <class Last>
  void meet(Last&& last) {
    const std::uint32_t round = round_.load(std::memory_order_relaxed);
    // Release: what this thread has done. Acquire: what the others have. Partners: each other.
    if (come_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      come_.store(0, std::memory_order_relaxed);
      last();
      round_.store(round + 1, std::memory_order_release);  // partner: the loop below
      round_.notify_all();
      return;
    }
    for (int looks = 0; looks < looks_; ++looks) {
      if (round_.load(std::memory_order_acquire) != round) return;
      cpu_relax();
    }
    round_.wait(round, std::memory_order_acquire);
  }

 private:
  const std::uint32_t threads_;
  const int looks_;  // before it sleeps; more threads than cores would take them from one another
  std::atomic<std::uint32_t> come_{0}, round_{0};
};

}  // namespace atl::sim
