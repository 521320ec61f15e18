// SPDX-License-Identifier: Apache-2.0
// The blocks of a PE's heap that another process needs to know when this one dies: a table in the segment, which the
// process that takes the PE's place reads to adopt them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "atoll/base/ids.hpp"
#include "atoll/runtime/heap.hpp"

namespace atl::runtime {

// At a fixed place of each segment (ledger_offset). A PE writes its own; others read it when the PE is dead,
// and `completed` at any time.
//
// | offset | bytes | field     | valid when                                                                    |
// |--------|-------|-----------|-------------------------------------------------------------------------------|
// |   0    |   8   | entries   | always; 0: there is no table, else its offset in the segment (release)         |
// |   8    |   8   | completed | always: number of the last command that the PE has completed (release)         |
// |  16    |   8   | heap      | entries is not 0: the heap's offset in the segment                            |
// |  24    |   8   | bytes     | likewise: its size                                                            |
struct LedgerHead {
  std::atomic<std::uint64_t> entries;
  std::atomic<std::uint64_t> completed;
  std::uint64_t heap;
  std::uint64_t bytes;
  std::byte reserved[32];
};
static_assert(sizeof(LedgerHead) == 64);

/// Size of the system area, which lies before the heaps in each segment. The LedgerHead is at its end.
inline constexpr std::size_t system_area_bytes = std::size_t{2} << 20;
inline constexpr std::size_t ledger_offset = system_area_bytes - sizeof(LedgerHead);

// | offset | bytes | field  | valid when                                                                       |
// |--------|-------|--------|----------------------------------------------------------------------------------|
// |   0    |   8   | id     | always; 0: the entry is free, else it holds the array of this number (release)    |
// |   8    |   8   | offset | id is not 0: of the block in the segment                                         |
// |  16    |   8   | bytes  | likewise: of the block, as the heap rounds it up                                 |
// |  24    |   8   | count  | of the first entry alone, which is always free: entries of the table             |
struct LedgerEntry {
  std::atomic<std::uint64_t> id;
  std::uint64_t offset;
  std::uint64_t bytes;
  std::uint64_t count;
};
static_assert(sizeof(LedgerEntry) == 32);

/// A block that a table names.
struct LedgerBlock {
  std::uint64_t id = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// What the table of a segment says. Any process that maps the segment may read that of a dead PE.
std::vector<LedgerBlock> read_ledger(const std::byte* segment);

/// A PE's own table. One thread.
class Ledger {
 public:
  /// Continues the table of the segment, whose blocks lie in `heap`, or begins one.
  Ledger(std::byte* segment, std::shared_ptr<Heap> heap);

  void add(std::uint64_t id, const void* block);
  void erase(std::uint64_t id);
  /// All that was added and erased before is seen by a process that reads this number.
  void complete(std::uint64_t command) {
    head().completed.store(command, std::memory_order_release);  // partner: completed()
  }

  static LedgerHead& head_of(std::byte* segment);
  static std::uint64_t completed(std::byte* segment) {
    return head_of(segment).completed.load(std::memory_order_acquire);  // partner: complete()
  }

 private:
  LedgerHead& head() { return head_of(segment_); }
  void grow();

  std::byte* segment_;
  std::shared_ptr<Heap> heap_;
  LedgerEntry* entries_ = nullptr;
  std::uint64_t count_ = 0;
  std::vector<std::uint32_t> free_;
  std::unordered_map<std::uint64_t, std::uint32_t> places_;
};

/// A block of a dead PE, in the process that has taken its place.
struct AdoptedBlock {
  std::byte* data = nullptr;
  std::shared_ptr<void> owner;
};

/// Gives `heap`, new over the memory of a dead PE's heap, the blocks that the table of the segment names, and begins a
/// table that names the same. Large blocks stay where they are; those that share a unit of the heap are copied. The
/// table that was there stays valid until the new one is whole. Returns the blocks by the numbers of their arrays.
std::unordered_map<std::uint64_t, AdoptedBlock> adopt_blocks(std::byte* segment, const std::shared_ptr<Heap>& heap);

}  // namespace atl::runtime
