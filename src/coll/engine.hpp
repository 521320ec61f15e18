// SPDX-License-Identifier: Apache-2.0
// The implementation of a Communicator: mailboxes, cached schedules, and a queue of operations, the first running.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "atoll/coll/collectives.hpp"
#include "atoll/coll/disagreement.hpp"
#include "atoll/runtime/parts.hpp"
#include "deferred.hpp"
#include "executor.hpp"
#include "mailbox.hpp"
#include "selection.hpp"

namespace atl::coll::detail {

// Of what all members have to agree on, and of the number of the call. Little work: the numbers are mixed once.
inline std::uint64_t digest_of(std::uint64_t bytes, int root) {
  return (bytes * 0x9E3779B97F4A7C15ull ^ static_cast<std::uint64_t>(root)) * 0xBF58476D1CE4E5B9ull;
}
inline std::uint32_t check_of(std::uint64_t digest, std::uint64_t sequence, std::uint64_t operation) {
  return static_cast<std::uint32_t>((digest + sequence * 0x9E3779B97F4A7C15ull + operation) * 0x94D049BB133111EBull >>
                                    40);
}

class Engine {
 public:
  /// All PEs of the job.
  explicit Engine(runtime::Context& context);
  /// The members of the team, which find one another by their boards.
  Engine(runtime::Context& context, const runtime::Team& team, std::optional<double> timeout_seconds);
  /// These members, with the areas they have made; all know them already.
  Engine(runtime::Context& context, std::vector<PeId> pes, std::vector<HeapOffset> areas, int rank);
  ~Engine();
  /// Local. See Communicator.
  void close();
  bool all_closed() { return closed_ && mail_.all_closed(); }
  /// Where the others will write to.
  static HeapOffset make_area(runtime::Context& context, std::size_t members);
  static void release_area(runtime::Context& context, HeapOffset area);

  int rank() const { return rank_; }
  int size() const { return size_; }
  PeId pe(int member) const;
  const Placement& placement() const { return placement_; }
  runtime::Context& context() const { return context_; }
  Selection& selection() { return selection_; }
  void forget_schedules();
  void set_timeout_seconds(double seconds) { timeout_seconds_ = seconds; }
  void set_wait_callback(std::function<void()> look) { wait_callback_ = std::move(look); }
  bool in_segment(const void* data) const { return executor_.in_segment(static_cast<const std::byte*>(data)); }
  std::uint64_t moved_bytes() const { return mail_.moved_bytes(); }
  /// For requests that outlive it.
  const std::shared_ptr<const std::atomic<bool>>& ended() const { return ended_; }

  /// Runs to completion. Inline, so that arguments known at the call, such as the kind, are constants.
  void run(Kind kind, const Arguments& arguments, const void* in, void* out, const Reduction* reduction = nullptr);
  /// Queues; the lists of `arguments` are used during the call only.
  std::uint64_t start(Kind kind, const Arguments& arguments, const void* in, void* out,
                      const Reduction* reduction = nullptr);
  /// Of an operation that is started again and again: the lists of its arguments are used at once.
  struct Prepared {
    std::shared_ptr<const Schedule> schedule;
    std::uint64_t digest;
    Kind kind;
    bool symmetric;
    const void* in;
    void* out;
    std::optional<Reduction> reduction;
    std::uint64_t bytes = 0;
    int root = 0;
  };
  std::shared_ptr<const Prepared> prepare(Kind kind, const Arguments& arguments, const void* in, void* out,
                                          const Reduction* reduction = nullptr);
  std::uint64_t start(const Prepared& prepared);
  /// Before run(), where the algorithm wants it: tells leaders the sizes of their members' blocks. Collective.
  void share_sizes(Kind kind, Arguments& arguments);
  bool test(std::uint64_t ticket);
  void wait(std::uint64_t ticket);
  void fail(std::exception_ptr why);
  bool look(std::uint64_t ticket) const {
    if (is_finished(ticket)) return true;
    throw_if_broken();
    return false;
  }
  /// Takes the hook away when nothing is under way: hooks make every wait of this PE slower. Not from a hook.
  void rest();
  bool is_finished(std::uint64_t ticket) const { return completed_.load(std::memory_order_acquire) >= ticket; }

