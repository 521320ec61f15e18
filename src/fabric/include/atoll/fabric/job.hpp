// SPDX-License-Identifier: Apache-2.0
// A job's memory on one node as a PE of it (or the launcher) sees it: the control block, every PE's record, and ring
// and segment of the node's PEs. How the memory is obtained is the fabric's business: `loop` (threads of one process,
// anonymous memory) or `shm` (processes, one memfd without a name, so that nothing is left behind whatever dies). PEs
// of other nodes are reached by the RemotePath that the job is connected to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "atoll/base/ids.hpp"
#include "atoll/fabric/doorbell.hpp"
#include "atoll/fabric/layout.hpp"
#include "atoll/fabric/remote_path.hpp"

namespace atl::fabric {

enum class Kind { loop, shm };

/// What a symmetric heap takes so that blocks of `asked` bytes in all fit for certain: their padding and alignment too.
std::uint64_t symmetric_area_bytes(std::uint64_t asked);

struct JobOptions {
  std::uint32_t npes = 1;
  /// Address space of each segment, rounded up to its alignment. 0: ATOLL_HEAP_SIZE, or the node's memory; and what
  /// SHMEM_SYMMETRIC_SIZE asks for on top.
  std::uint64_t segment_bytes = 0;
  /// 0: not said. Decides, with the cores, whether waits may spin.
  std::uint32_t threads_per_pe = 0;
  /// The node of each PE, numbered from 0 without gaps. Empty: all are on one.
  std::vector<std::uint32_t> node_of_pe = {};
  /// The node whose memory this is to be.
  std::uint32_t node = 0;
  /// Room for so many PEs that come later: of jobs of several nodes what all nodes have room for, of those of one node
  /// the most.
  std::uint32_t guests = 0;
};

/// Address space on this node for segments of PEs that come later.
std::uint64_t guest_space_bytes(std::uint32_t local_pes);

/// The size of segment that a node with so many PEs gets where JobOptions say 0. All nodes must use the same.
std::uint64_t usual_segment_bytes(std::uint32_t local_pes);

/// What becomes of a job when PEs die: it ends; it goes on, and fails; or the others' success is the job's.
enum class Survival : std::uint32_t { none, goes_on, recovers };

/// PEs that started together: those of the launcher, or guests that were spawned by one call.
struct Cohort {
  PeId first{0};
  std::uint32_t count = 0;
};

/// Owns the mapping. Thread-safe: its state is in the job's memory.
class Job {
 public:
  /// PEs will be threads of this process.
  static std::shared_ptr<Job> create_loop(const JobOptions& options);
  /// PEs will be processes that inherit the job or join it by `join_name()`.
  static std::shared_ptr<Job> create_shm(const JobOptions& options);
  /// `name` as made by join_name(), from ATOLL_JOB. Throws SetupError when there is no such job (any more).
  static std::shared_ptr<Job> join_shm(const std::string& name);

  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  Kind kind() const { return kind_; }
  std::uint32_t npes() const { return control_->npes; }
  /// PEs of it that there are or may be: npes(), and those that come later. What is indexed by PE has so many entries.
  std::uint32_t places() const { return control_->places; }
  /// PEs that this process is one of, or could be.
  Cohort cohort() const { return cohort_; }
  void set_cohort(Cohort cohort) { cohort_ = cohort; }
  /// Where its PEs of this node meet.
  Gate& gate() const { return is_guest() ? record(cohort_.first).gate : control_->gate; }
  bool is_guest() const { return cohort_.first.value() >= npes(); }
  /// Takes places for guests, in jobs of one node: the first of so many in a row. None: there is no room.
  std::optional<PeId> take_guests(std::uint32_t count);
  /// A guest that the launcher of a job of several nodes has given this place, on that node; `host` is its name in
  /// messages. Each process calls it.
  void admit(PeId pe, std::uint32_t node, const std::string& host);
  /// One that will not come, or is not wanted. No death of which all hear.
  void give_up_guest(PeId pe) noexcept;
  /// Whose there are now.
  std::uint32_t guests() const { return control_->guests.load(std::memory_order_acquire); }  // partner: take_guests()
  std::uint64_t segment_bytes() const { return segment_bytes_; }
  JobControl& control() const { return *control_; }
  PeRecord& record(PeId pe) const { return records_[pe.value()]; }
  /// The message ring of a PE of this node.
  MessageRing& ring(PeId pe) const { return *rings_[pe.value()]; }
  /// Its head when a thread of this process looked last: a sender looks at the receiver's own only when the ring seems
  /// full.
  std::atomic<std::uint64_t>& seen_head(PeId pe) const { return seen_heads_[pe.value()]; }
  /// Null for a PE of another node.
  std::byte* segment(PeId pe) const { return segments_[pe.value()]; }
  /// All of them, by PE.
  std::byte* const* segments() const { return segments_.data(); }

  // ---- nodes --------------------------------------------------------------------------------------------------

