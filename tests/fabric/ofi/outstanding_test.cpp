// SPDX-License-Identifier: Apache-2.0
#ifdef ATOLL_HAS_LIBFABRIC
#include "outstanding.hpp"

#include <gtest/gtest.h>

namespace atl::fabric::ofi {
namespace {

TEST(Outstanding, AWaitIgnoresLaterOperations) {
  Outstanding operations;
  Pending& first = operations.count();
  ++first.left;
  std::uint64_t since = operations.generation();
  EXPECT_FALSE(operations.has_finished(since));
  for (int later = 0; later < 3; ++later) {
    ++operations.count().left;
    EXPECT_FALSE(operations.has_finished(since)) << later;
  }
  --first.left;
  EXPECT_TRUE(operations.has_finished(since));
  EXPECT_EQ(operations.count().left, 3u);
}

TEST(Outstanding, ConcurrentWaitsAreIndependent) {
  Outstanding operations;
  Pending& first = operations.count();
  ++first.left;
  std::uint64_t one = operations.generation();
  EXPECT_FALSE(operations.has_finished(one));
  Pending& second = operations.count();
  ++second.left;
  std::uint64_t two = operations.generation();
  EXPECT_FALSE(operations.has_finished(two));
  ++operations.count().left;  // of neither
  --second.left;
  EXPECT_FALSE(operations.has_finished(two)) << "the first is older";
  --first.left;
  EXPECT_TRUE(operations.has_finished(one));
  EXPECT_FALSE(operations.has_finished(two))
      << "counted together with one of neither, which began before there was a new count";
  --second.left;
  EXPECT_TRUE(operations.has_finished(two));
  EXPECT_TRUE(operations.has_finished(one)) << "asked again, much later";
}

TEST(Outstanding, NothingIsFinishedAtOnce) {
  Outstanding operations;
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(operations.has_finished(operations.generation()));
  Pending other;
  EXPECT_TRUE(operations.is_count(&operations.count()));
  EXPECT_FALSE(operations.is_count(&other));
  EXPECT_FALSE(operations.is_count(nullptr));
}

}  // namespace
}  // namespace atl::fabric::ofi
#endif
