// SPDX-License-Identifier: Apache-2.0
// How an allocation that takes long learns that its result is no longer wanted.
#pragma once

#include "atoll/runtime/condition.hpp"

namespace atl::runtime {

/// Within its lifetime, allocations of this thread ask `is_interrupted` between steps of at most some 100 ms. Where it
/// says yes, an allocation ends what only makes its memory faster, and returns the block. Objects of a thread enclose
/// one another.
class Impatience {
 public:
  explicit Impatience(Condition is_interrupted) : condition_(is_interrupted), outer_(current_) { current_ = this; }
  ~Impatience() { current_ = outer_; }
  Impatience(const Impatience&) = delete;
  Impatience& operator=(const Impatience&) = delete;

  /// Asks the innermost one of this thread; without one: no.
  static bool asks_to_stop() { return current_ != nullptr && current_->condition_(); }

 private:
  Condition condition_;
  Impatience* outer_;
  static inline thread_local constinit Impatience* current_ = nullptr;
};

}  // namespace atl::runtime
