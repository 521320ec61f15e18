// SPDX-License-Identifier: Apache-2.0
#include "mailbox.hpp"

namespace atl::coll::detail {

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
    way.credit = context.local_pointer<const Credit>(credit_at(me, member));
    way.record = &context.job().record(way.pe);
  }
}

std::uint64_t Mailboxes::presence(std::uint32_t member) const {
  return context_->fetch<std::uint64_t>(ways_[member].pe, ways_[member].presence);
}

void Mailboxes::put_remote(Way& way, std::size_t slot, std::uint64_t header, const std::byte* data,
                           std::uint64_t bytes) {
  HeapOffset cell(way.remote_ring.value() + slot * sizeof(Cell));
  context_->put_signal(way.pe, HeapOffset(cell.value() + offsetof(Cell, payload)), data, bytes, cell, header);
}

void Mailboxes::give_credit(Way& way) {
  // Release: the cells have been read. Partner: the acquire in has_room. set() does that, and wakes the peer.
  context_->set<std::uint64_t>(way.pe, way.remote_credit, way.received);
}

}  // namespace atl::coll::detail
