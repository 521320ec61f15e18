// SPDX-License-Identifier: Apache-2.0
// Pages of Parquet: decoded, and broken in every byte.
#include "atoll/table/kernel/parquet/chunk.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "atoll/base/error.hpp"
#include "pages.hpp"

namespace atl::table {
namespace {

using namespace pages;

TEST(ParquetChunks, OfNumbersRoundTrip) {
  SystemMemory memory;
  for (const Case& one : all_cases()) {
    for (std::uint32_t distinct : {1u, 2u, 100u, 300u, 40'000u}) {
      const Bytes bytes = numbers_of(one, distinct);
      for (bool with_room : {false, true}) {
        InMemory source(memory, bytes);
        Collected found(one.rows, with_room);
        decode_numbers(memory, source, chunk_of(one, ParquetChunk::Physical::i64), found);
        for (std::int64_t row = 0; row < one.rows; ++row) {
          const auto i = static_cast<std::size_t>(row);
          EXPECT_EQ(found.there[i], there(one, row));
          EXPECT_EQ(found.values[i], there(one, row) ? static_cast<std::int64_t>(row % distinct) * 1'000'003 - 5 : 0);
        }
      }
    }
  }
}

/// Some rows of so many, as their numbers in a file where the chunk begins with `first`: none, ends, repeated ones, few
/// and most.
std::vector<std::vector<std::int64_t>> some_rows(std::int64_t rows, std::int64_t first) {
  std::vector<std::vector<std::int64_t>> all{{}};
  if (rows == 0) return all;
  all.push_back({first, first + rows - 1});
  all.push_back({first + rows / 2, first + rows / 2, first + rows / 2});
  for (std::int64_t step : {1, 3, 200}) {
    all.emplace_back();
    for (std::int64_t row = step / 2; row < rows; row += step) all.back().push_back(first + row);
  }
  return all;
}

TEST(ParquetChunks, GiveTheRowsThatAreWanted) {
  SystemMemory memory;
  constexpr std::int64_t first = 5000;
  for (const Case& one : all_cases()) {
    const Bytes numbers = numbers_of(one, 300), texts = texts_of(one);
    for (const auto& rows : some_rows(one.rows, first)) {
      const WantedRows wanted(rows, first);
      const auto count = static_cast<std::int64_t>(rows.size());
      for (bool with_room : {false, true}) {
        InMemory source(memory, numbers);
        Collected found(count, with_room);
        decode_numbers(memory, source, chunk_of(one, ParquetChunk::Physical::i64), found, wanted);
        Collected floats(count, with_room);
        decode_numbers(memory, source, chunk_of(one, ParquetChunk::Physical::i64), floats, wanted, {false, 100.0});
        for (std::size_t i = 0; i < rows.size(); ++i) {
          const std::int64_t row = rows[i] - first, value = there(one, row) ? row % 300 * 1'000'003 - 5 : 0;
          EXPECT_EQ(found.there[i], there(one, row));
          EXPECT_EQ(found.values[i], value);
          EXPECT_EQ(std::bit_cast<double>(floats.values[i]), static_cast<double>(value) / 100.0);
        }
      }
      InMemory source(memory, texts);
      const ParquetTexts found = decode_texts(memory, source, chunk_of(one, ParquetChunk::Physical::text), wanted);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::int64_t row = rows[i] - first;
        const auto value = static_cast<std::uint32_t>(row % 90);
        const std::string expected =
            there(one, row) ? std::string(value % 23, static_cast<char>('a' + value % 26)) : "";
        EXPECT_EQ(std::string(found.bytes.data() + found.offsets[i], found.bytes.data() + found.offsets[i + 1]),
                  expected);
        EXPECT_EQ(found.valid.empty() || (found.valid[i / 8] >> (i % 8) & 1) != 0, there(one, row));
      }
    }
  }
}

TEST(ParquetChunks, OfFewWordsAreCodes) {
  SystemMemory memory;
  for (const Case& one : all_cases()) {
    const Bytes bytes = texts_of(one);
    const ParquetChunk chunk = chunk_of(one, ParquetChunk::Physical::text);
    InMemory source(memory, bytes);
    const auto words = read_words(memory, source, chunk);
    if (one.rows == 0) continue;
    ASSERT_EQ(words.has_value(), one.dictionary);
    std::vector<std::int64_t> codes(90);
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::int64_t>(i * 7 % 90);
    if (!one.dictionary) {
      Collected found(one.rows, true);
      EXPECT_THROW(decode_codes(memory, source, chunk, found, {}, codes, 4), ValueError);
      continue;
    }
    ASSERT_EQ(words->size(), 90u);
    for (std::size_t i = 0; i < words->size(); ++i)
      EXPECT_EQ((*words)[i], std::string(i % 23, static_cast<char>('a' + i % 26)));
    class Bytewise final : public NumbersSink {
     public:
      std::byte* room(std::int64_t, std::int64_t) override { return nullptr; }
      void put(std::int64_t first, std::int64_t rows, const std::byte* from, const std::uint8_t* valid) override {
        EXPECT_EQ(static_cast<std::size_t>(first), found.size());
        for (std::int64_t i = 0; i < rows; ++i)
          found.push_back(valid == nullptr || (valid[i / 8] >> (i % 8) & 1) != 0 ? static_cast<int>(from[i]) : -1);
      }
      std::vector<int> found;
    };
    for (const auto& rows : some_rows(one.rows, 0)) {
      Bytewise found;
      decode_codes(memory, source, chunk, found, WantedRows(rows, 0), codes, 1);
      ASSERT_EQ(found.found.size(), rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i)
        EXPECT_EQ(found.found[i],
                  there(one, rows[i]) ? static_cast<int>(codes[static_cast<std::size_t>(rows[i] % 90)]) : -1);
    }
  }
}

TEST(ParquetChunks, RefuseRowsThatAreNotThere) {
  SystemMemory memory;
  const Case one{false, true, false, 40};
  const Bytes bytes = numbers_of(one, 20);
  for (const std::vector<std::int64_t>& rows : std::vector<std::vector<std::int64_t>>{{5, 4}, {-1}, {40}}) {
    InMemory source(memory, bytes);
    Collected found(static_cast<std::int64_t>(rows.size()), true);
    EXPECT_THROW(decode_numbers(memory, source, chunk_of(one, ParquetChunk::Physical::i64), found, WantedRows(rows, 0)),
                 ValueError);
  }
}

TEST(ParquetChunks, OfStringsRoundTrip) {
  SystemMemory memory;
  for (const Case& one : all_cases()) {
    const Bytes bytes = texts_of(one);
    InMemory source(memory, bytes);
    const ParquetTexts found = decode_texts(memory, source, chunk_of(one, ParquetChunk::Physical::text));
    for (std::int64_t row = 0; row < one.rows; ++row) {
      const auto value = static_cast<std::uint32_t>(row % 90);
      const std::string wanted = there(one, row) ? std::string(value % 23, static_cast<char>('a' + value % 26)) : "";
      EXPECT_EQ(std::string(found.bytes.data() + found.offsets[static_cast<std::size_t>(row)],
                            found.bytes.data() + found.offsets[static_cast<std::size_t>(row) + 1]),
                wanted);
      if (!found.valid.empty()) {
        EXPECT_EQ((found.valid[static_cast<std::size_t>(row) / 8] >> (row % 8) & 1) != 0, there(one, row));
      }
    }
  }
}

TEST(ParquetChunks, ThatAreBrokenRaiseOrGiveOtherRows) {
  SystemMemory memory;
  std::mt19937 random(7);
  for (const Case& one : all_cases()) {
    if (one.rows != 40) continue;
    for (bool text : {false, true}) {
      const Bytes whole = text ? texts_of(one) : numbers_of(one, 20);
      const std::vector<std::int64_t> some{0, 7, 39};
      auto decode = [&](const Bytes& bytes) {
        InMemory source(memory, bytes);
        Collected found(one.rows, true);
        const ParquetChunk chunk = chunk_of(one, text ? ParquetChunk::Physical::text : ParquetChunk::Physical::i64);
        try {
          if (text) (void)decode_texts(memory, source, chunk, WantedRows(some, 0));
          else decode_numbers(memory, source, chunk, found, WantedRows(some, 0));
          if (text) (void)read_words(memory, source, chunk);
          if (text) (void)decode_texts(memory, source, chunk);
          else decode_numbers(memory, source, chunk, found);
        } catch (const ValueError& error) {
          EXPECT_NE(std::string(error.what()).find("page at byte"), std::string::npos) << error.what();
          return false;
        }
        return true;
      };
      for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_FALSE(decode(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)))) << size;
      for (std::size_t at = 0; at < whole.size(); ++at) {
        for (int value : {0, 0xff, 0x7f, static_cast<int>(random() % 256)}) {
          Bytes broken = whole;
          broken[at] = static_cast<std::byte>(value);
          decode(broken);
        }
      }
    }
  }
}

