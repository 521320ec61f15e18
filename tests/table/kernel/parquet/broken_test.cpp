// SPDX-License-Identifier: Apache-2.0
// Chunks of Parquet that are broken at random, with footers that say something else: decoded, or refused with the
// page's place.
#include <gtest/gtest.h>

#include <numeric>

#include "atoll/base/error.hpp"
#include "broken.hpp"
#include "pages.hpp"

namespace atl::table {
namespace {

using namespace pages;

class Nowhere final : public NumbersSink {
 public:
  explicit Nowhere(std::int64_t rows, std::size_t width)
      : rows_(rows), width_(width), room_(static_cast<std::size_t>(rows) * width) {}
  std::byte* room(std::int64_t first, std::int64_t rows) override {
    EXPECT_TRUE(first >= 0 && rows >= 0 && first + rows <= rows_) << first << " " << rows << " of " << rows_;
    return first % 2 == 0 ? room_.data() + static_cast<std::size_t>(first) * width_ : nullptr;
  }
  void put(std::int64_t first, std::int64_t rows, const std::byte* values, const std::uint8_t* valid) override {
    EXPECT_TRUE(first >= 0 && rows >= 0 && first + rows <= rows_) << first << " " << rows << " of " << rows_;
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows) * width_; ++i) sum += static_cast<unsigned>(values[i]);
    for (std::size_t i = 0; valid != nullptr && i < (static_cast<std::size_t>(rows) + 7) / 8; ++i) sum += valid[i];
  }
  std::uint64_t sum = 0;

 private:
  std::int64_t rows_;
  std::size_t width_;
  std::vector<std::byte> room_;
};

void look_at(const ParquetTexts& texts, std::int64_t rows) {
  EXPECT_EQ(texts.offsets[0], 0);
  for (std::int64_t i = 0; i < rows; ++i)
    ASSERT_LE(texts.offsets[static_cast<std::size_t>(i)], texts.offsets[static_cast<std::size_t>(i) + 1]);
  ASSERT_LE(static_cast<std::size_t>(texts.offsets[static_cast<std::size_t>(rows)]), texts.bytes.size());
  const std::int64_t sum = std::accumulate(
      texts.bytes.data(), texts.bytes.data() + texts.offsets[static_cast<std::size_t>(rows)], std::int64_t{0});
  EXPECT_NE(sum, INT64_MIN);
}

/// One way to read a chunk; what it refuses it refuses with the place.
template <class Read>
void refusing(Read&& read) {
  try {
    read();
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("page at byte"), std::string::npos) << error.what();
  }
}

void read_in_all_ways(Memory& memory, const Bytes& bytes, ParquetChunk chunk, std::mt19937& random) {
  std::vector<std::int64_t> some;
  for (std::int64_t row = 0; row < chunk.rows; ++row)
    if (random() % 5 == 0) some.push_back(row);
  const std::vector<std::int64_t> codes(random() % 100, 3);
  for (const WantedRows& wanted : {WantedRows(), WantedRows(some, 0)}) {
    const std::int64_t count = wanted.count(chunk.rows);
    for (auto physical : {ParquetChunk::Physical::i32, ParquetChunk::Physical::i64}) {
      chunk.physical = physical;
      const bool narrow = physical == ParquetChunk::Physical::i32;
      for (const NumbersForm form : {NumbersForm{}, NumbersForm{narrow, 0}, NumbersForm{false, 100}}) {
        InMemory source(memory, bytes);
        Nowhere found(count, narrow && !form.widened && form.divisor == 0 ? 4 : 8);
        refusing([&] { decode_numbers(memory, source, chunk, found, wanted, form); });
      }
    }
    chunk.physical = ParquetChunk::Physical::text;
    InMemory source(memory, bytes);
    refusing([&] { look_at(decode_texts(memory, source, chunk, wanted), count); });
    for (std::size_t width : {1u, 2u, 4u}) {
      Nowhere found(count, width);
      refusing([&] { decode_codes(memory, source, chunk, found, wanted, codes, width); });
    }
    refusing([&] { (void)read_words(memory, source, chunk); });
  }
}

void break_chunks(std::uint32_t seed, int rounds) {
  SystemMemory memory;
  const std::vector<Case> cases = all_cases();
  for (int round = 0; round < rounds; ++round) {
    std::mt19937 random(seed + static_cast<std::uint32_t>(round));
    SCOPED_TRACE(fmt::format("seed {}", seed + static_cast<std::uint32_t>(round)));
    const Case& one = cases[random() % cases.size()];
    const Bytes bytes =
        test::broken(random() % 2 == 0 ? texts_of(one) : numbers_of(one, random() % 3 == 0 ? 300 : 20), random);
    ParquetChunk chunk = chunk_of(one, ParquetChunk::Physical::i64);
    if (random() % 8 == 0) chunk.optional = !chunk.optional;
    if (random() % 8 == 0)
      chunk.codec = chunk.codec == ParquetChunk::Codec::none ? ParquetChunk::Codec::snappy : ParquetChunk::Codec::none;
    if (random() % 8 == 0) chunk.rows = static_cast<std::int64_t>(random() % 2000);
    read_in_all_ways(memory, bytes, chunk, random);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(ParquetBroken, ChunksDoNoHarm) { break_chunks(1, 300); }

TEST(ParquetBrokenSlow, ManyChunksDoNoHarm) { break_chunks(test::printed_seed() * 1'000'000, 20'000); }

TEST(ParquetBroken, SnappyDoesNoHarm) {
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    Bytes plain(random() % 400);
    for (std::byte& one : plain) one = static_cast<std::byte>(random() % 3);
    const Bytes packed = test::broken(pack(plain), random);
    try {
      const std::size_t size = snappy_size(packed);
      if (size > 100'000) continue;
      Bytes found(size);
      unpack_snappy(packed, found);
    } catch (const ValueError&) { continue; }
  }
}

}  // namespace
}  // namespace atl::table
