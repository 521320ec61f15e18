// SPDX-License-Identifier: Apache-2.0
// Columns of texts on every number of PEs, also of several nodes.
#include "atoll/table/ops/text.hpp"

#include <algorithm>
#include <numeric>

#include "../../array/ops/fixture.hpp"
#include "atoll/table/ops/text_order.hpp"

namespace atl::table {
namespace {

using array::Array;
using array::Engine;
using array::testing::name_of_param;
using array::testing::OnPes;
using array::testing::to_array;
using array::testing::to_vector;

class TextColumns : public OnPes {};

Text to_text(Engine& engine, const std::vector<std::string>& texts) {
  std::vector<std::int64_t> offsets{0};
  std::string bytes;
  for (const std::string& text : texts) {
    bytes += text;
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  return text_from_buffers(engine, static_cast<std::int64_t>(texts.size()), {offsets.data()}, {bytes.data()});
}

std::vector<std::string> to_strings(Engine& engine, const Text& text) {
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(text.rows()) + 1);
  std::string bytes(static_cast<std::size_t>(text_bytes(engine, text)), '\0');
  text_to_buffers(engine, text, {offsets.data()}, {bytes.data()});
  std::vector<std::string> texts;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    texts.push_back(
        bytes.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(offsets[i + 1] - offsets[i])));
  return texts;
}

/// Texts that tie in their first eight bytes, some with zeros, some long.
std::vector<std::string> some_texts(std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < n; ++i) {
    std::string text(random() % 3 == 0 ? "prefix of " : "");
    for (std::size_t left = random() % 12; left > 0; --left) text += "ab\0"[random() % 3];
    if (random() % 50 == 0) text.append(5000, 'z');
    texts.push_back(text);
  }
  return texts;
}

TEST_P(TextColumns, AreTakenJoinedAndCut) {
  run([](Engine& engine) {
    for (std::size_t n : {0u, 1u, 7u, 200u}) {
      const std::vector<std::string> texts = some_texts(n);
      const Text text = to_text(engine, texts);
      EXPECT_EQ(to_strings(engine, text), texts);
      const auto rows =
          array::testing::random_integers(n, -static_cast<std::int64_t>(n), static_cast<std::int64_t>(n) - 1, 3);
      std::vector<std::string> taken;
      for (std::int64_t row : rows)
        taken.push_back(texts[static_cast<std::size_t>(row < 0 ? row + static_cast<std::int64_t>(n) : row)]);
      EXPECT_EQ(to_strings(engine, text_take(engine, text, to_array(engine, rows))), taken);
      const std::size_t third = n / 3;
      const Text part =
          text_slice(engine, text, {static_cast<std::int64_t>(third), 1, static_cast<std::int64_t>(n - third)});
      std::vector<std::string> joined(texts.begin() + static_cast<std::ptrdiff_t>(third), texts.end());
      EXPECT_EQ(to_strings(engine, part), joined);
      joined.insert(joined.end(), texts.begin(), texts.end());
      EXPECT_EQ(to_strings(engine, text_concatenate(engine, {part, text})), joined);
    }
  });
}

TEST_P(TextColumns, EveryPeGivesSome) {
  run([](Engine& engine) {
    const std::string mine(3 * engine.pe(), static_cast<char>('a' + engine.pe()));
    std::vector<std::int64_t> offsets;
    for (std::uint32_t i = 0; i <= engine.pe(); ++i) offsets.push_back(3 * i);
    const Text text = text_from_local(engine, engine.pe(), {offsets.data()}, {mine.data()});
    std::vector<std::string> expected;
    for (std::uint32_t pe = 0; pe < engine.npes(); ++pe)
      expected.insert(expected.end(), pe, std::string(3, static_cast<char>('a' + pe)));
    EXPECT_EQ(to_strings(engine, text), expected);
  });
}

