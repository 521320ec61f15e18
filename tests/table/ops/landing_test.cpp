// SPDX-License-Identifier: Apache-2.0
// Rows that PEs have read become columns, on every number of PEs.
#include "atoll/table/ops/landing.hpp"
#include "atoll/base/error.hpp"

#include <algorithm>

#include "../../array/ops/fixture.hpp"
#include "atoll/table/ops/text.hpp"

namespace atl::table {
namespace {

using array::Array;
using array::Engine;
using array::testing::name_of_param;
using array::testing::OnPes;
using array::testing::to_vector;

class Landings : public OnPes {};

/// Rows of one PE: numbers, bools and texts, each third one missing, in chunks of several lengths and bit offsets.
struct Rows {
  std::vector<std::int64_t> numbers;
  std::vector<std::string> texts;
  std::vector<std::uint8_t> valid, bools;  // bits
  std::vector<std::int32_t> offsets{0};
  std::string bytes;

  Rows(std::int64_t first, std::int64_t count) : valid(static_cast<std::size_t>(count) / 8 + 1), bools(valid.size()) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t row = first + i;
      numbers.push_back(row);
      texts.push_back(std::string(static_cast<std::size_t>(row % 5), 'x') + std::to_string(row));
      bytes += texts.back();
      offsets.push_back(static_cast<std::int32_t>(bytes.size()));
      const auto at = static_cast<std::size_t>(i);
      if (row % 3 != 0) valid[at / 8] |= static_cast<std::uint8_t>(1 << (at % 8));
      if (row % 2 == 0) bools[at / 8] |= static_cast<std::uint8_t>(1 << (at % 8));
    }
  }

  Chunk chunk(std::size_t column, std::int64_t begin, std::int64_t end) const {
    Chunk chunk;
    chunk.rows = end - begin;
    chunk.valid = valid.data();
    chunk.first_valid = begin;
    if (column == 0) chunk.values = numbers.data() + begin;
    if (column == 1) {
      chunk.form = Chunk::Form::bits;
      chunk.values = bools.data();
      chunk.first_bit = begin;
    }
    if (column == 2) {
      chunk.form = Chunk::Form::text32;
      chunk.offsets = offsets.data() + begin;
      chunk.values = bytes.data();
    }
    return chunk;
  }
};

const std::vector<LandingColumn> kinds{{DType::i64, false}, {DType::b1, false}, {DType::u8, true}};

std::vector<std::uint8_t> bools_of(Engine& engine, const Array& array) {
  EXPECT_EQ(array->dtype, DType::b1);
  std::vector<std::uint8_t> values(static_cast<std::size_t>(array->shape.size()));
  to_buffer(engine, array, {values.data()});
  return values;
}

void check(Engine& engine, const std::vector<Array>& made, std::int64_t total) {
  const auto numbers = to_vector<std::int64_t>(engine, made[0]);
  const auto bools = bools_of(engine, made[2]);
  const Text text{made[4], made[5]};
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(total) + 1);
  std::string bytes(static_cast<std::size_t>(text_bytes(engine, text)), '\0');
  text_to_buffers(engine, text, {offsets.data()}, {bytes.data()});
  for (std::int64_t row = 0; row < total; ++row) {
    const auto i = static_cast<std::size_t>(row);
    const bool there = row % 3 != 0;
    EXPECT_EQ(numbers[i], there ? row : 0);
    EXPECT_EQ(bools[i] != 0, there && row % 2 == 0);
    const std::string text_of =
        bytes.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
    EXPECT_EQ(text_of, there ? std::string(static_cast<std::size_t>(row % 5), 'x') + std::to_string(row) : "");
  }
  for (std::size_t at : {1u, 3u, 6u}) {
    if (total == 0) continue;
    const auto valid = bools_of(engine, made[at]);
    for (std::int64_t row = 0; row < total; ++row) EXPECT_EQ(valid[static_cast<std::size_t>(row)] != 0, row % 3 != 0);
  }
}

TEST_P(Landings, RowsStandInPeOrder) {
  run([](Engine& engine) {
    for (std::int64_t scale : {0, 1, 37}) {
      std::vector<std::int64_t> counts;  // the last PE has none
      for (std::uint32_t pe = 0; pe < engine.npes(); ++pe)
        counts.push_back(pe + 1 == engine.npes() && pe > 0 ? 0 : scale * (pe + 1));
      std::int64_t first = 0, total = 0;
      for (std::uint32_t pe = 0; pe < engine.npes(); ++pe) {
        if (pe < engine.pe()) first += counts[pe];
        total += counts[pe];
      }
      const std::int64_t mine = counts[engine.pe()];
      const Rows rows(first, mine);
      for (bool known : {true, false}) {
        Landing landing(engine, kinds, known ? counts : std::vector<std::int64_t>{});
        // Chunks come in any order.
        for (std::int64_t begin = mine / 7 * 7; begin >= 0; begin -= 7)
          for (std::size_t column : {2u, 0u, 1u})
            if (begin < mine) landing.add(column, begin, rows.chunk(column, begin, std::min(mine, begin + 7)));
        check(engine, landing.finish(), total);
      }
    }
  });
}

TEST_P(Landings, RefusesInvalidChunks) {
  run([](Engine& engine) {
    const Rows rows(0, 20);
    {
      Landing landing(engine, kinds, {});
      if (engine.pe() == 0) landing.add(0, 0, rows.chunk(0, 0, 20));  // the other columns have no rows
      EXPECT_THROW((void)landing.finish(), ValueError);
    }
    Landing landing(engine, kinds, std::vector<std::int64_t>(engine.npes(), 10));
    EXPECT_THROW(landing.add(0, 0, rows.chunk(0, 0, 20)), ValueError);
    EXPECT_THROW(landing.add(0, 0, rows.chunk(2, 0, 2)), TypeError);
    EXPECT_THROW(landing.add(9, 0, rows.chunk(0, 0, 2)), IndexError);
    landing.give_up();
    // Bytes that are no UTF-8 on one PE are everybody's error.
    Landing texts(engine, {{DType::u8, true}}, {});
    const std::vector<std::int64_t> offsets{0, 1};
    Chunk chunk;
    chunk.form = Chunk::Form::text64;
    chunk.rows = 1;
    chunk.offsets = offsets.data();
    chunk.values = engine.pe() + 1 == engine.npes() ? "\xff" : "a";
    texts.add(0, 0, chunk);
    EXPECT_THROW((void)texts.finish(), ValueError);
  });
}

ATOLL_ON_PES(Landings);

}  // namespace
}  // namespace atl::table
