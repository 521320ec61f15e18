// SPDX-License-Identifier: Apache-2.0
// What a Communicator is made of: mailboxes, kept schedules, and the queue of operations, of which the first runs.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "atoll/coll/collectives.hpp"
#include "executor.hpp"
#include "mailbox.hpp"
#include "selection.hpp"

namespace atl::coll::detail {

class Engine {
 public:
  /// All PEs of the job.
  explicit Engine(runtime::Context& context);
  /// The members of the team, which find one another by their boards.
  Engine(runtime::Context& context, const runtime::Team& team, std::optional<double> timeout_seconds);
  /// These members, with the areas they have made; all know them already.
  Engine(runtime::Context& context, std::vector<PeId> pes, std::vector<HeapOffset> areas, int rank);
  ~Engine();
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
  bool in_segment(const void* data) const { return executor_.in_segment(static_cast<const std::byte*>(data)); }
  std::uint64_t moved_bytes() const { return mail_.moved_bytes(); }

  /// Runs to completion.
  void run(Kind kind, const Arguments& arguments, const void* in, void* out, const Reduction* reduction = nullptr);
  /// Queues; the lists of `arguments` are used during the call only.
  std::uint64_t start(Kind kind, const Arguments& arguments, const void* in, void* out,
                      const Reduction* reduction = nullptr);
  bool test(std::uint64_t ticket);
  void wait(std::uint64_t ticket);
  bool is_finished(std::uint64_t ticket) const { return completed_.load(std::memory_order_acquire) >= ticket; }

  void validate_root(int root) const;
  void validate_blocks(std::size_t blocks) const;

 private:
  struct Key {
    std::uint64_t bytes = 0;
    std::uint64_t element_bytes = 0;
    std::int32_t root = -1;
    Kind kind = Kind::count_;
    std::uint8_t algorithm = 0;
    bool in_place = false;
    bool operator==(const Key&) const = default;
  };
  struct Kept {
    Key key;
    std::shared_ptr<Schedule> schedule;
  };
  struct Operation {
    std::shared_ptr<const Schedule> schedule;
    const void* in;
    void* out;
    std::optional<Reduction> reduction;
    Kind kind;
    std::uint64_t sequence;
    std::uint32_t check;
    bool symmetric;
  };
  // Held by whoever advances operations: a caller, or the progress engine, which does not wait for it.
  class Hold {
   public:
    explicit Hold(Engine& engine);
    ~Hold() { engine_.held_.store(false, std::memory_order_release); }  // partner: the acquire in Hold and try_advance

   private:
    Engine& engine_;
  };

  void open(std::vector<PeId> pes, std::vector<HeapOffset> areas);
  const std::shared_ptr<Schedule>& schedule_for(Kind kind, const Arguments& arguments);
  std::shared_ptr<Schedule> write_schedule(Kind kind, std::uint8_t algorithm, const Arguments& arguments,
                                           std::shared_ptr<Schedule> reuse);
  std::uint32_t begin_call(Kind kind, const Arguments& arguments, const Reduction* reduction);
  void* scratch(std::uint64_t bytes);
  // With the hold. False: not finished.
  bool advance_current();
  // With the hold: runs the queue as far as it goes. Returns whether anything was finished.
  bool advance_queue();
  // Takes the hold if it is free.
  bool try_advance();
  template <class Ready>
  void wait_until(Ready&& ready);
  void break_down(std::string why);
  void throw_if_broken() const;
  std::string mismatch_text(std::uint32_t member, Kind theirs) const;
  std::optional<std::string> find_disagreement() const;
  std::string timeout_text() const;

  runtime::Context& context_;
  int rank_ = 0;
  int size_ = 1;
  std::vector<PeId> pes_;  // empty: all of the job
  Placement placement_;
  HeapOffset area_;
  Mailboxes mail_;
  StagingPool staging_;
  Executor executor_;
  Selection selection_;
  double timeout_seconds_;
  std::uint64_t sequence_ = 0;  // operations begun by the caller
  Kind last_kind_ = Kind::barrier;
  std::uint32_t last_check_ = 0;

  static constexpr std::size_t kept_count = 64;
  std::array<Kept, kept_count> kept_;
  std::shared_ptr<Schedule> one_off_;
  void* scratch_ = nullptr;
  std::uint64_t scratch_bytes_ = 0;

  std::atomic<bool> held_{false};
  std::deque<Operation> queue_;     // the first is under way when `running_`
  bool running_ = false;
  std::atomic<std::uint64_t> queued_{0};
  std::atomic<std::uint64_t> completed_{0};  // sequence of the last finished operation
  std::uint64_t hook_ = 0;
  std::atomic<bool> broken_{false};
  std::string broken_why_;
};

}  // namespace atl::coll::detail
