// SPDX-License-Identifier: Apache-2.0
// Waiting without burning a core, and what progress() does.
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "atoll/base/assertion.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/thread.hpp"
#include "atoll/base/topology.hpp"
#include "atoll/runtime/context.hpp"
#include "atoll/runtime/deaths.hpp"

namespace atl::runtime {
namespace {

// A peer that runs answers within this. One that does not may be waiting for this very core, so from then on the
// core is offered between looks: on a busy machine a barrier of 2 PEs took 22 to 46 µs with 20 µs of pure spinning, 6
// to 9 so.
constexpr std::int64_t pure_spin_ns = 1'000;
constexpr int polls_per_look = 32;
// A poll of the network takes half a microsecond, and may serve a remote read, which no thread here waits for.
constexpr int network_looks_per_yield = 4;
// A sleeper whose memory is put to, but not the word it waits for, is woken for nothing, and each time costs the peer
// a system call and the interrupt of announce(): 64 KiB puts to a PE in a barrier ran at 40 instead of 56 GB/s. So
// each false alarm doubles the yields before the next sleep, up to this, about 1 ms. That holds for the waits to come,
// too, until a sleep was long: over a network of which a round trip takes 40 µs, PEs that answer one another took 80 by
// sleeping.
constexpr int yields_of_the_alarmed = 2048;
constexpr std::int64_t short_sleep_ns = 1'000'000;
// Where many PEs share each core, those that yield are in the way of the one that all wait for: the kernel lets them
// run again before it. A barrier of 64 PEs on 2 busy cores took 0.6 to 7 ms with the numbers above, 0.4 to 0.7 with
// this.
constexpr std::uint32_t many_per_core = 4;
constexpr int yields_among_many = 4;
// A peer whose ring was full sends no notification when it has room again.
constexpr std::int64_t outbox_nap_ns = 100'000;
constexpr std::int64_t longest_nap_ns = 100'000'000;
// The progress thread, while other threads look: how often it asks whether they still do. At 0.4 ms it takes under 1 %
// of a core.
constexpr std::int64_t shortest_pause_ns = 50'000;
constexpr std::int64_t longest_pause_ns = 400'000;
// And how long it looks for more when something moved or was handed to it, before it sleeps: the answers of a long
// operation come within microseconds, and each sleep and wake of both sides takes 20 to 50. Longer, threads of several
// PEs that share a core would keep it from one another. A reduction of 1 MiB took 1.5 ms with 20 us here, 0.2 to 0.8
// with 200, 2 to 12 with 2,000.
constexpr std::int64_t close_watch_ns = 200'000;

// A PE that is killed while it writes into slots of this ring leaves them unwritten for ever, and all behind them
// unread. One that lives writes on within this. One that lives and was stopped for longer has its message passed over,
// and when it goes on it writes into up to most_slots slots that may be another's by then: only after a death, and
// there is nothing to tell it by.
constexpr std::int64_t abandoned_ns = 1'000'000'000;

// Looks at the network that take what a dead PE has sent; an end is needed, as those that are alive send on.
constexpr int looks_for_arrived = 1024;
// So many in a row that find nothing are the end of it.
constexpr int vain_looks_for_arrived = 8;

// A thread that looked for news before it began to wait may have missed news in between.
constexpr std::int64_t answer_again_ns = 10'000'000;

struct Leave {
  Owner& owner;
  ~Leave() { owner.leave(); }  // also when a handler throws
};

}  // namespace

Status Context::wait_slowly(Condition ready, Deadline deadline) {
  if (!has_progress_thread_.load(std::memory_order_relaxed)) [[likely]]
    return wait_in_turns(ready, deadline);
  struct Waiting {
    std::atomic<std::uint32_t>& threads;
    explicit Waiting(std::atomic<std::uint32_t>& count) : threads(count) {
      threads.fetch_add(1, std::memory_order_relaxed);
    }
    ~Waiting() { threads.fetch_sub(1, std::memory_order_relaxed); }
  } waiting(waiting_threads_);
  return wait_in_turns(ready, deadline);
}

Status Context::wait_in_turns(Condition ready, Deadline deadline) {
  ATOLL_EXPECT(!in_progress_here());
  auto passed = [&] {
    settle_departures();
    if ((job_->has_failed() || news_.load(std::memory_order_relaxed) != 0) && !ready())
      check();  // what has come to pass counts, also when a PE has died since
    return deadline.passed();
  };
  // A simulation's clock stands still while this one looks.
  const bool simulated = Scheduler::current() != nullptr;
  if (spin_ns_ != 0 && !simulated) {
    std::int64_t begin = now_ns();
    for (std::int64_t spent = 0; spent < spin_ns_; spent = now_ns() - begin) {
      bool worked = false;
      for (int i = 0; i < polls_per_look; ++i) {
        if (ready()) return Status::ok;
        worked |= progress();
        if (!endpoint_.polls_network()) cpu_relax();
      }
      if (passed()) return ready() ? Status::ok : Status::timed_out;
      // More is likely to come, and the network's thread would be slower.
      if (worked) {
        begin = now_ns();
        continue;
      }
      if (spent > pure_spin_ns) ::sched_yield();
    }
  }
  const int most_yields = node_.pes >= many_per_core * node_.cores ? yields_among_many : yields_of_the_alarmed;
  const int looks_per_yield = endpoint_.polls_network() && spin_ns_ != 0 ? network_looks_per_yield : 1;
  for (;;) {
    const int yields = std::min(yields_before_sleep_.load(std::memory_order_relaxed), most_yields);
    for (int i = 0; i < yields && !simulated; ++i) {
      if (ready()) return Status::ok;
      if (!progress() && i % looks_per_yield == 0) ::sched_yield();
      if (passed()) return ready() ? Status::ok : Status::timed_out;
    }
    fabric::Sleeper sleeper(job_->record(pe_));
    sleeper.announce();
    if (ready()) return Status::ok;
    if (progress()) continue;
    if (passed()) return ready() ? Status::ok : Status::timed_out;
    if (stopped_peers_ && deadline.remaining_ns() == Deadline::never().remaining_ns()) stopped_peers_->look();
    std::int64_t nap = !outbox_.empty() ? outbox_nap_ns : longest_nap_ns;
    if (job_->has_failed()) nap = std::min(nap, answer_again_ns);
    std::int64_t asleep_at = now_ns();
    endpoint_.stop_polling();
    sleeper.block(std::min(nap, deadline.remaining_ns()));
    bool short_sleep = now_ns() - asleep_at < short_sleep_ns;
    int before = yields_before_sleep_.load(std::memory_order_relaxed);
    int after = short_sleep ? std::min(before * 2, yields_of_the_alarmed) : fewest_yields;
    yields_before_sleep_.store(after, std::memory_order_relaxed);
  }
}

// A message that comes alone is handled without a stop in the inbox.
bool Context::poll_network() {
  if (!progress_owner_.try_take()) return endpoint_.poll();
  bool arrived = false, took = false;
  {
    Leave leave{progress_owner_};
    arrived = endpoint_.poll(&taker_);
    took = std::exchange(took_message_, false);
  }
  // Other threads of this PE may wait for what the handler did.
  if (took) fabric::ring_bell(job_->record(pe_));
  return arrived;
}

bool Context::progress_slowly() {
  if (in_progress_here()) return false;
  bool any = false;
  do {
    if (!progress_owner_.try_take()) return any;
    bool worked = false;
    {
      Leave leave{progress_owner_};
      if (!outbox_.empty()) worked |= send_outbox();
      worked |= receive_messages();
      worked |= run_ready_triggers();
      worked |= run_hooks();
    }
    if (worked) fabric::ring_bell(job_->record(pe_));  // as above
    any |= worked;
    // A message may have come between our last look and leave(), when others could not take it.
  } while (endpoint_.message_waiting());
  return any;
}

void Context::answer_news(std::function<void()> answer) {
  // No other thread is in check() when doors open and close.
  answers_.store(false);
  answer_ = std::move(answer);
  answers_.store(answer_ != nullptr, std::memory_order_release);  // the function; partner: check_slowly()
}

void Context::take_arrived() {
  ATOLL_EXPECT(!in_progress_here());
  bool worked = false;
  {
    progress_owner_.take();
    Leave leave{progress_owner_};
    // Messages that have reached this node and were not read.
    for (int look = 0, vain = 0; look < looks_for_arrived && vain < vain_looks_for_arrived; ++look) {
      if (endpoint_.poll()) {
        vain = 0;
      } else {
        ++vain;
        ::sched_yield();  // another thread may be at the network
      }
    }
    // Bounded, because live PEs continue to send. A round takes at least one message.
    for (std::uint64_t round = 0; round < fabric::ring_slots && endpoint_.message_waiting(); ++round)
      worked |= receive_messages();
  }
  if (worked) fabric::ring_bell(job_->record(pe_));  // as in progress_slowly()
}

void Context::check_slowly() {
  // A spawned process joins a job in which PEs may have died before; it checks only the PEs spawned with it.
  if (job_->is_guest() && !answers_.load(std::memory_order_acquire) && !job_->exit_requested()) {
    for (std::uint32_t rank = 0; rank < npes_; ++rank)
      if (job_->has_died(world_.pe_of(rank))) job_->check();
    return;
  }
  if (!answers_.load(std::memory_order_acquire) || deaths_here() == Deaths::fatal || job_->exit_requested())
    return job_->check();
  if (in_progress_here()) return;  // what it does takes locks that a hook must not wait for
  if (progress_owner_.try_take()) {
    Leave leave{progress_owner_};
    skip_abandoned_slots();
  }
  // Acquire: what is new. Partners: note_news(), the job's deaths().
  std::uint32_t news = news_.load(std::memory_order_acquire), deaths = job_->deaths();
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
void Context::skip_abandoned_slots() {
  fabric::MessageRing& ring = job_->ring(pe_);
  for (;;) {
    const fabric::RingCount head{ring.head.load(std::memory_order_relaxed)},
        tail{ring.tail.load(std::memory_order_relaxed)};
    if (endpoint_.receive() || tail.slots() == head.slots()) return;
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

std::uint64_t Context::add_hook(std::function<bool(Context&)> hook) {
  std::lock_guard lock(hooks_mutex_);
  hooks_.emplace_back(next_hook_, std::move(hook));
  backlog_.fetch_add(1, std::memory_order_relaxed);
  return next_hook_++;
}

void Context::remove_hook(std::uint64_t key) {
  std::lock_guard lock(hooks_mutex_);
  auto at = std::find_if(hooks_.begin(), hooks_.end(), [&](auto& hook) { return hook.first == key; });
  if (at == hooks_.end()) return;
  hooks_.erase(at);
  backlog_.fetch_sub(1, std::memory_order_relaxed);
}

bool Context::run_hooks() {
  if (backlog_.load(std::memory_order_relaxed) == 0) return false;
  std::unique_lock lock(hooks_mutex_, std::try_to_lock);
  if (!lock) return false;  // another thread changes them
  bool worked = false;
  for (auto& [key, hook] : hooks_) worked |= hook(*this);
  return worked;
}

// Sleeping on the bell makes each message cost its sender a system call. So the thread does that only while no other
// thread of this PE looks after the messages; as long as one does, it looks now and then whether that is still so.
void Context::keep_progress() {
  std::uint64_t seen = activity_.load(std::memory_order_relaxed);
  auto others_look = [&] {
    std::uint64_t now = activity_.load(std::memory_order_relaxed);
    return std::exchange(seen, now) != now || waiting_threads_.load(std::memory_order_relaxed) != 0;
  };
  std::int64_t pause_ns = shortest_pause_ns;
  for (bool ends = false; !ends;) {
    bool asked = handed_over_.exchange(false, std::memory_order_relaxed);
    // A thread that waits again makes progress itself, faster than two threads that compete.
    if (others_look() && (!asked || waiting_threads_.load(std::memory_order_relaxed) != 0)) {
      ends = pause_progress(pause_ns);
      pause_ns = std::min(pause_ns * 2, longest_pause_ns);
      continue;
    }
    pause_ns = shortest_pause_ns;
    if ((progress() || asked) && watch_closely()) continue;
    fabric::Sleeper sleeper(job_->record(pe_));
    sleeper.announce();
    if (progress() || handed_over_.load(std::memory_order_relaxed)) continue;
    endpoint_.stop_polling();
    std::int64_t nap = !outbox_.empty() ? outbox_nap_ns : longest_nap_ns;
    sleeper.block(nap);
    ends = pause_progress(0);
  }
}

// While something long is under way. True: other threads look again.
bool Context::watch_closely() {
  std::uint64_t seen = activity_.load(std::memory_order_relaxed);
  for (std::int64_t until = now_ns() + close_watch_ns; now_ns() < until;) {
    for (int i = 0; i < polls_per_look; ++i) {
      if (progress()) until = now_ns() + close_watch_ns;
      else cpu_relax();
    }
    if (waiting_threads_.load(std::memory_order_relaxed) != 0 || activity_.load(std::memory_order_relaxed) != seen)
      return true;
    ::sched_yield();
  }
  return false;
}

// Returns whether it is to stop.
bool Context::pause_progress(std::int64_t ns) {
  std::unique_lock lock(progress_mutex_);
  progress_stops_.wait_for(lock, std::chrono::nanoseconds(ns),
                           [&] { return stop_progress_.load() || handed_over_.load(std::memory_order_relaxed); });
  return stop_progress_.load();
}

void Context::hand_over() {
  if (!has_progress_thread() || handed_over_.load(std::memory_order_relaxed)) return;
  {
    std::lock_guard lock(progress_mutex_);
    handed_over_.store(true, std::memory_order_relaxed);
  }
  progress_stops_.notify_all();
  fabric::ring_bell(job_->record(pe_));
}

void Context::start_progress_thread(std::optional<unsigned> core) {
  std::lock_guard lock(progress_mutex_);
  if (++progress_users_ > 1) return;
  stop_progress_ = false;
  handed_over_.store(false, std::memory_order_relaxed);
  has_progress_thread_.store(true, std::memory_order_relaxed);
  progress_thread_ = start_thread("atoll-progress", [this, core] {
    progress_thread_id_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    if (core) bind_thread({*core});
    try {
      keep_progress();
    } catch (const PeFailedError&) {
      // Threads that wait are notified themselves.
    }
  });
}

void Context::stop_progress_thread() {
  {
    std::lock_guard lock(progress_mutex_);
    if (progress_users_ == 0 || --progress_users_ > 0) return;
    stop_progress_ = true;
  }
  progress_stops_.notify_all();
  fabric::ring_bell(job_->record(pe_));
  progress_thread_.join();
  progress_thread_id_.store({}, std::memory_order_relaxed);
  has_progress_thread_.store(false, std::memory_order_relaxed);
}

}  // namespace atl::runtime
