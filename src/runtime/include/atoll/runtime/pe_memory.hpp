// SPDX-License-Identifier: Apache-2.0
// The memory of a PE: its heaps, its budget, and the system area of its segment.
//
// A PE's segment:  [ system area | symmetric heap | heap | static area ]
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "atoll/base/ids.hpp"
#include "atoll/fabric/layout.hpp"
#include "atoll/runtime/heap.hpp"
#include "atoll/runtime/ledger.hpp"
#include "atoll/runtime/options.hpp"

namespace atl::runtime {

class OneSided;

class PeMemory {
 public:
  static constexpr std::size_t system_bytes = system_area_bytes;
  static constexpr std::size_t ledger_offset = runtime::ledger_offset;

  PeMemory(const OneSided& one_sided, const ContextOptions& options);
  PeMemory(const PeMemory&) = delete;
  PeMemory& operator=(const PeMemory&) = delete;

  /// This PE's own blocks, at offsets that differ between PEs. Peers reach them by peer_pointer() and the offset.
  Heap& heap() { return *heap_; }
  /// The same heap, for blocks that outlive the Context: in a recoverable job it keeps the job's memory but not the
  /// Context, which a new Context replaces after the death of a PE. Null in other jobs.
  std::shared_ptr<Heap> lasting_heap() const { return is_recoverable_ ? heap_ : nullptr; }
  /// The blocks of a dead PE that this process replaces, by the numbers of their arrays. The caller owns them.
  std::unordered_map<std::uint64_t, AdoptedBlock> take_adopted() { return std::move(adopted_); }
  const MemoryBudget& budget() const { return *budget_; }
  /// The symmetric heap, for callers that agree among the PEs in their own way: the same calls in the same order give
  /// the same offsets on every PE.
  Heap& symmetric_heap() { return *symmetric_; }
  /// A zeroed part of the system area that is never released: the same offset on every PE whose calls before were
  /// the same. Not collective, costs nothing. For synchronisation words of collectives.
  HeapOffset reserve_system(std::size_t bytes, std::size_t align = fabric::cache_line);
  /// Where StaticData lies: ContextOptions::static_bytes of untouched pages.
  HeapOffset static_area() const { return static_area_; }
  std::uint64_t static_area_bytes() const { return segment_bytes_ - static_area_.value(); }

  /// Whether this process is the child of a fork, which is not a PE and releases nothing.
  bool abandoned() const { return abandoned_; }

 protected:
  /// For a Context that releases nothing: the child of a fork.
  void abandon_heaps() noexcept {
    abandoned_ = true;
    symmetric_->abandon();
    heap_->abandon();
  }
  /// For a Context whose construction fails: the ledger still names the blocks, for the next attempt.
  void leave_adopted() noexcept {
    if (!adopted_.empty()) heap_->abandon();
  }

 private:
  std::shared_ptr<Heap> adopt_heap(const OneSided& one_sided, std::uint64_t symmetric_bytes, std::uint64_t bytes);

  std::uint64_t segment_bytes_;
  bool abandoned_ = false;
  bool is_recoverable_;
  std::size_t system_used_;
  HeapOffset static_area_;
  std::shared_ptr<MemoryBudget> budget_;
  std::shared_ptr<Heap> symmetric_;  // of one PE alone: heap_
  std::shared_ptr<Heap> heap_;
  std::unordered_map<std::uint64_t, AdoptedBlock> adopted_;
};

}  // namespace atl::runtime
