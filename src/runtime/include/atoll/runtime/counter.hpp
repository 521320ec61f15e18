// SPDX-License-Identifier: Apache-2.0
// Counters of completed operations and operations triggered by them (Portals 4's counting events and triggered
// operations). Both lie in shared memory: whoever bumps a counter past a threshold carries the operation out, on
// behalf of the PE that queued it, so that it needs no help from that PE.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "atoll/base/ids.hpp"

namespace atl::runtime {

class Context;

/// A counter of the PE it is used with. PEs that allocate counters in the same order get the same ids.
using CounterId = StrongId<struct CounterTag, std::uint32_t>;
inline constexpr CounterId no_counter{UINT32_MAX};

/// A counter of any PE: what an operation bumps when it is complete.
struct CounterRef {
  PeId pe;
  CounterId id = no_counter;
};

inline constexpr std::size_t counters_per_pe = 1024;
inline constexpr std::size_t triggers_per_pe = 2048;
inline constexpr std::size_t inline_bytes = 16;

enum class TriggerKind : std::uint32_t {
  nothing,     ///< only bumps `then`
  put,         ///< from the queuing PE's segment
  put_inline,  ///< up to inline_bytes kept in the trigger itself
  add,         ///< adds to a 64-bit word
  set,         ///< sets a 64-bit word
  get,         ///< into the queuing PE's memory, of any kind, in its progress()
  call,        ///< runs a function in the queuing PE's progress()
};

/// An operation for Context::trigger(). Ranges are checked when it is queued.
struct TriggeredOp {
  TriggerKind kind = TriggerKind::nothing;
  PeId pe;                    ///< target
  HeapOffset to;
  HeapOffset from;            ///< put: in the queuing PE's segment, to be left alone until `then` is bumped; get: in the target's
  std::uint64_t bytes = 0;    ///< put, put_inline, get
  std::uint64_t value = 0;    ///< add, set
  const void* data = nullptr; ///< put_inline: copied when queued
  void* into = nullptr;       ///< get
  std::function<void(Context&)> function;  ///< call
  CounterRef then{};          ///< bumped by 1 when complete: at the target; get: here

  static TriggeredOp make_put(PeId pe, HeapOffset to, HeapOffset from, std::uint64_t bytes, CounterRef then = {}) {
    return {.kind = TriggerKind::put, .pe = pe, .to = to, .from = from, .bytes = bytes, .function = {}, .then = then};
  }
  static TriggeredOp make_put_inline(PeId pe, HeapOffset to, const void* data, std::size_t bytes, CounterRef then = {}) {
    return {.kind = TriggerKind::put_inline, .pe = pe, .to = to, .from = {}, .bytes = bytes, .data = data,
            .function = {}, .then = then};
  }
  static TriggeredOp make_add(PeId pe, HeapOffset to, std::uint64_t value, CounterRef then = {}) {
    return {.kind = TriggerKind::add, .pe = pe, .to = to, .from = {}, .value = value, .function = {}, .then = then};
  }
  static TriggeredOp make_set(PeId pe, HeapOffset to, std::uint64_t value, CounterRef then = {}) {
    return {.kind = TriggerKind::set, .pe = pe, .to = to, .from = {}, .value = value, .function = {}, .then = then};
  }
  /// `then` is bumped when it is here. Until then `into` belongs to it.
  static TriggeredOp make_get(void* into, PeId pe, HeapOffset from, std::uint64_t bytes, CounterRef then = {}) {
    return {.kind = TriggerKind::get, .pe = pe, .to = {}, .from = from, .bytes = bytes, .into = into, .function = {}, .then = then};
  }
  static TriggeredOp make_bump(CounterRef then) {
    return {.kind = TriggerKind::nothing, .pe = {}, .to = {}, .from = {}, .function = {}, .then = then};
  }
  static TriggeredOp make_call(std::function<void(Context&)> function, CounterRef then = {}) {
    return {.kind = TriggerKind::call, .pe = {}, .to = {}, .from = {}, .function = std::move(function), .then = then};
  }
};

// | offset | bytes | field     | valid when                                                                   |
// |--------|-------|-----------|------------------------------------------------------------------------------|
// |   0    |   8   | value     | always                                                                       |
// |   8    |   8   | threshold | lowest of the pending triggers; 0: none                                      |
// |  16    |   4   | first     | 1 + first pending trigger of the owner, in ascending thresholds; 0: none     |
// |  20    |   4   | in_use    | 1: allocated; the owner's                                                    |
struct CounterCell {
  alignas(64) std::atomic<std::uint64_t> value;
  std::atomic<std::uint64_t> threshold;
  std::atomic<std::uint32_t> first;
  std::uint32_t in_use;
};
static_assert(sizeof(CounterCell) == 64);

// | offset | bytes | field     | valid when                                     |
// |--------|-------|-----------|------------------------------------------------|
// |   0    |   8   | threshold | queued                                         |
// |   8    |   4   | next      | 1 + next trigger in its list; 0: last          |
// |  12    |   4   | kind      | TriggerKind                                    |
// |  16    |   4   | pe        | target                                         |
// |  20    |   4   | then_pe   | PE of the counter to bump                      |
// |  24    |   4   | then_id   | UINT32_MAX: none                               |
// |  28    |   4   | spare     |                                                |
// |  32    |   8   | to        | offset in the target's segment; get: address in the owner's process |
// |  40    |   8   | from      | offset in the owner's segment, or operand; get: in the target's; call: key of the function |
// |  48    |   8   | bytes     | put, put_inline, get                           |
// |  56    |   8   | spare     |                                                |
// |  64    |  16   | data      | put_inline                                     |
struct TriggerCell {
  alignas(64) std::uint64_t threshold;
  std::uint32_t next;
  std::uint32_t kind;
  std::uint32_t pe;
  std::uint32_t then_pe;
  std::uint32_t then_id;
  std::uint32_t spare;
  std::uint64_t to;
  std::uint64_t from;
  std::uint64_t bytes;
  std::uint64_t spare2;
  std::byte data[inline_bytes];
};
static_assert(sizeof(TriggerCell) == 128 && offsetof(TriggerCell, data) == 64);

// Start of a PE's segment: what peers may touch in it on the runtime's behalf.
//
// | offset  | field     | valid when                                                                         |
// |---------|-----------|------------------------------------------------------------------------------------|
// |    0    | lock      | 1: somebody changes this PE's trigger lists                                        |
// |    4    | free      | 1 + first freed trigger; 0: none                                                   |
// |    8    | touched   | triggers used so far; those above have never been                                  |
// |   64    | ready     | 1 + first trigger to be run by the owner; 0: none; pushed by anyone |
// |  128    | counters  | always                                                                             |
// |  65,664 | triggers  | those in a list                                                                    |
struct TriggerArea {
  alignas(64) std::atomic<std::uint32_t> lock;
  std::uint32_t free;
  std::uint32_t touched;
  alignas(64) std::atomic<std::uint32_t> ready;
  CounterCell counters[counters_per_pe];
  TriggerCell triggers[triggers_per_pe];
};
static_assert(offsetof(TriggerArea, counters) == 128 && offsetof(TriggerArea, triggers) == 65664);

}  // namespace atl::runtime
