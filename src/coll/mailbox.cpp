// SPDX-License-Identifier: Apache-2.0
#include "mailbox.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "atoll/base/error.hpp"

namespace atl::coll::detail {

// What was never written to is zero, and where it is private takes no memory as long as it is only read. 4 KiB for each of 32,768 members, of whom a
// member hears from 30, would be 128 MiB of each PE.
void Mailboxes::clear(std::byte* area, std::size_t members) {
  constexpr std::size_t piece = 4096;
  std::byte* const end = area + area_bytes(members);
  for (std::byte *at = area, *next = nullptr; at < end; at = next) {
    next = std::min(end, at + piece);
    const auto* words = reinterpret_cast<const std::uint64_t*>(at);
    const auto* last = words + (next - at) / 8;
    if (std::any_of(words, last, [](std::uint64_t word) { return word != 0; })) std::memset(at, 0, static_cast<std::size_t>(next - at));
  }
}

void Mailboxes::open(runtime::Context& context, std::vector<PeId> pes, std::vector<HeapOffset> areas, int rank) {
  context_ = &context;
  std::size_t members = pes.size();
  std::size_t me = static_cast<std::size_t>(rank);
  // In a member's area: credits and rings, each by the number of the other member.
  auto credit_at = [&](std::size_t owner, std::size_t other) {
    return HeapOffset(areas[owner].value() + sizeof(Presence) + other * sizeof(Credit));
  };
  auto ring_at = [&](std::size_t owner, std::size_t other) {
    return HeapOffset(areas[owner].value() + sizeof(Presence) + members * sizeof(Credit) +
                      other * ring_cells * sizeof(Cell));
  };
  presence_ = context.local_pointer<Presence>(areas[me]);
  ways_.assign(members, Way{});
  for (std::size_t member = 0; member < members; ++member) {
    Way& way = ways_[member];
    way.pe = pes[member];
    way.remote_ring = ring_at(member, me);
    way.remote_credit = credit_at(member, me);
    way.presence = areas[member];
    way.remote = context.peer_pointer<Cell>(way.pe, way.remote_ring, ring_cells);
    way.local = context.local_pointer<Cell>(ring_at(me, member));
    way.told = context.peer_pointer<Credit>(way.pe, way.remote_credit);
    way.credit = context.local_pointer<const Credit>(credit_at(me, member));
    way.record = &context.job().record(way.pe);
  }
}

// To a peer that is not mapped: the cells that lie side by side go together, and the header of the first comes last.
bool Mailboxes::put_remote(std::uint32_t member, std::uint32_t tag, const std::byte* data, std::uint64_t bytes,
                           std::uint32_t& cells) {
  Way& way = ways_[member];
  auto all = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (bytes + sizeof(Cell::payload) - 1) / sizeof(Cell::payload)));
  while (cells < all) {
    if (!has_room(member)) return false;
    auto room = static_cast<std::uint32_t>(ring_cells - (way.sent - way.known_read));
    auto slot = static_cast<std::uint32_t>(way.sent % ring_cells);
    std::uint32_t run = std::min({all - cells, room, ring_cells - slot});
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
  } catch (const MemoryError&) {
    return std::nullopt;
  }
  ++granted_;
  return context_->offset_of(parcels_[member].own);
}

void Mailboxes::learn_rooms(std::uint32_t member, HeapOffset at) {
  parcels_.resize(ways_.size());
  parcels_[member].remote = at;
  parcels_[member].known = true;
}

bool Mailboxes::put_parcel(std::uint32_t member, std::uint32_t tag, const std::byte* data, std::uint64_t bytes) {
  Way& way = ways_[member];
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
  Way& way = ways_[member];
  if (!has_room(member)) return false;
  deliver_with_cell(way, place, data, bytes, header_for(member, tag, 0, way.sent + 1));
  return true;
}

void Mailboxes::deliver_with_cell(Way& way, HeapOffset place, const std::byte* data, std::uint64_t bytes, std::uint64_t header) {
  HeapOffset cell(way.remote_ring.value() + way.sent % ring_cells * sizeof(Cell));
  context_->deliver(way.pe, place, data, bytes, cell, header);
  ++way.sent;
  count_moved(sizeof(Cell) + bytes);
}

void Mailboxes::finish_parcel(std::uint32_t member) {
  Way& way = ways_[member];
  Parcels& from = parcels_[member];
  if (++from.taken - from.told_taken >= most_untold_parcels && !closing_) {
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

// Credits and cells both tell: `taken` may be less than what is known.
void Mailboxes::note_taken(Parcels& to, std::uint64_t taken) {
  for (; to.known_taken < taken; ++to.known_taken) to.full &= ~(1u << to.order[to.known_taken % rooms_each]);
}

// By the cell of the last peek.
void Mailboxes::note_taken_by_cell(std::uint32_t member) {
  const Way& way = ways_[member];
  Parcels& to = parcels_[member];
  // Relaxed: peek() has acquired it.
  std::uint64_t header = way.local[way.received % ring_cells].header.load(std::memory_order_relaxed);
  std::uint64_t more = (taken_of(header) - to.known_taken) & 0xFFF;
  if (more <= rooms_each) note_taken(to, to.known_taken + more);
}

void Mailboxes::release_rooms() {
  for (Parcels& from : parcels_)
    if (from.own != nullptr) context_->heap().release(std::exchange(from.own, nullptr));
}

void Mailboxes::give_credit(Way& way) {
  // Release: the cells have been read. Partner: the acquire in has_room. The signal does that, and wakes the peer.
  context_->deliver(way.pe, way.remote_credit, nullptr, 0, way.remote_credit, way.received);
  way.told_read = way.received;
}

void Mailboxes::finish_lent_far(Way& way) {
  const HeapOffset word(way.remote_credit.value() + offsetof(Credit, lent_read));
  context_->deliver(way.pe, word, nullptr, 0, word, ++way.borrowed);
}

// Every cell is awaited by whom it was sent to, so credits are all that may be on their way to one who has closed.
void Mailboxes::close() {
  closing_ = true;
  for (std::size_t member = 0; member < ways_.size(); ++member) {
    const Way& way = ways_[member];
    const std::uint64_t taken = parcels_.empty() ? 0 : parcels_[member].credited_taken;
    auto at = [&](std::size_t field) { return HeapOffset(way.remote_credit.value() + field); };
    context_->deliver(way.pe, at(offsetof(Credit, last_taken)), &taken, sizeof(taken), at(offsetof(Credit, last_read)), way.told_read + 1);
  }
}

bool Mailboxes::all_closed() {
  for (; closed_ < ways_.size(); ++closed_) {
    const Way& way = ways_[closed_];
    // Of the dead nothing comes any more, where they had this memory mapped.
    if (way.remote != nullptr && context_->job().has_died(way.pe)) continue;
    const std::uint64_t last_read = way.credit->last_read.load(std::memory_order_acquire);  // partner: the signal in close()
    if (last_read == 0 || way.credit->read.load(std::memory_order_acquire) + 1 != last_read ||
        way.credit->taken.load(std::memory_order_acquire) != way.credit->last_taken.load(std::memory_order_acquire))
      return false;
  }
  return true;
}

}  // namespace atl::coll::detail
