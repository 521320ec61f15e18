// SPDX-License-Identifier: Apache-2.0
// Blocks of a dead PE: what its table names is adopted, with its contents, and the rest of its heap is free.
#include "atoll/runtime/ledger.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <map>
#include <memory>

#include "atoll/runtime/context.hpp"

namespace atl::runtime {
namespace {

constexpr std::size_t heap_bytes = std::size_t{256} << 20;

class Segment : public ::testing::Test {
 protected:
  Segment() {
    // A heap starts at a multiple of 2 MiB, so that its large blocks do.
    constexpr std::size_t align = std::size_t{2} << 20;
    map_ = ::mmap(nullptr, Context::system_bytes + heap_bytes + align, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    base_ = reinterpret_cast<std::byte*>(round_up(reinterpret_cast<std::uintptr_t>(map_), align));
  }
  ~Segment() override { ::munmap(map_, Context::system_bytes + heap_bytes + (std::size_t{2} << 20)); }

  // As a process has it that begins over this memory.
  std::shared_ptr<Heap> new_heap() {
    return std::make_shared<Heap>(base_ + Context::system_bytes, heap_bytes, base_, Pages::anonymous, Placement::reuse,
                                  std::make_shared<MemoryBudget>(std::uint64_t{1} << 30, std::uint64_t{1} << 30));
  }
  static std::byte pattern(std::uint64_t id, std::size_t at) { return static_cast<std::byte>(id * 37 + at * 11); }
  static void fill(std::uint64_t id, void* block, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; ++at) static_cast<std::byte*>(block)[at] = pattern(id, at);
  }
  static bool is_filled(std::uint64_t id, const std::byte* block, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; ++at)
      if (block[at] != pattern(id, at)) return false;
    return true;
  }

  void* map_;
  std::byte* base_;
};

TEST_F(Segment, AdoptsBlocksOfAllSizesWithTheirContents) {
  const std::map<std::uint64_t, std::size_t> sizes{{1, 1},       {2, 64},      {3, 1000},    {4, 81'856}, {5, 81'857},
                                                   {6, 200'000}, {7, 3 << 20}, {8, 2 << 20}, {9, 64}};
  std::map<std::uint64_t, const void*> large;
  {
    const auto heap = new_heap();
    Ledger ledger(base_, heap);
    for (const auto& [id, bytes] : sizes) {
      void* block = heap->allocate(bytes);
      fill(id, block, bytes);
      ledger.add(id, block);
      (void)heap->allocate(bytes);  // of the runtime: named nowhere
      if (Heap::is_large(bytes)) large[id] = block;
    }
    ledger.erase(3);
    ledger.complete(12);
  }  // dies
  for (int death = 0; death < 3; ++death) {
    const auto heap = new_heap();
    auto adopted = adopt_blocks(base_, heap);
    EXPECT_EQ(adopted.size(), sizes.size() - 1);
    EXPECT_FALSE(adopted.contains(3));
    EXPECT_EQ(Ledger::completed(base_), 12u);
    // New allocations lie elsewhere.
    for (int i = 0; i < 200; ++i) std::memset(heap->allocate(i % 2 == 0 ? 100 : 300'000), 0xff, 100);
    for (const auto& [id, bytes] : sizes) {
      if (id == 3) continue;
      EXPECT_TRUE(is_filled(id, adopted[id].data, bytes)) << id;
      if (large.contains(id)) { EXPECT_EQ(adopted[id].data, large[id]) << id; }
    }
    heap->abandon();  // dies: nothing is released
  }
}

TEST_F(Segment, GivesBackWhatIsNotAdopted) {
  {
    const auto heap = new_heap();
    Ledger ledger(base_, heap);
    ledger.add(1, heap->allocate(1 << 20));
    (void)heap->allocate(100 << 20);
  }
  const auto heap = new_heap();
  auto adopted = adopt_blocks(base_, heap);
  EXPECT_LT(heap->stats().in_use_bytes, std::uint64_t{4} << 20);
  adopted.clear();
  Ledger(base_, heap).erase(1);
  EXPECT_NO_THROW((void)heap->allocate(200 << 20));
}

TEST_F(Segment, TableGrowsWithItsArrays) {
  const auto heap = new_heap();
  Ledger ledger(base_, heap);
  for (std::uint64_t id = 1; id <= 5000; ++id) ledger.add(id, heap->allocate(64));
  for (std::uint64_t id = 1; id <= 5000; id += 2) ledger.erase(id);
  const auto named = read_ledger(base_);
  EXPECT_EQ(named.size(), 2500u);
  for (const LedgerBlock& block : named) EXPECT_EQ(block.id % 2, 0u);
  // Another one over the same table goes on with it.
  Ledger again(base_, heap);
  again.erase(2);
  again.add(6000, heap->allocate(64));
  EXPECT_EQ(read_ledger(base_).size(), 2500u);
}

}  // namespace
}  // namespace atl::runtime