  std::uint32_t nodes() const { return control_->nodes; }
  /// This one.
  std::uint32_t node() const { return control_->node; }
  std::uint32_t local_pes() const { return control_->local_pes; }
  std::uint32_t node_of(PeId pe) const { return record(pe).node; }
  bool is_local(PeId pe) const { return node_of(pe) == node(); }
  /// Place of a PE among those of its node.
  std::uint32_t place_of(PeId pe) const { return record(pe).place; }
  /// The lowest PE of a node.
  PeId leader_of(std::uint32_t node) const { return leaders_[node]; }

  /// The way to the PEs of other nodes, from now on. Before the first Endpoint is made.
  void connect(std::unique_ptr<RemotePath> path) { remote_ = std::move(path); }
  RemotePath* remote() const { return remote_.get(); }
  /// What the hosts of the PEs are called in messages, by PE. Until then this node has the host's name.
  void set_hosts(std::vector<std::string> names);
  const std::string& host_of(PeId pe) const { return hosts_[pe.value()]; }
  /// "PE 3", in a job of several nodes "PE 3 on host-b".
  std::string describe(PeId pe) const;

  /// Called with what PEs of other nodes post to `pe`, a PE of this process, by whichever thread makes progress. Must
  /// not wait. Null: no more; returns when no call is under way.
  using Listener = std::function<void(PeId source, std::uint16_t kind, std::span<const std::byte> payload)>;
  void listen(PeId pe, Listener listener);
  /// For the RemotePath: what arrived. Posts to a PE that does not listen are dropped: it has left.
  void hear_post(PeId pe, PeId source, std::uint16_t kind, std::span<const std::byte> payload);
  void hear(const News& news) noexcept;
  /// Tells the other nodes, if there are any.
  void tell(const News& news) noexcept {
    if (remote_ != nullptr) remote_->tell(news);
  }

  /// For ATOLL_JOB: "/proc/<pid of the creator>/fd/<n>". Only the same user can open it, while the creator lives.
  std::string join_name() const;
  /// The memfd (close-on-exec), or -1 for loop.
  int descriptor() const { return descriptor_; }

  /// Records that a PE died and wakes everybody. The first call for a job decides which PE is named.
  void mark_failed(PeId pe, int wait_status, const std::string& cause) noexcept;
  /// Installs the function that tells the launcher of a PE that was lost by the network, which the launcher need not
  /// have noticed. Called with any locks held, must not wait for long; returns whether the launcher says it to the
  /// user. Before connect().
  using LossListener = std::function<bool(PeId pe, const std::string& how)>;
  void set_loss_listener(LossListener listener) { loss_listener_ = std::move(listener); }
  bool report_loss(PeId pe, const std::string& how) { return loss_listener_ && loss_listener_(pe, how); }
  /// Tells the launcher at once what survive() and request_exit() of this process say, before the process can end.
  /// Called with any locks held, must not wait for long. Before the first Endpoint is made.
  void set_survival_listener(std::function<void(Survival how)> listener) { survival_listener_ = std::move(listener); }
  void set_exit_listener(std::function<void(int status)> listener) { exit_listener_ = std::move(listener); }
  /// A sentence about the first PE that died: "PE 2 (pid 123) was killed by signal 9 (Killed)". Empty: none.
  std::string failure() const;
  /// The same for a PE of another node: what to hear(). Nothing: none has died.
  std::optional<News> first_failure() const;
  /// Remembers that a PE did not come or answer in time, for the error that says why this PE has given up. The first
  /// counts.
  void suspect(PeId pe) noexcept {
    std::uint32_t nobody = 0;
    control_->suspect.compare_exchange_strong(nobody, pe.value() + 1, std::memory_order_relaxed);
  }
  std::optional<PeId> suspect() const {
    std::uint32_t word = control_->suspect.load(std::memory_order_relaxed);
    return word == 0 ? std::nullopt : std::optional(PeId(word - 1));
  }
  /// PEs that have died so far.
  std::uint32_t deaths() const { return control_->deaths.load(std::memory_order_acquire); }  // partner: note_failed()
  bool has_died(PeId pe) const {
    // Acquire: partner is note_failed().
    return record(pe).state.load(std::memory_order_acquire) == static_cast<std::uint32_t>(PeState::failed);
  }
  /// Records that a PE of this node has finalized, and wakes the others: it reads no more messages.
  void note_departure(PeId pe) noexcept;
  /// Records that the network has told a PE of this node that one of another node has left.
  void note_far_departure() noexcept;
  /// Goes up whenever a PE of this node finalizes, or hears that one of another node has.
  std::uint32_t departures() const {
    return control_->departures.load(std::memory_order_acquire);
  }  // partner: note_far_departure()
  /// Whether a PE has finalized; always false for a PE of another node.
  bool has_left(PeId pe) const {
    // Acquire: the messages that it has sent. Partner: note_departure().
    return record(pe).state.load(std::memory_order_acquire) == static_cast<std::uint32_t>(PeState::finalized);
  }
  /// Says that this program deals with deaths itself: the launcher lets the others go on. The most that any PE has said
  /// holds.
  void survive(Survival how) noexcept;
  /// The same, said by a PE of another node.
  void note_survival(Survival how) noexcept {
    std::uint32_t before = control_->survival.load(std::memory_order_relaxed);
    while (before < static_cast<std::uint32_t>(how) &&
           !control_->survival.compare_exchange_weak(before, static_cast<std::uint32_t>(how),
                                                     std::memory_order_relaxed)) {}
  }
  Survival survival() const { return static_cast<Survival>(control_->survival.load(std::memory_order_relaxed)); }
  /// Whether the deaths that are known end the job, or a PE has ended it.
  bool is_ending() const { return has_failed() && (survival() == Survival::none || exit_requested().has_value()); }
  bool has_failed() const { return control_->failed.load(std::memory_order_acquire) != 0; }
  /// Throws PeFailedError when a PE died. One load otherwise.
  void check() const {
    // Acquire: the cause must be readable. Partner: the release in mark_failed.
    if (has_failed()) [[unlikely]]
      throw_failure();
  }
  // ---- recovery -----------------------------------------------------------------------------------------------

