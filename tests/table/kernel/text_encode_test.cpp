// SPDX-License-Identifier: Apache-2.0
// Texts by number beside a map of strings.
#include "atoll/table/kernel/text/encode.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "atoll/base/random.hpp"

namespace atl::table {
namespace {

class TextEncode : public testing::TestWithParam<unsigned> {
 protected:
  SystemMemory memory_;
  array::Monitor monitor_;
  ThreadPool threads_{GetParam()};
  array::Work work_{threads_, memory_, monitor_};

  void expect_numbered(const std::vector<std::string>& texts) {
    std::vector<std::int64_t> offsets{0}, first;
    std::string bytes;
    std::map<std::string, std::uint32_t> known;
    std::vector<std::uint32_t> numbers;
    for (const std::string& text : texts) {
      const auto [at, is_new] = known.emplace(text, static_cast<std::uint32_t>(first.size()));
      if (is_new) first.push_back(static_cast<std::int64_t>(numbers.size()));
      numbers.push_back(at->second);
      bytes += text;
      offsets.push_back(static_cast<std::int64_t>(bytes.size()));
    }
    bytes.reserve(bytes.size() + 64);
    for (const Numbers wanted : {Numbers::yes, Numbers::no}) {
      const Encoded encoded = encode(work_, {offsets.data(), bytes.data(), texts.size()}, wanted);
      ASSERT_EQ(encoded.count, first.size());
      EXPECT_EQ(std::vector<std::int64_t>(encoded.first.begin(), encoded.first.end()), first);
      EXPECT_EQ(std::vector<std::uint32_t>(encoded.numbers.begin(), encoded.numbers.end()),
                wanted == Numbers::yes ? numbers : std::vector<std::uint32_t>());
    }
  }
};

TEST_P(TextEncode, NumbersTextsAsTheyAppear) {
  // Lengths around what an image holds, tables that grow several times, lines that overflow.
  for (const std::size_t distinct : {1, 3, 40, 5000}) {
    SequentialRandom random(distinct);
    std::vector<std::string> some, texts;
    for (std::size_t i = 0; i < distinct; ++i)
      some.push_back(std::to_string(i * i) + std::string(random.below(14), 'x'));
    for (std::size_t i = 0; i < 30'000; ++i) texts.push_back(some[random.below(distinct)]);
    expect_numbered(texts);
  }
}

TEST_P(TextEncode, DistinguishesZerosLengthsAndLongStrings) {
  std::vector<std::string> texts;
  for (std::size_t round = 0; round < 3; ++round) {
    for (std::size_t length = 0; length < 40; ++length) {
      texts.emplace_back(length, '\0');
      texts.emplace_back(length, 'a');
      texts.push_back(std::string(length, 'a') + '\0');
    }
    texts.emplace_back(std::size_t{1} << 20, 'a');
    texts.push_back(texts.back() + 'b');
    texts.push_back('b' + texts.back());
  }
  expect_numbered(texts);
  expect_numbered({});
}

INSTANTIATE_TEST_SUITE_P(Threads, TextEncode, testing::Values(1u, 3u));

}  // namespace
}  // namespace atl::table
