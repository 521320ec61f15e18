// SPDX-License-Identifier: Apache-2.0
// One's own portals and lists.
#include <algorithm>

#include "atoll/runtime/counters.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "state.hpp"

namespace atl::runtime {

using portal::Entry;
using portal::Header;
using portal::Portal;

PortalInterface::PortalInterface(Context& context, HandlerId handler, std::uint8_t number, std::uint32_t uid,
                                 const PortalLimits& limits)
    : context_(context),
      pe_(context),
      handler_(handler),
      number_(number),
      uid_(uid),
      limits_(limits),
      portals_(limits.portals),
      entries_(std::make_unique<Pool<Entry>>(limits.entries)),
      descriptors_(limits.descriptors),
      pending_(std::make_unique<Pool<portal::Pending>>()),
      triggered_(std::make_unique<Pool<portal::Triggered>>(limits.triggered)) {}

PortalInterface::~PortalInterface() = default;

Portal* PortalInterface::portal_at(std::uint32_t number) const {
  return number < portals_.size() ? portals_[number].get() : nullptr;
}

void PortalInterface::count(CounterId counter, Count by) { pe_.counters.count({pe_.one_sided.pe(), counter}, by); }

Refusal PortalInterface::open(unsigned options, EventQueue* queue, std::uint32_t wanted, std::uint32_t& number) {
  if ((options & portal_option::flow_control) != 0 && queue == nullptr) return Refusal::needs_queue;
  if (wanted != any_portal && wanted >= portals_.size()) return Refusal::invalid;
  SpinGuard guard(lock_);
  auto free = wanted != any_portal
                  ? portals_.begin() + wanted
                  : std::find_if(portals_.begin(), portals_.end(), [](auto& portal) { return portal == nullptr; });
  if (free == portals_.end()) return Refusal::portals_full;
  if (*free != nullptr) return Refusal::in_use;
  *free = std::make_unique<Portal>(options, queue);
  number = static_cast<std::uint32_t>(free - portals_.begin());
  return Refusal::none;
}

Refusal PortalInterface::close(std::uint32_t number) {
  SpinGuard guard(lock_);
  Portal* portal = portal_at(number);
  if (portal == nullptr) return Refusal::invalid;
  if (portal->priority.count() + portal->overflow.count() + portal->headers.count() != 0) return Refusal::in_use;
  portals_[number].reset();
  return Refusal::none;
}

Refusal PortalInterface::disable(std::uint32_t number) {
  SpinGuard guard(lock_);
  Portal* portal = portal_at(number);
  if (portal == nullptr) return Refusal::invalid;
  portal->enabled = false;
  return Refusal::none;
}

Refusal PortalInterface::enable(std::uint32_t number) {
  SpinGuard guard(lock_);
  Portal* portal = portal_at(number);
  if (portal == nullptr) return Refusal::invalid;
  portal->enabled = true;
  return Refusal::none;
}

void PortalInterface::push_event(const Portal& portal, std::uint32_t number, EventKind kind, void* user,
                                 Failure failure) {
  if (portal.queue == nullptr) return;
  Event event;
  event.kind = kind;
  event.portal = number;
  event.user = user;
  event.failure = failure;
  portal.queue->push(event);
}

bool PortalInterface::takes(const EntrySpec& spec, std::uint64_t local_offset, PeId source, std::uint64_t offset,
                            std::uint64_t bytes) {
  if ((spec.options & entry_option::no_truncate) != 0) {
    std::uint64_t begin = (spec.options & entry_option::local_offset) != 0 ? local_offset : offset;
    if (begin > spec.region.bytes() || bytes > spec.region.bytes() - begin) return false;
  }
  return !spec.admits || spec.admits(source);
}

// Takes an unexpected message's header out of the list, and reports it.
void PortalInterface::take_header(Portal& portal, Header& header, const EntrySpec& spec) {
  if ((spec.options & entry_option::no_overflow_event) == 0 && portal.queue != nullptr) {
    Event event = header.event;
    event.kind = static_cast<EventKind>(static_cast<std::uint8_t>(event.kind) + 1);  // put becomes put_overflow
    event.user = spec.user;
    portal.queue->push(event);
  }
  if ((spec.options & entry_option::count_overflow) != 0 && spec.counter != no_counter)
    count(spec.counter, {(spec.options & entry_option::count_bytes) != 0 ? header.event.moved : 1, 0});
  portal.headers.remove(header);
  Entry& holder = *header.entry;
  portal.spare.emplace_back(&header);
  --holder.headers;
  if (holder.unlinked_by_itself) retire(holder);
}

void PortalInterface::unlink_here(Entry& entry) { portals_[entry.portal]->list(entry.list).remove(entry); }

// Gives an entry that is in no list back, unless headers need what landed in it.
void PortalInterface::retire(Entry& entry) {
  if (entry.headers != 0) return;
  if (entry.tell_when_free)
    push_event(*portals_[entry.portal], entry.portal, EventKind::auto_free, entry.spec.user, Failure::none);
  entry.spec = {};
  entries_->give_back(entry.number);
}

// Whether the entry has had its use.
bool PortalInterface::take_headers(Portal& portal, Entry& entry) {
  bool ended = false;
  constexpr unsigned counts_lengths = entry_option::local_offset | entry_option::local_offset_of_headers;
  portal.headers.visit(entry.pattern, [&](Header& header) {
    std::uint64_t bytes = header.event.requested;
    if (!takes(entry.spec, entry.local_offset, header.envelope.source, header.remote_offset, bytes)) return true;
    if ((entry.spec.options & counts_lengths) == counts_lengths) {
      const std::uint64_t left = entry.spec.region.bytes() - entry.local_offset;
      entry.local_offset += std::min(bytes, left);
      ended = bytes > left || left - bytes < entry.spec.min_free;
    }
    ended = ended || (entry.spec.options & entry_option::use_once) != 0;
    take_header(portal, header, entry.spec);
    return !ended;
  });
  return ended;
}

Refusal PortalInterface::append(std::uint32_t number, EntrySpec spec, ListKind list, std::uint32_t& result) {
  SpinGuard guard(lock_);
  Portal* portal = portal_at(number);
  if (portal == nullptr) return Refusal::invalid;
  if (portal->list(list).count() >= limits_.list) return Refusal::no_space;
  std::uint32_t id = entries_->take();
  if (id == Pool<Entry>::nothing) return Refusal::no_space;
  Entry& entry = (*entries_)[id];
  entry.pattern = spec.pattern;
  entry.spec = std::move(spec);
  entry.list = list;
  entry.portal = number;
  entry.number = id;
  entry.local_offset = 0;
  entry.headers = 0;
  entry.unlinked_by_itself = entry.tell_when_free = false;
  result = id;
  const unsigned options = entry.spec.options;
  if (list == ListKind::priority && portal->headers.count() != 0 && take_headers(*portal, entry)) {
    if ((options & entry_option::no_unlink_event) == 0)
      push_event(*portal, number, EventKind::auto_unlink, entry.spec.user, Failure::none);
    retire(entry);
    return Refusal::none;
  }
  portal->list(list).append(entry);
  if ((options & entry_option::no_link_event) == 0)
    push_event(*portal, number, EventKind::link, entry.spec.user, Failure::none);
  return Refusal::none;
}

Refusal PortalInterface::unlink(std::uint32_t id) {
  SpinGuard guard(lock_);
  Entry* entry = entries_->find(id);
  if (entry == nullptr || entry->unlinked_by_itself) return Refusal::invalid;
  if (entry->headers != 0) return Refusal::in_use;
  unlink_here(*entry);
  retire(*entry);
  return Refusal::none;
}

bool PortalInterface::has_entry(std::uint32_t id) const {
  SpinGuard guard(lock_);
  const Entry* entry = entries_->find(id);
  return entry != nullptr && !entry->unlinked_by_itself;
}

Refusal PortalInterface::search(std::uint32_t number, const EntrySpec& spec, Search how) {
  SpinGuard guard(lock_);
  Portal* portal = portal_at(number);
  if (portal == nullptr) return Refusal::invalid;
  const bool once = (spec.options & entry_option::use_once) != 0;
  const bool counts = (spec.options & entry_option::count_overflow) != 0 && spec.counter != no_counter;
  const bool tells = (spec.options & entry_option::no_event) == 0 && portal->queue != nullptr;
  std::size_t found = 0;
  portal->headers.visit(spec.pattern, [&](Header& header) {
    if (!takes(spec, 0, header.envelope.source, header.remote_offset, header.event.requested)) return true;
    ++found;
    if (how == Search::take) {
      take_header(*portal, header, spec);
    } else {
      Event event = header.event;
      event.kind = EventKind::search;
      event.user = spec.user;
      event.start = nullptr;
      event.failure = Failure::none;
      if (tells) portal->queue->push(event);
      if (counts) count(spec.counter, {(spec.options & entry_option::count_bytes) != 0 ? header.event.moved : 1, 0});
    }
    return !once;
  });
  if (found == 0 && tells) push_event(*portal, number, EventKind::search, spec.user, Failure::no_match);
  // A search for all matches ends with a counted failure.
  if (counts && (found == 0 || !once)) count(spec.counter, {0, 1});
  return Refusal::none;
}

}  // namespace atl::runtime
