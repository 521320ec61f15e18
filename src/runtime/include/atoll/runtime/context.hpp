// SPDX-License-Identifier: Apache-2.0
// One PE: its memory, its ways to the others, and what makes progress. No process-wide state: a process may hold
// many contexts, one per PE.
//
// A PE's segment:  [ system area | symmetric heap | heap | static area ]
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "atoll/base/assertion.hpp"
#include "atoll/base/clock.hpp"
#include "atoll/base/ids.hpp"
#include "atoll/base/owner.hpp"
#include "atoll/base/status.hpp"
#include "atoll/fabric/endpoint.hpp"
#include "atoll/runtime/compare.hpp"
#include "atoll/runtime/condition.hpp"
#include "atoll/runtime/counter.hpp"
#include "atoll/runtime/foreign_memory.hpp"
#include "atoll/runtime/heap.hpp"
#include "atoll/runtime/large_blocks.hpp"
#include "atoll/runtime/ledger.hpp"
#include "atoll/runtime/options.hpp"
#include "atoll/runtime/outbox.hpp"
#include "atoll/runtime/peers.hpp"
#include "atoll/runtime/team.hpp"

namespace atl::runtime {

using fabric::AtomicInteger;
using fabric::AtomicType;
using HandlerId = StrongId<struct HandlerTag, std::uint16_t>;

/// Thread-safe except where said. Collective calls must be made by every PE, in the same order.
class Context {
 public:
  /// Runs in progress(), one at a time per PE, and may send, put and use atomics, but not wait. `payload` ends with it.
  using Handler = std::function<void(Context&, PeId source, std::span<const std::byte> payload)>;
  /// Longest payload of one message; long ones lie in the sender's heap, from another node in the receiver's.
  static constexpr std::size_t longest_message = std::size_t{1} << 30;
  static constexpr std::size_t system_bytes = std::size_t{2} << 20;
  static constexpr std::size_t ledger_offset = system_bytes - sizeof(LedgerHead);  ///< in each segment

  /// Joins `job` as PE `pe`. Every PE of the job makes one; returns when all have (collective). A PE that has left may
  /// join again, when all do.
  Context(std::shared_ptr<fabric::Job> job, PeId pe, const ContextOptions& options = {});
  /// Leaves the job. Not collective: call barrier() first where peers may still use this PE's memory.
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  PeId pe() const { return pe_; }
  /// PEs of world().
  std::uint32_t npes() const { return npes_; }
  const NodeInfo& node() const { return node_; }
  fabric::Job& job() const { return *job_; }
  /// For the child of a fork, which is not a PE: it releases nothing and notifies no process. The Context must not end
  /// there.
  void abandon() noexcept {
    abandoned_ = true;
    symmetric_->abandon();
    heap_->abandon();
  }
  bool abandoned() const { return abandoned_; }
  const Team& world() const { return world_; }
  /// The endpoint behind the one-sided calls below; threads that count their own traffic make their own.
  fabric::Endpoint& endpoint() { return endpoint_; }
  std::unique_ptr<fabric::Endpoint> make_endpoint() const;

  // ---- memory -------------------------------------------------------------------------------------------------

  /// This PE's own blocks, at offsets of their own; peers reach them by peer_pointer() and the offset.
  Heap& heap() { return *heap_; }
  /// The same, for blocks that outlive the Context: in a recoverable job it keeps the job's memory, and not the
  /// Context, which another one replaces after a death. Elsewhere null.
  std::shared_ptr<Heap> lasting_heap() const { return job_->is_recoverable() ? heap_ : nullptr; }
  /// Blocks of a dead PE whose place this process has taken, by the numbers of their arrays. Gives them away.
  std::unordered_map<std::uint64_t, AdoptedBlock> take_adopted() { return std::move(adopted_); }
  const MemoryBudget& budget() const { return *budget_; }
  /// The symmetric heap itself, for callers that agree among the PEs in their own way: the same calls in the same
  /// order give the same offsets on every PE.
  Heap& symmetric_heap() { return *symmetric_; }
  /// Collective. A block at the same offset on every PE (as heap().allocate otherwise). Throws on all PEs when one
  /// cannot, and ValueError when they ask for different sizes.
  HeapOffset allocate_symmetric(std::size_t bytes);
  /// Collective.
  void release_symmetric(HeapOffset block);
  /// A zeroed part of the system area that is never given back: the same offset on every PE whose calls before were
  /// the same. Not collective, costs nothing. For synchronisation words of collectives.
  HeapOffset reserve_system(std::size_t bytes, std::size_t align = fabric::cache_line);

