// SPDX-License-Identifier: Apache-2.0
// Counters of completed operations and operations triggered by them (Portals 4's counting events and triggered
// operations). Both lie in shared memory: the thread that increments a counter past a threshold carries the operation
// out, on behalf of the PE that queued it, so that it needs no help from that PE.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "atoll/base/ids.hpp"
#include "atoll/fabric/remote_path.hpp"

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

/// What a counter has counted: operations that succeeded (or their bytes), and operations that failed.
struct Count {
  std::uint64_t success = 0;
  std::uint64_t failure = 0;

  friend constexpr bool operator==(const Count&, const Count&) = default;
};

inline constexpr std::size_t counters_per_pe = 1024;
/// Triggers that have their place from the start. More lie in blocks of the PE's heap, each twice as large as the one
/// before.
inline constexpr std::size_t triggers_per_pe = 2048;
inline constexpr std::size_t trigger_blocks = 7;
/// As many can be queued on one PE when its heap has room for them.
inline constexpr std::size_t most_triggers = triggers_per_pe * ((std::size_t{2} << trigger_blocks) - 1);
inline constexpr std::size_t inline_bytes = 16;

enum class TriggerKind : std::uint32_t {
  nothing,     ///< only bumps `then`
  put,         ///< from the queuing PE's segment
  put_inline,  ///< up to inline_bytes kept in the trigger itself
  add,         ///< adds to a 64-bit word
  set,         ///< sets a 64-bit word
  count,       ///< adds `counts` to `then`
  reset,       ///< sets `then` to `counts`
  // What only the queuing PE can do, in its progress():
  get,         ///< into its memory, of any kind
  fetch,       ///< an atomic on a 64-bit word, the old value into its memory
  call,        ///< runs a function
  run,         ///< runs a plain function with one argument
};

/// An operation for Context::trigger(). Ranges are checked when it is queued.
struct TriggeredOp {
  TriggerKind kind = TriggerKind::nothing;
  PeId pe;                    ///< target
  HeapOffset to;
  HeapOffset from;  ///< put: in the queuing PE's segment, to be left alone until `then` is bumped; get: in the target's
  std::uint64_t bytes = 0;  ///< put, put_inline, get
  std::uint64_t value = 0;  ///< add, set, fetch
  const void* data = nullptr;  ///< put_inline: copied when queued; run: the argument
  void* into = nullptr;  ///< get, fetch
  std::function<void(Context&)> function;  ///< call
  CounterRef then{};  ///< bumped by 1 when complete: at the target; get, fetch: here. count, reset: what they change
  Count counts{};  ///< count, reset
  fabric::AtomicOp how = fabric::AtomicOp::add;  ///< fetch
  std::uint64_t expected = 0;  ///< fetch: of compare_swap
  void (*plain)(Context&, void*) = nullptr;  ///< run

