// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/progress.hpp"

#include <sched.h>

#include <algorithm>

#include "atoll/base/assertion.hpp"
#include "atoll/base/config.hpp"
#include "atoll/base/thread.hpp"
#include "atoll/runtime/counters.hpp"
#include "atoll/runtime/failure_detector.hpp"
#include "atoll/runtime/messenger.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "naps.hpp"

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

}  // namespace

Progress::Progress(Context& context, OneSided& one_sided, FailureDetector& failures, Messenger& messenger,
                   Counters& counters)
    : context_(context),
      one_sided_(one_sided),
      failures_(failures),
      messenger_(messenger),
      counters_(counters),
      job_(one_sided.job()),
      record_(job_.record(one_sided.pe())),
      endpoint_(one_sided.endpoint()),
      segment_(one_sided.local_pointer(HeapOffset(0))),
      ready_triggers_(one_sided.local_pointer<TriggerArea>(HeapOffset(0))->ready),
      spin_ns_(one_sided.node().oversubscribed ? 0 : config::integer(config::Variable::spin_us) * 1000),
      thread_(one_sided, messenger, *this) {}

void Progress::look_for_stopped_peers() {
  if (!stopped_peers_) stopped_peers_ = std::make_unique<StoppedPeers>(job_, one_sided_.pe());
}

Status Progress::wait_slowly(Condition ready, Deadline deadline) {
  if (!thread_.is_running()) [[likely]]
    return wait_in_turns(ready, deadline);
  ProgressThread::Waiting waiting(thread_);
  return wait_in_turns(ready, deadline);
}

Status Progress::wait_in_turns(Condition ready, Deadline deadline) {
  ATOLL_EXPECT(!in_progress_here());
  // A simulation's clock stands still while this one looks.
  const bool simulated = Scheduler::current() != nullptr;
  if (!simulated)
    if (auto result = spin(ready, deadline)) return *result;
  for (;;) {
    if (!simulated)
      if (auto result = yield(ready, deadline)) return *result;
    if (auto result = sleep(ready, deadline)) return *result;
  }
}

// Whether the deadline has passed. Throws PeFailedError when a PE has died, or runs the failure handler.
bool Progress::is_over(Condition ready, Deadline deadline) {
  messenger_.settle_departures();
  // A condition that has become true counts, also when a PE has died since.
  if (failures_.has_news() && !ready()) failures_.check();
  return deadline.passed();
}

// The three stages of a wait. Each returns the result of the wait, or nothing when the next stage is due.
std::optional<Status> Progress::spin(Condition ready, Deadline deadline) {
  if (spin_ns_ == 0) return std::nullopt;
  std::int64_t begin = now_ns();
  for (std::int64_t spent = 0; spent < spin_ns_; spent = now_ns() - begin) {
    bool worked = false;
    for (int i = 0; i < polls_per_look; ++i) {
      if (ready()) return Status::ok;
      worked |= progress();
      if (!endpoint_.polls_network()) cpu_relax();
    }
    if (is_over(ready, deadline)) return ready() ? Status::ok : Status::timed_out;
    // More is likely to come, and the network's thread would be slower.
    if (worked) {
      begin = now_ns();
      continue;
    }
    if (spent > pure_spin_ns) ::sched_yield();
  }
  return std::nullopt;
}

std::optional<Status> Progress::yield(Condition ready, Deadline deadline) {
  const NodeInfo& node = one_sided_.node();
  const int most_yields = node.pes >= many_per_core * node.cores ? yields_among_many : yields_of_the_alarmed;
  const int looks_per_yield = endpoint_.polls_network() && spin_ns_ != 0 ? network_looks_per_yield : 1;
  const int yields = std::min(yields_before_sleep_.load(std::memory_order_relaxed), most_yields);
  for (int i = 0; i < yields; ++i) {
    if (ready()) return Status::ok;
    if (!progress() && i % looks_per_yield == 0) ::sched_yield();
    if (is_over(ready, deadline)) return ready() ? Status::ok : Status::timed_out;
  }
  return std::nullopt;
}

std::optional<Status> Progress::sleep(Condition ready, Deadline deadline) {
  fabric::Sleeper sleeper(record_);
  sleeper.announce();
  if (ready()) return Status::ok;
  if (progress()) return std::nullopt;
  if (is_over(ready, deadline)) return ready() ? Status::ok : Status::timed_out;
  if (stopped_peers_ && deadline.remaining_ns() == Deadline::never().remaining_ns()) stopped_peers_->look();
  std::int64_t nap = messenger_.sends_wait() ? outbox_nap_ns : longest_nap_ns;
  if (job_.has_failed()) nap = std::min(nap, answer_again_ns);
  std::int64_t asleep_at = now_ns();
  endpoint_.stop_polling();
  sleeper.block(std::min(nap, deadline.remaining_ns()));
  bool short_sleep = now_ns() - asleep_at < short_sleep_ns;
  int before = yields_before_sleep_.load(std::memory_order_relaxed);
  int after = short_sleep ? std::min(before * 2, yields_of_the_alarmed) : fewest_yields;
  yields_before_sleep_.store(after, std::memory_order_relaxed);
  return std::nullopt;
}

bool Progress::poll_network() { return messenger_.poll_network(); }

bool Progress::progress_slowly() {
  if (in_progress_here()) return false;
  bool any = false;
  do {
    if (!owner_.try_take()) return any;
    bool worked = false;
    {
      std::lock_guard leave(owner_, std::adopt_lock);  // also when a handler throws
      if (messenger_.sends_wait()) worked |= messenger_.send_outbox();
      worked |= messenger_.receive_messages();
      worked |= counters_.run_ready_triggers();
      worked |= run_hooks();
    }
    if (worked) wake_threads();  // other threads may wait for what was done
    any |= worked;
    // A message may have come between our last look and leave(), when others could not take it.
  } while (endpoint_.message_waiting());
  return any;
}

std::uint64_t Progress::add_hook(std::function<bool(Context&)> hook) {
  std::lock_guard lock(hooks_mutex_);
  hooks_.emplace_back(next_hook_, std::move(hook));
  backlog_.fetch_add(1, std::memory_order_relaxed);
  return next_hook_++;
}

void Progress::remove_hook(std::uint64_t key) {
  std::lock_guard lock(hooks_mutex_);
  auto at = std::find_if(hooks_.begin(), hooks_.end(), [&](auto& hook) { return hook.first == key; });
  if (at == hooks_.end()) return;
  hooks_.erase(at);
  backlog_.fetch_sub(1, std::memory_order_relaxed);
}

bool Progress::run_hooks() {
  if (backlog_.load(std::memory_order_relaxed) == 0) return false;
  std::unique_lock lock(hooks_mutex_, std::try_to_lock);
  if (!lock) return false;  // another thread changes them
  bool worked = false;
  for (auto& [key, hook] : hooks_) worked |= hook(context_);
  return worked;
}

}  // namespace atl::runtime
