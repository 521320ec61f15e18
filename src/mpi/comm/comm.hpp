// SPDX-License-Identifier: Apache-2.0
// Communicators.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "atoll/coll/collectives.hpp"
#include "atoll/fabric/job.hpp"
#include "comm/group.hpp"
#include "core/attribute.hpp"
#include "core/handler.hpp"
#include "core/info.hpp"
#include "core/library.hpp"
#include "flow/exchange.hpp"

namespace atl::mpi {

/// The topology of a communicator; topology/ derives from it.
class Shape {
 public:
  virtual ~Shape() = default;
  virtual std::unique_ptr<Shape> copy() const = 0;
};

// Layout of the 64 match bits: | communicator number: 33 | Talk: 2 | tag: 29 |
// The tag of a message of the library itself: | partitioned: 1 | number of the call or of the partitioned message: 28 |
inline constexpr int tag_bits = 29;
inline constexpr int highest_tag = (1 << tag_bits) - 1;
inline constexpr std::uint64_t tag_mask = highest_tag;
static_assert(tag_bits + 2 == communicator_bit);
enum class Talk : std::uint64_t { program = 0, library = 1, creation = 2, partitioned = 3 };

inline std::uint64_t message_bits(std::uint64_t number, Talk talk, int tag) {
  return number << (tag_bits + 2) | static_cast<std::uint64_t>(talk) << tag_bits | static_cast<std::uint64_t>(tag);
}
inline Talk talk_of(std::uint64_t bits) { return static_cast<Talk>(bits >> tag_bits & 3); }

/// A communicator. One thread at a time makes collective calls on it, as the standard demands; all other methods are
/// thread-safe.
class Comm : public Object {
 public:
  using Handle = MPI_Comm;
  static constexpr Kind kind = Kind::comm;
  static constexpr int error_class = MPI_ERR_COMM;
  static constexpr const char* what = "communicator";
  static Handle null_handle() { return MPI_COMM_NULL; }

  /// `remote`: null for an intra-communicator.
  Comm(std::uint64_t number, Ref<Group> local, Ref<Group> remote);
  ~Comm() override;

  int rank() const { return rank_; }
  int size() const { return local_->size(); }
  bool is_inter() const { return remote_.get() != nullptr; }
  /// The group in which the ranks of messages count: the remote group of an inter-communicator, else the local one.
  const Group& peers() const { return *peers_; }
  const Ref<Group>& local() const { return local_; }
  const Ref<Group>& remote() const { return remote_; }
  PeId pe_of(int rank) const { return peers_->pe(rank); }
  int rank_of(PeId pe) const { return peers_->rank_of(pe); }
  std::uint64_t number() const { return number_; }

  /// The match bits of a message with this tag.
  std::uint64_t bits(int tag, Talk talk = Talk::program) const { return message_bits(number_, talk, tag); }
  /// The library's match bits for the next collective call. All members get the same.
  std::uint64_t next_bits() { return next_bits(1); }
  /// Whether a message with these match bits belongs to this communicator.
  bool owns(std::uint64_t bits) const { return bits >> (tag_bits + 2) == number_; }
  static constexpr std::uint32_t partitioned_bit = 1u << (tag_bits - 1);
  /// Reserves `count` consecutive call numbers and returns the match bits of the first one.
  std::uint64_t next_bits(std::uint32_t count) {
    check_usable();
    std::uint32_t first = calls_.load(std::memory_order_relaxed);
    if (first + count > partitioned_bit) first = 0;
    calls_.store(first + count, std::memory_order_relaxed);
    return bits(static_cast<int>(first), Talk::library);
  }
  /// Match bits of a persistent partitioned message. Both sides know its `channel`, which is below partitioned_bit.
  std::uint64_t partitioned_bits(std::uint32_t channel) const {
    return bits(static_cast<int>(partitioned_bit | channel), Talk::library);
  }
  std::uint32_t next_channel() { return channels_.fetch_add(1, std::memory_order_relaxed) % partitioned_bit; }
  /// Members of the local group, for one collective call.
  Circle circle() { return {&local_->pes(), rank_, next_bits()}; }

  /// The coll::Communicator of this intra-communicator. Collective if it has to be created first.
  coll::Communicator& coll() {
    check_usable();
    return coll_ ? *coll_ : made_coll();
  }
  /// Whether coll() exists already; all members agree. Small communicators get it when they are created, large ones at
  /// the first blocking collective, because it takes much memory.
  bool has_coll() const { return coll_ != nullptr; }
  /// Creates coll() while the communicator itself is created.
  Flow make_coll();
  /// A coll::Communicator for one persistent request, because members may start persistent requests in any order. The
  /// last copy of the lease returns it. Its `coll` is null when all are in use. Collective; needs has_coll().
  struct Lease {
    coll::Communicator* coll = nullptr;
    std::shared_ptr<void> until;
  };
  Lease lend_coll();
  /// Count the operations that coll advances in the background.
  void begin_in_coll() { in_coll_.fetch_add(1, std::memory_order_relaxed); }
  void end_in_coll() { in_coll_.fetch_sub(1, std::memory_order_release); }  // partner: await_coll()
  /// Call when one of them is complete: coll then no longer costs other waits time. Not from a hook.
  void rest_coll();
  /// Waits for the operations that have begun.
  void await_coll();
  /// For MPI_Finalize: await_coll(), then waits until all members have called this. A freed communicator is closed
  /// without this call and without waiting.
  void end_coll();

  // ---- failed members (see fault/)

