// SPDX-License-Identifier: Apache-2.0
#include "atoll/base/parallel.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

namespace atl {
namespace {

class Pool : public testing::TestWithParam<unsigned> {};

TEST_P(Pool, RangesCoverEveryIndexOnce) {
  ThreadPool pool(GetParam());
  for (std::size_t count : {0, 1, 63, 64, 65, 1000, 4097}) {
    std::vector<int> seen(count, 0);
    pool.for_ranges(count, 64, [&](std::size_t begin, std::size_t end, unsigned) {
      EXPECT_EQ(begin % 64, 0u);
      for (std::size_t i = begin; i < end; ++i) ++seen[i];
    });
    EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), 0), static_cast<int>(count));
  }
}

TEST_P(Pool, DynamicCoversEveryIndexOnce) {
  ThreadPool pool(GetParam());
  std::vector<std::atomic<int>> seen(1000);
  pool.for_each_dynamic(seen.size(), [&](std::size_t index, unsigned thread) {
    EXPECT_LT(thread, pool.size());
    ++seen[index];
  });
  for (auto& count : seen) EXPECT_EQ(count, 1);
}

TEST_P(Pool, ExceptionReachesTheCallerAndThePoolLivesOn) {
  ThreadPool pool(GetParam());
  for (int round = 0; round < 100; ++round) {
    EXPECT_THROW(pool.on_each([&](unsigned thread) {
      if (thread + 1 == pool.size()) throw std::runtime_error("last");
    }),
                 std::runtime_error);
    std::atomic<unsigned> ran{0};
    pool.on_each([&](unsigned) { ++ran; });
    EXPECT_EQ(ran, pool.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, Pool, testing::Values(1u, 2u, 3u, 8u));

}  // namespace
}  // namespace atl
