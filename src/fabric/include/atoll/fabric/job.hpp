// SPDX-License-Identifier: Apache-2.0
// A job's memory on one node, as a PE or the launcher sees it: the control block, the records of all PEs, and the rings
// and segments of the node's PEs. The fabric allocates the memory: `loop` (threads of one process, anonymous memory) or
// `shm` (processes, one unnamed memfd, so that nothing is left behind whatever fails). PEs of other nodes are reached
// by the RemotePath to which the job is connected.
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
#include "atoll/base/zero_table.hpp"
#include "atoll/fabric/doorbell.hpp"
#include "atoll/fabric/layout.hpp"
#include "atoll/fabric/remote_path.hpp"

namespace atl::fabric {

enum class Kind { loop, shm };

/// Size of a symmetric heap that certainly has room for blocks of `asked` bytes in all, with their padding and
/// alignment.
std::uint64_t symmetric_area_bytes(std::uint64_t asked);

struct JobOptions {
  std::uint32_t npes = 1;
  /// Address space of each segment, rounded up to its alignment. 0: ATOLL_HEAP_SIZE, or the node's memory, plus
  /// SHMEM_SYMMETRIC_SIZE.
  std::uint64_t segment_bytes = 0;
  /// 0: unspecified. Together with the number of cores it decides whether waits may spin.
  std::uint32_t threads_per_pe = 0;
  /// The node of each PE, from 0 without gaps; then the nodes that have only guests. Empty: all PEs are on one node.
  std::vector<std::uint32_t> node_of_pe = {};
  /// The node of this memory.
  std::uint32_t node = 0;
  /// Greatest number of guests, PEs that join later, at a time: in jobs of several nodes the number for which all nodes
  /// have room, in jobs of one node the maximum.
  std::uint32_t guests = 0;
};

/// Address space on this node for the segments of guests.
std::uint64_t guest_space_bytes(std::uint32_t local_pes);

/// The default segment size of a node with this many PEs. All nodes must use the same size.
std::uint64_t usual_segment_bytes(std::uint32_t local_pes);

/// Consequence of a PE failure: the job ends; it continues but its exit status is a failure; or it continues and its
/// exit status is that of the remaining PEs.
enum class Survival : std::uint32_t { none, goes_on, recovers };

/// PEs that started together: those of the launcher, or the guests of one spawn call.
struct Cohort {
  PeId first{0};
  std::uint32_t count = 0;
};

/// A process's mapping of a job. Thread-safe: all state is in the job's memory.
class Job {
 public:
  /// PEs will be threads of this process.
  static std::shared_ptr<Job> create_loop(const JobOptions& options);
  /// PEs will be processes that inherit the job, or join it by `join_name()`.
  static std::shared_ptr<Job> create_shm(const JobOptions& options);
  /// `name` is a join_name(), from ATOLL_JOB. Throws SetupError when the job does not exist, or no longer exists.
  static std::shared_ptr<Job> join_shm(const std::string& name);

  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  Kind kind() const { return kind_; }
  std::uint32_t npes() const { return control_->npes; }
  /// Greatest number of PEs: npes() and all possible guests. Tables indexed by PE have this many entries.
  std::uint32_t places() const { return control_->places; }
  /// The cohort of this process.
  Cohort cohort() const { return cohort_; }
  void set_cohort(Cohort cohort);
  /// The barrier of the cohort's PEs on this node.
  Gate& gate() const { return is_guest() ? record(cohort_.first).gate : control_->gate; }
  bool is_guest() const { return cohort_.first.value() >= npes(); }
  /// Takes `count` consecutive numbers, and memory, for guests in a job of one node and returns the first. None when
  /// there is no room.
  std::optional<PeId> take_guests(std::uint32_t count);
  /// Assigns zeroed memory of this node to a guest of the cohort that begins with PE `first`: an area whose last owner
  /// and all others of its cohort on this node have ended, and which no process holds, or an unused one. Returns false
  /// when there is none.
  bool take_memory(PeId guest, PeId first);
  /// Number of guests for which this node has memory at a time, and how many of these areas are in use.
  std::uint32_t guest_areas() const { return control_->guest_areas; }
  std::uint32_t guests_here() const;
  /// Sets this process's pointers to the memory of a guest of this node. Returns false for other PEs whose memory is
  /// not mapped, and for a guest whose memory is another guest's by now.
  bool find_guest(PeId pe) const;
  /// Keeps the memory of a guest of this node from being assigned to another guest, until the same number of calls of
  /// let_go(). All processes of its cohort hold it without a call.
  void hold(PeId guest) { record(guest).holders.fetch_add(1); }
  void let_go(PeId guest) { record(guest).holders.fetch_sub(1); }
  /// Records that the process of a guest has ended or will not start, and wakes all PEs.
  void note_end(PeId guest) noexcept;
  /// Registers a guest to which the launcher of a job of several nodes has assigned this number and node. Every process
  /// calls it; the guest calls take_memory() first.
  void admit(PeId pe, std::uint32_t node);
  /// Marks a guest that will not join, or is not wanted, without reporting a failure to all PEs.
  void give_up_guest(PeId pe) noexcept;
  /// Number of guests' numbers taken so far, also by guests that have left.
  std::uint32_t guests() const { return control_->guests.load(std::memory_order_acquire); }  // partner: take_guests()
  std::uint64_t segment_bytes() const { return segment_bytes_; }
  JobControl& control() const { return *control_; }
  PeRecord& record(PeId pe) const { return records_[pe.value()]; }
  /// The message ring of a PE of this node.
  MessageRing& ring(PeId pe) const { return *rings_[pe.value()]; }
  /// The ring's head as a thread of this process last read it: a sender reads the receiver's head only when the ring
  /// seems full.
  std::atomic<std::uint64_t>& seen_head(PeId pe) const { return seen_heads_[pe.value()]; }
  /// The segment of a PE; null for a PE of another node.
  std::byte* segment(PeId pe) const { return segments_[pe.value()]; }
  /// All segments, by PE.
  std::byte* const* segments() const { return segments_.get(); }

