// SPDX-License-Identifier: Apache-2.0
// The target side: matches a message with an entry, moves its data, and posts events. Runs in a handler.
#include <algorithm>
#include <cstring>

#include "state.hpp"

namespace atl::runtime {

using portal::Answer;
using portal::Demand;
using portal::Entry;
using portal::Header;
using portal::Landing;
using portal::Portal;

namespace {

bool answers_with_data(OperationKind kind) {
  return kind == OperationKind::get || kind == OperationKind::fetch_atomic || kind == OperationKind::swap;
}

Failure forbids(const EntrySpec& spec, const Demand& request) {
  if (spec.uid != EntrySpec::any_uid && spec.uid != request.uid) return Failure::permission;
  unsigned needed = entry_option::allow_put;
  if (request.operation == OperationKind::get) needed = entry_option::allow_get;
  else if (answers_with_data(request.operation)) needed |= entry_option::allow_get;
  return (spec.options & needed) == needed ? Failure::none : Failure::operation;
}

EventKind event_of(OperationKind kind) {
  switch (kind) {
    case OperationKind::put: return EventKind::put;
    case OperationKind::get: return EventKind::get;
    case OperationKind::atomic: return EventKind::atomic;
    case OperationKind::fetch_atomic:
    case OperationKind::swap: break;
  }
  return EventKind::fetch_atomic;
}

}  // namespace

// `stops`: an overrun that flow control, where the portal has it, answers by disabling the portal.
Landing PortalInterface::refuse(Portal* portal, const Demand& request, Failure failure, bool stops) {
  if (stops && (portal->options & portal_option::flow_control) != 0) {
    failure = Failure::portal_disabled;
    portal->enabled = false;
    push_event(*portal, request.portal, EventKind::portal_disabled, nullptr, failure);
  }
  auto& violations = failure == Failure::permission  ? violations_.permission
                     : failure == Failure::operation ? violations_.operation
                                                     : violations_.dropped;
  violations.fetch_add(1, std::memory_order_relaxed);
  Landing landing;
  landing.failure = failure;
  return landing;
}

Landing PortalInterface::land(PeId source, const Demand& request) {
  Portal* portal = portal_at(request.portal);
  if (portal == nullptr) return refuse(portal, request, Failure::dropped, false);
  if (!portal->enabled) return refuse(portal, request, Failure::portal_disabled, false);
  if ((portal->options & portal_option::flow_control) != 0 && !portal->queue->has_room())
    return refuse(portal, request, Failure::dropped, true);
  auto wanted = [&](const Entry& entry) {
    return takes(entry.spec, entry.local_offset, source, request.remote_offset, request.bytes);
  };
  Entry* entry = portal->priority.find(source, request.match_bits, wanted);
  if (entry == nullptr) entry = portal->overflow.find(source, request.match_bits, wanted);
  if (entry == nullptr) return refuse(portal, request, Failure::dropped, true);
  if (Failure failure = forbids(entry->spec, request); failure != Failure::none)
    return refuse(portal, request, failure, false);
  bool keeps_header =
      entry->list == ListKind::overflow && (entry->spec.options & entry_option::no_unexpected_headers) == 0;
  if (keeps_header && portal->headers.count() >= limits_.unexpected_headers)
    return refuse(portal, request, Failure::dropped, true);
  Landing landing;
  landing.portal = portal;
  landing.entry = entry;
  landing.list = entry->list;
  settle(request, landing);
  return landing;
}

// How much goes where, and what is left of the entry then.
void PortalInterface::settle(const Demand& request, Landing& landing) {
  Entry& entry = *landing.entry;
  const bool local = (entry.spec.options & entry_option::local_offset) != 0;
  const std::uint64_t length = entry.spec.region.bytes();
  landing.offset = local ? entry.local_offset : request.remote_offset;
  landing.bytes = landing.offset > length ? 0 : std::min(request.bytes, length - landing.offset);
  if (request.operation != OperationKind::put && request.operation != OperationKind::get) {
    bool one = request.operation == OperationKind::swap && request.arithmetic != Arithmetic::swap;
    landing.bytes = std::min(landing.bytes, one ? bytes_of(request.type) : limits_.atomic_bytes);
  }
  if (local) entry.local_offset += landing.bytes;
  bool spent = local && entry.spec.min_free != 0 && length - entry.local_offset < entry.spec.min_free;
  if (!spent && (entry.spec.options & entry_option::use_once) == 0) return;
  landing.use_ends = true;
  unlink_here(entry);
}

void PortalInterface::on_request(PeId source, const Demand& request, std::span<const std::byte> payload) {
  SpinGuard guard(lock_);
  Landing landing = land(source, request);
  if (landing.failure != Failure::none) {
    if (request.cookie != UINT32_MAX) answer(source, request, landing, {});
    return;
  }
  move(source, request, payload, landing);
  note_arrival(source, request, landing);
  if (request.cookie != UINT32_MAX && !answers_with_data(request.operation)) answer(source, request, landing, {});
}

void PortalInterface::move(PeId source, const Demand& request, std::span<const std::byte> payload,
                           const Landing& landing) {
  const Region& region = landing.entry->spec.region;
  const std::uint64_t bytes = landing.bytes, offset = landing.offset;
  std::array<std::byte, portal::operand_bytes> operand{};
  if (request.operation == OperationKind::swap) {
    std::memcpy(operand.data(), payload.data(), operand.size());
    payload = payload.subspan(operand.size());
  }
  if (request.operation == OperationKind::put)
    return region.copy_in(offset, payload.data(), std::min<std::uint64_t>(bytes, payload.size()));

  // What is in pieces is worked on in a copy.
  std::byte* target = bytes == 0 ? nullptr : region.at(offset);
  if (region.in_pieces()) {
    fetched_.resize(bytes);
    region.copy_out(offset, fetched_.data(), bytes);
    target = fetched_.data();
  }
  // A message is copied when it is sent: the old data leave before they change.
  if (answers_with_data(request.operation)) answer(source, request, landing, {target, bytes});
  if (request.operation == OperationKind::get) return;
  std::size_t changed = std::min<std::size_t>(bytes, payload.size());
  if (request.operation == OperationKind::swap)
    portal::apply_swap(request.arithmetic, request.type, target, payload.data(), operand.data(), changed);
  else portal::apply(request.arithmetic, request.type, target, payload.data(), changed);
  if (region.in_pieces()) region.copy_in(offset, target, bytes);
}

void PortalInterface::note_arrival(PeId source, const Demand& request, const Landing& landing) {
  Portal& portal = *landing.portal;
  Entry& entry = *landing.entry;
  const unsigned options = entry.spec.options;
  const bool tells =
      portal.queue != nullptr && (options & (entry_option::no_event | entry_option::no_success_event)) == 0;
  const bool keeps_header = landing.list == ListKind::overflow && (options & entry_option::no_unexpected_headers) == 0;
  if (tells || keeps_header) {
    Event event;
    event.start = entry.spec.region.at(std::min(landing.offset, entry.spec.region.bytes()));
    event.user = entry.spec.user;
    event.header = request.header;
    event.match_bits = request.match_bits;
    event.requested = request.bytes;
    event.moved = landing.bytes;
    event.offset = request.remote_offset;
    event.initiator = source;
    event.uid = request.uid;
    event.portal = request.portal;
    event.kind = event_of(request.operation);
    event.list = landing.list;
    event.operation = static_cast<std::uint8_t>(request.arithmetic);
    event.type = static_cast<std::uint8_t>(request.type);
    if (tells) portal.queue->push(event);
    if (keeps_header) {
      std::unique_ptr<Header> header;
      if (portal.spare.empty()) {
        header = std::make_unique<Header>();
      } else {
        header = std::move(portal.spare.back());
        portal.spare.pop_back();
      }
      header->envelope = {source, request.match_bits, request.bytes};
      header->remote_offset = request.remote_offset;
      header->event = event;
      header->entry = &entry;
      ++entry.headers;
      portal.headers.append(*header.release());  // back by take_header()
    }
  }
  if ((options & entry_option::count) != 0 && entry.spec.counter != no_counter)
    count(entry.spec.counter, {(options & entry_option::count_bytes) != 0 ? landing.bytes : 1, 0});
  if (!landing.use_ends) return;
  entry.unlinked_by_itself = true;
  if ((options & entry_option::no_unlink_event) == 0) {
    push_event(portal, request.portal, EventKind::auto_unlink, entry.spec.user, Failure::none);
    entry.tell_when_free = landing.list == ListKind::overflow;
  }
  retire(entry);
}

// From a handler: may be sent later, but is copied now.
void PortalInterface::answer(PeId to, const Demand& request, const Landing& landing, std::span<const std::byte> data) {
  Answer answer;
  answer.interface = number_;
  answer.failure = landing.failure;
  answer.list = landing.list;
  answer.cookie = request.cookie;
  answer.moved = landing.bytes;
  answer.offset = landing.offset;
  send(to, std::as_bytes(std::span(&answer, 1)), data);
}

void PortalInterface::hear(PeId source, std::span<const std::byte> payload) {
  if (static_cast<portal::Kind>(payload[0]) == portal::Kind::request) {
    Demand demand;
    if (portal::read(payload, demand)) on_request(source, demand, payload);
    return;
  }
  Answer answer;
  if (payload.size() < sizeof(answer)) return;
  std::memcpy(&answer, payload.data(), sizeof(answer));
  on_answer(answer, payload.subspan(sizeof(answer)));
}

}  // namespace atl::runtime
