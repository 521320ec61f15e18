// SPDX-License-Identifier: Apache-2.0
// Operations that quiet() waits for, counted by generation, so that a thread that keeps starting operations does not
// delay the quiet() of others.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "atoll/fabric/queueing.hpp"

namespace atl::fabric::ofi {

struct Tracked;

/// Number of transfers for which one caller waits.
struct Pending {
  std::uint32_t left = 0;
  Tracked* whole = nullptr;  ///< not null: these are the transfers of one operation with a QueuedCompletion
};

/// A queued operation with a QueuedCompletion. Its transfers are counted here, and it counts as one in quiet()'s count.
struct Tracked {
  Pending transfers;  ///< and one more until all have started
  Pending* in_quiet = nullptr;
  QueuedCompletion* completion = nullptr;  ///< null: the caller does not ask any more
  std::uint32_t peer = 0;
};

class TrackedOperations {
 public:
  Tracked& take(QueuedCompletion& completion, std::uint32_t peer, Pending& in_quiet) {
    if (free_.empty()) {
      Tracked& one = all_.emplace_back();
      one.transfers.whole = &one;
      free_.push_back(&one);
    }
    Tracked& one = *free_.back();
    free_.pop_back();
    one.transfers.left = 1;
    one.in_quiet = &in_quiet;
    one.completion = &completion;
    one.peer = peer;
    return one;
  }
  void give_back(Tracked& one) { free_.push_back(&one); }
  /// For operations whose result is of no use any more.
  void drop_completions() {
    for (Tracked& one : all_)
      if (QueuedCompletion* completion = std::exchange(one.completion, nullptr))
        completion->finish_part(QueuedCompletion::Outcome::dropped);
  }

 private:
  std::deque<Tracked> all_;  // never moved
  std::vector<Tracked*> free_;
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
