// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/lock.hpp"

#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/progress.hpp"

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
Lock::Lock(OneSided& one_sided, Progress& progress, HeapOffset word)
    : one_sided_(one_sided),
      progress_(progress),
      word_(word),
      home_(static_cast<std::uint32_t>(word.value() / 8 % one_sided.npes())) {}

void Lock::set() {
  PeId me = one_sided_.pe();
  one_sided_.set<std::uint32_t>(me, place(), waits);
  std::uint32_t before = one_sided_.swap<std::uint32_t>(home_, last(), me.value() + 1);
  if (before == 0) return;  // `waits` stays until clear(): somebody may be writing to the place already
  one_sided_.fetch_or<std::uint32_t>(PeId(before - 1), place(), me.value() + 1);
  // Acquire, in fetch; partner: clear() of the PE before.
  progress_.wait([&] { return (one_sided_.fetch<std::uint32_t>(me, place()) & waits) == 0; });
}

bool Lock::test() {
  // The place first: as soon as the swap is seen, somebody may queue behind this PE.
  PeId me = one_sided_.pe();
  one_sided_.set<std::uint32_t>(me, place(), 0);
  return one_sided_.compare_swap<std::uint32_t>(home_, last(), 0, me.value() + 1) == 0;
}

void Lock::clear() {
  PeId me = one_sided_.pe();
  one_sided_.quiet();
  std::uint32_t next = one_sided_.fetch_and<std::uint32_t>(me, place(), ~waits) & ~waits;
  if (next == 0) {
    if (one_sided_.compare_swap<std::uint32_t>(home_, last(), me.value() + 1, 0) == me.value() + 1) return;
    // Another PE has queued, and is about to write its number.
    progress_.wait([&] { return (next = one_sided_.fetch<std::uint32_t>(me, place())) != 0; });
  }
  one_sided_.set<std::uint32_t>(me, place(), 0);
  one_sided_.fetch_and<std::uint32_t>(PeId(next - 1), place(), ~waits);
}

}  // namespace atl::runtime