  void validate_root(int root) const {
    if (root < 0 || root >= size_) [[unlikely]]
      refuse_root(root);
  }
  void validate_blocks(std::size_t blocks) const;

 private:
  struct Key {
    std::uint64_t bytes = 0;
    std::uint64_t element_bytes = 0;
    std::int32_t root = -1;
    Kind kind = Kind::count_;
    bool in_place = false;
    bool operator==(const Key&) const = default;
  };
  struct Kept {
    Key key;
    std::uint64_t digest = 0;  // of the arguments
    std::shared_ptr<Schedule> schedule;
  };
  struct Operation : Prepared {
    std::uint64_t sequence;
    std::uint32_t check;
    bool deferred;  // by the network itself, see open_deferred()
  };
  // Held by the thread that advances operations: a caller, or the progress engine, which does not wait for it.
  class Hold {
   public:
    explicit Hold(Engine& engine);
    ~Hold() { engine_.held_.store(false, std::memory_order_release); }  // partner: the acquire in Hold and try_advance

   private:
    Engine& engine_;
  };

  [[noreturn]] void refuse_root(int root) const;
  void open(std::vector<PeId> pes, std::vector<HeapOffset> areas);
  const Kept& kept_for(Kind kind, const Arguments& arguments);
  // Before masking; the highest bits of the product are the best mixed ones.
  static std::size_t place_of(const Key& key) {
    return (key.bytes * 0x9E3779B97F4A7C15ull >> 58 ^ static_cast<std::size_t>(key.root) * 7 ^
            static_cast<std::size_t>(key.kind)) %
           most_kept;
  }
  const Kept& keep(std::size_t place, const Key& key, const Arguments& arguments);
  void run_behind(Kind kind, const Arguments& arguments, const void* in, void* out, const Reduction* reduction);
  void finish(Executor::State state);
  void write(Kept& kept, Kind kind, const Arguments& arguments);
  void open_channels(const Schedule& schedule);
  std::uint32_t begin_call(Kind kind, std::uint64_t digest, bool symmetric, const Reduction* reduction);
  std::uint64_t enqueue(const Prepared& operation);
  void open_deferred();
  bool advance_deferred(const Operation& operation);
  void* scratch(std::uint64_t bytes);
  // False: not finished.
  bool take_note(Executor::State state);
  // With the hold. False: not finished.
  bool advance_current() { return take_note(executor_.advance()); }
  // With the hold: runs the queue as far as it goes. Returns whether anything was finished.
  bool advance_queue();
  // Takes the hold if it is free.
  bool try_advance();
  template <class Ready>
  void wait_until(Ready&& ready);
  void break_down(std::string why);
  void break_down_by_exception();
  void throw_if_broken() const;
  std::string mismatch_text(std::uint32_t member, Kind theirs) const;
  enum class Members { nearby, all };
  std::optional<std::string> find_disagreement(Members among) const;
  std::string timeout_text();
  // Seconds to wait for members that are stopped, while others may take any time; see set_timeout_seconds().
  double limit_for_stopped() const;
  // Whether a member that has not come is stopped.
  bool awaits_stopped();
  std::uint32_t withdrawn_member();
  std::optional<std::string> text_of_given_up(std::uint32_t& before);
  void look_after_vain_test();

  std::shared_ptr<std::atomic<bool>> end_ = std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<const std::atomic<bool>> ended_ = end_;
  runtime::Context& context_;
  runtime::Parts parts_;  // of that
  int rank_ = 0;
  int size_ = 1;
  Placement placement_;
  std::size_t small_ = 0;  // longest message to members of this node that goes through mailboxes
  int patience_ = 0;  // looks before the waiting machinery takes over
  HeapOffset area_;
  Mailboxes mail_;
  StagingPool staging_;
  Executor executor_;
  Selection selection_;
  double timeout_seconds_;
  std::function<void()> wait_callback_;
  std::uint64_t sequence_ = 0;  // operations begun by the caller
  Kind last_kind_ = Kind::barrier;
  std::uint32_t last_check_ = 0;