  static TriggeredOp make_put(PeId pe, HeapOffset to, HeapOffset from, std::uint64_t bytes, CounterRef then = {}) {
    return {.kind = TriggerKind::put, .pe = pe, .to = to, .from = from, .bytes = bytes, .function = {}, .then = then};
  }
  static TriggeredOp make_put_inline(PeId pe, HeapOffset to, const void* data, std::size_t bytes,
                                     CounterRef then = {}) {
    return {.kind = TriggerKind::put_inline,
            .pe = pe,
            .to = to,
            .from = {},
            .bytes = bytes,
            .data = data,
            .function = {},
            .then = then};
  }
  static TriggeredOp make_add(PeId pe, HeapOffset to, std::uint64_t value, CounterRef then = {}) {
    return {.kind = TriggerKind::add, .pe = pe, .to = to, .from = {}, .value = value, .function = {}, .then = then};
  }
  static TriggeredOp make_set(PeId pe, HeapOffset to, std::uint64_t value, CounterRef then = {}) {
    return {.kind = TriggerKind::set, .pe = pe, .to = to, .from = {}, .value = value, .function = {}, .then = then};
  }
  /// `then` is bumped when it is here. Until then `into` belongs to it.
  static TriggeredOp make_get(void* into, PeId pe, HeapOffset from, std::uint64_t bytes, CounterRef then = {}) {
    return {.kind = TriggerKind::get,
            .pe = pe,
            .to = {},
            .from = from,
            .bytes = bytes,
            .into = into,
            .function = {},
            .then = then};
  }
  static TriggeredOp make_bump(CounterRef then) {
    return {.kind = TriggerKind::nothing, .pe = {}, .to = {}, .from = {}, .function = {}, .then = then};
  }
  /// Adds to a counter, its failures too; it may fire what waits there in its turn.
  static TriggeredOp make_count(CounterRef counter, Count by) {
    return {.kind = TriggerKind::count, .pe = {}, .to = {}, .from = {}, .function = {}, .then = counter, .counts = by};
  }
  /// Sets a counter.
  static TriggeredOp make_reset(CounterRef counter, Count to) {
    return {.kind = TriggerKind::reset, .pe = {}, .to = {}, .from = {}, .function = {}, .then = counter, .counts = to};
  }
  /// An atomic on a 64-bit word; the old value goes to `into`, and then `then` is bumped.
  static TriggeredOp make_fetch(std::uint64_t* into, PeId pe, HeapOffset word, fabric::AtomicOp how,
                                std::uint64_t value, std::uint64_t expected = 0, CounterRef then = {}) {
    return {.kind = TriggerKind::fetch,
            .pe = pe,
            .to = word,
            .from = {},
            .value = value,
            .into = into,
            .function = {},
            .then = then,
            .how = how,
            .expected = expected};
  }
  static TriggeredOp make_swap(std::uint64_t* into, PeId pe, HeapOffset word, std::uint64_t value,
                               CounterRef then = {}) {
    return make_fetch(into, pe, word, fabric::AtomicOp::swap, value, 0, then);
  }
  /// A call without a function object: nothing is allocated. The caller that cancels it gets the argument back.
  static TriggeredOp make_run(void (*function)(Context&, void*), void* argument, CounterRef then = {}) {
    return {.kind = TriggerKind::run,
            .pe = {},
            .to = {},
            .from = {},
            .data = argument,
            .function = {},
            .then = then,
            .plain = function};
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
// |  24    |   8   | failures  | always. A trigger is due when value and failures together reach its threshold |
// |  32    |   4   | last      | 1 + last pending trigger; first is not 0                                     |
struct CounterCell {
  alignas(64) std::atomic<std::uint64_t> value;
  std::atomic<std::uint64_t> threshold;
  std::atomic<std::uint32_t> first;
  std::uint32_t in_use;
  std::atomic<std::uint64_t> failures;
  std::uint32_t last;
};
static_assert(sizeof(CounterCell) == 64 && offsetof(CounterCell, failures) == 24);

// | offset | bytes | field     | valid when                                                                          |
// |--------|-------|-----------|-------------------------------------------------------------------------------------|
// |   0    |   8   | threshold | queued                                                                              |
// |   8    |   4   | next      | 1 + next trigger in its list; 0: last                                               |
// |   12   |   4   | kind      | TriggerKind                                                                         |
// |   16   |   4   | pe        | target                                                                              |
// |   20   |   4   | then_pe   | PE of the counter to bump                                                           |
// |   24   |   4   | then_id   | UINT32_MAX: none                                                                    |
// |   28   |   4   | how       | fetch: AtomicOp                                                                     |
// |   32   |   8   | to        | offset at the target; get: address in the owner's process; run: the function        |
// |   40   |   8   | from      | owner's offset, operand; get: target's; call: key; run: argument; else: successes   |
// |   48   |   8   | bytes     | put, put_inline, get; count, reset: failures; fetch: address in the owner's process |
// |   56   |   8   | expected  | fetch                                                                               |
// |   64   |  16   | data      | put_inline                                                                          |
struct TriggerCell {
  alignas(64) std::uint64_t threshold;
  std::uint32_t next;
  std::uint32_t kind;
  std::uint32_t pe;
  std::uint32_t then_pe;
  std::uint32_t then_id;
  std::uint32_t how;
  std::uint64_t to;
  std::uint64_t from;
  std::uint64_t bytes;
  std::uint64_t expected;
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
// |   64    | ready     | 1 + first trigger to be run by the owner; 0: none; pushed by anyone                |
// |   68    | ready_last | 1 + the last of them; ready is not 0                                              |
// |   72    | more      | offset of each further block of triggers in the segment; 0: not made               |
// |  128    | counters  | always                                                                             |
// |  65,664 | triggers  | those in a list                                                                    |
struct TriggerArea {
  alignas(64) std::atomic<std::uint32_t> lock;
  std::uint32_t free;
  std::uint32_t touched;
  alignas(64) std::atomic<std::uint32_t> ready;
  std::uint32_t ready_last;
  std::uint64_t more[trigger_blocks];
  CounterCell counters[counters_per_pe];
  TriggerCell triggers[triggers_per_pe];
};
static_assert(offsetof(TriggerArea, more) == 72 && offsetof(TriggerArea, counters) == 128 &&
              offsetof(TriggerArea, triggers) == 65664);

/// Trigger 1, 2, …, wherever it lies. Block b holds those from triggers_per_pe * (2^(b+1) - 1) on.
inline TriggerCell& trigger_cell(TriggerArea& area, std::uint32_t number) {
  std::size_t index = number - 1;
  if (index < triggers_per_pe) return area.triggers[index];
  std::size_t block = static_cast<std::size_t>(std::bit_width(index / triggers_per_pe + 1)) - 2;
  std::size_t first = triggers_per_pe * ((std::size_t{2} << block) - 1);
  return reinterpret_cast<TriggerCell*>(reinterpret_cast<std::byte*>(&area) + area.more[block])[index - first];
}

}  // namespace atl::runtime
