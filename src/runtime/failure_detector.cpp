// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/failure_detector.hpp"

#include <mutex>
#include <utility>

#include "atoll/base/clock.hpp"
#include "atoll/runtime/deaths.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/progress.hpp"
#include "naps.hpp"

namespace atl::runtime {
namespace {

// A PE that is killed while it writes into slots of this ring leaves them unwritten for ever, and all behind them
// unread. One that lives writes on within this. One that lives and was stopped for longer has its message passed over,
// and when it goes on it writes into up to most_slots slots that may be another's by then: only after a death, and
// there is nothing to tell it by.
constexpr std::int64_t abandoned_ns = 1'000'000'000;

}  // namespace

FailureDetector::FailureDetector(OneSided& one_sided, Progress& progress)
    : one_sided_(one_sided), progress_(progress), job_(one_sided.job()) {}

void FailureDetector::answer_news(std::function<void()> answer) {
  // No other thread is in check() when doors open and close.
  answers_.store(false);
  answer_ = std::move(answer);
  answers_.store(answer_ != nullptr, std::memory_order_release);  // the function; partner: check_slowly()
}

void FailureDetector::check_slowly() {
  // A spawned process joins a job in which PEs may have died before; it checks only the PEs spawned with it.
  if (job_.is_guest() && !answers_.load(std::memory_order_acquire) && !job_.exit_requested()) {
    for (std::uint32_t rank = 0; rank < one_sided_.npes(); ++rank)
      if (job_.has_died(one_sided_.world().pe_of(rank))) job_.check();
    return;
  }
  if (!answers_.load(std::memory_order_acquire) || deaths_here() == Deaths::fatal || job_.exit_requested())
    return job_.check();
  if (progress_.in_progress_here()) return;  // what it does takes locks that a hook must not wait for
  if (progress_.progress_owner().try_take()) {
    std::lock_guard leave(progress_.progress_owner(), std::adopt_lock);
    skip_abandoned_slots();
  }
  // Acquire: what is new. Partners: note_news(), the job's deaths().
  std::uint32_t news = news_.load(std::memory_order_acquire), deaths = job_.deaths();
  bool old = news == news_answered_.load(std::memory_order_relaxed) &&
             deaths == deaths_answered_.load(std::memory_order_relaxed);
  old = old && now_ns() < answer_again_at_ns_.load(std::memory_order_relaxed);
  if (old || answering_.exchange(true, std::memory_order_acquire)) return;
  try {
    answer_();
  } catch (...) {
    answering_.store(false, std::memory_order_release);
    throw;
  }
  answer_again_at_ns_.store(now_ns() + answer_again_ns, std::memory_order_relaxed);
  news_answered_.store(news, std::memory_order_relaxed);
  deaths_answered_.store(deaths, std::memory_order_relaxed);
  answering_.store(false, std::memory_order_release);
}

// Those that were taken when the first of them was seen unwritten are waited for once, no matter which thread took them
// and how many.
void FailureDetector::skip_abandoned_slots() {
  fabric::MessageRing& ring = job_.ring(one_sided_.pe());
  for (;;) {
    const fabric::RingCount head{ring.head.load(std::memory_order_relaxed)},
        tail{ring.tail.load(std::memory_order_relaxed)};
    if (one_sided_.endpoint().receive() || tail.slots() == head.slots()) return;
    const std::uint64_t left = stuck_before_.slots_since(head);
    if (left == 0 || left > fabric::ring_slots) {  // that is, head has come there
      stuck_before_ = tail;
      stuck_since_ns_ = now_ns();
    }
    if (now_ns() - stuck_since_ns_ <= abandoned_ns) return;
    // Its lines are given back with those of the next message that has some. Release: partner is push_message().
    ring.head.store(fabric::RingCount::of(head.slots() + 1, head.lines()).bits, std::memory_order_release);
  }
}

}  // namespace atl::runtime