  /// Members of both groups, in the same order on both sides of an inter-communicator.
  std::vector<PeId> everybody() const;
  /// Failed members, in the order in which this rank detected the failures.
  std::vector<PeId> failed();
  /// The members have agreed that these have failed; this rank may not have heard of it yet.
  void note_failed(const std::vector<PeId>& pes);
  /// Marks the first `count` failed members as acknowledged by the program. Returns how many are acknowledged now.
  int acknowledge(std::size_t count);
  std::vector<PeId> acknowledged();
  bool knows_all_failed();  ///< whether the program has acknowledged all failed members
  bool revoked() const { return revoked_.load(std::memory_order_relaxed); }
  /// Returns whether it was revoked already.
  bool mark_revoked() { return revoked_.exchange(true); }
  /// Throws Failure when collective calls are impossible: the communicator is revoked, or a member has failed.
  void check_usable() {
    if (revoked() || library().job().has_failed()) [[unlikely]]
      refuse_if_unusable();
  }
  /// Whether this rank has failed: messages to it are impossible, messages from it only those that have arrived
  /// already. False for MPI_ANY_SOURCE and MPI_PROC_NULL.
  bool is_dead(int rank) const {
    const fabric::Job& job = library().job();
    return job.has_failed() && rank >= 0 && job.has_died(pe_of(rank));
  }
  void check_revoked() {
    if (revoked()) [[unlikely]]
      refuse_dead(MPI_PROC_NULL);
  }
  /// Throws Failure when messages to or from this rank (or MPI_ANY_SOURCE) are impossible.
  void check_peer(int rank) {
    if (revoked() || library().job().has_failed()) [[unlikely]]
      refuse_dead(rank);
  }
  /// Ends all present and future operations of coll with an error.
  void fail_coll(Status why);
  /// Brackets the creation of this communicator from `of` by the call with these match bits. Meanwhile its members give
  /// up when `of` is revoked, when a member has left that call, and, with Heirs::all, finally when a member of `of` has
  /// failed.
  enum class Heirs { all, some };
  void begin_making(Comm* of, std::uint64_t bits, Heirs heirs);
  void end_making();
  /// The match bits of the creating call; none when creation is complete.
  std::optional<std::uint64_t> made_by();
  /// This rank leaves the call with this number and takes part in no later one. Returns false when this was noted
  /// before.
  bool note_departure(std::uint32_t call);
  /// Whether creation is incomplete here. A member that has completed it may already revoke the communicator; the
  /// others complete the creation first.
  bool is_being_made() { return &blamed() != this; }
  /// Why members may have left during creation: ok, revoked or peer_lost.
  Status cause_to_leave();
  /// Call when any rank has failed: freeing this communicator then does not wait for members that cannot answer.
  void fail_ending();
  std::uint64_t next_agreement() { return agreements_.fetch_add(1) + 1; }

  /// A communicator with the same members for the library's own use (windows, files). Collective.
  Ref<Comm> duplicate();

  ErrorSlot* errors() override { return errors_; }
  Attributes* attributes() override { return &attributes_; }
  std::string* name() override { return &name_; }
  std::optional<void*> own_attribute(int keyval) override;
  /// Uses `slot` as its error handler: MPI_COMM_SELF shares that of errors that belong to no object.
  void share_errors(ErrorSlot& slot) { errors_ = &slot; }

  Info::Entries hints;
  std::unique_ptr<Shape> shape;
  std::unique_ptr<Attached> attached;
  SessionBuffer session_buffer;

 private:
  coll::Communicator& made_coll();
  void refuse_if_unusable();
  void refuse_dead(int rank);
  /// The communicator whose error handler is called: during creation its parent, as this one may never exist.
  Comm& blamed();

  std::uint64_t number_;
  Ref<Group> local_, remote_;
  const Group* peers_;
  int rank_;
  std::atomic<std::uint32_t> calls_{0};
  std::atomic<std::uint32_t> channels_{0};
  std::unique_ptr<coll::Communicator> coll_;
  static constexpr std::size_t most_lent = 64;
  std::vector<std::unique_ptr<coll::Communicator>> lent_;  // those that exist, in use or not
  std::shared_ptr<std::atomic<std::uint64_t>> in_use_ = std::make_shared<std::atomic<std::uint64_t>>(0);
  std::mutex coll_mutex_;  // guards their destruction against rest_coll() and fail_coll()
  coll::Communicator* ending_ = nullptr;  // waits for the other members before it is destroyed
  std::atomic<int> in_coll_{0};
  std::atomic<bool> revoked_{false};
  std::mutex maker_mutex_;
  Ref<Comm> maker_;
  std::uint64_t made_by_ = 0;
  Heirs heirs_ = Heirs::all;
  std::uint32_t departed_from_ = UINT32_MAX;  // guarded by maker_mutex_
  std::mutex failed_mutex_;
  std::vector<PeId> failed_;
  std::size_t acknowledged_ = 0;
  std::atomic<std::uint64_t> agreements_{0};
  ErrorSlot own_errors_;
  ErrorSlot* errors_ = &own_errors_;
  Attributes attributes_;
  std::string name_;
};

/// Throw Failure unless it is an intra-communicator, or an inter-communicator.
Comm& need_intra(MPI_Comm comm);
Comm& need_inter(MPI_Comm comm);

// ---- lengths of array arguments (the function table names these functions); 0 where an array is ignored
inline std::int64_t members(MPI_Comm comm) { return need<Comm>(comm).peers().size(); }
inline std::int64_t local_members(MPI_Comm comm) { return need<Comm>(comm).size(); }
/// Length of an array that is significant on the root alone.
std::int64_t root_members(int root, MPI_Comm comm);

/// Throws the Failure of an operation that ended with `status` peer_lost or revoked; returns for all others.
void check_outcome(Status status, PeId peer, Comm* comm = nullptr);

/// A number for a new communicator out of the range that belongs to this PE.
std::uint64_t new_number();

}  // namespace atl::mpi