  /// Where StaticData lies: ContextOptions::static_bytes of untouched pages.
  HeapOffset static_area() const { return static_area_; }
  std::uint64_t static_area_bytes() const { return endpoint_.segment_bytes() - static_area_.value(); }
  ForeignMemory& foreign_memory() { return foreign_memory_; }  ///< what PEs of this node have outside of their segments

  /// The peer's memory in this process, null for a PE of another node. Throws IndexError outside its segment. A store
  /// through it wakes no PE: call notify(pe) after storing a value that the peer may wait for.
  template <class T = std::byte>
  T* peer_pointer(PeId pe, HeapOffset at, std::size_t count = 1) const {
    return reinterpret_cast<T*>(endpoint_.address(pe, at, count * sizeof(T)));
  }
  template <class T = std::byte>
  T* local_pointer(HeapOffset at) const {
    return reinterpret_cast<T*>(segment_ + at.value());
  }
  /// Offset of an address in this PE's own segment.
  HeapOffset offset_of(const void* pointer) const {
    auto* at = static_cast<const std::byte*>(pointer);
    ATOLL_EXPECT(at >= segment_ && at < segment_ + endpoint_.segment_bytes());
    return HeapOffset(static_cast<std::uint64_t>(at - segment_));
  }
  /// Wakes the peer if it sleeps. One load, or a message to another node.
  void notify(PeId pe) { endpoint_.ring(pe); }

  // ---- one-sided ----------------------------------------------------------------------------------------------
  // Semantics as in fabric::Endpoint. The _nbi forms may complete later, at the latest in quiet().

  void put(PeId pe, HeapOffset to, const void* from, std::size_t bytes) { endpoint_.put(pe, to, from, bytes); }
  void get(void* to, PeId pe, HeapOffset from, std::size_t bytes) { endpoint_.get(to, pe, from, bytes); }
  void put_nbi(PeId pe, HeapOffset to, const void* from, std::size_t bytes) { endpoint_.put_nbi(pe, to, from, bytes); }
  void get_nbi(void* to, PeId pe, HeapOffset from, std::size_t bytes) { endpoint_.get_nbi(to, pe, from, bytes); }
  template <class T>
  void put_value(PeId pe, HeapOffset to, T value) {
    endpoint_.put_value(pe, to, value);
  }
  template <class T>
  T get_value(PeId pe, HeapOffset from) {
    return endpoint_.get_value<T>(pe, from);
  }
  void put_signal(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal, std::uint64_t value,
                  fabric::AtomicOp how = fabric::AtomicOp::set) {
    endpoint_.put_signal(pe, to, from, bytes, signal, value, how);
  }
  void deliver(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal, std::uint64_t value) {
    endpoint_.deliver(pe, to, from, bytes, signal, value);
  }
  /// put() that bumps a counter by 1, after the data is at the target: the target's own counter, or this PE's.
  void put_counted(PeId pe, HeapOffset to, const void* from, std::size_t bytes, CounterRef counter) {
    endpoint_.put(pe, to, from, bytes);
    bump_behind(pe, counter);
  }
  /// get() that bumps a counter by 1 when the data is here.
  void get_counted(void* to, PeId pe, HeapOffset from, std::size_t bytes, CounterRef counter) {
    endpoint_.get(to, pe, from, bytes);
    bump(counter);
  }
  template <AtomicType T>
  T fetch(PeId pe, HeapOffset at) {
    return endpoint_.fetch<T>(pe, at);
  }
  template <AtomicType T>
  void set(PeId pe, HeapOffset at, T value) {
    endpoint_.set<T>(pe, at, value);
  }
  template <AtomicType T>
  T swap(PeId pe, HeapOffset at, T value) {
    return endpoint_.swap<T>(pe, at, value);
  }
  template <AtomicInteger T>
  T fetch_add(PeId pe, HeapOffset at, T value) {
    return endpoint_.fetch_add<T>(pe, at, value);
  }
  template <AtomicInteger T>
  void add(PeId pe, HeapOffset at, T value) {
    endpoint_.add<T>(pe, at, value);
  }
  template <AtomicInteger T>
  T fetch_and(PeId pe, HeapOffset at, T value) {
    return endpoint_.fetch_and<T>(pe, at, value);
  }
  template <AtomicInteger T>
  T fetch_or(PeId pe, HeapOffset at, T value) {
    return endpoint_.fetch_or<T>(pe, at, value);
  }
  template <AtomicInteger T>
  T fetch_xor(PeId pe, HeapOffset at, T value) {
    return endpoint_.fetch_xor<T>(pe, at, value);
  }
  template <AtomicInteger T>
  T compare_swap(PeId pe, HeapOffset at, T expected, T value) {
    return endpoint_.compare_swap<T>(pe, at, expected, value);
  }
  void fence() { endpoint_.fence(); }
  void quiet() { endpoint_.quiet(); }
  void quiet_far() { endpoint_.quiet_far(); }