TEST_P(TextColumns, AreSortedAndNumbered) {
  run([](Engine& engine) {
    for (std::size_t n : {0u, 1u, 33u, 300u}) {
      const std::vector<std::string> texts = some_texts(n);
      std::vector<std::int64_t> expected(n);
      std::iota(expected.begin(), expected.end(), 0);
      std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) {
        return texts[static_cast<std::size_t>(a)] < texts[static_cast<std::size_t>(b)];
      });
      const Text text = to_text(engine, texts);
      EXPECT_EQ(to_vector<std::int64_t>(engine, text_argsort(engine, text)), expected);
      std::vector<std::string> distinct = texts;
      std::sort(distinct.begin(), distinct.end());
      distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
      const Numbering numbering = text_number(engine, text, Numbers::yes);
      EXPECT_EQ(to_strings(engine, numbering.distinct), distinct);
      const auto numbers = to_vector<std::int64_t>(engine, numbering.numbers);
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(distinct[static_cast<std::size_t>(numbers[i])], texts[i]);
      const auto first = to_vector<std::int64_t>(engine, numbering.first);
      for (std::size_t i = 0; i < distinct.size(); ++i)
        EXPECT_EQ(first[i], std::find(texts.begin(), texts.end(), distinct[i]) - texts.begin());
    }
  });
}

TEST_P(TextColumns, LongRunsThatTieAreSorted) {
  run([](Engine& engine) {
    std::vector<std::string> texts;
    for (int i = 0; i < 1500; ++i)
      texts.push_back(i % 9 == 0
                          ? std::to_string(i)
                          : fmt::format("example.org/{}/{}", i * 7 % 3 == 0 ? "a longer path" : "p", i * 7919 % 500));
    std::vector<std::int64_t> expected(texts.size());
    std::iota(expected.begin(), expected.end(), 0);
    std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) {
      return texts[static_cast<std::size_t>(a)] < texts[static_cast<std::size_t>(b)];
    });
    EXPECT_EQ(to_vector<std::int64_t>(engine, text_argsort(engine, to_text(engine, texts))), expected);
    std::vector<std::string> distinct = texts;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    EXPECT_EQ(to_strings(engine, text_number(engine, to_text(engine, texts), Numbers::yes).distinct), distinct);
  });
}

/// As many as are dealt into buckets: short ones, ones that tie far in, and one with a byte that no sample has.
std::vector<std::string> many_texts() {
  std::vector<std::string> texts = some_texts(66'000);
  std::mt19937 random(1);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i % 4 != 0 || texts[i].size() > 4000) texts[i].clear();
    for (std::size_t left = random() % 12; left > 0; --left) texts[i] += static_cast<char>('b' + random() % 20);
  }
  texts[40'000] += '\xff';
  return texts;
}

TEST_P(TextColumns, ManyAreSortedAndNumberedInBuckets) {
  static const std::vector<std::string> texts = many_texts();
  static const std::vector<std::int64_t> expected = [] {
    std::vector<std::int64_t> rows(texts.size());
    std::iota(rows.begin(), rows.end(), 0);
    std::stable_sort(rows.begin(), rows.end(), [](auto a, auto b) {
      return texts[static_cast<std::size_t>(a)] < texts[static_cast<std::size_t>(b)];
    });
    return rows;
  }();
  run([](Engine& engine) {
    const Text text = to_text(engine, texts);
    EXPECT_EQ(to_vector<std::int64_t>(engine, text_argsort(engine, text)), expected);
    std::vector<std::string> sorted, distinct;
    std::vector<std::int64_t> first;
    for (const std::int64_t row : expected) {
      sorted.push_back(texts[static_cast<std::size_t>(row)]);
      if (sorted.size() > 1 && sorted.back() == sorted[sorted.size() - 2]) continue;
      distinct.push_back(sorted.back());
      first.push_back(row);
    }
    const Text in_order = text_sort(engine, text);
    EXPECT_EQ(in_order.rows_of(engine.pe()), distribution_of(engine, text.rows()).count(engine.pe()));
    EXPECT_EQ(to_strings(engine, in_order), sorted);
    for (const Numbers wanted : {Numbers::no, Numbers::yes}) {
      const Numbering numbering = text_number(engine, text, wanted);
      EXPECT_EQ(to_strings(engine, numbering.distinct), distinct);
      EXPECT_EQ(to_vector<std::int64_t>(engine, numbering.first), first);
    }
  });
}

ATOLL_ON_PES(TextColumns);

}  // namespace
}  // namespace atl::table
