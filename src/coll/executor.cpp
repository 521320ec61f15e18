// SPDX-License-Identifier: Apache-2.0
#include "executor.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "atoll/base/clock.hpp"
#include "atoll/runtime/foreign_memory.hpp"
#include "atoll/runtime/one_sided.hpp"

namespace atl::coll::detail {
namespace {

// Bytes that are copied, at most, before other transfers are polled again: 20 to 100 µs.
constexpr std::uint64_t longest_piece = std::uint64_t{1} << 20;

// Pieces of a long message between private memories: one piece is filled while another is read.
constexpr std::uint64_t lent_piece = std::uint64_t{32} << 10;
constexpr std::uint64_t pieces_under_way = 4;

// Piece that the kernel reads for a reduction: it is in the cache when it is combined.
constexpr std::uint64_t combined_piece = std::uint64_t{64} << 10;

// Data that peers could read in place are copied into a staging chunk up to this length: the copy takes less time than
// the answer. On near cores, 512 bytes: broadcast 0.11 µs in place and 0.04 copied, allreduce 0.13 and 0.10; an
// allreduce of 4 KiB 0.15 and 0.26.
constexpr std::uint64_t lent_though_reachable = 1024;

}  // namespace

Executor::State Executor::advance() {
  const Step* const begin = schedule_->steps.data();
  const Step* const end = begin + schedule_->steps.size();
  const Step* step = begin + next_;
  // State that changes with every step stays in registers until a step has to wait.
  std::uint32_t cells = std::exchange(cells_, 0);
  auto stop = [&](State state) {
    next_ = static_cast<std::size_t>(step - begin);
    cells_ = cells;
    return state;
  };
  for (; step != end; ++step) {
    switch (step->kind) {
      case Step::Kind::put:
        if (!mail_.put(step->peer, data_tag(step->bytes), at(step->from), step->bytes, cells))
          return stop(State::waiting);
        cells = 0;
        break;
      case Step::Kind::take:
      case Step::Kind::fold: {
        auto outcome = step->kind == Step::Kind::take
                           ? mail_.take(step->peer, data_tag(step->bytes), at(step->into), step->bytes, cells)
                           : fold(*step, cells);
        if (outcome == Mailboxes::Outcome::waiting) return stop(State::waiting);
        if (outcome == Mailboxes::Outcome::mismatch) [[unlikely]]
          return stop(State::mismatch);
        cells = 0;
        break;
      }
      case Step::Kind::send:
        if (!start_send(*step)) return stop(State::waiting);
        break;
      case Step::Kind::recv:
      case Step::Kind::recv_fold:
        if (!read_at_once(*step)) start_recv(*step);
        break;
      case Step::Kind::join: {
        State state = join();
        if (state != State::done) return stop(state);
        break;
      }
      case Step::Kind::copy:
        if (step->bytes == 8) std::memmove(at(step->into), at(step->from), 8);
        else if (at(step->into) != at(step->from)) std::memmove(at(step->into), at(step->from), step->bytes);
        break;
      case Step::Kind::reduce:
        (*reduction_)(at(step->into), at(step->from), at(step->right), step->bytes / reduction_->element_bytes());
        break;
      case Step::Kind::identity:
        reduction_->fill_identity(at(step->into), step->bytes / reduction_->element_bytes());
        break;
    }
  }
  return State::done;
}

std::uint32_t Executor::waits_for() const {
  if (schedule_ == nullptr || next_ >= schedule_->steps.size()) return UINT32_MAX;
  const Step& step = schedule_->steps[next_];
  if (step.kind != Step::Kind::join) return step.peer;
  for (const Transfer& transfer : transfers_)
    if (!transfer.done) return transfer.peer;
  return UINT32_MAX;
}

std::uint32_t Executor::withdrawn_member() const {
  if (schedule_ == nullptr || next_ >= schedule_->steps.size()) return UINT32_MAX;
  auto gave_up = [&](std::uint32_t peer) { return !is_far(peer) && mail_.has_withdrawn(peer); };
  const Step& step = schedule_->steps[next_];
  if (step.kind != Step::Kind::join) return gave_up(step.peer) ? step.peer : UINT32_MAX;
  for (const Transfer& transfer : transfers_)
    if (!transfer.done && gave_up(transfer.peer)) return transfer.peer;
  return UINT32_MAX;
}

Mailboxes::Outcome Executor::fold(const Step& step, std::uint32_t& cells) {
  std::uint32_t tag = data_tag(step.bytes);
  if (step.bytes <= sizeof(Cell::payload)) {
    std::uint32_t found;
    const Cell* cell = mail_.await(step.peer, found);
    if (cell == nullptr) return Mailboxes::Outcome::waiting;
    if (found != tag) [[unlikely]]
      return mail_.mismatch(step.peer, found);
    combine(step.side, at(step.into), cell->payload, at(step.from), step.bytes);
    mail_.finish_cell(step.peer);
    return Mailboxes::Outcome::done;
  }
  if (assembly_ == nullptr) assembly_ = std::make_unique_for_overwrite<std::byte[]>(longest_small_message);
  auto outcome = mail_.take(step.peer, tag, assembly_.get(), step.bytes, cells);
  if (outcome == Mailboxes::Outcome::done)
    combine(step.side, at(step.into), assembly_.get(), at(step.from), step.bytes);
  return outcome;
}

void Executor::combine(Side side, std::byte* into, const std::byte* arrived, const std::byte* own,
                       std::uint64_t bytes) {
  std::size_t element = reduction_->element_bytes();
  std::size_t count = bytes == element ? 1 : bytes / element;  // a division takes as long as an addition of 8 doubles
  if (side == Side::left) (*reduction_)(into, arrived, own, count);
  else (*reduction_)(into, own, arrived, count);
}

bool Executor::in_segment(const std::byte* data) const {
  auto* segment = one_sided_.local_pointer<std::byte>(HeapOffset(0));
  return data >= segment && data < segment + one_sided_.endpoint().segment_bytes();
}

// Whether the peer may put into the caller's memory. In a program that continues after errors it may not: the call may
// end before the peer's put arrives, and the memory belongs to the caller again.
bool Executor::takes_puts(const std::byte* data) const {
  return in_segment(data) && one_sided_.job().survival() == fabric::Survival::none;
}

void Executor::control(std::uint32_t peer, Control::What what, std::uint64_t offset, std::uint64_t bytes,
                       std::uint32_t figure) {
  // Callers have checked that there is room.
  mail_.put_value<Control>(peer, control_tag(), what, figure, offset, bytes);
}

bool Executor::start_send(const Step& step) {
  if (!mail_.has_room(step.peer)) return false;
  if (!is_placed(step) && !is_far(step.peer)) {
    send_nearby(step.peer, at(step.from), step.bytes);
    return true;
  }
  if (unfinished_ == 0) transfers_.clear();
  Transfer& transfer = transfers_.emplace_back();
  transfer.peer = step.peer;
  transfer.outgoing = true;
  transfer.data = at(step.from);
  transfer.bytes = step.bytes;
  transfer.far = is_far(step.peer);
  transfer.placed = is_placed(step);
  if (transfer.placed) transfer.place = one_sided_.offset_of(at(step.into));  // there as here
  ++unfinished_;
  if (transfer.placed) (void)send_parcel(transfer);  // on its way while this one does other work
  return true;
}

// Sends to a member of this node whose ring has room.
void Executor::send_nearby(std::uint32_t peer, std::byte* data, std::uint64_t bytes) {
  const bool reachable = in_segment(data), fits = bytes <= StagingPool::chunk_bytes;
  bool has_chunk = false;
  if (bytes <= (reachable ? lent_though_reachable : StagingPool::chunk_bytes)) {
    has_chunk = is_copied(data, bytes) || staging_.has_free();
    const auto sending = !has_chunk  ? Readings::Sending::offered
                         : reachable ? Readings::Sending::lent
                                     : how_to_send(peer, bytes);
    const Timing timing = sending == Readings::Sending::lent_and_timed ? Timing::arrival : Timing::none;
    if (sending != Readings::Sending::offered && lend(peer, data, bytes, timing)) return;
  }
  // Usually the only remaining work is to receive the notice that the data have been read.
  if (reachable) {
    control(peer, Control::offer, one_sided_.offset_of(data).value(), bytes);
  } else {
    const bool bare = fits ? !has_chunk : !staging_.try_open();
    control(peer, Control::offer_private, reinterpret_cast<std::uintptr_t>(data), bytes, bare ? 1 : 0);
  }
  offers_.push_back({peer, data, bytes});
}

// Decides how data that fit into a staging chunk are sent. A member that does other work meanwhile, shares a core, or
// can continue before the peer arrives does not wait for an answer.
Readings::Sending Executor::how_to_send(std::uint32_t peer, std::uint64_t bytes) {
  if (!awaited_ || bytes < Readings::least_bytes || !may_read_private()) return Readings::Sending::lent;
  if (sequence_ != 0 && readings_.offers_next(peer, bytes) && !mail_.has_begun(peer, sequence_))
    return Readings::Sending::lent;
  return readings_.sending(peer, bytes);
}

bool Executor::is_copied(const std::byte* data, std::uint64_t bytes) {
  return data == copied_.data && bytes == copied_.bytes && staging_.is_lent(copied_.chunk);
}

// Copies the data into a staging chunk, once for consecutive peers that receive the same data, and notifies the peer,
// whose ring has a free cell. Returns false if no chunk is free.
bool Executor::lend(std::uint32_t peer, const std::byte* data, std::uint64_t bytes, Timing timing) {
  std::uint32_t copy_ns = timing == Timing::none ? 0 : 1;  // of bytes copied for another member
  if (!is_copied(data, bytes)) {
    std::byte* chunk = staging_.take();
    if (chunk == nullptr) return false;
    const std::int64_t begun_ns = timing == Timing::none ? 0 : now_ns();
    std::memcpy(chunk, data, bytes);
    // The last lines of 16 KiB arrive 0.35 µs later. Partner: none, this only waits.
    if (timing == Timing::arrival) std::atomic_thread_fence(std::memory_order_seq_cst);
    if (timing != Timing::none)
      copy_ns = static_cast<std::uint32_t>(std::clamp<std::int64_t>(now_ns() - begun_ns, 1, UINT32_MAX));
    copied_ = {data, bytes, chunk};
  }
  staging_.lend(copied_.chunk, peer, mail_.lend(peer));
  control(peer, Control::lent, one_sided_.offset_of(copied_.chunk).value(), bytes, copy_ns);
  return true;
}

bool Executor::is_placed(const Step& step) const { return symmetric_ && step.placed && step.bytes <= longest_written; }

// Offers data to a member of another node that has requested them.
void Executor::offer(Transfer& transfer) {
  if (in_segment(transfer.data)) {
    control(transfer.peer, Control::offer, one_sided_.offset_of(transfer.data).value(), transfer.bytes);
  } else if (transfer.bytes <= StagingPool::chunk_bytes && (transfer.chunk = staging_.take()) != nullptr) {
    // Short enough to skip the question whose memory is private.
    std::memcpy(transfer.chunk, transfer.data, transfer.bytes);
    control(transfer.peer, Control::offer, one_sided_.offset_of(transfer.chunk).value(), transfer.bytes);
  } else {
    control(transfer.peer, Control::offer_private, 0, transfer.bytes);
  }
}

// Reads an offer that comes during the first polls, and in one piece, without a record of the transfer: usually the
// peers arrive together.
bool Executor::read_at_once(const Step& step) {
  const bool placed = is_placed(step);
  if (!placed && (step.bytes > longest_piece || is_far(step.peer))) return false;
  std::uint32_t found;
  const Cell* cell = mail_.await(step.peer, found);
  if (cell == nullptr) return false;
  if (placed) {
    if (found != parcel_tag(step.bytes)) return false;
    mail_.finish_cell(step.peer);
    return true;
  }
  if (found != control_tag() || !mail_.has_room(step.peer)) return false;
  Control message;
  std::memcpy(&message, cell->payload, sizeof(message));
  if (message.what == Control::offer_private && message.bytes == step.bytes) return read_private_at_once(step, message);
  if ((message.what != Control::offer && message.what != Control::lent) || message.bytes != step.bytes) return false;
  const std::byte* source = mail_.mapped(step.peer, message.offset, step.bytes);
  const bool measured = message.what == Control::lent && message.figure != 0;
  const std::int64_t begun_ns = measured ? now_ns() : 0;
  if (step.kind == Step::Kind::recv) std::memcpy(at(step.into), source, step.bytes);
  else combine(step.side, at(step.into), source, at(step.from), step.bytes);
  if (message.what == Control::offer && mail_.has_withdrawn(step.peer)) return false;
  mail_.finish_cell(step.peer);
  if (measured) readings_.note(step.peer, step.bytes, Readings::Method::lent, message.figure + now_ns() - begun_ns);
  mail_.count_moved(step.bytes);
  if (message.what == Control::lent) mail_.finish_lent(step.peer);
  else control(step.peer, Control::read, 0, step.bytes);
  return true;
}

// Private memory is read only from another process, where the read fails if the memory has been freed. Within one
// process such a read would return wrong data without an error.
bool Executor::may_read_private() const {
  const runtime::ForeignMemory& theirs = foreign_memory_;
  return theirs.is_open() && !theirs.is_own_process();
}

// Whether the kernel should read the private memory of a member of this node (process_vm_readv).
bool Executor::is_best_read(std::uint32_t peer, const Control& message) {
  return may_read_private() &&
         (message.figure != 0 || readings_.method(peer, message.bytes) == Readings::Method::by_kernel);
}

// Returns false if the join has to answer the message.
bool Executor::read_private_at_once(const Step& step, const Control& message) {
  if (step.kind != Step::Kind::recv || !is_best_read(step.peer, message)) return false;
  const bool measured = readings_.measures(step.peer, step.bytes);
  const std::int64_t begun_ns = measured ? now_ns() : 0;
  if (foreign_memory_.read(mail_.pe(step.peer), at(step.into), message.offset, step.bytes) != 0 ||
      mail_.has_withdrawn(step.peer))
    return false;
  readings_.note(step.peer, step.bytes, Readings::Method::by_kernel, measured ? now_ns() - begun_ns : 0);
  mail_.finish_cell(step.peer);
  mail_.count_moved(step.bytes);
  control(step.peer, Control::read, 0, step.bytes);
  return true;
}

void Executor::answer_private(Transfer& transfer, const Control& message) {
  if (message.bytes != transfer.bytes) {
    transfer.piece = UINT64_MAX;
    return;
  }
  if (!transfer.far && is_best_read(transfer.peer, message)) {
    transfer.foreign = true;
    transfer.lent = false;
    transfer.source = message.offset;
    transfer.piece = message.bytes;
    return;
  }
  if (!transfer.far) transfer.begun_ns = now_ns();
  if (!transfer.fold && takes_puts(transfer.data)) {
    control(transfer.peer, Control::here, one_sided_.offset_of(transfer.data).value(), transfer.bytes);
  } else {
    std::uint32_t unasked = 0;
    if (!may_read_private()) unasked = Readings::for_ever;
    else if (!transfer.far && transfer.bytes <= StagingPool::chunk_bytes)
      unasked = readings_.unasked(transfer.peer, transfer.bytes);
    control(transfer.peer, Control::bounce, 0, 0, unasked);
  }
}

// Takes the answers to offers as long as they come during the first polls and in order. Other offers become transfers.
void Executor::await_answers() {
  for (const Offer& offer : offers_) {
    std::uint32_t found;
    const Cell* cell = mail_.await(offer.peer, found);
    if (cell != nullptr && found == control_tag()) {
      Control message;
      std::memcpy(&message, cell->payload, sizeof(message));
      if (message.what == Control::read && message.bytes == offer.bytes) {
        mail_.finish_cell(offer.peer);
        continue;
      }
    }
    if (unfinished_ == 0) transfers_.clear();
    Transfer& transfer = transfers_.emplace_back();
    transfer.peer = offer.peer;
    transfer.outgoing = true;
    transfer.data = offer.data;
    transfer.bytes = offer.bytes;
    ++unfinished_;
  }
  offers_.clear();
}

void Executor::start_recv(const Step& step) {
  if (unfinished_ == 0) transfers_.clear();
  Transfer& transfer = transfers_.emplace_back();
  transfer.peer = step.peer;
  transfer.far = is_far(step.peer);
  transfer.fold = step.kind == Step::Kind::recv_fold;
  transfer.side = step.side;
  transfer.data = at(step.into);
  transfer.own = transfer.fold ? at(step.from) : nullptr;
  transfer.bytes = step.bytes;
  transfer.placed = is_placed(step);
  transfer.parcel = transfer.told = transfer.placed || comes_as_parcel(transfer);
  ++unfinished_;
}

// Called in the join, after the small messages of the group have been sent.
void Executor::tell(Transfer& transfer) {
  transfer.told = true;
  if (transfer.bytes <= room_bytes && !mail_.has_granted(transfer.peer))
    if (auto rooms = mail_.grant_rooms(transfer.peer)) control(transfer.peer, Control::rooms, rooms->value(), 0);
  transfer.parcel = comes_as_parcel(transfer);
  if (transfer.parcel) return;
  bool in_place = !transfer.fold && transfer.bytes <= longest_written && takes_puts(transfer.data);
  std::byte* into = in_place ? transfer.data : nullptr;
  if (into == nullptr && transfer.bytes <= StagingPool::chunk_bytes) into = transfer.chunk = staging_.take();
  if (into != nullptr) control(transfer.peer, Control::here, one_sided_.offset_of(into).value(), transfer.bytes);
  else control(transfer.peer, Control::ask, 0, transfer.bytes);
}

void Executor::finish_incoming(Transfer& transfer) {
  if (std::byte* chunk = std::exchange(transfer.chunk, nullptr); chunk != nullptr) {
    if (transfer.fold) combine(transfer.side, transfer.data, chunk, transfer.own, transfer.bytes);
    else std::memcpy(transfer.data, chunk, transfer.bytes);
    staging_.give_back(chunk);
  }
  // Pieces whose time includes other transfers, or two pieces at a time, are not measured.
  if (transfer.begun_ns != 0) {
    const std::int64_t passed_ns = now_ns() - transfer.begun_ns;
    transfer.spent_ns = transfer.spent_ns == 0 ? passed_ns : std::min(transfer.spent_ns, passed_ns);
  }
  if (transfer.foreign || transfer.spent_ns != 0)
    readings_.note(transfer.peer, transfer.bytes,
                   transfer.foreign ? Readings::Method::by_kernel : Readings::Method::lent, transfer.spent_ns);
  transfer.done = true;
  --unfinished_;
}

// Returns false if the kernel does not read the memory; the receiver then requests chunks.
bool Executor::fetch(Transfer& transfer, std::byte* into, std::uint64_t bytes) {
  if (!transfer.foreign) {
    one_sided_.get(into, mail_.pe(transfer.peer), HeapOffset(transfer.source), bytes);
    return true;
  }
  if (foreign_memory_.read(mail_.pe(transfer.peer), into, transfer.source, bytes) == 0) return true;
  transfer.foreign = false;
  transfer.piece = 0;
  if (!mail_.has_withdrawn(transfer.peer))
    control(transfer.peer, Control::bounce, 0, transfer.complete, may_read_private() ? 0 : Readings::for_ever);
  return false;
}

// Copies or combines the next piece, and notifies the sender once a whole offer has been read.
void Executor::pull(Transfer& transfer) {
  const bool measured =
      transfer.foreign ? readings_.measures(transfer.peer, transfer.bytes) : transfer.lent && transfer.copy_ns != 0;
  const std::int64_t begun_ns = measured ? now_ns() : 0;
  std::uint64_t part = std::min(transfer.piece, transfer.fold && transfer.foreign ? combined_piece : longest_piece);
  if (transfer.fold) {
    std::size_t element = reduction_->element_bytes();
    if (part > element) part -= part % element;
    std::vector<std::byte> of_far;  // up to longest_piece: not kept, as the small pieces of the kernel are
    std::vector<std::byte>& fetched = transfer.foreign ? fetched_ : of_far;
    const std::byte* source = transfer.foreign ? nullptr : mail_.mapped(transfer.peer, transfer.source, part);
    if (source == nullptr) {
      fetched.resize(std::max<std::uint64_t>(fetched.size(), part));
      if (!fetch(transfer, fetched.data(), part)) return;
      source = fetched.data();
    }
    combine(transfer.side, transfer.data + transfer.complete, source, transfer.own + transfer.complete, part);
  } else if (!fetch(transfer, transfer.data + transfer.complete, part)) {
    return;
  }
  if (measured) transfer.spent_ns += std::exchange(transfer.copy_ns, 0) + now_ns() - begun_ns;
  if (part == transfer.piece && !transfer.lent && mail_.has_withdrawn(transfer.peer)) {
    transfer.piece = 0;  // it may have been anything, and nothing more comes, see withdrawn_member()
    return;
  }
  mail_.count_moved(part);
  transfer.complete += part;
  transfer.source += part;
  transfer.piece -= part;
  if (transfer.piece == 0) {
    if (transfer.lent) mail_.finish_lent(transfer.peer);
    else control(transfer.peer, Control::read, 0, transfer.complete);
    if (transfer.complete == transfer.bytes) finish_incoming(transfer);
  }
}

// Fills free chunks with unsent data. Returns true if it filled any.
bool Executor::feed_chunks(Transfer& transfer) {
  staging_.open();
  bool moved = false;
  std::size_t element = reduction_ != nullptr ? reduction_->element_bytes() : 1;
  std::uint64_t most = lent_piece / element * element;
  while (transfer.complete < transfer.bytes) {
    if (!mail_.has_room(transfer.peer) ||
        mail_.lent_to(transfer.peer) >= mail_.lent_read(transfer.peer) + pieces_under_way)
      break;
    // Data that fit into one chunk are sent like unrequested data: the receiver expects that form.
    const bool whole = !transfer.far && transfer.bytes <= StagingPool::chunk_bytes;
    if (!whole) copied_.data = nullptr;
    const std::uint64_t left = transfer.bytes - transfer.complete, part = whole ? left : std::min(left, most);
    const Timing timing = whole ? Timing::arrival : transfer.far ? Timing::none : Timing::copy;
    if (!lend(transfer.peer, transfer.data + transfer.complete, part, timing)) break;
    transfer.complete += part;
    moved = true;
  }
  // Between nodes, the notice must not arrive after the member has closed.
  const bool over = transfer.complete == transfer.bytes &&
                    (!transfer.far || mail_.lent_read(transfer.peer) == mail_.lent_to(transfer.peer));
  if (over) finish_outgoing(transfer);
  return moved || over;
}

void Executor::finish_outgoing(Transfer& transfer) {
  if (transfer.chunk != nullptr) staging_.give_back(std::exchange(transfer.chunk, nullptr));
  transfer.done = true;
  --unfinished_;
}

// Handles a control message of this transfer, if it is at the head of the peer's ring. Returns false if there is none.
bool Executor::serve(Transfer& transfer) {
  if (transfer.parcel) return take_parcel(transfer);
  if (transfer.outgoing &&
      (transfer.placed || (transfer.far && transfer.bytes <= room_bytes && mail_.knows_rooms(transfer.peer))))
    return send_parcel(transfer);
  if (!transfer.outgoing && transfer.piece != 0) {
    if (!mail_.has_room(transfer.peer)) return false;
    pull(transfer);
    return true;
  }
  if (transfer.outgoing && transfer.bouncing && feed_chunks(transfer)) return true;
  std::uint32_t found;
  const Cell* cell = mail_.peek(transfer.peer, found);
  if (cell == nullptr || found != control_tag()) return false;
  Control message;
  std::memcpy(&message, cell->payload, sizeof(message));
  // Both directions share the ring: this one may be for the other transfer with this peer.
  bool for_sender = message.what >= Control::read;
  if (for_sender != transfer.outgoing) return false;
  // Most answers need room in the peer's ring. Without room the cell is handled later.
  if (!mail_.has_room(transfer.peer)) return false;
  mail_.finish_cell(transfer.peer);
  switch (message.what) {
    case Control::offer:
    case Control::lent:
      transfer.lent = message.what == Control::lent;
      transfer.foreign = false;
      transfer.copy_ns = transfer.lent ? message.figure : 0;
      transfer.source = message.offset;
      transfer.piece = message.bytes;
      if (transfer.complete + message.bytes > transfer.bytes ||
          (message.what == Control::offer && message.bytes != transfer.bytes))
        transfer.piece = UINT64_MAX;  // told apart by join()
      break;
    case Control::offer_private: answer_private(transfer, message); break;
    case Control::written: finish_incoming(transfer); break;
    case Control::read:
      if (message.bytes == transfer.bytes) finish_outgoing(transfer);
      break;
    case Control::here:
      if (message.bytes != transfer.bytes) {
        transfer.piece = UINT64_MAX;
        break;
      }
      if (!transfer.far && mail_.has_withdrawn(transfer.peer))
        break;  // its memory is its own again, and nothing more comes
      // The notice is a signal, which does not overtake the put.
      one_sided_.put(mail_.pe(transfer.peer), HeapOffset(message.offset), transfer.data, transfer.bytes);
      mail_.count_moved(transfer.bytes);
      control(transfer.peer, Control::written, 0, transfer.bytes);
      finish_outgoing(transfer);
      break;
    case Control::bounce:
      transfer.bouncing = true;
      transfer.complete = message.bytes;
      if (!transfer.far) readings_.learn_unasked(transfer.peer, transfer.bytes, message.figure);
      break;
    case Control::rooms: mail_.learn_rooms(transfer.peer, HeapOffset(message.offset)); break;
    case Control::ask:
      if (message.bytes != transfer.bytes) transfer.piece = UINT64_MAX;
      else offer(transfer);
      break;
  }
  return true;
}

Executor::State Executor::join() {
  if (!offers_.empty()) await_answers();
  while (unfinished_ != 0) {
    bool moved = false;
    // Sends requests before it reads messages: a PE that called another operation must be notified as well.
    for (Transfer& transfer : transfers_)
      if (transfer.far && !transfer.outgoing && !transfer.told && mail_.has_room(transfer.peer)) {
        tell(transfer);
        moved = true;
      }
    for (Transfer& transfer : transfers_) {
      if (transfer.done) continue;
      moved = serve(transfer) || moved;
      if (transfer.done || transfer.piece != UINT64_MAX) {
        std::uint32_t found;
        // A peer that has lent or read all of it may have continued: its next cell may belong to the next call.
        if (transfer.done || transfer.piece != 0 || transfer.complete == transfer.bytes ||
            mail_.peek(transfer.peer, found) == nullptr || found == control_tag() ||
            awaits_parcel(transfer.peer, found))
          continue;
        (void)mail_.mismatch(transfer.peer, found);
        return State::mismatch;
      }
      (void)mail_.mismatch(transfer.peer, control_tag());
      return State::mismatch;
    }
    if (!moved) return State::waiting;
  }
  copied_.data = nullptr;
  return State::done;
}

}  // namespace atl::coll::detail