  // Schedules, each at the place of its key. Most communicators have few: until two need the same place there are few
  // places.
  static constexpr std::size_t few_kept = 16, most_kept = 64;  // 0.75 KiB, 3 KiB
  static const Kept none_kept;
  std::vector<Kept> own_kept_;
  const Kept* kept_ = &none_kept;
  std::size_t kept_mask_ = 0;  // of places
  Kept one_off_;
  std::vector<std::uint64_t> sizes_;  // of members' blocks, see share_sizes()
  std::unique_ptr<Deferred> deferred_;  // null: the network has no triggered work
  void* scratch_ = nullptr;
  std::uint64_t scratch_bytes_ = 0;

  std::atomic<bool> held_{false};
  std::deque<Operation> queue_;  // the first is under way when `running_`
  bool running_ = false;
  std::atomic<std::uint64_t> queued_{0};
  std::atomic<std::uint64_t> completed_{0};  // sequence of the last finished operation
  std::atomic<std::uint64_t> hook_{0};  // changed with the hold
  std::atomic<bool> broken_{false};
  std::string broken_why_;
  std::atomic<std::uint32_t> vain_tests_{0};
  std::mutex look_mutex_;  // of what follows
  Deadline next_look_ = Deadline::after_ns(0);
  std::uint32_t gave_up_ = UINT32_MAX;
  std::exception_ptr failure_;  // what fail() was told
  bool timed_out_ = false;  // that is why
  bool disagreed_ = false;  // or that
  bool closed_ = false;
};

[[gnu::always_inline]] inline const Engine::Kept& Engine::kept_for(Kind kind, const Arguments& arguments) {
  if (takes_blocks(kind)) {
    write(one_off_, kind, arguments);
    return one_off_;
  }
  const Key key{arguments.bytes, arguments.element_bytes, arguments.root, kind, arguments.in_place};
  const std::size_t place = place_of(key);
  const Kept& kept = kept_[place & kept_mask_];
  if (kept.key != key) [[unlikely]] {
    const Arguments in_memory = arguments;  // so that those of the usual way need not be
    return keep(place, key, in_memory);
  }
  return kept;
}

[[gnu::always_inline]] inline std::uint32_t Engine::begin_call(Kind kind, std::uint64_t digest, bool symmetric,
                                                               const Reduction* reduction) {
  ++sequence_;
  last_kind_ = kind;
  last_check_ =
      check_of(digest, sequence_, (reduction != nullptr ? reduction->code() : 0) | std::uint64_t{symmetric} << 32);
  mail_.announce(sequence_, static_cast<std::uint32_t>(kind), last_check_);
  return last_check_;
}

[[gnu::always_inline]] inline void Engine::run(Kind kind, const Arguments& arguments, const void* in, void* out,
                                               const Reduction* reduction) {
  // Acquire: what the progress engine did for the last one. Partner: advance_queue(). With none queued it touches
  // nothing, so that no hold is taken: a locked instruction waits until the peer's line, written a moment ago, has
  // come.
  if (broken_.load(std::memory_order_acquire) || queued_.load(std::memory_order_acquire) != 0) [[unlikely]] {
    const Arguments in_memory = arguments;  // see kept_for()
    return run_behind(kind, in_memory, in, out, reduction);  // operations already started: in order
  }
  const Kept& kept = kept_for(kind, arguments);
  const Schedule& schedule = *kept.schedule;
  std::uint32_t check = begin_call(kind, kept.digest, arguments.symmetric, reduction);
  void* const memory = schedule.scratch_bytes != 0 ? scratch(schedule.scratch_bytes) : nullptr;
  mail_.set_patience(patience_);
  executor_.begin(schedule, in, out, memory, reduction, waits_for_all(kind) ? 0 : sequence_,
                  static_cast<std::uint32_t>(kind), check, arguments.symmetric);
  Executor::State state;
  try {
    state = executor_.advance();
  } catch (...) {
    break_down_by_exception();
    throw;
  }
  mail_.set_patience(0);
  if (state != Executor::State::done) [[unlikely]]
    finish(state);
  completed_.store(sequence_, std::memory_order_relaxed);
}

}  // namespace atl::coll::detail
