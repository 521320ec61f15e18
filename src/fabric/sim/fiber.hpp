// SPDX-License-Identifier: Apache-2.0
// A thread of control with a stack of its own, that runs when it is told to: thousands of PEs in one thread.
#pragma once

#include <cstddef>
#include <functional>

namespace atl::fabric::sim {

class Fiber {
 public:
  /// `body` must not throw. Runs first at the first resume().
  Fiber(std::size_t stack_bytes, std::function<void()> body);
  /// Of one that has ended, or has never begun. What lies on the stack of another is lost.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Goes on with it, until it pauses or ends. Not from a fiber.
  void resume();
  /// From the fiber: returns to the thread that resumed it.
  void pause();
  bool ended() const { return ended_; }

 private:
  // What the C++ runtime keeps for each thread of control: exceptions that are being handled.
  struct Handling {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  };
  static void enter(void* self);
  void exchange_handling();

  std::function<void()> body_;
  std::byte* stack_;
  std::size_t stack_bytes_;
  void* own_ = nullptr;  // places of atoll_switch_stacks()
  void* resumer_ = nullptr;
  Handling handling_;
  bool ended_ = false;
  // For sanitizers, which know stacks.
  void* fake_stack_ = nullptr;
  const void* resumer_stack_ = nullptr;
  std::size_t resumer_stack_bytes_ = 0;
  void* own_track_ = nullptr;
  void* resumer_track_ = nullptr;
};

}  // namespace atl::fabric::sim
