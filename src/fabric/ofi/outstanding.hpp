// SPDX-License-Identifier: Apache-2.0
// Operations that no caller waits for alone; the next call of quiet() does: counted by generation, so that a thread
// which begins more without a pause does not keep the others waiting.
#pragma once

#include <cstdint>
#include <span>

namespace atl::fabric::ofi {

/// Counts the transfers that one caller waits for.
struct Pending {
  std::uint32_t left = 0;
};

class Outstanding {
 public:
  /// What an operation that begins now counts in.
  Pending& count() { return counts_[generation_ % 2]; }
  std::span<Pending> counts() { return counts_; }
  bool is_under_way() const { return counts_[0].left != 0 || counts_[1].left != 0; }
  bool is_count(const Pending* pending) const { return pending == &counts_[0] || pending == &counts_[1]; }

  std::uint64_t generation() const { return generation_; }
  /// Whether all that had begun when the generation was `since` has finished. To be asked until it is so.
  bool has_finished(std::uint64_t since) {
    // There are two counts: the next generation begins when nothing is left of the last.
    if (generation_ == since && counts_[(since + 1) % 2].left == 0) ++generation_;
    return generation_ > since + 1 || (generation_ == since + 1 && counts_[since % 2].left == 0);
  }

 private:
  Pending counts_[2];
  std::uint64_t generation_ = 0;
};

}  // namespace atl::fabric::ofi
