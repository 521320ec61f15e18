// SPDX-License-Identifier: Apache-2.0
// Every way of aggregating against a map from keys.
#include "atoll/table/kernel/aggregate.hpp"
#include "atoll/base/error.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "../../array/kernel/sort_cases.hpp"
#include "../quad.hpp"
#include "atoll/table/kernel/words.hpp"

namespace atl::table {
namespace {

using array::cases::Shape;

class Aggregate : public testing::TestWithParam<unsigned> {
 protected:
  ThreadPool pool_{GetParam()};
  SystemMemory memory_;
  array::Monitor monitor_;
  array::Work work_{pool_, memory_, monitor_};

  struct Group {
    std::uint64_t rows = 0, total = 0;
    Quad sum = 0;
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), first = -1, last = -1;
    double greatest = -std::numeric_limits<double>::infinity();
  };

  template <class T>
  void check(Shape shape, std::size_t n) {
    SCOPED_TRACE(testing::Message() << array::name_of(array::dtype_of<T>) << " "
                                    << array::cases::shape_names[static_cast<int>(shape)] << " n=" << n);
    const std::vector<T> made = array::cases::make<T>(shape, n, n + 1);
    std::unique_ptr<T[]> keys(new T[n + 1]);
    std::copy(made.begin(), made.end(), keys.get());
    SequentialRandom random(n);
    std::vector<double> values(n);
    std::vector<std::int16_t> integers(n);
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = to_unit_interval(random()) - 0.25;
      integers[i] = static_cast<std::int16_t>(random());
    }
    std::map<std::uint64_t, Group> expected;
    for (std::size_t i = 0; i < n; ++i) {
      Group& group = expected[array::ordered_bits(keys[i])];
      if (group.rows++ == 0) group.first = static_cast<std::int64_t>(i) + 1000;
      group.last = static_cast<std::int64_t>(i) + 1000;
      group.total += static_cast<std::uint64_t>(static_cast<std::int64_t>(integers[i]));
      group.sum += values[i];
      group.least = std::min<std::int64_t>(group.least, integers[i]);
      group.greatest = std::max(group.greatest, values[i]);
    }

    const Column columns[] = {{DType::f64, values.data()}, {DType::i16, integers.data()}};
    const array::Key key_columns[] = {{array::dtype_of<T>, keys.get()}};
    const array::KeyRange ranges[] = {array::key_range(work_, key_columns[0], n)};
    const array::CompositeKey key(key_columns, ranges, n, 1000);
    StateSpec sum{StateKind::sum, 0, Wide::f64};
    sum.window = SumWindow::below(0, n, false);
    const std::vector<StateSpec> specs{{StateKind::rows},
                                       sum,
                                       {StateKind::total, 1, Wide::i64},
                                       {StateKind::least, 1, Wide::i64},
                                       {StateKind::greatest, 0, Wide::f64},
                                       {StateKind::first},
                                       {StateKind::last}};
    for (std::size_t presence : {0u, 1u}) {
      const Aggregated found = aggregate(work_, key, columns, specs, presence);
      ASSERT_EQ(found.count, expected.size());
      auto word = [&](std::size_t spec, std::size_t i) {
        return reinterpret_cast<const std::uint64_t*>(found.states[spec].data())[i];
      };
      std::size_t i = 0;
      for (const auto& [bits, group] : expected) {
        ASSERT_EQ(found.keys[i] + ranges[0].min, bits);
        ASSERT_EQ(word(0, i), group.rows);
        ASSERT_EQ(value_of({{reinterpret_cast<const ExactSum*>(found.states[1].data()) + i, 1}, {&sum.window, 1}, {}}),
                  static_cast<double>(group.sum));
        ASSERT_EQ(word(2, i), group.total);
        ASSERT_EQ(static_cast<std::int64_t>(word(3, i)), group.least);
        ASSERT_EQ(from_word<double>(word(4, i)), group.greatest);
        ASSERT_EQ(static_cast<std::int64_t>(word(5, i)), group.first);
        ASSERT_EQ(static_cast<std::int64_t>(word(6, i)), group.last);
        ++i;
      }
    }
  }
};

