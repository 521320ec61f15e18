// SPDX-License-Identifier: Apache-2.0
// Runs a schedule as far as possible without waiting. The thread that calls advance() is the executor: the
// thread that asked for the collective, or the progress engine.
//
// Long messages: a block with a known destination in a symmetric output is written directly. Else the sender offers the
// address of its data. From its segment, the receiver copies (or combines) directly. From private memory, the receiver
// lets the kernel read, if members are processes and that is faster than the alternatives (reading.hpp). The
// alternatives: if the receiver's memory is not private, the sender copies directly into it; if both are private,
// staging chunks in the sender's segment carry it, a few in flight. Data that a receiver has copied out of offered
// memory are valid if the sender had not given up until then. A chunk with copied data is lent: the sender continues,
// and takes the chunk back when the reader's count shows that it has been read, so that the sender need not wait for
// an answer.
//
// Between nodes a copy by the receiver would wait for the sender's processor. There what fits a room is a parcel. Of
// longer data, or when it has granted no rooms, the receiver says first where it wants it, in a chunk of its own if
// need be, and the sender writes it there. Longer data, or data that fits no chunk, is offered when asked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "atoll/coll/collectives.hpp"
#include "mailbox.hpp"
#include "reading.hpp"
#include "schedule.hpp"
#include "staging.hpp"

namespace atl::coll::detail {

/// One schedule under way.
class Executor {
 public:
  Executor(runtime::OneSided& one_sided, runtime::ForeignMemory& foreign_memory, Mailboxes& mail, StagingPool& staging)
      : one_sided_(one_sided), foreign_memory_(foreign_memory), mail_(mail), staging_(staging) {}

  /// `sequence`: the call's number, 0 when no member completes before all have called. `kind` and `check` (a digest of
  /// number and arguments of the call) go into every message. `symmetric`: the output is, and may be written to.
  void begin(const Schedule& schedule, const void* input, void* output, void* scratch, const Reduction* reduction,
             std::uint64_t sequence, std::uint32_t kind, std::uint32_t check, bool symmetric) {
    // With the last one done, no cells or transfers of it are left.
    schedule_ = &schedule;
    reduction_ = reduction;
    bases_[static_cast<std::size_t>(Space::input)] = reinterpret_cast<std::uint64_t>(input);
    bases_[static_cast<std::size_t>(Space::output)] = reinterpret_cast<std::uint64_t>(output);
    bases_[static_cast<std::size_t>(Space::scratch)] = reinterpret_cast<std::uint64_t>(scratch);
    symmetric_ = symmetric;
    awaited_ = mail_.is_patient();
    sequence_ = sequence;
    tag_ = make_tag(kind, CellType::data, check);
    next_ = 0;
    copied_.data = nullptr;
  }

  enum class State { done, waiting, mismatch };
  /// Takes every step that can be taken now.
  State advance();
  /// Changes whenever something moved.
  std::uint64_t progress_mark() const { return mail_.moved_bytes() + mail_.received_cells(); }
  /// The member that the next step waits for, for error messages. UINT32_MAX: none.
  std::uint32_t waits_for() const;
  /// A member of this node that the next step waits for and that has withdrawn from the operation. UINT32_MAX: none is
  /// known.
  std::uint32_t withdrawn_member() const;
  bool in_segment(const std::byte* data) const;
  bool takes_puts(const std::byte* data) const;

 private:
  struct Transfer {
    std::uint32_t peer = 0;
    bool outgoing = false;
    bool far = false;  ///< the peer is on another node
    bool told = false;  ///< in, far: the sender knows what to do
    bool parcel = false;  ///< in: it comes as one, or placed
    bool placed = false;  ///< it goes straight to its place in the output, at `place` in the receiver's segment
    bool done = false;
    bool bouncing = false;  ///< out: it goes in chunks
    bool lent = false;  ///< in: the piece lies in a chunk that the sender has lent
    bool foreign = false;  ///< in: the piece lies in the sender's private memory, at the address `source`
    bool fold = false;
    Side side = Side::left;
    std::byte* data = nullptr;  ///< out: source; in: destination
    const std::byte* own = nullptr;  ///< fold: the other operand
    HeapOffset place;  ///< out, placed
    std::uint64_t bytes = 0;
    std::uint64_t complete = 0;  ///< in: received; out: lent
    std::uint64_t source = 0;  ///< in: offset in the sender's segment of the piece being copied
    std::int64_t begun_ns = 0;  ///< in: when chunks were asked for; 0: they were not
    std::int64_t spent_ns = 0;  ///< in: on copies of it, by both sides; 0: not measured
    std::uint32_t copy_ns = 0;  ///< in: by the sender on the piece being copied
    std::uint64_t piece = 0;  ///< in: bytes of that piece left
    std::byte* chunk = nullptr;  ///< far: where it lies, or arrives
  };
  /// How long the copy into a chunk took, for the receiver: until the next could begin, or until others may see all of
  /// it.
  enum class Timing { none, copy, arrival };
  /// Of data to one of this node.
  struct Offer {
    std::uint32_t peer;
    std::byte* data;
    std::uint64_t bytes;
  };
  // | offset | bytes | field  | valid when                                                                            |
  // |--------|-------|--------|---------------------------------------------------------------------------------------|
  // |   0    |   4   | what   | always                                                                                |
  // |   4    |   4   | figure | bounce: messages of this length that may be lent without an offer, from now on; lent: |
  // |        |       |        | nanoseconds of the copy, 0: unknown; offer_private: not 0: no chunk is free for it    |
  // |   8    |   8   | offset | offer, lent: of the data in the sender's segment; offer_private: its address, 0 on    |
  // |        |       |        | another node; here: of the destination; rooms: of these                               |
  // |   16   |   8   | bytes  | offers, here, ask: of the whole message; lent: of it; read, bounce: bytes so far      |
  struct Control {
    enum What : std::uint32_t {
      offer,  // to the receiver: all of it lies at `offset`
      offer_private,  // to the receiver: it lies in private memory
      lent,  // to the receiver: all of it, or the next piece, lies at `offset` in a chunk
      written,  // to the receiver: it is in your memory
      read,  // to the sender: so much in all has been read
      here,  // to the sender: write to `offset`
      bounce,  // to the sender: use chunks for the rest
      ask,  // to the sender: offer it
      rooms,  // to the sender: send what fits a room as a parcel, from now on; they begin at `offset`
    };
    What what;
    std::uint32_t figure;
    std::uint64_t offset;
    std::uint64_t bytes;
  };
  static_assert(sizeof(Control) == 24);