TEST(PackedNumbers, OfAllWidths) {
  std::mt19937 random(3);
  for (unsigned width = 1; width <= 32; ++width) {
    for (std::size_t count : {1u, 7u, 8u, 100u, 1025u}) {
      std::vector<std::uint32_t> numbers;
      for (std::size_t i = 0; i < count; ++i)
        numbers.push_back(static_cast<std::uint32_t>(random()) &
                          static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1));
      const Bytes bytes = packed_numbers(numbers, width);
      std::vector<std::uint32_t> found(count);
      PackedNumbers packed(bytes, width);
      for (std::size_t at = 0; at < count; at += 33)
        packed.read(found.data() + at, std::min<std::size_t>(33, count - at));
      EXPECT_EQ(found, numbers) << width;
    }
  }
}

// Levels are counted: one of 255 would be as many values.
TEST(PackedNumbers, OfARunHaveTheirBitsAndNoMore) {
  for (int value : {0, 1, 2, 255}) {
    Bytes run;
    put_varint(run, 40 << 1);
    run.push_back(static_cast<std::byte>(value));
    std::vector<std::uint32_t> found(40);
    PackedNumbers packed(run, 1);
    if (value > 1) {
      EXPECT_THROW(packed.read(found.data(), 40), ValueError);
    } else {
      packed.read(found.data(), 40);
      EXPECT_EQ(found, std::vector<std::uint32_t>(40, static_cast<std::uint32_t>(value)));
    }
  }
}

}  // namespace
}  // namespace atl::table
