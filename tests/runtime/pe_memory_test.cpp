// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/pe_memory.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "atoll/fabric/job.hpp"
#include "atoll/runtime/context.hpp"

namespace atl::runtime {
namespace {

TEST(PeMemory, PartsOfTheSystemAreaAreZeroedAlignedAndApart) {
  auto job = fabric::Job::create_loop({.npes = 1, .segment_bytes = 16 << 20});
  Context context(job, PeId(0));
  PeMemory& memory = context;
  std::uint64_t end = 0;
  for (std::size_t bytes : {std::size_t{1}, std::size_t{8}, std::size_t{100}, std::size_t{64}}) {
    const HeapOffset at = memory.reserve_system(bytes);
    EXPECT_EQ(at.value() % 64, 0u);
    EXPECT_GE(at.value(), end);
    end = at.value() + bytes;
    for (std::size_t i = 0; i < bytes; ++i) EXPECT_EQ(context.local_pointer<std::uint8_t>(at)[i], 0);
    std::memset(context.local_pointer(at), 0xFF, bytes);
  }
  EXPECT_LE(end, PeMemory::system_bytes);
}

TEST(PeMemory, AnAbandonedPeReleasesNothing) {
  auto job = fabric::Job::create_loop({.npes = 1, .segment_bytes = 16 << 20});
  Context context(job, PeId(0));
  PeMemory& memory = context;
  EXPECT_FALSE(memory.abandoned());
  void* block = memory.heap().allocate(4096);
  std::memset(block, 0x5A, 4096);
  context.abandon();
  EXPECT_TRUE(memory.abandoned());
  memory.heap().release(block);
  void* other = memory.heap().allocate(4096);
  EXPECT_NE(other, block);
  EXPECT_EQ(static_cast<std::uint8_t*>(block)[4095], 0x5A);
}

TEST(PeMemory, BlocksLieInTheSegmentOfThePe) {
  auto job = fabric::Job::create_loop({.npes = 1, .segment_bytes = 64 << 20});
  Context context(job, PeId(0), {.symmetric_bytes = 4 << 20, .static_bytes = 1 << 20});
  PeMemory& memory = context;
  void* own = memory.heap().allocate(100);
  void* symmetric = memory.symmetric_heap().allocate(100);
  EXPECT_NE(&memory.heap(), &memory.symmetric_heap());
  EXPECT_LT(context.offset_of(symmetric).value(), context.offset_of(own).value());
  EXPECT_LT(context.offset_of(own).value(), memory.static_area().value());
  EXPECT_GE(memory.static_area_bytes(), std::uint64_t{1} << 20);
  memory.heap().release(own);
  memory.symmetric_heap().release(symmetric);
}

}  // namespace
}  // namespace atl::runtime