  // ---- active messages ----------------------------------------------------------------------------------------

  /// Ids count up from 0: register the same handlers in the same order on every PE. A message that arrives before
  /// its handler is registered waits for it.
  HandlerId register_handler(Handler handler);
  /// Sends `first` and `second`, joined. Source completion: both may be reused on return. Local: a message that finds
  /// no room at the receiver stays here until progress() finds some, and only where it would exceed this PE's memory
  /// limit does the call wait, with a warning. Messages of one thread to one PE arrive in order.
  void send(PeId pe, HandlerId handler, std::span<const std::byte> first, std::span<const std::byte> second = {});
  /// For senders that are faster than their receiver and may wait for it: until no message to `pe` waits in this PE for
  /// room there, and no more than 256 MiB of long ones are under way. Makes progress.
  void pace(PeId pe) {
    if (!outbox_.empty() || large_blocks_.bytes() >= most_large_bytes) [[unlikely]]
      pace_slowly(pe);
  }
  /// Whether messages of this PE wait for room at their receivers.
  bool sends_wait() const { return !outbox_.empty(); }

  // ---- board --------------------------------------------------------------------------------------------------
  // Numbers that a PE publishes to all PEs of its host, before they share any other memory.

  /// Shows `value` under `key` (not 0), which this PE does not show now. Waits for one of board_entries places; call
  /// notify() for PEs that wait to see it.
  void show(std::uint64_t key, std::uint64_t value);
  /// Removes it, when no PE needs it any more.
  void take_down(std::uint64_t key);
  std::optional<std::uint64_t> shown(PeId pe, std::uint64_t key);
  static constexpr std::size_t board_entries = 64;

  // ---- names of the job: texts under which PEs find what others have made known. Not for hot paths.

  static constexpr std::size_t longest_name = 247;
  /// False: it is taken, or there are directory_entries already.
  bool publish(std::string_view name, std::string_view text);
  std::optional<std::string> lookup(std::string_view name);
  /// False: it does not have this text.
  bool unpublish(std::string_view name, std::string_view text);
  static constexpr std::size_t directory_entries = 64;

  // ---- counters and triggered operations ----------------------------------------------------------------------

