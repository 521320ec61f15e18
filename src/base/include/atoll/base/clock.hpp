// SPDX-License-Identifier: Apache-2.0
// The monotonic clock and deadlines built on it. Nothing outside base reads a clock of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

#include "atoll/base/scheduler.hpp"

namespace atl {

/// Nanoseconds of the monotonic clock, or of the simulation that this thread runs.
inline std::int64_t now_ns() {
  if (const Scheduler* simulation = Scheduler::current(); simulation != nullptr) [[unlikely]]
    return simulation->now_ns();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// A point in time after which a wait gives up.
class Deadline {
 public:
  static Deadline never() { return Deadline(std::numeric_limits<std::int64_t>::max()); }
  static Deadline after_ns(std::int64_t ns) { return Deadline(now_ns() + ns); }
  static Deadline after_seconds(double seconds) { return after_ns(static_cast<std::int64_t>(seconds * 1e9)); }
  bool passed() const { return at_ns_ != std::numeric_limits<std::int64_t>::max() && now_ns() >= at_ns_; }
  std::int64_t remaining_ns() const {
    return at_ns_ == std::numeric_limits<std::int64_t>::max() ? at_ns_ : at_ns_ - now_ns();
  }

 private:
  explicit Deadline(std::int64_t at_ns) : at_ns_(at_ns) {}
  std::int64_t at_ns_;
};

/// Tells the core that this is a spin loop.
inline void cpu_relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace atl
