// SPDX-License-Identifier: Apache-2.0
// Texts of rows that jump about beside the same rows one by one.
#include "atoll/table/kernel/text/gather.hpp"

#include <gtest/gtest.h>

#include <string>

#include "atoll/base/random.hpp"

namespace atl::table {
namespace {

constexpr std::size_t n = 1'200'000;

// A column in blocks that end at `ends`, which lie apart.
struct Column {
  std::vector<std::vector<std::int64_t>> offsets;
  std::vector<std::string> bytes;
  std::vector<TextBlock> blocks;
  std::vector<std::int64_t> begins{0};

  Column(std::vector<std::size_t> ends, std::size_t longest) {
    SequentialRandom random(longest);
    std::size_t row = 0;
    for (const std::size_t end : ends) {
      std::vector<std::int64_t> own{0};
      std::string text;
      for (; row < end; ++row) {
        std::size_t length = random.below(longest + 1);
        if (row % 1000 == 7) length = 16 + random.below(3);  // around what a record holds
        if (row % 100'000 == 8) length = 5000;
        text.append(length, static_cast<char>('a' + random.below(26)));
        own.push_back(static_cast<std::int64_t>(text.size()));
      }
      text.reserve(text.size() + 64);
      offsets.push_back(std::move(own));
      bytes.push_back(std::move(text));
      begins.push_back(static_cast<std::int64_t>(end));
    }
    for (std::size_t b = 0; b < ends.size(); ++b) blocks.push_back({offsets[b].data(), bytes[b].data()});
  }
};

struct Texts {
  std::vector<std::int64_t> offsets;
  std::string bytes;
};

Texts one_by_one(const array::Work& work, const Column& column, const std::vector<std::int64_t>& rows) {
  Spans spans(work.memory, rows.size());
  locate(work, column.blocks, column.begins, rows.data(), rows.size(), spans.data.data(), spans.lengths.data());
  Texts texts{std::vector<std::int64_t>(rows.size() + 1), {}};
  to_offsets(work, spans.lengths.data(), rows.size(), texts.offsets.data());
  texts.bytes.resize(static_cast<std::size_t>(texts.offsets.back()));
  copy_spans(work, spans, texts.offsets.data(), texts.bytes.data());
  return texts;
}

class TextGather : public testing::TestWithParam<unsigned> {
 protected:
  SystemMemory memory_;
  array::Monitor monitor_;
  ThreadPool threads_{GetParam()};
  array::Work work_{threads_, memory_, monitor_};
};

TEST_P(TextGather, EqualsOneByOne) {
  for (const std::vector<std::size_t>& ends : {std::vector<std::size_t>{n}, {n / 3, n / 3, n / 2 + 11, n}}) {
    const Column column(ends, 30);
    SequentialRandom random(1);
    std::vector<std::int64_t> rows(n + 12'345);
    for (std::int64_t& row : rows) row = static_cast<std::int64_t>(random.below(2 * n)) - static_cast<std::int64_t>(n);
    const auto gathered = GatheredTexts::of(work_, column.blocks, column.begins, rows.data(), rows.size());
    ASSERT_TRUE(gathered);
    const Texts expected = one_by_one(work_, column, rows);
    ASSERT_EQ(gathered->bytes(), expected.offsets.back());
    // What lies behind the last text is left alone.
    Texts found{std::vector<std::int64_t>(rows.size() + 1), std::string(expected.bytes.size() + 16, '?')};
    gathered->write(work_, found.offsets.data(), found.bytes.data());
    EXPECT_EQ(found.offsets, expected.offsets);
    EXPECT_EQ(found.bytes, expected.bytes + std::string(16, '?'));
  }
}

TEST_P(TextGather, LeavesRowsThatAreAsFastOneByOne) {
  const Column column({n}, 30), lengthy({n / 10}, 400);
  SequentialRandom random(1);
  std::vector<std::int64_t> rows(n);
  for (std::size_t i = 0; i < n; ++i) rows[i] = static_cast<std::int64_t>(i);
  EXPECT_FALSE(GatheredTexts::of(work_, column.blocks, column.begins, rows.data(), n));  // in order
  for (std::int64_t& row : rows) row = static_cast<std::int64_t>(random.below(n / 10));
  EXPECT_FALSE(GatheredTexts::of(work_, lengthy.blocks, lengthy.begins, rows.data(), n));
  for (std::int64_t& row : rows) row *= 10;
  EXPECT_TRUE(GatheredTexts::of(work_, column.blocks, column.begins, rows.data(), n));
  EXPECT_FALSE(GatheredTexts::of(work_, column.blocks, column.begins, rows.data(), 1000));  // few
  EXPECT_FALSE(GatheredTexts::of(work_, column.blocks, column.begins, rows.data(), 0));
}

INSTANTIATE_TEST_SUITE_P(Threads, TextGather, testing::Values(1u, 3u));

}  // namespace
}  // namespace atl::table
