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
#include "comm/group.hpp"
#include "core/attribute.hpp"
#include "core/handler.hpp"
#include "core/info.hpp"
#include "core/library.hpp"
#include "flow/exchange.hpp"

namespace atl::mpi {

/// What a topology hangs on its communicator; see topology/.
class Shape {
 public:
  virtual ~Shape() = default;
  virtual std::unique_ptr<Shape> copy() const = 0;
};

// The 64 bits of matching: | number of the communicator: 33 | what for: 2 | tag: 29 |
// Tags of the library's are | partitioned: 1 | number of the call, or of the partitioned message: 28 |
inline constexpr int tag_bits = 29;
inline constexpr int highest_tag = (1 << tag_bits) - 1;
inline constexpr std::uint64_t tag_mask = highest_tag;
static_assert(tag_bits + 2 == communicator_bit);
enum class Talk : std::uint64_t { program = 0, library = 1, creation = 2, partitioned = 3 };

inline std::uint64_t message_bits(std::uint64_t number, Talk talk, int tag) {
  return number << (tag_bits + 2) | static_cast<std::uint64_t>(talk) << tag_bits | static_cast<std::uint64_t>(tag);
}
inline Talk talk_of(std::uint64_t bits) { return static_cast<Talk>(bits >> tag_bits & 3); }

/// Collective calls on one communicator are made by one thread at a time, as the standard says; everything else by any.
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
  /// Those to whom ranks of messages refer: the remote group, if there is one.
  const Group& peers() const { return *peers_; }
  const Ref<Group>& local() const { return local_; }
  const Ref<Group>& remote() const { return remote_; }
  PeId pe_of(int rank) const { return peers_->pe(rank); }
  int rank_of(PeId pe) const { return peers_->rank_of(pe); }
  std::uint64_t number() const { return number_; }

  /// The bits of a message with that tag.
  std::uint64_t bits(int tag, Talk talk = Talk::program) const { return message_bits(number_, talk, tag); }
  /// Bits of the library's own for the next collective call: the same on all members.
  std::uint64_t next_bits() { return next_bits(1); }
  /// Whether a message with these bits is this communicator's.
  bool owns(std::uint64_t bits) const { return bits >> (tag_bits + 2) == number_; }
  static constexpr std::uint32_t partitioned_bit = 1u << (tag_bits - 1);
  /// The first of so many in a row.
  std::uint64_t next_bits(std::uint32_t count) {
    check_usable();
    std::uint32_t first = calls_.load(std::memory_order_relaxed);
    if (first + count > partitioned_bit) first = 0;
    calls_.store(first + count, std::memory_order_relaxed);
    return bits(static_cast<int>(first), Talk::library);
  }
  /// Bits of a partitioned message that this rank sends again and again; its number, below partitioned_bit, is known to
  /// both sides.
  std::uint64_t partitioned_bits(std::uint32_t channel) const {
    return bits(static_cast<int>(partitioned_bit | channel), Talk::library);
  }
  std::uint32_t next_channel() { return channels_.fetch_add(1, std::memory_order_relaxed) % partitioned_bit; }
  /// Members of the local group, for one collective call.
  Circle circle() { return {&local_->pes(), rank_, next_bits()}; }

  /// Of an intra-communicator. Collective where it is not there yet.
  coll::Communicator& coll() {
    check_usable();
    return coll_ ? *coll_ : made_coll();
  }
  /// Whether it is there: the same on all members. It is from the start, but of many members, where it takes much
  /// memory.
  bool has_coll() const { return coll_ != nullptr; }
  /// Makes it, as a part of what makes the communicator.
  Flow make_coll();
  /// One of its own for a persistent request, which need not be started in the order of collective calls. Given back
  /// with the last copy of the lease. Null: there is none. Collective, with the coll there.
  struct Lease {
    coll::Communicator* coll = nullptr;
    std::shared_ptr<void> until;
  };
  Lease lend_coll();
  /// Counts operations that coll carries out in the background.
  void begin_in_coll() { in_coll_.fetch_add(1, std::memory_order_relaxed); }
  void end_in_coll() { in_coll_.fetch_sub(1, std::memory_order_release); }  // partner: await_coll()
  /// When one is complete: nothing of it slows other waits any more. Not from a hook.
  void rest_coll();
  /// Waits for those under way.
  void await_coll();
  /// At the end of MPI: the same, and waits for all members to call this. A freed one leaves by itself, without
  /// waiting.
  void end_coll();