TEST_P(Aggregate, FindsTheGroupsOfAnyKeys) {
  for (Shape shape : array::cases::all_shapes) {
    for (std::size_t n : {0u, 1u, 5u, 511u, 513u, 17'000u}) {
      check<std::int64_t>(shape, n);
      if (n == 513)
        check<double>(shape, n), check<std::uint8_t>(shape, n), check<bool>(shape, n), check<float>(shape, n),
            check<std::int32_t>(shape, n);
    }
  }
  check<std::uint64_t>(Shape::uniform, 150'001);
}

TEST_P(Aggregate, NoticesKeysOutsideTheRangeItWasMadeFor) {
  for (std::size_t n : {300u, 40'000u, 200'000u}) {
    for (const std::int64_t high : std::initializer_list<std::int64_t>{50, 5000, std::int64_t{1} << 40}) {
      SequentialRandom random(n);
      std::vector<std::int64_t> keys(n);
      for (std::int64_t& key : keys) key = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high)));
      const array::Key column{DType::i64, keys.data()};
      const StateSpec rows{StateKind::rows};
      const array::KeyRange range = array::key_range(work_, column, n);
      const array::CompositeKey key({&column, 1}, {&range, 1}, n);
      EXPECT_FALSE(aggregate(work_, key, {}, {&rows, 1}, 0).outside);
      for (const std::int64_t other :
           std::initializer_list<std::int64_t>{-1, 2 * high + 2, std::numeric_limits<std::int64_t>::max()}) {
        const std::int64_t before = std::exchange(keys[n / 2], other);
        EXPECT_TRUE(aggregate(work_, key, {}, {&rows, 1}, 0).outside) << n << " " << high << " " << other;
        keys[n / 2] = before;
      }
    }
  }
}

