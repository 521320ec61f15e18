// SPDX-License-Identifier: Apache-2.0
// What an interface keeps: portals with their lists, entries, unexpected headers, operations that wait for an answer or
// a counter.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "atoll/messaging/lists.hpp"
#include "atoll/portal/portal.hpp"
#include "wire.hpp"

namespace atl::runtime::portal {

struct Entry {
  matching::Link<Entry> link;
  Pattern pattern;  // of spec, for the list
  std::uint64_t order = 0;  // the list's
  EntrySpec spec;
  ListKind list = ListKind::priority;
  std::uint32_t portal = 0;
  std::uint32_t number = 0;  // in the pool
  std::uint64_t local_offset = 0;  // of the next message
  std::uint32_t headers = 0;  // number of unexpected headers of messages that landed here
  bool unlinked_by_itself = false;
  bool tell_when_free = false;

  Entry() { link.entry = this; }
};

/// Of a message that landed in the overflow list.
struct Header {
  matching::Link<Header> in_bin, in_order;
  Envelope envelope;
  std::uint64_t remote_offset = 0;
  Event event;  // as at its arrival
  Entry* entry = nullptr;  // that holds the data

  Header() { in_bin.entry = in_order.entry = this; }
};

struct Portal {
  explicit Portal(unsigned options, EventQueue* queue)
      : options(options), queue(queue), enabled((options & portal_option::disabled) == 0) {}
  ~Portal() {
    headers.visit({.source = {}, .ignore = UINT64_MAX}, [&](Header& header) {
      headers.remove(header);
      delete &header;
      return true;
    });
  }
  unsigned options;
  EventQueue* queue;
  bool enabled;
  matching::PostedList<Entry> priority, overflow;
  matching::UnexpectedList<Header> headers;
  std::vector<std::unique_ptr<Header>> spare;

  matching::PostedList<Entry>& list(ListKind kind) { return kind == ListKind::priority ? priority : overflow; }
};

/// The counter and queue that are notified when data have left.
struct Leaving {
  EventQueue* queue = nullptr;
  CounterId counter = no_counter;
  void* user = nullptr;
  std::uint64_t count = 0;  // to add
};

/// An operation that an answer will come to. Descriptors may be released meanwhile: what is needed of them is here.
struct Pending {
  OperationKind kind = OperationKind::put;
  Acknowledge acknowledge = Acknowledge::none;
  PeId pe{};
  void* user = nullptr;
  EventQueue* queue = nullptr;
  CounterId counter = no_counter;
  unsigned options = 0;
  Region into;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  // The answer may be here before the thread that sent the request is back: then it says that the data have left.
  const Leaving* starter = nullptr;  // of a thread that is in start(), its own; null: that has been said
  Leaving leaving;
};

struct Triggered {
  enum class What : std::uint8_t { operation, count, set, call };
  What what = What::operation;
  PortalInterface* interface = nullptr;
  std::uint32_t number = 0;  // in the pool
  Operation operation;
  CounterId counter = no_counter;
  Count count;
  std::function<void()> function;
};

/// Where a request's data go.
struct Landing {
  Failure failure = Failure::none;
  Portal* portal = nullptr;
  Entry* entry = nullptr;
  ListKind list = ListKind::priority;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  bool use_ends = false;  // the entry has been unlinked
};

/// Applies source to target, elementwise.
void apply(Arithmetic operation, Scalar type, std::byte* target, const std::byte* source, std::size_t bytes);
/// One element, by the comparison of the operation with `operand`; swap: `bytes` of them.
void apply_swap(Arithmetic operation, Scalar type, std::byte* target, const std::byte* source, const std::byte* operand,
                std::size_t bytes);

}  // namespace atl::runtime::portal