  // ---- nodes --------------------------------------------------------------------------------------------------

  std::uint32_t nodes() const { return control_->nodes; }
  /// This node.
  std::uint32_t node() const { return control_->node; }
  std::uint32_t local_pes() const { return control_->local_pes; }
  std::uint32_t node_of(PeId pe) const { return record(pe).node; }
  bool is_local(PeId pe) const { return node_of(pe) == node(); }
  /// Index of a PE among those of its node.
  std::uint32_t place_of(PeId pe) const { return record(pe).place; }
  /// The lowest PE of a node; PeId(npes()) for a node that has only guests.
  PeId leader_of(std::uint32_t node) const { return leaders_[node]; }

  /// Sets the path to the PEs of other nodes. Call before the first Endpoint is created.
  void connect(std::unique_ptr<RemotePath> path) { remote_ = std::move(path); }
  RemotePath* remote() const { return remote_.get(); }
  /// Sets the host names of the PEs, then of the nodes that have only guests. Until then only this node has a name.
  void set_hosts(std::vector<std::string> names);
  const std::string& host_of(PeId pe) const;
  /// "PE 3", in a job of several nodes "PE 3 on host-b".
  std::string describe(PeId pe) const;

  /// Sets the function that receives posts of PEs on other nodes to `pe`, a PE of this process. Any thread that makes
  /// progress calls it; it must not wait. Null removes it and returns when no call is running.
  using Listener = std::function<void(PeId source, std::uint16_t kind, std::span<const std::byte> payload)>;
  void listen(PeId pe, Listener listener);
  /// For the RemotePath: delivers arrivals. Posts to a PE without listener are dropped, because it has left.
  void hear_post(PeId pe, PeId source, std::uint16_t kind, std::span<const std::byte> payload);
  void hear(const News& news) noexcept;
  /// Sends news to the other nodes, if any.
  void tell(const News& news) noexcept {
    if (remote_ != nullptr) remote_->tell(news);
  }

