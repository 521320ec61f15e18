// SPDX-License-Identifier: Apache-2.0
// Joins against a map from keys to rows.
#include "atoll/table/kernel/join.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "../../array/kernel/sort_cases.hpp"

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
    for (const auto& [n, m] : {std::pair<std::size_t, std::size_t>{0, 0}, {0, 9}, {9, 0}, {1, 1}, {1000, 77}, {1025, 1500}}) {
      if (shape == Shape::constant && n * m > 100'000) continue;
      // The right side has some of the left side's keys.
      const auto left = array::cases::make<std::uint64_t>(shape, n, 3);
      auto right = array::cases::make<std::uint64_t>(shape, m, 4);
      for (std::size_t i = 0; i < std::min(n, m); i += 3) right[i] = left[i];
      std::map<std::uint64_t, std::vector<std::int64_t>> rows;
      for (std::size_t i = 0; i < m; ++i) rows[right[i]].push_back(static_cast<std::int64_t>(i));

      const array::Key column{array::DType::u64, left.data()};
      const array::KeyRange range{0, ~std::uint64_t{0}, false};  // so that keys are themselves
      const array::CompositeKey key({&column, 1}, {&range, 1}, n, 50);
      const JoinTable table(work_, right);
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
        const JoinMatches matches(work_, key, table, kind);
        ASSERT_EQ(matches.count(), expected_left.size());
        std::vector<std::int64_t> left_rows(matches.count()), right_rows(expected_right.size());
        const bool pairs = kind == JoinKind::inner || kind == JoinKind::left;
        matches.write(work_, left_rows.data(), pairs ? right_rows.data() : nullptr);
        EXPECT_EQ(left_rows, expected_left);
        EXPECT_EQ(right_rows, expected_right);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, Join, testing::Values(1u, 2u, 5u));

}  // namespace
}  // namespace atl::table
