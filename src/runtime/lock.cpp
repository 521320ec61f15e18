// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/lock.hpp"

#include "atoll/runtime/context.hpp"

namespace atl::runtime {
namespace {

// A word, by halves:
//
// | offset | bytes | field | valid when                                                                            |
// |--------|-------|-------|---------------------------------------------------------------------------------------|
// |   0    |   4   | last  | at the home PE: 0 free, or 1 + the PE that came last                                  |
// |   4    |   4   | place | bit 31: this PE waits, or need not any more; below: 0, or 1 + the next PE in the queue |
constexpr std::uint32_t waits = 1u << 31;

}  // namespace

// Locks that lie beside one another have their queues on different PEs.
Lock::Lock(Context& context, HeapOffset word)
    : context_(context), word_(word), home_(static_cast<std::uint32_t>(word.value() / 8 % context.npes())) {}

void Lock::set() {
  PeId me = context_.pe();
  context_.set<std::uint32_t>(me, place(), waits);
  std::uint32_t before = context_.swap<std::uint32_t>(home_, last(), me.value() + 1);
  if (before == 0) return;  // `waits` stays until clear(): somebody may be writing to the place already
  context_.fetch_or<std::uint32_t>(PeId(before - 1), place(), me.value() + 1);
  // Acquire, in fetch; partner: clear() of the PE before.
  context_.wait([&] { return (context_.fetch<std::uint32_t>(me, place()) & waits) == 0; });
}

bool Lock::test() {
  // The place first: as soon as the swap is seen, somebody may queue behind this PE.
  PeId me = context_.pe();
  context_.set<std::uint32_t>(me, place(), 0);
  return context_.compare_swap<std::uint32_t>(home_, last(), 0, me.value() + 1) == 0;
}

void Lock::clear() {
  PeId me = context_.pe();
  context_.quiet();
  std::uint32_t next = context_.fetch_and<std::uint32_t>(me, place(), ~waits) & ~waits;
  if (next == 0) {
    if (context_.compare_swap<std::uint32_t>(home_, last(), me.value() + 1, 0) == me.value() + 1) return;
    // Another PE has queued, and is about to write its number.
    context_.wait([&] { return (next = context_.fetch<std::uint32_t>(me, place())) != 0; });
  }
  context_.set<std::uint32_t>(me, place(), 0);
  context_.fetch_and<std::uint32_t>(PeId(next - 1), place(), ~waits);
}

}  // namespace atl::runtime
