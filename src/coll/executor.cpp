// SPDX-License-Identifier: Apache-2.0
#include "executor.hpp"

#include <algorithm>

namespace atl::coll::detail {
namespace {

// Most bytes copied before the others are looked at again: 20 to 100 µs.
constexpr std::uint64_t longest_piece = std::uint64_t{1} << 20;

}  // namespace

void StagingPool::release() {
  if (memory_ != nullptr) context_.heap().release(memory_);
  memory_ = nullptr;
  free_.clear();
}

std::byte* StagingPool::take() {
  if (memory_ == nullptr) {
    memory_ = static_cast<std::byte*>(context_.heap().allocate(most_chunks * chunk_bytes));
    for (std::size_t i = 0; i < most_chunks; ++i) free_.push_back(memory_ + i * chunk_bytes);
  }
  if (free_.empty()) return nullptr;
  std::byte* chunk = free_.back();
  free_.pop_back();
  return chunk;
}

void Executor::begin(const Schedule& schedule, const void* input, void* output, void* scratch,
                     const Reduction* reduction, std::uint32_t kind, std::uint32_t check) {
  schedule_ = &schedule;
  reduction_ = reduction;
  bases_[static_cast<std::size_t>(Space::input)] = reinterpret_cast<std::uint64_t>(input);
  bases_[static_cast<std::size_t>(Space::output)] = reinterpret_cast<std::uint64_t>(output);
  bases_[static_cast<std::size_t>(Space::scratch)] = reinterpret_cast<std::uint64_t>(scratch);
  bases_[static_cast<std::size_t>(Space::address)] = 0;
  tag_ = make_tag(kind, CellType::data, check);
  control_tag_ = make_tag(kind, CellType::control, check);
  next_ = 0;
  cells_ = 0;
  unfinished_ = 0;
}

Executor::State Executor::advance() {
  const Step* steps = schedule_->steps.data();
  const std::size_t count = schedule_->steps.size();
  while (next_ < count) {
    const Step& step = steps[next_];
    switch (step.kind) {
      case Step::Kind::put:
        if (!mail_.put(step.peer, data_tag(step.bytes), at(step.from), step.bytes, cells_)) return State::waiting;
        cells_ = 0;
        break;
      case Step::Kind::take:
      case Step::Kind::fold: {
        auto outcome = step.kind == Step::Kind::take
                           ? mail_.take(step.peer, data_tag(step.bytes), at(step.into), step.bytes, cells_)
                           : fold(step);
        if (outcome == Mailboxes::Outcome::waiting) return State::waiting;
        if (outcome == Mailboxes::Outcome::mismatch) [[unlikely]] return State::mismatch;
        cells_ = 0;
        break;
      }
      case Step::Kind::send:
        if (!start_send(step)) return State::waiting;
        break;
      case Step::Kind::recv:
      case Step::Kind::recv_fold:
        start_recv(step);
        break;
      case Step::Kind::join: {
        State state = join();
        if (state != State::done) return state;
        break;
      }
      case Step::Kind::copy:
        if (at(step.into) != at(step.from)) std::memmove(at(step.into), at(step.from), step.bytes);
        break;
      case Step::Kind::reduce:
        (*reduction_)(at(step.into), at(step.from), at(step.right), step.bytes / reduction_->element_bytes());
        break;
      case Step::Kind::identity:
        reduction_->fill_identity(at(step.into), step.bytes / reduction_->element_bytes());
        break;
    }
    ++next_;
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

Mailboxes::Outcome Executor::fold(const Step& step) {
  std::size_t count = step.bytes / reduction_->element_bytes();
  auto combine = [&](const std::byte* arrived) {
    if (step.side == Side::left) (*reduction_)(at(step.into), arrived, at(step.from), count);
    else (*reduction_)(at(step.into), at(step.from), arrived, count);
  };
  std::uint32_t tag = data_tag(step.bytes);
  if (step.bytes <= sizeof(Cell::payload)) {
    std::uint32_t found;
    const Cell* cell = mail_.peek(step.peer, found);
    if (cell == nullptr) return Mailboxes::Outcome::waiting;
    if (found != tag) [[unlikely]] return mail_.mismatch(step.peer, found);
    combine(cell->payload);
    mail_.finish_cell(step.peer);
    return Mailboxes::Outcome::done;
  }
  auto outcome = mail_.take(step.peer, tag, assembly_, step.bytes, cells_);
  if (outcome == Mailboxes::Outcome::done) combine(assembly_);
  return outcome;
}

bool Executor::in_segment(const std::byte* data) const {
  auto* segment = context_.local_pointer<std::byte>(HeapOffset(0));
  return data >= segment && data < segment + context_.endpoint().segment_bytes();
}

void Executor::control(std::uint32_t peer, Control::What what, std::uint64_t offset, std::uint64_t bytes) {
  Control message{what, 0, offset, bytes};
  std::uint32_t cells = 0;
  // Callers have looked for room.
  (void)mail_.put(peer, control_tag_, reinterpret_cast<const std::byte*>(&message), sizeof(message), cells);
}

bool Executor::start_send(const Step& step) {
  if (!mail_.has_room(step.peer)) return false;
  if (unfinished_ == 0) transfers_.clear();
  Transfer transfer;
  transfer.peer = step.peer;
  transfer.outgoing = true;
  transfer.data = at(step.from);
  transfer.bytes = step.bytes;
  if (in_segment(transfer.data)) {
    transfer.offered_in_place = true;
    control(step.peer, Control::offer, context_.offset_of(transfer.data).value(), step.bytes);
  } else if (std::byte* chunk = step.bytes <= StagingPool::chunk_bytes ? staging_.take() : nullptr; chunk != nullptr) {
    // Short enough to skip the question whose memory is private.
    std::memcpy(chunk, transfer.data, step.bytes);
    transfer.chunks[0] = chunk;
    transfer.offered_in_place = true;
    control(step.peer, Control::offer, context_.offset_of(chunk).value(), step.bytes);
  } else {
    control(step.peer, Control::offer_private, 0, step.bytes);
  }
  transfers_.push_back(transfer);
  ++unfinished_;
  return true;
}

void Executor::start_recv(const Step& step) {
  if (unfinished_ == 0) transfers_.clear();
  Transfer transfer;
  transfer.peer = step.peer;
  transfer.fold = step.kind == Step::Kind::recv_fold;
  transfer.side = step.side;
  transfer.data = at(step.into);
  transfer.own = transfer.fold ? at(step.from) : nullptr;
  transfer.bytes = step.bytes;
  transfers_.push_back(transfer);
  ++unfinished_;
}

// Copies or combines the next piece, and tells the sender when a whole offer has been read.
void Executor::pull(Transfer& transfer) {
  std::uint64_t part = std::min(transfer.piece, longest_piece);
  if (transfer.fold) {
    std::size_t element = reduction_->element_bytes();
    if (part > element) part -= part % element;
    const std::byte* source = mail_.mapped(transfer.peer, transfer.source, part);
    std::vector<std::byte> fetched;
    if (source == nullptr) {
      fetched.resize(part);
      context_.get(fetched.data(), mail_.pe(transfer.peer), HeapOffset(transfer.source), part);
      source = fetched.data();
    }
    std::byte* into = transfer.data + transfer.complete;
    const std::byte* own = transfer.own + transfer.complete;
    if (transfer.side == Side::left) (*reduction_)(into, source, own, part / element);
    else (*reduction_)(into, own, source, part / element);
  } else {
    context_.get(transfer.data + transfer.complete, mail_.pe(transfer.peer), HeapOffset(transfer.source), part);
  }
  mail_.count_moved(part);
  transfer.complete += part;
  transfer.source += part;
  transfer.piece -= part;
  if (transfer.piece == 0) {
    control(transfer.peer, Control::read, 0, transfer.complete);
    if (transfer.complete == transfer.bytes) {
      transfer.done = true;
      --unfinished_;
    }
  }
}

// Fills free chunks with what has not been sent yet. True when it did something.
bool Executor::feed_chunks(Transfer& transfer) {
  bool moved = false;
  std::size_t element = reduction_ != nullptr ? reduction_->element_bytes() : 1;
  std::uint64_t most = StagingPool::chunk_bytes / element * element;
  while (transfer.complete < transfer.bytes && transfer.complete < transfer.acknowledged + 2 * most) {
    std::byte*& chunk = transfer.chunks[transfer.complete / most % 2];
    if (!mail_.has_room(transfer.peer)) break;
    if (chunk == nullptr && (chunk = staging_.take()) == nullptr) break;
    std::uint64_t part = std::min(transfer.bytes - transfer.complete, most);
    std::memcpy(chunk, transfer.data + transfer.complete, part);
    control(transfer.peer, Control::chunk, context_.offset_of(chunk).value(), part);
    transfer.complete += part;
    moved = true;
  }
  return moved;
}

void Executor::finish_outgoing(Transfer& transfer) {
  for (std::byte*& chunk : transfer.chunks) {
    if (chunk != nullptr) staging_.give_back(chunk);
    chunk = nullptr;
  }
  transfer.done = true;
  --unfinished_;
}

// One message of control for this transfer, if there is one at the head of the peer's ring. False: nothing to do now.
bool Executor::serve(Transfer& transfer) {
  if (!transfer.outgoing && transfer.piece != 0) {
    if (!mail_.has_room(transfer.peer)) return false;
    pull(transfer);
    return true;
  }
  if (transfer.outgoing && transfer.bouncing && feed_chunks(transfer)) return true;
  std::uint32_t found;
  const Cell* cell = mail_.peek(transfer.peer, found);
  if (cell == nullptr || found != control_tag_) return false;
  Control message;
  std::memcpy(&message, cell->payload, sizeof(message));
  // Both directions share the ring: this one may be for the other transfer with this peer.
  bool for_sender = message.what >= Control::read;
  if (for_sender != transfer.outgoing) return false;
  // Most answers need room; without, leave the cell for later.
  if (!mail_.has_room(transfer.peer)) return false;
  mail_.finish_cell(transfer.peer);
  switch (message.what) {
    case Control::offer:
    case Control::chunk:
      transfer.source = message.offset;
      transfer.piece = message.bytes;
      if (transfer.complete + message.bytes > transfer.bytes ||
          (message.what == Control::offer && message.bytes != transfer.bytes))
        transfer.piece = UINT64_MAX;  // told apart by join()
      break;
    case Control::offer_private:
      if (message.bytes != transfer.bytes) transfer.piece = UINT64_MAX;
      else if (!transfer.fold && in_segment(transfer.data))
        control(transfer.peer, Control::here, context_.offset_of(transfer.data).value(), 0);
      else control(transfer.peer, Control::bounce, 0, 0);
      break;
    case Control::written:
      transfer.done = true;
      --unfinished_;
      break;
    case Control::read:
      transfer.acknowledged = message.bytes;
      if (transfer.acknowledged == transfer.bytes) finish_outgoing(transfer);
      break;
    case Control::here:
      context_.put(mail_.pe(transfer.peer), HeapOffset(message.offset), transfer.data, transfer.bytes);
      context_.fence();
      mail_.count_moved(transfer.bytes);
      control(transfer.peer, Control::written, 0, transfer.bytes);
      finish_outgoing(transfer);
      break;
    case Control::bounce:
      transfer.bouncing = true;
      break;
  }
  return true;
}

Executor::State Executor::join() {
  while (unfinished_ != 0) {
    bool moved = false;
    for (Transfer& transfer : transfers_) {
      if (transfer.done) continue;
      moved = serve(transfer) || moved;
      if (transfer.done || transfer.piece != UINT64_MAX) {
        std::uint32_t found;
        if (transfer.done || mail_.peek(transfer.peer, found) == nullptr || found == control_tag_) continue;
        (void)mail_.mismatch(transfer.peer, found);
        return State::mismatch;
      }
      (void)mail_.mismatch(transfer.peer, control_tag_);
      return State::mismatch;
    }
    if (!moved) return State::waiting;
  }
  return State::done;
}

}  // namespace atl::coll::detail