  /// Whether PEs that notice a death leave and wait for recover() (await_recovery()). Set before any PE joins.
  bool is_recoverable() const { return control_->recoverable.load(std::memory_order_relaxed) != 0; }
  void set_recoverable() { control_->recoverable.store(1, std::memory_order_relaxed); }
  /// Times that recover() has run. Acquire: partner is recover().
  std::uint32_t recoveries() const { return control_->recoveries.load(std::memory_order_acquire); }
  /// Forgets the deaths and all messages, and lets PEs join again: those that have left in the same process, those that
  /// have died in a new one. Returns those. For one PE, when each other PE has left or died and it has left itself; one
  /// node.
  std::vector<PeId> recover();
  /// Lets PEs go on that wait in await_recovery().
  void announce_recovery() noexcept;
  /// Until announce_recovery() has been called more often than `seen`. False: the job ends instead.
  bool await_recovery(PeId pe, std::uint32_t seen) noexcept;

  /// Asks the PEs to end (those that are asked in `should_shut_down`), and wakes them.
  void request_shutdown() noexcept;
  bool shutdown_requested() const { return control_->shutdown.load(std::memory_order_acquire) != 0; }
  void wake_all() noexcept;

  /// Ends the job with this exit status, which the first caller decides: waits fail from now on, and the launcher ends
  /// what does not end by itself. The caller is to exit too.
  void request_exit(int status) noexcept;
  /// The status asked for, if any.
  std::optional<int> exit_requested() const {
    std::uint64_t word = control_->exit.load(std::memory_order_acquire);  // partner: request_exit
    return word == 0 ? std::nullopt : std::optional(static_cast<int>(static_cast<std::uint32_t>(word)));
  }

  /// Maps part of a PE's segment a second time, over whatever lies at `where`; whole pages. `shm` only.
  void map_over(PeId pe, HeapOffset at, void* where, std::size_t bytes);
  /// The first part of [at, at + bytes) that has ever been written to; nothing: none. `shm` only; whole pages.
  struct Extent {
    HeapOffset at;
    std::size_t bytes = 0;
  };
  Extent touched(PeId pe, HeapOffset at, std::size_t bytes) const noexcept;

 private:
  std::uint64_t file_offset(PeId pe, HeapOffset at) const {
    return static_cast<std::uint64_t>(segment(pe) - base_) + at.value();
  }
  Job() = default;
  void lay_out(const JobOptions& options);
  void attach();
  void find_memory(PeId pe);
  [[noreturn]] void throw_failure() const;
  bool note_failed(PeId pe, int wait_status, const std::string& cause) noexcept;
  bool note_exit(int status) noexcept;

  Kind kind_ = Kind::loop;
  int descriptor_ = -1;
  std::byte* base_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::uint64_t segment_bytes_ = 0;
  std::uint64_t control_bytes_ = 0;
  Cohort cohort_;
  JobControl* control_ = nullptr;
  PeRecord* records_ = nullptr;
  std::vector<MessageRing*> rings_;  // by PE; null: on another node
  std::unique_ptr<std::atomic<std::uint64_t>[]> seen_heads_;  // of rings, by PE
  std::vector<std::byte*> segments_;  // likewise
  std::vector<PeId> leaders_;  // by node
  std::vector<std::string> hosts_;
  LossListener loss_listener_;
  std::function<void(Survival)> survival_listener_;
  std::function<void(int)> exit_listener_;
  std::atomic<std::uint32_t> told_survival_{0};  // to survival_listener_
  std::shared_mutex listeners_mutex_;
  std::map<PeId, Listener> listeners_;
  std::unique_ptr<RemotePath> remote_;  // last: it goes first
};

/// Puts one message into the ring of a PE of this node. try_again: the ring is full.
Status push_message(Job& job, PeId to, MessageLabel label, const MessageParts& parts);

}  // namespace atl::fabric
