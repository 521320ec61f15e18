// SPDX-License-Identifier: Apache-2.0
// Progress of a PE (message handlers, triggered functions, hooks), and waits that make it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "atoll/base/clock.hpp"
#include "atoll/base/ids.hpp"
#include "atoll/base/owner.hpp"
#include "atoll/base/status.hpp"
#include "atoll/fabric/endpoint.hpp"
#include "atoll/runtime/compare.hpp"
#include "atoll/runtime/condition.hpp"
#include "atoll/runtime/handler.hpp"
#include "atoll/runtime/options.hpp"
#include "atoll/runtime/peers.hpp"
#include "atoll/runtime/progress_thread.hpp"

namespace atl::runtime {

class Context;
class Counters;
class FailureDetector;

/// Thread-safe except where said.
class Progress {
 public:
  /// The parts of one Context, which hooks get.
  Progress(Context& context, OneSided& one_sided, FailureDetector& failures, Messenger& messenger, Counters& counters);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Runs what has arrived: message handlers, triggered functions, hooks. Returns whether there was anything. From a
  /// handler, or while another thread is in it, does nothing.
  bool progress() {
    bool arrived = endpoint_.polls_network() && poll_network();
    return work_waiting() ? progress_slowly() : arrived;
  }
  /// The same for what is here already: asks no network, at which other threads look when this one does not. Three
  /// loads.
  void progress_at_hand() {
    if (work_waiting()) [[unlikely]]
      (void)progress_slowly();
  }
  /// For a thread that waits for one message that it recognises: while it lives this thread alone looks into the PE's
  /// ring, as in progress(), so that no handler runs and no queued message is sent. Not from a handler.
  class Look {
   public:
    explicit Look(Progress& progress) : progress_(progress), has_it_(progress.owner_.try_take()) {}
    Look(const Look&) = delete;
    Look& operator=(const Look&) = delete;
    ~Look() { leave(); }
    void leave() {
      if (!std::exchange(has_it_, false)) return;
      progress_.owner_.leave();
      // A sleeping thread may wait for what was done here, or could not take what came meanwhile. The fence is the
      // sleeper's, as in ring_bell().
      std::atomic_signal_fence(std::memory_order_seq_cst);
      if (took_ || progress_.endpoint_.message_waiting()) progress_.wake_threads();
    }
    /// False: another thread looks.
    explicit operator bool() const { return has_it_; }
    /// The oldest message, if there is one, to be read in place until take().
    std::optional<fabric::Endpoint::Received> first() const { return progress_.endpoint_.receive(); }
    static bool is_for(const fabric::Endpoint::Received& message, HandlerId handler) {
      return message.handler == handler.value() && message.kind == 0;
    }
    void take() {
      progress_.endpoint_.release_message();
      took_ = true;
    }
    void prefetch_next() const { progress_.endpoint_.prefetch_message(1); }
    /// While there is none: asks for where one may go on, a line at a turn.
    void prefetch_rest(int turn) const { progress_.endpoint_.prefetch_following(turn); }

   private:
    Progress& progress_;
    bool has_it_;
    bool took_ = false;
  };
  /// How often to look for what is likely to come at once, before waiting for it: 0 times where other PEs want the
  /// core.
  int quick_looks() const { return spin_ns_ != 0 ? most_quick_looks : 0; }
  /// Until `ready()` is true: makes progress, spins for ATOLL_SPIN_US (not at all when over-subscribed), yields, then
  /// sleeps. The PE that makes it true must put, use an atomic, send, or notify(). Throws PeFailedError when a PE dies.
  template <class Ready>
  void wait(Ready&& ready) {
    if (thread_.is_running()) [[unlikely]]
      note_active();
    for (int i = 0; i < 32; ++i) {
      if (ready()) return;
      progress();
    }
    (void)wait_slowly(Condition::of(ready), Deadline::never());
  }
  /// The same, or timed_out.
  template <class Ready>
  [[nodiscard]] Status wait(Ready&& ready, Deadline deadline) {
    if (ready()) return Status::ok;
    return wait_slowly(Condition::of(ready), deadline);
  }
  /// Waits without a timeout look for stopped PEs of this node from now on (StoppedPeers). Before other threads wait.
  void look_for_stopped_peers();
  /// Until the word (in this PE's own segment) compares so. Acquire: data put before it is visible.
  template <fabric::AtomicType T>
  void wait_until(const T* word, Compare compare, T value) {
    wait([=] { return holds(load(word), compare, value); });
  }
  template <fabric::AtomicType T>
  [[nodiscard]] Status wait_until(const T* word, Compare compare, T value, Deadline deadline) {
    return wait([=] { return holds(load(word), compare, value); }, deadline);
  }
  template <fabric::AtomicType T>
  void wait_until(HeapOffset word, Compare compare, T value) {
    wait_until<T>(reinterpret_cast<const T*>(segment_ + word.value()), compare, value);
  }
  /// Hooks run in progress(), one at a time per PE, and return whether they did anything; for schedules in flight.
  /// A hook must not wait. Returns a key for remove_hook(), which must not be called from a hook.
  std::uint64_t add_hook(std::function<bool(Context&)> hook);
  void remove_hook(std::uint64_t key);