  // ---- death of members (see fault/)

  /// Members of both groups: of an inter-communicator the same order on both sides.
  std::vector<PeId> everybody() const;
  /// Those that have died, in the order in which this rank has noticed.
  std::vector<PeId> failed();
  /// The first of them, which the program knows about. Returns how many these are.
  int acknowledge(std::size_t count);
  std::vector<PeId> acknowledged();
  bool knows_all_failed();  ///< the program does
  bool revoked() const { return revoked_.load(std::memory_order_relaxed); }
  /// Returns whether it was already.
  bool mark_revoked() { return revoked_.exchange(true); }
  /// Failure when collective calls are impossible: it is revoked, or a member is dead.
  void check_usable() {
    if (revoked() || library().context().job().has_failed()) [[unlikely]]
      refuse_if_unusable();
  }
  /// Messages to it make none, and of those from it there are those that had come; MPI_ANY_SOURCE and MPI_PROC_NULL are
  /// not dead.
  bool is_dead(int rank) const {
    const fabric::Job& job = library().context().job();
    return job.has_failed() && rank >= 0 && job.has_died(pe_of(rank));
  }
  void check_revoked() {
    if (revoked()) [[unlikely]]
      refuse_dead(MPI_PROC_NULL);
  }
  /// Failure when messages to or from that rank (or MPI_ANY_SOURCE) make none.
  void check_peer(int rank) {
    if (revoked() || library().context().job().has_failed()) [[unlikely]]
      refuse_dead(rank);
  }
  /// What coll carries out ends with an error, now and later.
  void fail_coll(Status why);
  /// While it is being made of that one, by a call with these bits: members of this one leave when that one is revoked,
  /// or a member has left that call, and in the end, with Heirs::all, when a member of that one has died.
  enum class Heirs { all, some };
  void begin_making(Comm* of, std::uint64_t bits, Heirs heirs);
  void end_making();
  /// The bits of that call; none: it is not being made.
  std::optional<std::uint64_t> made_by();
  /// This rank leaves the call with this number, and comes to none after it. False: that has been said before.
  bool note_departure(std::uint32_t call);
  /// A rank that has made it may revoke it while others are still making it: they finish that first.
  bool is_being_made() { return &blamed() != this; }
  /// Why its members may have left while it was being made: ok, revoked or peer_lost.
  Status cause_to_leave();
  /// A rank has died, which need not be a member: freeing this one does not wait for members that cannot come.
  void fail_ending();
  std::uint64_t next_agreement() { return agreements_.fetch_add(1) + 1; }

  /// A communicator of the library's own with the same members, for windows and files. Collective.
  Ref<Comm> duplicate();

  ErrorSlot* errors() override { return errors_; }
  Attributes* attributes() override { return &attributes_; }
  std::string* name() override { return &name_; }
  std::optional<void*> own_attribute(int keyval) override;
  /// MPI_COMM_SELF's is that of errors that belong to nothing.
  void share_errors(ErrorSlot& slot) { errors_ = &slot; }

  Info::Entries hints;
  std::unique_ptr<Shape> shape;
  std::unique_ptr<Attached> attached;
  SessionBuffer session_buffer;

 private:
  coll::Communicator& made_coll();
  void refuse_if_unusable();
  void refuse_dead(int rank);
  /// The communicator whose error handler is called: not one that is being made, and that will not exist.
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
  std::mutex coll_mutex_;  // guards their going against rest_coll() and fail_coll()
  coll::Communicator* ending_ = nullptr;  // the one that waits for the others before it goes
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

/// Failure unless it is an intra-communicator.
Comm& need_intra(MPI_Comm comm);
Comm& need_inter(MPI_Comm comm);

// ---- lengths of arrays (see the table); 0 where they are not looked at
inline std::int64_t members(MPI_Comm comm) { return need<Comm>(comm).peers().size(); }
inline std::int64_t local_members(MPI_Comm comm) { return need<Comm>(comm).size(); }
/// Of an array that only the root gives.
std::int64_t root_members(int root, MPI_Comm comm);

/// Failure of an operation that ended so: peer_lost or revoked. Nothing else.
void check_outcome(Status status, PeId peer, Comm* comm = nullptr);

/// A number for a new communicator, of this PE's own.
std::uint64_t new_number();

}  // namespace atl::mpi
