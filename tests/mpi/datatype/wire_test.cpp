// SPDX-License-Identifier: Apache-2.0
#include "datatype/wire.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "atoll/base/error.hpp"
#include "datatype/cursor.hpp"
#include "model.hpp"

namespace atl::mpi::datatype::test {
namespace {

TEST(Layouts, ComeBackFromBytes) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    Maker maker(seed);
    auto [type, model] = maker.make(1 + static_cast<int>(seed % 4));
    type->commit();
    std::vector<std::byte> bytes;
    write_layout(*type->layout(), bytes);
    std::span<const std::byte> rest = bytes;
    NodePtr again = read_layout(rest);
    ASSERT_TRUE(rest.empty());
    ASSERT_EQ(again->size, type->size());
    std::vector<Count> walked;
    Cursor cursor({again.get(), type->extent(), 1});
    for (Count left = type->size(); left > 0;) {
      Count run = cursor.here().bytes;
      for (Count b = 0; b < run; ++b) walked.push_back(cursor.here().offset + b);
      left -= run;
      cursor.advance(run);
    }
    ASSERT_EQ(walked, model.bytes(1));
  }
}

TEST(Layouts, ThatAreCutShortAreErrors) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Maker maker(seed);
    auto [type, model] = maker.make(1 + static_cast<int>(seed % 4));
    type->commit();
    std::vector<std::byte> bytes;
    write_layout(*type->layout(), bytes);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      std::span<const std::byte> cut(bytes.data(), size);
      EXPECT_THROW((void)read_layout(cut), Error) << size;
    }
  }
}

TEST(Layouts, ReserveNoMemoryForEntriesThatAreNotThere) {
  for (Node::Kind kind : {Node::Kind::blocks, Node::Kind::pieces})
    for (Count count : {Count{-1}, Count{1} << 20, Count{1} << 40, INT64_MAX}) {
      std::vector<std::byte> bytes{static_cast<std::byte>(kind)};
      auto add = [&](Count value) {
        const auto raw = std::as_bytes(std::span(&value, 1));
        bytes.insert(bytes.end(), raw.begin(), raw.end());
      };
      if (kind == Node::Kind::blocks) add(8);  // the stride
      add(count);
      bytes.resize(bytes.size() + (std::size_t{1} << 20));  // a byte for each entry
      std::span<const std::byte> rest = bytes;
      EXPECT_THROW((void)read_layout(rest), Error) << count;
    }
}

TEST(Layouts, CountBytesBelowAnOffset) {
  int ascending = 0;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    Maker maker(seed);
    auto [type, model] = maker.make(1 + static_cast<int>(seed % 4));
    type->commit();
    std::vector<Count> offsets = model.bytes(3);
    if (offsets.empty() || std::ranges::adjacent_find(offsets, std::greater_equal<>()) != offsets.end()) continue;
    ++ascending;
    for (Count at = offsets.front() - 2; at < offsets.back(); ++at) {
      auto expected = std::ranges::lower_bound(offsets, at) - offsets.begin();
      ASSERT_EQ(bytes_below(*type->layout(), type->extent(), at), expected) << at;
    }
  }
  EXPECT_GT(ascending, 300);
}

}  // namespace
}  // namespace atl::mpi::datatype::test