  /// The lowest free counter of this PE, at 0.
  CounterId allocate_counter();
  /// Drops what is still queued on it, see cancel_triggers().
  void release_counter(CounterId id);
  std::uint64_t counter(CounterId id) const {
    return area_->counters[id.value()].value.load(std::memory_order_acquire);  // partner: bump()
  }
  /// Failures too.
  Count count(CounterId id) const {
    const CounterCell& cell = area_->counters[id.value()];
    std::uint64_t failures = cell.failures.load(std::memory_order_acquire);  // partner: count()
    return {counter(id), failures};
  }
  /// Not while anything may bump it, nor to start what waits.
  void reset_counter(CounterId id, std::uint64_t value = 0);
  void bump(CounterRef counter, std::uint64_t by = 1);
  /// bump(), failures too. A trigger is due when successes and failures together reach its threshold: a chain does not
  /// stop at what failed, and waits for the end report the failures.
  void count(CounterRef counter, Count by);
  /// Sets a counter, and starts what is due then.
  void set_counter(CounterRef counter, Count to);
  /// Until `at_least` operations succeeded or one failed.
  Count wait_count(CounterId id, std::uint64_t at_least) {
    wait([&] { return is_settled(id, at_least); });
    return count(id);
  }
  /// The first of several counters that is at `at_least` (by counter) or has a failure. None: the deadline passed.
  std::optional<std::size_t> wait_any(std::span<const CounterId> ids, std::span<const std::uint64_t> at_least,
                                      Deadline deadline);
  void wait_counter(CounterId id, std::uint64_t at_least) {
    wait([&] { return counter(id) >= at_least; });
  }
  [[nodiscard]] Status wait_counter(CounterId id, std::uint64_t at_least, Deadline deadline) {
    return wait([&] { return counter(id) >= at_least; }, deadline);
  }
  /// Queues `operation` until this PE's counter reaches `threshold` (at least 1); started at once when it has. The
  /// thread that increments the counter carries it out, equal thresholds in the order they were queued; gets, fetches
  /// and functions run in this PE's progress(). Data are read then. Throws MemoryError when the PE's heap has no room
  /// for it, or most_triggers are queued.
  void trigger(CounterId on, std::uint64_t threshold, TriggeredOp operation);
  /// A triggered send(). `payload` is read when it starts.
  void trigger_send(CounterId on, std::uint64_t threshold, PeId pe, HandlerId handler,
                    std::span<const std::byte> payload, CounterRef then = {}) {
    auto send_it = [=](Context& context) { context.send(pe, handler, payload); };
    trigger(on, threshold, TriggeredOp::make_call(send_it, then));
  }
  /// Drops what is still queued on the counter: it never starts. Returns how many. `dropped_run` gets the arguments of
  /// make_run().
  std::size_t cancel_triggers(CounterId on, const std::function<void(void*)>& dropped_run = {});

  // ---- waiting and progress -----------------------------------------------------------------------------------

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
  /// ring, as in progress(), so that no handler runs and nothing is sent that waits. Not from a handler.
  class Look {
   public:
    explicit Look(Context& context) : context_(context), has_it_(context.progress_owner_.try_take()) {}
    Look(const Look&) = delete;
    Look& operator=(const Look&) = delete;
    ~Look() { leave(); }
    void leave() {
      if (!std::exchange(has_it_, false)) return;
      context_.progress_owner_.leave();
      // A sleeping thread may wait for what was done here, or could not take what came meanwhile. The fence is the
      // sleeper's, as in ring_bell().
      std::atomic_signal_fence(std::memory_order_seq_cst);
      if (took_ || context_.endpoint_.message_waiting()) fabric::ring_bell(context_.job_->record(context_.pe_));
    }
    /// False: another thread looks.
    explicit operator bool() const { return has_it_; }
    /// The oldest message, if there is one, to be read in place until take().
    std::optional<fabric::Endpoint::Received> first() const { return context_.endpoint_.receive(); }
    static bool is_for(const fabric::Endpoint::Received& message, HandlerId handler) {
      return message.handler == handler.value() && message.kind == 0;
    }
    void take() {
      context_.endpoint_.release_message();
      took_ = true;
    }
    void prefetch_next() const { context_.endpoint_.prefetch_message(1); }
    /// While there is none: asks for where one may go on, a line at a turn.
    void prefetch_rest(int turn) const { context_.endpoint_.prefetch_following(turn); }