  std::byte* at(Ref ref) const {
    return reinterpret_cast<std::byte*>(bases_[static_cast<std::size_t>(ref.space)] + ref.offset);
  }
  /// Sizes are part of the check, so that members that disagree about one are found out.
  static std::uint32_t size_check(std::uint64_t bytes) {
    return static_cast<std::uint32_t>(bytes * 0x9E3779B1u) & check_mask;
  }
  std::uint32_t data_tag(std::uint64_t bytes) const { return tag_ ^ size_check(bytes); }
  std::uint32_t parcel_tag(std::uint64_t bytes) const { return as_type(tag_, CellType::parcel) ^ size_check(bytes); }
  std::uint32_t control_tag() const { return as_type(tag_, CellType::control); }
  bool is_far(std::uint32_t peer) const { return mail_.mapped(peer, 0, 1) == nullptr; }
  /// into = arrived ∘ own when `side` is left, else own ∘ arrived.
  void combine(Side side, std::byte* into, const std::byte* arrived, const std::byte* own, std::uint64_t bytes);
  Mailboxes::Outcome fold(const Step& step, std::uint32_t& cells);
  bool start_send(const Step& step);
  void send_nearby(std::uint32_t peer, std::byte* data, std::uint64_t bytes);
  Readings::Sending how_to_send(std::uint32_t peer, std::uint64_t bytes);
  bool is_copied(const std::byte* data, std::uint64_t bytes);
  bool lend(std::uint32_t peer, const std::byte* data, std::uint64_t bytes, Timing timing);
  void offer(Transfer& transfer);
  void tell(Transfer& transfer);
  bool is_placed(const Step& step) const;
  bool comes_as_parcel(const Transfer& incoming) const {
    return incoming.far && incoming.bytes <= room_bytes && mail_.has_granted(incoming.peer);
  }
  bool is_next_to_peer(const Transfer& outgoing) const;
  bool send_parcel(Transfer& transfer);
  bool take_parcel(Transfer& transfer);
  bool awaits_parcel(std::uint32_t peer, std::uint32_t tag) const;
  void finish_incoming(Transfer& transfer);
  bool read_at_once(const Step& step);
  bool may_read_private() const;
  bool is_best_read(std::uint32_t peer, const Control& message);
  bool read_private_at_once(const Step& step, const Control& message);
  void answer_private(Transfer& transfer, const Control& message);
  void start_recv(const Step& step);
  void await_answers();
  State join();
  bool serve(Transfer& transfer);
  void pull(Transfer& transfer);
  bool fetch(Transfer& transfer, std::byte* into, std::uint64_t bytes);
  bool feed_chunks(Transfer& transfer);
  void control(std::uint32_t peer, Control::What what, std::uint64_t offset, std::uint64_t bytes,
               std::uint32_t figure = 0);
  void finish_outgoing(Transfer& transfer);

  runtime::OneSided& one_sided_;
  runtime::ForeignMemory& foreign_memory_;
  Mailboxes& mail_;
  StagingPool& staging_;
  Readings readings_;
  const Schedule* schedule_ = nullptr;
  const Reduction* reduction_ = nullptr;
  std::uint64_t bases_[4] = {0, 0, 0, 0};
  bool symmetric_ = false;
  bool awaited_ = false;  // all members have a core, and nothing else to do
  std::uint64_t sequence_ = 0;
  std::uint32_t tag_ = 0;
  std::size_t next_ = 0;  // step
  std::uint32_t cells_ = 0;  // of the message in that step
  std::vector<Offer> offers_;  // not answered
  struct {
    const std::byte* data = nullptr;  // null: the buffer lent last may have changed since
    std::uint64_t bytes = 0;
    std::byte* chunk = nullptr;
  } copied_;
  std::vector<Transfer> transfers_;
  std::size_t unfinished_ = 0;
  std::vector<std::byte> fetched_;  // by the kernel, to be combined next
  std::unique_ptr<std::byte[]> assembly_;  // a message of several cells that is to be combined, from the first one on
};

}  // namespace atl::coll::detail
