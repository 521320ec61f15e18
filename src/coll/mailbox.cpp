// SPDX-License-Identifier: Apache-2.0
#include "mailbox.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "atoll/base/error.hpp"

namespace atl::coll::detail {

void Mailboxes::open(runtime::Context& context, std::vector<PeId> pes, std::vector<HeapOffset> areas, int rank) {
  context_ = &context;
  me_ = static_cast<std::size_t>(rank);
  const HeapOffset own = areas[me_];
  presence_ = context.local_pointer<Presence>(own);
  doors_ = context.local_pointer<const Door>(HeapOffset(own.value() + sizeof(Presence)));
  if (std::ranges::all_of(areas, [&](HeapOffset area) { return area == own; })) areas.resize(1);
  areas.shrink_to_fit();
  pes_ = std::move(pes);
  areas_ = std::move(areas);
  ways_.resize(pes_.size());
}

void Mailboxes::make_way(std::uint32_t member, std::uint64_t cells) {
  auto way = std::make_unique<Way>();
  const bool full = cells > most_cells_for_small_ring;
  way->local_cells = full ? ring_cells : small_ring_cells;
  way->pe = pes_[member];
  way->near = is_near(member);
  way->record = &context_->job().record(way->pe);
  const std::size_t bytes = sizeof(Inbox) + way->local_cells * sizeof(Cell);
  void* memory = context_->heap().allocate(bytes);
  std::memset(memory, 0, bytes);
  way->block = static_cast<Inbox*>(memory);
  way->local = way->block->ring;
  way->credit = &way->block->credit;
  const HeapOffset word = door_at(member, offsetof(Door, block));
  // The signal releases the zeroes. Partner: learn().
  context_->deliver(way->pe, word, nullptr, 0, word, context_->offset_of(memory).value() | (full ? 3 : 1));
  ways_[member] = std::move(way);
}

void Mailboxes::replace_ring(std::uint32_t member) {
  Way& way = *ways_[member];
  auto* ring = static_cast<Cell*>(context_->heap().allocate(ring_cells * sizeof(Cell)));
  std::memset(static_cast<void*>(ring), 0, ring_cells * sizeof(Cell));
  for (std::uint32_t i = 0; i < ring_cells; ++i)
    ring[i].header.store(make_header(make_tag(0, CellType::none, 0), 0, 0, 0), std::memory_order_relaxed);
  way.replacement = ring;
  const HeapOffset word = door_at(member, offsetof(Door, ring));
  // The signal releases the headers. Partner: learn_ring().
  context_->deliver(way.pe, word, nullptr, 0, word, context_->offset_of(ring).value() | 1);
}

// The peer, which knew that `told_before` cells had been read, has waited for room or is about to.
void Mailboxes::replace_full_ring(std::uint32_t member, std::uint64_t told_before) {
  const Way& way = *ways_[member];
  if (offers_full_ring(way)) return;
  const std::uint64_t last = told_before + small_ring_cells;
  // Relaxed: nothing but its number is read.
  const std::uint64_t header = way.local[(last - 1) % small_ring_cells].header.load(std::memory_order_relaxed);
  if (number_of(header) != static_cast<std::uint16_t>(last)) return;
  try {
    replace_ring(member);
  } catch (const MemoryError&) {  // the small ring remains
  }
}

bool Mailboxes::learn(std::uint32_t member) {
  Way& way = *ways_[member];
  const std::uint64_t block = doors_[member].block.load(std::memory_order_acquire);  // partner: make_way()
  if (block == 0) return false;
  way.remote_credit = HeapOffset(block & ~std::uint64_t{3});
  way.remote_ring = HeapOffset(way.remote_credit.value() + sizeof(Inbox));
  way.remote_cells = (block & 2) != 0 ? ring_cells : small_ring_cells;
  way.remote = context_->peer_pointer<Cell>(way.pe, way.remote_ring, way.remote_cells);
  way.told = context_->peer_pointer<Credit>(way.pe, way.remote_credit);
  way.known_read = 0;
  way.known = true;
  return true;
}

// Of a peer whose ring is known and small.
bool Mailboxes::learn_ring(std::uint32_t member) {
  Way& way = *ways_[member];
  const std::uint64_t ring = doors_[member].ring.load(std::memory_order_acquire);  // partner: replace_ring()
  if (ring == 0) return false;
  way.remote_ring = HeapOffset(ring & ~std::uint64_t{1});
  way.remote_cells = ring_cells;
  way.remote = context_->peer_pointer<Cell>(way.pe, way.remote_ring, ring_cells);
  return true;
}

// Of a member that has sent something, which it does after it has said where its block is: over the network that may
// come last.
bool Mailboxes::await_block(std::uint32_t member) {
  while (!ways_[member]->known && !learn(member)) {
    if (context_->job().has_died(pes_[member])) return false;
    context_->progress();
  }
  return true;
}

// To a peer that is not mapped: the cells that lie side by side go together, and the header of the first comes last.
bool Mailboxes::put_remote(std::uint32_t member, std::uint32_t tag, const std::byte* data, std::uint64_t bytes,
                           std::uint32_t& cells) {
  Way& way = *ways_[member];
  if (!way.known) {
    if (!has_room(member)) return false;
    if (way.remote != nullptr) return put(member, tag, data, bytes, cells);
  }
  const auto all = static_cast<std::uint32_t>(cells_of(bytes));
  while (cells < all) {
    if (!has_room(member)) return false;
    auto room = static_cast<std::uint32_t>(way.remote_cells - (way.sent - way.known_read));
    auto slot = static_cast<std::uint32_t>(way.sent % way.remote_cells);
    std::uint32_t run = std::min({all - cells, room, way.remote_cells - slot});
    std::byte image[ring_cells * sizeof(Cell)];
    std::uint64_t first = 0, used = 0;
    for (std::uint32_t i = 0; i < run; ++i, ++cells) {
      std::uint64_t header = header_for(member, tag, 0, way.sent + i + 1);
      std::uint64_t done = std::uint64_t{cells} * sizeof(Cell::payload);
      std::uint64_t part = std::min<std::uint64_t>(bytes - done, sizeof(Cell::payload));
      std::byte* cell = image + i * sizeof(Cell);
      std::memcpy(cell, &header, sizeof(header));
      if (part != 0) std::memcpy(cell + offsetof(Cell, payload), data + done, part);
      if (i == 0) first = header;
      used = i * sizeof(Cell) + offsetof(Cell, payload) + part;
    }
    HeapOffset at(way.remote_ring.value() + slot * sizeof(Cell));
    context_->deliver(way.pe, HeapOffset(at.value() + offsetof(Cell, payload)), image + offsetof(Cell, payload),
                      used - offsetof(Cell, payload), at, first);
    way.sent += run;
    count_moved(std::uint64_t{run} * sizeof(Cell));
  }
  return true;
}

std::optional<HeapOffset> Mailboxes::grant_rooms(std::uint32_t member) {
  if (granted_ == most_granted) return std::nullopt;
  parcels_.resize(ways_.size());
  try {
    parcels_[member].own = static_cast<std::byte*>(context_->heap().allocate(rooms_each * room_bytes));
  } catch (const MemoryError&) { return std::nullopt; }
  ++granted_;
  return context_->offset_of(parcels_[member].own);
}

void Mailboxes::learn_rooms(std::uint32_t member, HeapOffset at) {
  parcels_.resize(ways_.size());
  parcels_[member].remote = at;
  parcels_[member].known = true;
}

bool Mailboxes::put_parcel(std::uint32_t member, std::uint32_t tag, const std::byte* data, std::uint64_t bytes) {
  Way& way = *ways_[member];
  Parcels& to = parcels_[member];
  // Acquire: the receiver is done with those rooms. Partner: finish_parcel().
  if (to.full == all_rooms) note_taken(to, way.credit->taken.load(std::memory_order_acquire));
  if (to.full == all_rooms || !has_room(member)) return false;
  auto number = static_cast<std::uint32_t>(std::countr_one(to.full));
  std::uint64_t header = header_for(member, tag, number, way.sent + 1);
  deliver_with_cell(way, HeapOffset(to.remote.value() + number * room_bytes), data, bytes, header);
  to.full |= 1u << number;
  to.order[to.sent++ % rooms_each] = static_cast<std::uint8_t>(number);
  return true;
}

bool Mailboxes::put_in_place(std::uint32_t member, std::uint32_t tag, const std::byte* data, std::uint64_t bytes,
                             HeapOffset place) {
  Way& way = *ways_[member];
  if (!has_room(member)) return false;
  deliver_with_cell(way, place, data, bytes, header_for(member, tag, 0, way.sent + 1));
  return true;
}

void Mailboxes::deliver_with_cell(Way& way, HeapOffset place, const std::byte* data, std::uint64_t bytes,
                                  std::uint64_t header) {
  HeapOffset cell(way.remote_ring.value() + way.sent % way.remote_cells * sizeof(Cell));
  context_->deliver(way.pe, place, data, bytes, cell, header);
  ++way.sent;
  count_moved(sizeof(Cell) + bytes);
}

void Mailboxes::finish_parcel(std::uint32_t member) {
  Way& way = *ways_[member];
  Parcels& from = parcels_[member];
  if (++from.taken - from.told_taken >= most_untold_parcels && !closing_ && await_block(member)) {
    // The room has been read: its signal is a release.
    HeapOffset taken(way.remote_credit.value() + offsetof(Credit, taken));
    context_->deliver(way.pe, taken, nullptr, 0, taken, from.taken);
    from.told_taken = from.credited_taken = from.taken;
  }
  finish_cell(member);
}

// Of a cell that leaves now.
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

// By the cell of the last peek.
void Mailboxes::note_taken_by_cell(std::uint32_t member) {
  const Way& way = *ways_[member];
  Parcels& to = parcels_[member];
  // Relaxed: peek() has acquired it.
  std::uint64_t header = way.next_local().header.load(std::memory_order_relaxed);
  std::uint64_t more = (taken_of(header) - to.known_taken) & 0xFFF;
  if (more <= rooms_each) note_taken(to, to.known_taken + more);
}

void Mailboxes::release() {
  for (Parcels& from : parcels_)
    if (from.own != nullptr) context_->heap().release(std::exchange(from.own, nullptr));
  for (auto& way : ways_) {
    if (way == nullptr) continue;
    if (Cell* ring = replaced_by(*way); ring != nullptr) context_->heap().release(ring);
    context_->heap().release(std::exchange(way->block, nullptr));
  }
}

void Mailboxes::give_credit(std::uint32_t member) {
  if (!await_block(member)) return;
  Way& way = *ways_[member];
  // Release: the cells have been read. Partner: the acquire in has_room. The signal does that, and wakes the peer.
  context_->deliver(way.pe, way.remote_credit, nullptr, 0, way.remote_credit, way.received);
  replace_full_ring(member, std::exchange(way.told_read, way.received));
}

void Mailboxes::finish_lent_first(std::uint32_t member) {
  if (!await_block(member)) return;
  Way& way = *ways_[member];
  if (way.told != nullptr) return finish_lent(member);
  const HeapOffset word(way.remote_credit.value() + offsetof(Credit, lent_read));
  context_->deliver(way.pe, word, nullptr, 0, word, ++way.borrowed);
}

// The receiver of a cell always waits for it, so only credits and doors may still be under way to a member that has
// closed.
void Mailboxes::close() {
  closing_ = true;
  for (std::uint32_t member = 0; member < ways_.size(); ++member) {
    const Way* way = ways_[member].get();
    const std::uint64_t taken = parcels_.empty() ? 0 : parcels_[member].credited_taken;
    std::uint64_t last = 1;
    if (way != nullptr) last |= way->told_read << 3 | (replaced_by(*way) != nullptr ? 6 : 2);
    context_->deliver(pes_[member], door_at(member, offsetof(Door, last_taken)), &taken, sizeof(taken),
                      door_at(member, offsetof(Door, last)), last);
  }
}

bool Mailboxes::all_closed() {
  for (; closed_ < ways_.size(); ++closed_) {
    const auto member = static_cast<std::uint32_t>(closed_);
    // Of the dead nothing comes any more, where they had this memory mapped.
    if (is_near(member) && context_->job().has_died(pes_[member])) continue;
    const Door& door = doors_[member];
    const std::uint64_t last = door.last.load(std::memory_order_acquire);  // partner: the signal in close()
    // Acquire: as for `last`. Partners: make_way(), replace_ring().
    if (last == 0 || ((last & 2) != 0 && door.block.load(std::memory_order_acquire) == 0) ||
        ((last & 4) != 0 && door.ring.load(std::memory_order_acquire) == 0))
      return false;
    const Way* way = ways_[member].get();
    if (way == nullptr) continue;
    if (way->credit->read.load(std::memory_order_acquire) != last >> 3 ||
        way->credit->taken.load(std::memory_order_acquire) != door.last_taken.load(std::memory_order_acquire))
      return false;
  }
  return true;
}

bool Mailboxes::all_known() {
  for (std::uint32_t member = 0; member < ways_.size(); ++member)
    if (ways_[member] != nullptr && !ways_[member]->known && !learn(member) && !context_->job().has_died(pes_[member]))
      return false;
  return true;
}

}  // namespace atl::coll::detail
