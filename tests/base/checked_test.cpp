// SPDX-License-Identifier: Apache-2.0
#include "atoll/base/checked.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace atl {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

TEST(Checked, SumsAndProductsThatFitAreThoseOfTheType) {
  EXPECT_EQ(checked_add(most - 1, 1), most);
  EXPECT_EQ(checked_multiply(std::int64_t{1} << 31, std::int64_t{1} << 31), std::int64_t{1} << 62);
  EXPECT_EQ(checked_multiply(std::size_t{0}, std::numeric_limits<std::size_t>::max()), 0u);
  EXPECT_EQ(checked_sum(std::vector<std::int64_t>{1, 2, 3}), 6);
  EXPECT_EQ(checked_sum(std::vector<std::int64_t>{}), 0);
}

TEST(Checked, OverflowIsAMemoryError) {
  EXPECT_THROW((void)checked_add(most, 1), MemoryError);
  EXPECT_THROW((void)checked_multiply(std::int64_t{1} << 32, std::int64_t{1} << 31), MemoryError);
  EXPECT_THROW((void)checked_add(std::numeric_limits<std::size_t>::max(), 1), MemoryError);
  // Four quarters of 2^64 are 0 where sums wrap.
  EXPECT_THROW((void)checked_sum(std::vector<std::int64_t>(4, std::int64_t{1} << 62)), MemoryError);
  EXPECT_THROW((void)checked_sum(std::vector<std::uint64_t>(4, std::uint64_t{1} << 62)), MemoryError);
}

TEST(Buffers, ACountThatOverflowsIsAMemoryError) {
  SystemMemory memory;
  EXPECT_THROW((Buffer<std::uint64_t>(memory, std::size_t{1} << 61)), MemoryError);
  EXPECT_THROW(memory.allocate(SIZE_MAX - 64), MemoryError);
}

}  // namespace
}  // namespace atl
