// SPDX-License-Identifier: Apache-2.0
#include "mailbox.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "atoll/base/error.hpp"
#include "atoll/runtime/heap.hpp"
#include "atoll/runtime/parts.hpp"
#include "atoll/runtime/pe_memory.hpp"
#include "atoll/runtime/progress.hpp"

namespace atl::coll::detail {

void Mailboxes::open(const runtime::Parts& parts, std::vector<PeId> pes, std::vector<HeapOffset> areas, int rank) {
  one_sided_ = &parts.one_sided;
  heap_ = &parts.memory.heap();
  progress_ = &parts.progress;
  me_ = static_cast<std::size_t>(rank);
  const HeapOffset own = areas[me_];
  presence_ = parts.one_sided.local_pointer<Presence>(own);
  doors_ = parts.one_sided.local_pointer<const Door>(HeapOffset(own.value() + sizeof(Presence)));
  if (std::ranges::all_of(areas, [&](HeapOffset area) { return area == own; })) areas.resize(1);
  areas.shrink_to_fit();
  pes_ = std::move(pes);
  areas_ = std::move(areas);
  channels_.resize(pes_.size());
}

void Mailboxes::make_channel(std::uint32_t member, std::uint64_t cells) {
  auto channel = std::make_unique<Channel>();
  const bool full = cells > most_cells_for_small_ring;
  channel->local_cells = full ? ring_cells : small_ring_cells;
  channel->pe = pes_[member];
  channel->near = is_near(member);
  channel->record = &one_sided_->job().record(channel->pe);
  const std::size_t bytes = sizeof(Inbox) + channel->local_cells * sizeof(Cell);
  void* memory = heap_->allocate(bytes);
  std::memset(memory, 0, bytes);
  channel->block = static_cast<Inbox*>(memory);
  channel->local = channel->block->ring;
  channel->credit = &channel->block->credit;
  const HeapOffset word = door_at(member, offsetof(Door, block));
  // The signal releases the zeroes. Partner: learn().
  one_sided_->deliver(channel->pe, word, nullptr, 0, word, one_sided_->offset_of(memory).value() | (full ? 3 : 1));
  channels_[member] = std::move(channel);
}

void Mailboxes::replace_ring(std::uint32_t member) {
  Channel& channel = *channels_[member];
  auto* ring = static_cast<Cell*>(heap_->allocate(ring_cells * sizeof(Cell)));
  std::memset(static_cast<void*>(ring), 0, ring_cells * sizeof(Cell));
  for (std::uint32_t i = 0; i < ring_cells; ++i)
    ring[i].header.store(make_header(make_tag(0, CellType::none, 0), 0, 0, 0), std::memory_order_relaxed);
  channel.replacement = ring;
  const HeapOffset word = door_at(member, offsetof(Door, ring));
  // The signal releases the headers. Partner: learn_ring().
  one_sided_->deliver(channel.pe, word, nullptr, 0, word, one_sided_->offset_of(ring).value() | 1);
}

// Called when the peer, which knew of `told_before` read cells, waits for room or is about to.
void Mailboxes::replace_full_ring(std::uint32_t member, std::uint64_t told_before) {
  const Channel& channel = *channels_[member];
  if (offers_full_ring(channel)) return;
  const std::uint64_t last = told_before + small_ring_cells;
  // Relaxed: nothing but its number is read.
  const std::uint64_t header = channel.local[(last - 1) % small_ring_cells].header.load(std::memory_order_relaxed);
  if (number_of(header) != static_cast<std::uint16_t>(last)) return;
  try {
    replace_ring(member);
  } catch (const MemoryError&) {  // the small ring remains
  }
}

bool Mailboxes::learn(std::uint32_t member) {
  Channel& channel = *channels_[member];
  const std::uint64_t block = doors_[member].block.load(std::memory_order_acquire);  // partner: make_channel()
  if (block == 0) return false;
  channel.remote_credit = HeapOffset(block & ~std::uint64_t{3});
  channel.remote_ring = HeapOffset(channel.remote_credit.value() + sizeof(Inbox));
  channel.remote_cells = (block & 2) != 0 ? ring_cells : small_ring_cells;
  channel.remote = one_sided_->peer_pointer<Cell>(channel.pe, channel.remote_ring, channel.remote_cells);
  channel.told = one_sided_->peer_pointer<Credit>(channel.pe, channel.remote_credit);
  channel.known_read = 0;
  channel.known = true;
  return true;
}

// Learns the address of the large ring of a peer whose small ring is known.
bool Mailboxes::learn_ring(std::uint32_t member) {
  Channel& channel = *channels_[member];
  const std::uint64_t ring = doors_[member].ring.load(std::memory_order_acquire);  // partner: replace_ring()
  if (ring == 0) return false;
  channel.remote_ring = HeapOffset(ring & ~std::uint64_t{1});
  channel.remote_cells = ring_cells;
  channel.remote = one_sided_->peer_pointer<Cell>(channel.pe, channel.remote_ring, ring_cells);
  return true;
}

// Waits for the address of a member's block. The member publishes it before it sends, but over the network it may
// arrive after its messages.
bool Mailboxes::await_block(std::uint32_t member) {
  while (!channels_[member]->known && !learn(member)) {
    if (one_sided_->job().has_died(pes_[member])) return false;
    progress_->progress();
  }
  return true;
}

// Sends cells to a peer whose memory is not mapped: adjacent cells go in one put, and the header of the first comes
// last.
bool Mailboxes::put_remote(std::uint32_t member, std::uint32_t tag, const std::byte* data, std::uint64_t bytes,
                           std::uint32_t& cells) {
  Channel& channel = *channels_[member];
  if (!channel.known) {
    if (!has_room(member)) return false;
    if (channel.remote != nullptr) return put(member, tag, data, bytes, cells);
  }
  const auto all = static_cast<std::uint32_t>(cells_of(bytes));
  while (cells < all) {
    if (!has_room(member)) return false;
    auto room = static_cast<std::uint32_t>(channel.remote_cells - (channel.sent - channel.known_read));
    auto slot = static_cast<std::uint32_t>(channel.sent % channel.remote_cells);
    std::uint32_t run = std::min({all - cells, room, channel.remote_cells - slot});
    std::byte image[ring_cells * sizeof(Cell)];
    std::uint64_t first = 0, used = 0;
    for (std::uint32_t i = 0; i < run; ++i, ++cells) {
      std::uint64_t header = header_for(member, tag, 0, channel.sent + i + 1);
      std::uint64_t done = std::uint64_t{cells} * sizeof(Cell::payload);
      std::uint64_t part = std::min<std::uint64_t>(bytes - done, sizeof(Cell::payload));
      std::byte* cell = image + i * sizeof(Cell);
      std::memcpy(cell, &header, sizeof(header));
      if (part != 0) std::memcpy(cell + offsetof(Cell, payload), data + done, part);
      if (i == 0) first = header;
      used = i * sizeof(Cell) + offsetof(Cell, payload) + part;
    }
    HeapOffset at(channel.remote_ring.value() + slot * sizeof(Cell));
    one_sided_->deliver(channel.pe, HeapOffset(at.value() + offsetof(Cell, payload)), image + offsetof(Cell, payload),
                        used - offsetof(Cell, payload), at, first);
    channel.sent += run;
    count_moved(std::uint64_t{run} * sizeof(Cell));
  }
  return true;
}

std::optional<HeapOffset> Mailboxes::grant_rooms(std::uint32_t member) {
  if (granted_ == most_granted) return std::nullopt;
  parcels_.resize(channels_.size());
  try {
    parcels_[member].own = static_cast<std::byte*>(heap_->allocate(rooms_each * room_bytes));
  } catch (const MemoryError&) { return std::nullopt; }
  ++granted_;
  return one_sided_->offset_of(parcels_[member].own);
}

void Mailboxes::learn_rooms(std::uint32_t member, HeapOffset at) {
  parcels_.resize(channels_.size());
  parcels_[member].remote = at;
  parcels_[member].known = true;
}

bool Mailboxes::put_parcel(std::uint32_t member, std::uint32_t tag, const std::byte* data, std::uint64_t bytes) {
  Channel& channel = *channels_[member];
  Parcels& to = parcels_[member];
  // Acquire: the receiver has read those parcels. Partner: finish_parcel().
  if (to.full == all_rooms) note_taken(to, channel.credit->taken.load(std::memory_order_acquire));
  if (to.full == all_rooms || !has_room(member)) return false;
  auto number = static_cast<std::uint32_t>(std::countr_one(to.full));
  std::uint64_t header = header_for(member, tag, number, channel.sent + 1);
  deliver_with_cell(channel, HeapOffset(to.remote.value() + number * room_bytes), data, bytes, header);
  to.full |= 1u << number;
  to.order[to.sent++ % rooms_each] = static_cast<std::uint8_t>(number);
  return true;
}

bool Mailboxes::put_in_place(std::uint32_t member, std::uint32_t tag, const std::byte* data, std::uint64_t bytes,
                             HeapOffset place) {
  Channel& channel = *channels_[member];
  if (!has_room(member)) return false;
  deliver_with_cell(channel, place, data, bytes, header_for(member, tag, 0, channel.sent + 1));
  return true;
}

void Mailboxes::deliver_with_cell(Channel& channel, HeapOffset place, const std::byte* data, std::uint64_t bytes,
                                  std::uint64_t header) {
  HeapOffset cell(channel.remote_ring.value() + channel.sent % channel.remote_cells * sizeof(Cell));
  one_sided_->deliver(channel.pe, place, data, bytes, cell, header);
  ++channel.sent;
  count_moved(sizeof(Cell) + bytes);
}

void Mailboxes::finish_parcel(std::uint32_t member) {
  Channel& channel = *channels_[member];
  Parcels& from = parcels_[member];
  if (++from.taken - from.told_taken >= most_untold_parcels && !closing_ && await_block(member)) {
    // The room has been read: its signal is a release.
    HeapOffset taken(channel.remote_credit.value() + offsetof(Credit, taken));
    one_sided_->deliver(channel.pe, taken, nullptr, 0, taken, from.taken);
    from.told_taken = from.credited_taken = from.taken;
  }
  finish_cell(member);
}

// The header of a cell that is sent now.
std::uint64_t Mailboxes::header_for(std::uint32_t member, std::uint32_t tag, std::uint32_t room, std::uint64_t number) {
  if (parcels_.empty()) return make_header(tag, room, 0, number);
  Parcels& from = parcels_[member];
  from.told_taken = from.taken;
  return make_header(tag, room, from.taken, number);
}

// Credits and cells both report progress: `taken` may lag behind.
void Mailboxes::note_taken(Parcels& to, std::uint64_t taken) {
  for (; to.known_taken < taken; ++to.known_taken) to.full &= ~(1u << to.order[to.known_taken % rooms_each]);
}

// Takes the count of read parcels from the cell of the last peek.
void Mailboxes::note_taken_by_cell(std::uint32_t member) {
  const Channel& channel = *channels_[member];
  Parcels& to = parcels_[member];
  // Relaxed: peek() has acquired it.
  std::uint64_t header = channel.next_local().header.load(std::memory_order_relaxed);
  std::uint64_t more = (taken_of(header) - to.known_taken) & 0xFFF;
  if (more <= rooms_each) note_taken(to, to.known_taken + more);
}

void Mailboxes::release() {
  for (Parcels& from : parcels_)
    if (from.own != nullptr) heap_->release(std::exchange(from.own, nullptr));
  for (auto& channel : channels_) {
    if (channel == nullptr) continue;
    if (Cell* ring = replaced_by(*channel); ring != nullptr) heap_->release(ring);
    heap_->release(std::exchange(channel->block, nullptr));
  }
}

void Mailboxes::give_credit(std::uint32_t member) {
  if (!await_block(member)) return;
  Channel& channel = *channels_[member];
  // Release: the cells have been read. Partner: the acquire in has_room. The signal does that, and wakes the peer.
  one_sided_->deliver(channel.pe, channel.remote_credit, nullptr, 0, channel.remote_credit, channel.received);
  replace_full_ring(member, std::exchange(channel.told_read, channel.received));
}

void Mailboxes::finish_lent_first(std::uint32_t member) {
  if (!await_block(member)) return;
  Channel& channel = *channels_[member];
  if (channel.told != nullptr) return finish_lent(member);
  const HeapOffset word(channel.remote_credit.value() + offsetof(Credit, lent_read));
  one_sided_->deliver(channel.pe, word, nullptr, 0, word, ++channel.borrowed);
}

// The receiver of a cell always waits for it, so only credits and addresses may still be under way to a member that has
// closed.
void Mailboxes::close() {
  closing_ = true;
  for (std::uint32_t member = 0; member < channels_.size(); ++member) {
    const Channel* channel = channels_[member].get();
    const std::uint64_t taken = parcels_.empty() ? 0 : parcels_[member].credited_taken;
    std::uint64_t last = 1;
    if (channel != nullptr) last |= channel->told_read << 3 | (replaced_by(*channel) != nullptr ? 6 : 2);
    one_sided_->deliver(pes_[member], door_at(member, offsetof(Door, last_taken)), &taken, sizeof(taken),
                        door_at(member, offsetof(Door, last)), last);
  }
}

bool Mailboxes::all_closed() {
  for (; closed_ < channels_.size(); ++closed_) {
    const auto member = static_cast<std::uint32_t>(closed_);
    // A dead member that had this memory mapped writes nothing any more.
    if (is_near(member) && one_sided_->job().has_died(pes_[member])) continue;
    const Door& door = doors_[member];
    const std::uint64_t last = door.last.load(std::memory_order_acquire);  // partner: the signal in close()
    // Acquire: as for `last`. Partners: make_channel(), replace_ring().
    if (last == 0 || ((last & 2) != 0 && door.block.load(std::memory_order_acquire) == 0) ||
        ((last & 4) != 0 && door.ring.load(std::memory_order_acquire) == 0))
      return false;
    const Channel* channel = channels_[member].get();
    if (channel == nullptr) continue;
    if (channel->credit->read.load(std::memory_order_acquire) != last >> 3 ||
        channel->credit->taken.load(std::memory_order_acquire) != door.last_taken.load(std::memory_order_acquire))
      return false;
  }
  return true;
}

bool Mailboxes::all_known() {
  for (std::uint32_t member = 0; member < channels_.size(); ++member)
    if (channels_[member] != nullptr && !channels_[member]->known && !learn(member) &&
        !one_sided_->job().has_died(pes_[member]))
      return false;
  return true;
}

}  // namespace atl::coll::detail