   private:
    Context& context_;
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
    if (has_progress_thread_.load(std::memory_order_relaxed)) [[unlikely]]
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
  void look_for_stopped_peers() {
    if (!stopped_peers_) stopped_peers_ = std::make_unique<StoppedPeers>(*job_, pe_);
  }
  /// Until the word (in this PE's own segment) compares so. Acquire: data put before it is visible.
  template <AtomicType T>
  void wait_until(const T* word, Compare compare, T value) {
    wait([=] { return holds(load(word), compare, value); });
  }
  template <AtomicType T>
  [[nodiscard]] Status wait_until(const T* word, Compare compare, T value, Deadline deadline) {
    return wait([=] { return holds(load(word), compare, value); }, deadline);
  }
  template <AtomicType T>
  void wait_until(HeapOffset word, Compare compare, T value) {
    wait_until<T>(local_pointer<const T>(word), compare, value);
  }
  /// Hooks run in progress(), one at a time per PE, and return whether they did anything; for schedules in flight.
  /// A hook must not wait. Returns a key for remove_hook(), which must not be called from a hook.
  std::uint64_t add_hook(std::function<bool(Context&)> hook);
  void remove_hook(std::uint64_t key);
  /// Progress without the program's help, until stop or destruction: a thread that makes it while no other waits or
  /// says note_active(), and sleeps when there is none to make. Sending to a PE whose own threads poll pays for no
  /// wake-up. `core`: the one it runs on. As many stops as starts.
  void start_progress_thread(std::optional<unsigned> core = {});
  void stop_progress_thread();
  bool has_progress_thread() const { return has_progress_thread_.load(std::memory_order_relaxed); }
  /// This thread goes away to compute, and something long is under way: the progress thread takes over at once.
  void hand_over();
  /// Whether this is the progress thread, in a handler or hook.
  bool is_progress_thread() const {
    return std::this_thread::get_id() == progress_thread_id_.load(std::memory_order_relaxed);
  }
  /// This thread has just looked, and is likely to look again: the progress thread stays out of its way.
  void note_active() { activity_.store(activity_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

  /// Collective; for set-up. Collectives proper are a layer above. Throws PeFailedError when a PE dies.
  void barrier();
  /// Collective; for set-up. What every PE gave, by PE.
  std::vector<std::uint64_t> exchange(std::uint64_t value);
  /// Throws PeFailedError when a PE of the job has died, unless somebody answers that; then calls him. Two loads.
  void check() {
    if (job_->has_failed() || news_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      check_slowly();
  }
  /// From now on the deaths of PEs are no exceptions: `answer` is called, in check() and in waits, out of handlers and
  /// hooks and by one thread at a time, when there is news, and now and then after that, for what has begun since; it
  /// has to end what waits for those that are dead. Null: as before. That somebody ends the job stays an exception.
  void answer_news(std::function<void()> answer);
  /// Frees messages to PEs that have left the job or died since the last call. Waits do so, too.
  void settle_departures();
  /// Takes all messages that have arrived, those of PEs too that have died since. For the answer.
  void take_arrived();
  /// Something else has happened that the answer is to look at. From handlers too.
  void note_news() { news_.fetch_add(1, std::memory_order_release); }  // partner: check_slowly()

 private:
  using Block = std::shared_ptr<std::byte>;  // of our heap
  // Payloads in flight in our heap that a paced sender may have.
  static constexpr std::uint64_t most_large_bytes = std::uint64_t{256} << 20;
  struct RoomRequest {
    PeId pe{0};
    std::uint64_t id;
    std::uint64_t bytes;
  };
  struct Incoming {
    PeId source;
    std::uint16_t handler;
    std::vector<std::byte> payload;
  };
  template <class T>
  static T load(const T* word) {
    // Acquire: partner is the release store or atomic of the PE that changed it.
    return std::atomic_ref<T>(*const_cast<T*>(word)).load(std::memory_order_acquire);
  }
  bool work_waiting() const {
    return endpoint_.message_waiting() || area_->ready.load(std::memory_order_relaxed) != 0 ||
           backlog_.load(std::memory_order_relaxed) != 0;
  }
  Status wait_slowly(Condition ready, Deadline deadline);
  Status wait_in_turns(Condition ready, Deadline deadline);
  void keep_progress();
  bool watch_closely();
  void check_slowly();
  void skip_abandoned_slots();
  bool pause_progress(std::int64_t ns);
  bool poll_network();
  bool progress_slowly();
  bool in_progress_here() const { return progress_owner_.is_mine(); }
  bool receive_messages();
  void take_at_once(const fabric::Inbox::Message& message);
  void receive(PeId source, std::uint16_t handler, std::uint16_t kind, std::span<const std::byte> payload);
  void receive_record(PeId source, std::uint16_t handler, std::uint16_t kind, std::span<const std::byte> payload);
  void keep_early(PeId source, std::uint16_t handler, std::span<const std::byte> payload);
  bool deliver_early();
  void deliver(PeId source, std::uint16_t handler, std::span<const std::byte> payload);
  bool run_ready_triggers();
  bool run_hooks();
  bool send_outbox();
  using Parts = fabric::MessageParts;
  bool try_send(PeId pe, std::uint16_t handler, std::uint16_t kind, const Parts& parts);
  void send_small(PeId pe, std::uint16_t handler, std::uint16_t kind, const Parts& parts);
  void send_later(PeId pe, std::uint16_t handler, std::uint16_t kind, const Parts& parts);
  void send_large(PeId pe, std::uint16_t handler, const Parts& parts);
  void send_far(PeId pe, std::uint16_t handler, const Parts& parts);
  std::byte* allocate_large(PeId pe, std::size_t bytes);
  void release_large_block(PeId receiver, std::uint64_t offset);
  void await_memory(PeId pe, std::size_t bytes);
  void pace_slowly(PeId pe);
  bool reads(PeId pe);
  bool send_kept(PeId pe, Outbox::Message& message);
  void empty_outbox() noexcept;
  // Long messages to other nodes (long_message.cpp): an id for take_room(), which gives nothing while there is no
  // answer.
  std::uint64_t ask_room(PeId pe, std::size_t bytes);
  std::optional<HeapOffset> take_room(PeId pe, std::uint64_t id, std::size_t bytes);
  void fill_room(PeId pe, HeapOffset room, const Parts& parts);
  void hear_room_request(PeId source, std::span<const std::byte> payload);
  void hear_room_answer(PeId source, std::span<const std::byte> payload);
  void give_rooms();
  void note_landed(std::uint64_t bytes);
  Block own_block(std::byte* block);
  TriggerArea& area_of(PeId pe) const;
  bool count_up(CounterRef counter, std::uint64_t by);
  bool count_up_behind(PeId target, CounterRef counter, std::uint64_t by);
  bool count_all(CounterRef counter, Count by);
  bool set_all(CounterRef counter, Count to);
  bool count_after(const TriggerCell& cell, CounterRef then);
  bool is_settled(CounterId id, std::uint64_t at_least) const {
    Count now = count(id);
    return now.success >= at_least || now.failure != 0;
  }
  std::uint32_t take_cell();
  void add_cells();
  bool run_ready(const TriggerCell& cell);
  void fetch_for(const TriggerCell& cell);
  std::uint64_t fetch_by(fabric::AtomicOp how, PeId pe, HeapOffset word, std::uint64_t value, std::uint64_t expected);
  void bump_behind(PeId target, CounterRef counter);
  void post_bump(PeId pe, CounterRef counter, std::uint64_t by);
  void post_count(PeId pe, std::uint16_t kind, CounterRef counter, Count count);
  void hear_post(PeId source, std::uint16_t kind, std::span<const std::byte> payload);
  bool take_due(CounterRef counter, TriggerCell& taken);
  void fire(CounterRef counter);
  void carry_out(PeId owner, const TriggerCell& cell);
  void lock_area(TriggerArea& area);
  static void unlock_area(TriggerArea& area);
  void join();
  std::shared_ptr<Heap> make_lasting_heap(std::uint64_t symmetric_bytes, std::uint64_t bytes);
  void open_barrier(std::uint32_t epoch);
  enum class Meeting { plain, with_values };
  void meet(Meeting what);
  void hand_values(std::uint32_t to_node, std::uint32_t count);
  void meet_nodes(std::uint32_t epoch, Meeting what, Deadline deadline, double limit_seconds);
  [[noreturn]] void throw_absent(double limit_seconds) const;

  std::shared_ptr<fabric::Job> job_;
  PeId pe_;
  std::uint32_t npes_;
  std::byte* segment_;
  TriggerArea* area_;
  fabric::Endpoint endpoint_;
  NodeInfo node_;
  Team world_;
  std::int64_t spin_ns_ = 0;
  static constexpr int most_quick_looks = 2000;  // some 5 us
  // Before a sleep. When PEs share cores a yield hands the core to the peer we wait for in about 1 µs, a sleep and its
  // wake cost about 10. More while sleeps turn out to be short.
  static constexpr int fewest_yields = 32;
  std::atomic<int> yields_before_sleep_{fewest_yields};
  std::shared_ptr<MemoryBudget> budget_;
  std::shared_ptr<Heap> symmetric_;  // of one PE alone: heap_
  std::shared_ptr<Heap> heap_;
  std::unordered_map<std::uint64_t, AdoptedBlock> adopted_;
  bool abandoned_ = false;
  std::mutex board_mutex_;
  std::size_t system_used_;
  HeapOffset board_, directory_, static_area_;
  ForeignMemory foreign_memory_;
  std::uint32_t barrier_epoch_ = 0;

  // Progress: one thread at a time.
  Owner progress_owner_;
  std::atomic<std::uint32_t> backlog_{
      0};  // what progress() has to look at besides rings: messages that wait in the outbox, hooks
  std::mutex handlers_mutex_;
  std::vector<Handler> handlers_;  // room for all from the start, so that registering moves none
  std::atomic<std::uint32_t> handler_count_{0};
  std::uint32_t known_handlers_ = 0;  // of those; progress_owner_'s
  const fabric::Inbox::Taker taker_{this, [](void* context, const fabric::Inbox::Message& message) {
                                      static_cast<Context*>(context)->take_at_once(message);
                                    }};
  bool took_message_ = false;  // at once; progress_owner_'s
  std::vector<Incoming> early_;  // messages for handlers still to come; progress_owner_'s
  Outbox outbox_;  // sent by progress()
  std::mutex hooks_mutex_;
  std::vector<std::pair<std::uint64_t, std::function<bool(Context&)>>> hooks_;
  std::uint64_t next_hook_ = 1;
  std::atomic<bool> warned_of_memory_{false};
  LargeBlocks large_blocks_;  // payloads in flight in our heap
  Block landed_;  // what a handler is looking at, and
  std::span<const std::byte> landed_payload_;  // of a long message of another node
  std::mutex rooms_mutex_;
  std::map<std::uint64_t, std::optional<HeapOffset>> rooms_;  // asked for; given
  std::uint64_t next_room_ = 1;
  std::deque<RoomRequest> room_requests_;  // of others, for which there is no room yet
  std::uint64_t landing_bytes_ = 0;  // room that others have here
  std::mutex calls_mutex_;
  std::map<std::uint64_t, std::function<void(Context&)>> calls_;  // functions of queued triggers
  std::uint64_t next_call_ = 1;

  std::unique_ptr<StoppedPeers> stopped_peers_;  // null: waits do not look for them

  std::function<void()> answer_;
  std::atomic<bool> answers_{false};  // there is one
  std::atomic<bool> answering_{false};  // it is being called
  std::atomic<std::uint32_t> news_{0};  // deaths that were seen, and what was noted
  std::atomic<std::uint32_t> news_answered_{0}, deaths_answered_{0};
  std::atomic<std::int64_t> answer_again_at_ns_{0};
  fabric::RingCount stuck_before_;  // see skip_abandoned_slots(); both progress_owner_'s
  std::int64_t stuck_since_ns_ = 0;

  int progress_users_ = 0;  // guarded by progress_mutex_
  std::thread progress_thread_;
  std::atomic<std::thread::id> progress_thread_id_{};
  std::atomic<bool> has_progress_thread_{false};
  std::atomic<std::uint32_t> waiting_threads_{0};  // in wait_slowly(), when there is a progress thread
  std::atomic<std::uint64_t> activity_{0};
  std::atomic<bool> handed_over_{false};
  std::mutex progress_mutex_;
  std::condition_variable progress_stops_;
  std::atomic<bool> stop_progress_{false};  // changed under progress_mutex_
};

}  // namespace atl::runtime
