// SPDX-License-Identifier: Apache-2.0
// A simulation that runs many threads of control in this thread, under a clock of its own: what waits asks it, where
// there is one, instead of the system.
#pragma once

#include <cstdint>

namespace atl {

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  virtual std::int64_t now_ns() const = 0;
  /// Others go on, until somebody wakes those that sleep on `bell`, or so much time has passed.
  virtual void sleep(const void* bell, std::int64_t limit_ns) = 0;
  virtual void wake(const void* bell) noexcept = 0;

  /// Of this thread; null: there is none.
  static Scheduler* current() { return current_; }
  /// Makes it this thread's for as long as this lives.
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