TEST_P(Aggregate, FindsTheGroupsOfKeysFarFromTheOthers) {
  const std::size_t n = 150'001;
  for (const int far : {1, 2, 3}) {
    SequentialRandom random(far);
    std::vector<std::int64_t> keys(n);
    // Clusters far from one another, one key alone, and one key that a fifth of the rows have.
    for (std::size_t i = 0; i < n; ++i) {
      const auto cluster = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(far)));
      keys[i] = (cluster << 61) + (i % 5 == 0 ? 77 : static_cast<std::int64_t>(random.below(60'000)));
    }
    keys[n / 2] = std::numeric_limits<std::int64_t>::min();
    keys[n / 3] = std::numeric_limits<std::int64_t>::max();
    std::map<std::int64_t, std::uint64_t> expected;
    for (const std::int64_t key : keys) ++expected[key];
    const array::Key column{DType::i64, keys.data()};
    const array::KeyRange range = array::key_range(work_, column, n);
    const array::CompositeKey key({&column, 1}, {&range, 1}, n);
    const StateSpec rows{StateKind::rows};
    const Aggregated found = aggregate(work_, key, {}, {&rows, 1}, 0);
    ASSERT_EQ(found.count, expected.size());
    std::size_t i = 0;
    for (const auto& [value, count] : expected) {
      ASSERT_EQ(found.keys[i] + range.min, array::ordered_bits(value));
      ASSERT_EQ(reinterpret_cast<const std::uint64_t*>(found.states[0].data())[i], count);
      ++i;
    }
  }
}

/// Memory that fails once; what is written behind a block is found when it is released.
class FailsAt final : public Memory {
 public:
  explicit FailsAt(std::size_t number) : left_(number) {}
  void* allocate(std::size_t bytes) override {
    if (left_.fetch_sub(1) == 0) throw MemoryError("no memory for this test");
    auto* block = static_cast<std::byte*>(std::aligned_alloc(64, header + (bytes + 63) / 64 * 64 + guard));
    std::memcpy(block, &bytes, sizeof bytes);
    std::memset(block + header + bytes, 0x5A, guard);
    return block + header;
  }
  void release(void* pointer) noexcept override {
    std::byte* block = static_cast<std::byte*>(pointer) - header;
    std::size_t bytes;
    std::memcpy(&bytes, block, sizeof bytes);
    for (std::size_t i = 0; i < guard; ++i) intact_ = intact_ && block[header + bytes + i] == std::byte{0x5A};
    std::free(block);
  }
  bool intact() const { return intact_; }

 private:
  static constexpr std::size_t header = 64, guard = 1 << 16;
  std::atomic<std::size_t> left_;
  std::atomic<bool> intact_{true};
};

TEST_P(Aggregate, WithoutMemoryNothingIsWrittenElsewhere) {
  const std::size_t n = 300'000;
  SequentialRandom random(3);
  std::vector<std::int64_t> keys(n);
  for (std::int64_t& key : keys) key = static_cast<std::int64_t>(random() >> 4);
  const array::Key column{DType::i64, keys.data()};
  const array::KeyRange range = array::key_range(work_, column, n);
  const array::CompositeKey key({&column, 1}, {&range, 1}, n);
  const StateSpec rows{StateKind::rows};
  for (std::size_t number = 0;; number += 1 + number / 8) {
    FailsAt memory(number);
    const array::Work work{pool_, memory, monitor_};
    bool done = false;
    try {
      done = aggregate(work, key, {}, {&rows, 1}, 0).count > 0;
    } catch (const MemoryError&) {}
    EXPECT_TRUE(memory.intact()) << number;
    if (done) break;
  }
}

TEST_P(Aggregate, GivesUpWhenAWindowFitsFewValues) {
  const std::size_t n = 100'000;
  for (std::int64_t groups : {3, 20'000}) {
    std::vector<std::int64_t> keys(n);
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i)
      keys[i] = static_cast<std::int64_t>(i) % groups, values[i] = i % 2 == 0 ? 1e30 : 1;
    const array::Key column{DType::i64, keys.data()};
    const Column value_column{DType::f64, values.data()};
    StateSpec sum{StateKind::sum, 0, Wide::f64};
    sum.window = SumWindow::below(1, n, false);
    const array::KeyRange range = array::key_range(work_, column, n);
    const array::CompositeKey key({&column, 1}, {&range, 1}, n);
    EXPECT_TRUE(aggregate(work_, key, {&value_column, 1}, {&sum, 1}, 0).crowded);
  }
}

TEST_P(Aggregate, JoinsParts) {
  const std::vector<StateSpec> specs{{StateKind::rows}, {StateKind::last}};
  const std::uint64_t keys[3][3] = {{1, 4, 9}, {4, 5, 9}, {0, 9, 10}};
  const std::uint64_t rows[3] = {1, 2, 3};
  const std::int64_t last[3][3] = {{1, 2, 3}, {9, 8, 7}, {5, 5, 5}};
  std::vector<GroupsView> parts;
  for (int i = 0; i < 3; ++i)
    parts.push_back(
        {3, keys[i], {reinterpret_cast<const std::byte*>(rows), reinterpret_cast<const std::byte*>(last[i])}});
  const Aggregated joined = join(work_, parts, specs);
  const std::vector<std::uint64_t> expected_keys{0, 1, 4, 5, 9, 10}, expected_rows{1, 1, 3, 2, 8, 3};
  const std::vector<std::int64_t> expected_last{5, 1, 9, 8, 7, 5};
  ASSERT_EQ(joined.count, 6u);
  EXPECT_EQ(std::vector(joined.keys.begin(), joined.keys.end()), expected_keys);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(reinterpret_cast<const std::uint64_t*>(joined.states[0].data())[i], expected_rows[i]);
    EXPECT_EQ(reinterpret_cast<const std::int64_t*>(joined.states[1].data())[i], expected_last[i]);
  }
  EXPECT_EQ(join(work_, {}, specs).count, 0u);
  EXPECT_EQ(join(work_, std::span(parts).first(1), specs).count, 3u);
}

INSTANTIATE_TEST_SUITE_P(Threads, Aggregate, testing::Values(1u, 2u, 5u));

}  // namespace
}  // namespace atl::table
