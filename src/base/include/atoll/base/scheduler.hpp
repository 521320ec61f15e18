// SPDX-License-Identifier: Apache-2.0
// The scheduler of a simulation, which runs many fibers in one thread under a simulated clock. Waiting code uses it, if
// there is one, instead of the system's clock and sleep.
#pragma once

#include <cstdint>

namespace atl {

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  virtual std::int64_t now_ns() const = 0;
  /// Runs other fibers until sleepers on `bell` are woken, or the time has passed.
  virtual void sleep(const void* bell, std::int64_t limit_ns) = 0;
  virtual void wake(const void* bell) noexcept = 0;

  /// The scheduler of this thread; null: none.
  static Scheduler* current() { return current_; }
  /// Makes it this thread's scheduler for the lifetime of this object.
  class Use {
   public:
    explicit Use(Scheduler& scheduler) { current_ = &scheduler; }
    ~Use() { current_ = nullptr; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
  };

 private:
  // Initial-exec: a load, and no call.
  static inline thread_local constinit Scheduler* current_ __attribute__((tls_model("initial-exec"))) = nullptr;
};

}  // namespace atl
