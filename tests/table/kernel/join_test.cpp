// SPDX-License-Identifier: Apache-2.0
// Joins against a map from keys to rows.
#include "atoll/table/kernel/join.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "../../array/kernel/sort_cases.hpp"
#include "atoll/table/kernel/state.hpp"

namespace atl::table {
namespace {

using array::cases::Shape;

class Join : public testing::TestWithParam<unsigned> {
 protected:
  ThreadPool pool_{GetParam()};
  SystemMemory memory_;
  array::Monitor monitor_;
  array::Work work_{pool_, memory_, monitor_};
};

TEST_P(Join, FindsEveryPair) {
  for (Shape shape : {Shape::uniform, Shape::few, Shape::constant, Shape::outlier, Shape::geometric}) {
    for (const auto& [n, m] :
         {std::pair<std::size_t, std::size_t>{0, 0}, {0, 9}, {9, 0}, {1, 1}, {1000, 77}, {1025, 1500}, {1600, 1100}}) {
      if (shape == Shape::constant && n * m > 100'000) continue;
      // The right side has some of the left side's keys; in the last case those of all rows of some blocks.
      const auto left = array::cases::make<std::uint64_t>(shape, n, 3);
      auto right = array::cases::make<std::uint64_t>(shape, m, 4);
      for (std::size_t i = 0; i < std::min(n, m); i += n == 1600 ? 1 : 3) right[i] = left[i];
      std::map<std::uint64_t, std::vector<std::int64_t>> rows;
      for (std::size_t i = 0; i < m; ++i) rows[right[i]].push_back(static_cast<std::int64_t>(i));

      JoinTable table;
      table.fill(work_, right);
      std::vector<std::int64_t> partners(n);
      table.find(left.data(), n, partners.data());
      for (JoinKind kind : {JoinKind::inner, JoinKind::left, JoinKind::semi, JoinKind::anti}) {
        std::vector<std::int64_t> expected_left, expected_right;
        for (std::size_t i = 0; i < n; ++i) {
          const auto found = rows.find(left[i]);
          const bool any = found != rows.end();
          const auto row = static_cast<std::int64_t>(i) + 50;
          if (kind == JoinKind::semi || kind == JoinKind::anti) {
            if (any == (kind == JoinKind::semi)) expected_left.push_back(row);
          } else if (any) {
            for (std::int64_t other : found->second) expected_left.push_back(row), expected_right.push_back(other);
          } else if (kind == JoinKind::left) {
            expected_left.push_back(row), expected_right.push_back(-1);
          }
        }
        const bool both = kind == JoinKind::inner || kind == JoinKind::left;
        auto copy = partners;
        JoinPairs pairs(copy, 50, table.lists(), kind);
        for (std::size_t block = 0; block * block_rows < n; ++block) pairs.count_block(block);
        pairs.add_up();
        const std::size_t count = pairs.count();
        ASSERT_EQ(count, expected_left.size());
        std::vector<std::int64_t> left_rows(count), right_rows(expected_right.size());
        // In pieces, and at once.
        for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
          end = std::min(count, begin + 1 + count / 3);
          pairs.write(work_, begin, end, left_rows.data() + begin, both ? right_rows.data() + begin : nullptr);
        }
        EXPECT_EQ(left_rows, expected_left);
        EXPECT_EQ(right_rows, expected_right);
        if (!both || pairs.has_lists()) continue;
        std::vector<std::int64_t> in_place(count);
        pairs.write_in_place(work_, in_place.data());
        copy.resize(count);
        EXPECT_EQ(in_place, expected_left);
        EXPECT_EQ(copy, expected_right);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, Join, testing::Values(1u, 2u, 5u));

}  // namespace
}  // namespace atl::table