  /// The value of ATOLL_JOB: "/proc/<pid of the creator>/fd/<n>". Only the same user can open it, while the creator
  /// lives.
  std::string join_name() const;
  /// The memfd (close-on-exec), or -1 for loop.
  int descriptor() const { return descriptor_; }

  /// Records that a PE failed, and wakes all PEs. The first call for a job decides which PE is named.
  void mark_failed(PeId pe, int wait_status, const std::string& cause) noexcept;
  /// Sets the function that reports a PE lost by the network to the launcher, which may not have noticed. It may be
  /// called with any locks held, must not wait for long, and returns whether the launcher informs the user. Call before
  /// connect().
  using LossListener = std::function<bool(PeId pe, const std::string& how)>;
  void set_loss_listener(LossListener listener) { loss_listener_ = std::move(listener); }
  bool report_loss(PeId pe, const std::string& how) { return loss_listener_ && loss_listener_(pe, how); }
  /// Set functions that report survive() and request_exit() of this process to the launcher before the process can end.
  /// They may be called with any locks held and must not wait for long. Call before the first Endpoint is created.
  void set_survival_listener(std::function<void(Survival how)> listener) { survival_listener_ = std::move(listener); }
  void set_exit_listener(std::function<void(int status)> listener) { exit_listener_ = std::move(listener); }
  /// A sentence about the first PE that failed: "PE 2 (pid 123) was killed by signal 9 (Killed)". Empty when none has.
  std::string failure() const;
  /// The first failure as news for another node's hear(). None when no PE has failed.
  std::optional<News> first_failure() const;
  /// Records that a PE did not arrive or answer in time, for the error message of this PE's time-out. Only the first
  /// record counts.
  void suspect(PeId pe) noexcept {
    std::uint32_t nobody = 0;
    control_->suspect.compare_exchange_strong(nobody, pe.value() + 1, std::memory_order_relaxed);
  }
  std::optional<PeId> suspect() const {
    std::uint32_t word = control_->suspect.load(std::memory_order_relaxed);
    return word == 0 ? std::nullopt : std::optional(PeId(word - 1));
  }
  /// Number of PEs that have failed so far.
  std::uint32_t deaths() const { return control_->deaths.load(std::memory_order_acquire); }  // partner: note_failed()
  bool has_died(PeId pe) const {
    // Acquire; partner: note_failed().
    return record(pe).state.load(std::memory_order_acquire) == static_cast<std::uint32_t>(PeState::failed);
  }
  /// Records that a PE of this node has finalized and reads no more messages, and wakes the others.
  void note_departure(PeId pe) noexcept;
  /// Records that a PE of this node was notified by the network that a PE of another node has left.
  void note_far_departure() noexcept;
  /// Increases whenever a PE of this node finalizes, or is notified that a PE of another node has.
  std::uint32_t departures() const {
    return control_->departures.load(std::memory_order_acquire);
  }  // partner: note_far_departure()
  /// Whether a PE has finalized; always false for a PE of another node.
  bool has_left(PeId pe) const {
    // Acquire: the messages that it has sent. Partner: note_departure().
    return record(pe).state.load(std::memory_order_acquire) == static_cast<std::uint32_t>(PeState::finalized);
  }
  /// Declares that this program handles failures itself, so the launcher lets the other PEs continue. The greatest
  /// value of all PEs holds.
  void survive(Survival how) noexcept;
  /// The same, declared by a PE of another node.
  void note_survival(Survival how) noexcept {
    std::uint32_t before = control_->survival.load(std::memory_order_relaxed);
    while (before < static_cast<std::uint32_t>(how) &&
           !control_->survival.compare_exchange_weak(before, static_cast<std::uint32_t>(how),
                                                     std::memory_order_relaxed)) {}
  }
  Survival survival() const { return static_cast<Survival>(control_->survival.load(std::memory_order_relaxed)); }
  /// Whether the known failures end the job, or a PE has ended it.
  bool is_ending() const { return has_failed() && (survival() == Survival::none || exit_requested().has_value()); }
  bool has_failed() const { return control_->failed.load(std::memory_order_acquire) != 0; }
  /// Throws PeFailedError when a PE has failed. Costs one load otherwise.
  void check() const {
    // Acquire, to read the cause. Partner: the release in mark_failed.
    if (has_failed()) [[unlikely]]
      throw_failure();
  }
  // ---- recovery -----------------------------------------------------------------------------------------------