  /// Starts a thread that makes progress (ProgressThread), on `core` if given. As many stops as starts.
  void start_progress_thread(std::optional<unsigned> core = {}) { thread_.start(core); }
  void stop_progress_thread() { thread_.stop(); }
  bool has_progress_thread() const { return thread_.is_running(); }
  /// This thread goes away to compute, and something long is under way: the progress thread takes over at once.
  void hand_over() { thread_.hand_over(); }
  /// Whether this is the progress thread, in a handler or hook.
  bool is_progress_thread() const { return thread_.is_current(); }
  /// This thread has just looked, and is likely to look again: the progress thread stays out of its way.
  void note_active() { thread_.note_active(); }

  // ---- for the other parts of the Context -----------------------------------------------------------------------

  /// Whether the calling thread is in progress(): it runs a handler or a hook.
  bool in_progress_here() const { return owner_.is_mine(); }
  /// The thread that takes it is the one in progress().
  Owner& progress_owner() { return owner_; }
  /// Counts what progress() has to look at besides rings and triggers: queued messages, early messages, hooks.
  void add_backlog(std::uint32_t count) { backlog_.fetch_add(count, std::memory_order_relaxed); }
  void remove_backlog(std::uint32_t count) { backlog_.fetch_sub(count, std::memory_order_relaxed); }
  /// Wakes threads of this PE that sleep in wait().
  void wake_threads() { fabric::ring_bell(record_); }

 protected:
  /// Ends the progress thread, however often it was started.
  void end_progress_thread() { thread_.end(); }

 private:
  template <class T>
  static T load(const T* word) {
    // Acquire: partner is the release store or atomic of the PE that changed it.
    return std::atomic_ref<T>(*const_cast<T*>(word)).load(std::memory_order_acquire);
  }
  bool work_waiting() const {
    return endpoint_.message_waiting() || ready_triggers_.load(std::memory_order_relaxed) != 0 ||
           backlog_.load(std::memory_order_relaxed) != 0;
  }
  Status wait_slowly(Condition ready, Deadline deadline);
  Status wait_in_turns(Condition ready, Deadline deadline);
  std::optional<Status> spin(Condition ready, Deadline deadline);
  std::optional<Status> yield(Condition ready, Deadline deadline);
  std::optional<Status> sleep(Condition ready, Deadline deadline);
  bool is_over(Condition ready, Deadline deadline);
  bool poll_network();
  bool progress_slowly();
  bool run_hooks();

  Context& context_;
  OneSided& one_sided_;
  FailureDetector& failures_;
  Messenger& messenger_;
  Counters& counters_;
  fabric::Job& job_;
  fabric::PeRecord& record_;  // of this PE
  fabric::Endpoint& endpoint_;
  const std::byte* segment_;
  const std::atomic<std::uint32_t>& ready_triggers_;

  std::int64_t spin_ns_ = 0;
  static constexpr int most_quick_looks = 2000;  // some 5 us
  // Before a sleep. When PEs share cores a yield hands the core to the peer we wait for in about 1 µs, a sleep and its
  // wake cost about 10. More while sleeps turn out to be short.
  static constexpr int fewest_yields = 32;
  std::atomic<int> yields_before_sleep_{fewest_yields};

  Owner owner_;
  std::atomic<std::uint32_t> backlog_{0};
  std::mutex hooks_mutex_;
  std::vector<std::pair<std::uint64_t, std::function<bool(Context&)>>> hooks_;
  std::uint64_t next_hook_ = 1;
  std::unique_ptr<StoppedPeers> stopped_peers_;  // null: waits do not look for them
  ProgressThread thread_;
};

}  // namespace atl::runtime
