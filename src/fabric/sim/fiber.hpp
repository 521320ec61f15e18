// SPDX-License-Identifier: Apache-2.0
// Fibers: coroutines with their own stacks, so that thousands of PEs run in one thread.
#pragma once

#include <cstddef>
#include <functional>

namespace atl::fabric::sim {

class Fiber {
 public:
  /// `body` starts at the first resume() and must not throw.
  Fiber(std::size_t stack_bytes, std::function<void()> body);
  /// Destroy only fibers that have ended or never started: destructors of objects on the stack do not run.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs the fiber until it pauses or ends. Must not be called from a fiber.
  void resume();
  /// Called by the fiber: returns to the thread that resumed it.
  void pause();
  bool ended() const { return ended_; }

 private:
  // Per-thread state of the C++ runtime: exceptions that are being handled.
  struct Handling {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  };
  static void enter(void* self);
  void exchange_handling();

  std::function<void()> body_;
  std::byte* stack_;
  std::size_t stack_bytes_;
  void* own_ = nullptr;  // stack positions of atoll_switch_stacks()
  void* resumer_ = nullptr;
  Handling handling_;
  bool ended_ = false;
  // For sanitizers, which track stacks.
  void* fake_stack_ = nullptr;
  const void* resumer_stack_ = nullptr;
  std::size_t resumer_stack_bytes_ = 0;
  void* own_track_ = nullptr;
  void* resumer_track_ = nullptr;
};

}  // namespace atl::fabric::sim
