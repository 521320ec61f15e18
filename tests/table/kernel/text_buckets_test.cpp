// SPDX-License-Identifier: Apache-2.0
// Texts in buckets beside a stable sort of strings.
#include "atoll/table/kernel/text/buckets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include "atoll/base/random.hpp"

namespace atl::table {
namespace {

constexpr std::size_t n = 70'000;

struct Column {
  std::vector<std::string> texts;
  std::vector<std::int64_t> offsets{0};
  std::string bytes;

  explicit Column(std::vector<std::string> given) : texts(std::move(given)) {
    for (const std::string& text : texts) {
      bytes += text;
      offsets.push_back(static_cast<std::int64_t>(bytes.size()));
    }
    bytes.reserve(bytes.size() + 64);
  }
  TextView view() const { return {offsets.data(), bytes.data(), texts.size()}; }
};

/// `count` texts of up to `longest` bytes out of an alphabet.
std::vector<std::string> random_texts(std::string_view alphabet, std::size_t longest, std::size_t count = n) {
  SequentialRandom random(longest);
  std::vector<std::string> texts(count);
  for (std::string& text : texts)
    for (std::size_t left = random.below(longest + 1); left > 0; --left)
      text += alphabet[random.below(alphabet.size())];
  return texts;
}

class TextBucketsOnThreads : public testing::TestWithParam<unsigned> {
 protected:
  SystemMemory memory_;
  array::Monitor monitor_;
  ThreadPool threads_{GetParam()};
  array::Work work_{threads_, memory_, monitor_};

  void expect_sorted(const std::vector<std::string>& texts, std::size_t depth = 0) {
    const Column column(texts);
    const auto buckets = TextBuckets::of(work_, column.view(), depth);
    ASSERT_TRUE(buckets);
    std::vector<std::int64_t> expected(texts.size()), rows(texts.size());
    std::iota(expected.begin(), expected.end(), 0);
    auto text = [&](std::int64_t row) -> const std::string& { return texts[static_cast<std::size_t>(row)]; };
    std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return text(a) < text(b); });
    const auto apart = std::make_unique<bool[]>(texts.size());
    buckets->order(work_, rows.data(), apart.get());
    ASSERT_EQ(rows, expected);

    std::vector<std::int64_t> offsets{0}, distinct_offsets{0}, first;
    std::string bytes, distinct;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const bool differs = i == 0 || text(expected[i]) != text(expected[i - 1]);
      ASSERT_EQ(apart[i], differs) << i;
      bytes += text(expected[i]);
      offsets.push_back(static_cast<std::int64_t>(bytes.size()));
      if (!differs) continue;
      distinct += text(expected[i]);
      distinct_offsets.push_back(static_cast<std::int64_t>(distinct.size()));
      first.push_back(expected[i]);
    }
    // What lies behind the last text is left alone.
    std::vector<std::int64_t> found(offsets.size());
    std::string room(bytes.size() + 16, '?');
    buckets->write(work_, found.data(), room.data());
    EXPECT_EQ(found, offsets);
    EXPECT_EQ(room, bytes + std::string(16, '?'));

    const TextBuckets::Distinct result = buckets->distinct(work_);
    ASSERT_EQ(result.count(), first.size());
    ASSERT_EQ(result.bytes(), distinct_offsets.back());
    std::vector<std::int64_t> found_first(first.size());
    found.resize(first.size() + 1);
    room.assign(distinct.size() + 16, '?');
    result.write(work_, found.data(), room.data(), found_first.data());
    EXPECT_EQ(found, distinct_offsets);
    EXPECT_EQ(room, distinct + std::string(16, '?'));
    EXPECT_EQ(found_first, first);
  }
};

TEST_P(TextBucketsOnThreads, SortAlphabetsOfAllSizes) {
  for (const std::string_view alphabet : {"0123456789", "abcdefghijklmnopqrstuvwxyz", "ACGTacgt .-"})
    expect_sorted(random_texts(alphabet, 15));
  std::string all(256, '\0');
  std::iota(all.begin(), all.end(), '\0');
  expect_sorted(random_texts(all, 12));
}

TEST_P(TextBucketsOnThreads, SortLongTextsAndThoseThatTieFarIn) {
  std::vector<std::string> texts = random_texts("abcdefghij", 40);
  for (std::size_t i = 0; i < texts.size(); i += 3)
    texts[i] = texts[i].substr(0, 3) + "the same middle of a text" + texts[i];
  for (std::size_t i = 1; i < texts.size(); i += 301)
    texts[i] = texts[i].substr(0, 1) + std::string(i % 2 == 0 ? 14 : 16, 'b');
  texts[7].assign(std::size_t{1} << 20, 'c');
  texts[8] = texts[7] + 'a';
  texts[9] = texts[7];
  expect_sorted(texts);
}

TEST_P(TextBucketsOnThreads, DistinguishZerosFromTheEnd) {
  std::vector<std::string> texts = random_texts("abcdefghijklmnop", 4);
  for (std::size_t i = 0; i < texts.size(); i += 2) texts[i].append(i / 2 % 13, '\0');
  for (std::size_t i = 0; i < texts.size(); i += 5) texts[i] += i % 2 == 0 ? "z" : "";
  expect_sorted(texts);
}

TEST_P(TextBucketsOnThreads, SortBytesThatNoSampleHas) {
  std::vector<std::string> texts = random_texts("klmnopqrstuv", 9);
  texts[n / 3] = "mn\x01";
  texts[n / 2] = "m\xff\xfe";
  texts[n - 1] = "mno~";
  expect_sorted(texts);
}

TEST_P(TextBucketsOnThreads, SkipTheCommonPrefix) {
  std::vector<std::string> texts = random_texts("abcdefghijklmnopqrstuvwxyz", 20);
  for (std::string& text : texts) text.insert(0, "https://example.org/");
  expect_sorted(texts, 20);
}

TEST_P(TextBucketsOnThreads, SortFewDistinctOnes) {
  const std::vector<std::string> some = random_texts("abcdefghijklmnopqrstuvwxyz", 18, 200);
  std::vector<std::string> texts;
  SequentialRandom random(5);
  for (std::size_t i = 0; i < n; ++i) texts.push_back(some[random.below(some.size())]);
  expect_sorted(texts);
}

TEST_P(TextBucketsOnThreads, RefuseStringsThatWouldFillOneBucket) {
  std::vector<std::string> texts = random_texts("abcdefghijklmnopqrstuvwxyz", 10, 3 * n);
  EXPECT_FALSE(TextBuckets::of(work_, Column(random_texts("abc", 10, 1000)).view(), 0));
  for (std::size_t i = 0; i < 3 * n; ++i)
    if (i % 5 != 0) texts[i].insert(0, "the same");
  EXPECT_FALSE(TextBuckets::of(work_, Column(texts).view(), 0));
}

INSTANTIATE_TEST_SUITE_P(Threads, TextBucketsOnThreads, testing::Values(1u, 3u));

}  // namespace
}  // namespace atl::table
