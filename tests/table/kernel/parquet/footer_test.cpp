// SPDX-License-Identifier: Apache-2.0
// Footers of Parquet that say what cannot be, number by number, and such that are broken at random.
#include "atoll/table/kernel/parquet/footer.hpp"

#include <gtest/gtest.h>

#include <string>

#include "atoll/base/error.hpp"
#include "broken.hpp"
#include "pages.hpp"

namespace atl::table {
namespace {

using namespace pages;

struct Told {
  std::int64_t children = 1, repetition = 1, schema_type = 2, levels = 0, type = 2, codec = 1, values = 5,
               unpacked = 80, packed = 60, at = 4, rows = 5, bloom = 0;
};

/// Field 2, a schema of two elements.
void put_schema(Bytes& to, const Told& told) {
  to.push_back(std::byte{9});  // a list whose field's number follows, in zigzag
  put_varint(to, 4);
  to.push_back(static_cast<std::byte>(2 << 4 | 12));
  put_field(to, 5, told.children);
  to.push_back(std::byte{0});
  put_field(to, 1, told.schema_type);
  put_field(to, 2, told.repetition);
  to.push_back(std::byte{0});
}

enum class Schema { first, last, twice };

/// Two row groups with a column "x" each, of which the second says what is told.
Bytes footer_of(const Told& told, Schema schema = Schema::first) {
  Bytes to;
  put_field(to, 1, 2);  // version
  if (schema != Schema::last) put_schema(to, told);
  if (schema == Schema::twice) put_schema(to, told);
  to.push_back(static_cast<std::byte>((schema == Schema::last ? 3 : 2) << 4 | 9));  // field 4: a list of two structs
  to.push_back(static_cast<std::byte>(2 << 4 | 12));
  for (const Told& one : {Told{}, told}) {
    to.push_back(static_cast<std::byte>(1 << 4 | 9));
    to.push_back(static_cast<std::byte>(1 << 4 | 12));
    put_field(to, 2, 0);
    to.push_back(static_cast<std::byte>(1 << 4 | 12));  // field 3: what is said of the column
    put_field(to, 1, one.type);
    to.push_back(static_cast<std::byte>(2 << 4 | 9));  // field 3: its path
    to.push_back(static_cast<std::byte>(1 << 4 | 8));
    put_varint(to, 1);
    put(to, "x", 1);
    put_field(to, 1, one.codec);
    put_field(to, 1, one.values);
    put_field(to, 1, one.unpacked);
    put_field(to, 1, one.packed);
    put_field(to, 2, one.at);
    put_field(to, 5, one.bloom);
    if (one.levels > 0) {
      to.push_back(
          static_cast<std::byte>(2 << 4 | 12));  // field 16: sizes, of which field 3 counts levels of definition
      to.push_back(static_cast<std::byte>(3 << 4 | 9));
      to.push_back(static_cast<std::byte>(one.levels << 4 | 6));
      for (std::int64_t level = 0; level < one.levels; ++level) put_varint(to, 0);
      to.push_back(std::byte{0});
    }
    to.push_back(std::byte{0});
    to.push_back(std::byte{0});
    put_field(to, 1, 90);
    put_field(to, 1, one.rows);
    to.push_back(std::byte{0});
  }
  if (schema == Schema::last) put_schema(to, told);
  to.push_back(std::byte{0});
  return to;
}

std::string refusal(const Told& told, Schema schema = Schema::first) {
  try {
    (void)read_parquet_footer(footer_of(told, schema), 1000);
  } catch (const ValueError& error) { return error.what(); }
  return "";
}

TEST(ParquetFooter, ReadsValidFields) {
  EXPECT_EQ(refusal({}), "");
  const auto groups = read_parquet_footer(footer_of({.codec = 6, .packed = 50, .at = 77}), 1000);
  ASSERT_EQ(groups.size(), 2u);
  ASSERT_EQ(groups[1].columns.size(), 1u);
  EXPECT_EQ(groups[1].rows, 5);
  EXPECT_EQ(groups[1].bytes, 90);
  EXPECT_EQ(groups[1].columns[0].offset, 77);
  EXPECT_EQ(groups[1].columns[0].packed, 50);
  EXPECT_EQ(parquet_type_name(groups[1].columns[0].type), "INT64");
  EXPECT_EQ(parquet_codec_name(groups[1].columns[0].codec), "ZSTD");
  EXPECT_EQ(groups[1].columns[0].bloom_filter, 0);
  const auto bloom_filter = [](std::int64_t at) {
    return read_parquet_footer(footer_of({.bloom = at}), 1000)[1].columns[0].bloom_filter;
  };
  EXPECT_EQ(bloom_filter(500), 500);
  EXPECT_EQ(bloom_filter(1000), 0) << "behind the file's end";
  EXPECT_EQ(bloom_filter(INT64_MIN), 0);
  EXPECT_EQ(refusal({.levels = 2}), "");
  EXPECT_EQ(refusal({.repetition = -1}), "element 1 of its schema: its repetition is -1");
  EXPECT_EQ(refusal({.repetition = 3}), "element 1 of its schema: its repetition is 3");
  EXPECT_EQ(refusal({.children = 2}), "its schema has fewer elements than it declares");
  EXPECT_EQ(refusal({.children = 0}), "element 1 of its schema belongs to none");
  EXPECT_EQ(refusal({.children = -1}), "element 0 of its schema: it has -1 children");
  EXPECT_EQ(refusal({.type = 1}), "row group 1, column 'x': its type is INT32, and in the schema INT64");
  EXPECT_EQ(refusal({.levels = 1}), "row group 1, column 'x': it counts 1 levels of definition, and has 2");
  EXPECT_EQ(refusal({.repetition = 0, .levels = 2}),
            "row group 1, column 'x': it counts 2 levels of definition, and has 1");
  EXPECT_EQ(refusal({.codec = -1}), "row group 1, column 'x': its codec is -1");
  EXPECT_EQ(refusal({.codec = 8}), "row group 1, column 'x': its codec is 8");
  EXPECT_EQ(refusal({.type = 99}), "row group 1, column 'x': its type is 99");
  EXPECT_EQ(refusal({.values = -1}), "row group 1, column 'x': its number of values is -1");
  EXPECT_EQ(refusal({.unpacked = -1}), "row group 1, column 'x': its size before it was compressed is -1");
  EXPECT_EQ(refusal({.packed = 1001}), "row group 1, column 'x': it has 1001 bytes from byte 4 of a file of 1000");
  EXPECT_EQ(refusal({.at = 1001}), "row group 1, column 'x': its pages are at byte 1001 of a file of 1000");
  EXPECT_EQ(refusal({.at = INT64_MIN}),
            "row group 1, column 'x': its pages are at byte -9223372036854775808 of a file of 1000");
  EXPECT_EQ(refusal({.rows = -1}), "row group 1, it declares -1 rows");
  EXPECT_EQ(refusal({.rows = 6}), "row group 1, it declares 6 rows, and no column has more than 5 values");
  EXPECT_EQ(refusal({.values = 9}), "") << "lists have several to a row";
  EXPECT_EQ(refusal({.rows = INT64_MAX}), "row group 1, it declares 9223372036854775807 rows");
}

TEST(ParquetFooter, HoldsColumnsToASchemaBehindThem) {
  EXPECT_EQ(refusal({}, Schema::last), "");
  EXPECT_EQ(read_parquet_footer(footer_of({}, Schema::last), 1000).size(), 2u);
  EXPECT_EQ(refusal({.type = 1}, Schema::last), "row group 1, column 'x': its type is INT32, and in the schema INT64");
  EXPECT_EQ(refusal({.levels = 1}, Schema::last),
            "row group 1, column 'x': it counts 1 levels of definition, and has 2");
  EXPECT_EQ(refusal({}, Schema::twice), "it has two schemas");
}

TEST(ParquetFooter, BrokenOnesDoNoHarm) {
  const Bytes good = footer_of({});
  for (std::size_t size = 0; size + 1 < good.size(); ++size)
    EXPECT_THROW((void)read_parquet_footer(std::span(good).first(size), 1000), ValueError);
  for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
    std::mt19937 random(seed);
    const Bytes bad = test::broken(good, random);
    try {
      (void)read_parquet_footer(bad, 1000);
    } catch (const ValueError&) { continue; }
  }
}

}  // namespace
}  // namespace atl::table