  /// Whether PEs that detect a failure leave and wait for recover() in await_recovery(). Set before any PE joins.
  bool is_recoverable() const { return control_->recoverable.load(std::memory_order_relaxed) != 0; }
  void set_recoverable() { control_->recoverable.store(1, std::memory_order_relaxed); }
  /// Number of completed recover() calls. Acquire; partner: recover().
  std::uint32_t recoveries() const { return control_->recoveries.load(std::memory_order_acquire); }
  /// Discards all failures and messages, and lets PEs join again: PEs that have left in the same process, failed PEs in
  /// a new one. Returns the failed PEs. One PE calls it, after all others have left or failed and it has left itself.
  /// Jobs of one node only.
  std::vector<PeId> recover();
  /// Lets the PEs that wait in await_recovery() continue.
  void announce_recovery() noexcept;
  /// Waits until announce_recovery() has been called more often than `seen`. Returns false when the job ends instead.
  bool await_recovery(PeId pe, std::uint32_t seen) noexcept;

  /// Asks the PEs to end, which `should_shut_down` reports, and wakes them.
  void request_shutdown() noexcept;
  bool shutdown_requested() const { return control_->shutdown.load(std::memory_order_acquire) != 0; }
  void wake_all() noexcept;

  /// Ends the job with the exit status of the first caller: waits fail from now on, and the launcher ends PEs that do
  /// not exit. The caller has to exit, too.
  void request_exit(int status) noexcept;
  /// The requested exit status, if any.
  std::optional<int> exit_requested() const {
    std::uint64_t word = control_->exit.load(std::memory_order_acquire);  // partner: request_exit
    return word == 0 ? std::nullopt : std::optional(static_cast<int>(static_cast<std::uint32_t>(word)));
  }

  /// Maps whole pages of a PE's segment a second time, over the existing mapping at `where`. `shm` only.
  void map_over(PeId pe, HeapOffset at, void* where, std::size_t bytes);
  /// The first extent of whole pages in [at, at + bytes) that was ever written, if any. `shm` only.
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
  void find_memory(PeId pe) const;
  std::vector<std::uint32_t> free_areas() const;
  bool clear_memory(std::uint32_t area);
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
  std::atomic<std::uint32_t>* owners_ = nullptr;  // guest of each area; 0: none yet
  ZeroTable<MessageRing*> rings_;  // by PE; null on another node, and for a guest that this process has not met
  ZeroTable<std::atomic<std::uint64_t>> seen_heads_;  // of rings, by PE
  ZeroTable<std::byte*> segments_;  // by PE; null as in rings_
  std::vector<PeId> leaders_;  // by node
  std::vector<std::string> hosts_;
  LossListener loss_listener_;
  std::function<void(Survival)> survival_listener_;
  std::function<void(int)> exit_listener_;
  std::atomic<std::uint32_t> told_survival_{0};  // last value passed to survival_listener_
  std::shared_mutex listeners_mutex_;
  std::map<PeId, Listener> listeners_;
  std::unique_ptr<RemotePath> remote_;  // last member, so that it is destroyed first
};

/// Appends a message to the ring of a PE of this node. Returns try_again when the ring is full.
Status push_message(Job& job, PeId to, MessageLabel label, const MessageParts& parts);

}  // namespace atl::fabric
