// SPDX-License-Identifier: Apache-2.0
// Operations that quiet() waits for, counted by generation, so that a thread that keeps starting operations does not
// delay the quiet() of others.
#pragma once

#include <cstdint>
#include <span>

namespace atl::fabric::ofi {

/// Number of transfers for which one caller waits.
struct Pending {
  std::uint32_t left = 0;
};

class Outstanding {
 public:
  /// The counter for an operation that starts now.
  Pending& count() { return counts_[generation_ % 2]; }
  std::span<Pending> counts() { return counts_; }
  bool is_under_way() const { return counts_[0].left != 0 || counts_[1].left != 0; }
  bool is_count(const Pending* pending) const { return pending == &counts_[0] || pending == &counts_[1]; }

  std::uint64_t generation() const { return generation_; }
  /// Whether all operations that had started in generation `since` have finished. Call repeatedly until true.
  bool has_finished(std::uint64_t since) {
    // There are two counters: the next generation begins when the previous one is empty.
    if (generation_ == since && counts_[(since + 1) % 2].left == 0) ++generation_;
    return generation_ > since + 1 || (generation_ == since + 1 && counts_[since % 2].left == 0);
  }

 private:
  Pending counts_[2];
  std::uint64_t generation_ = 0;
};

}  // namespace atl::fabric::ofi
