// SPDX-License-Identifier: Apache-2.0
// Sums of ORC's runs: the examples of its specification, and streams that are broken.
#include "atoll/table/kernel/orc/lengths.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "atoll/base/error.hpp"

namespace atl::table {
namespace {

std::uint64_t sum(std::initializer_list<unsigned> stream, OrcRuns runs = OrcRuns::v2, std::uint64_t count = 1000) {
  std::vector<std::byte> bytes;
  for (unsigned one : stream) bytes.push_back(static_cast<std::byte>(one));
  return sum_orc_lengths(bytes, runs, count);
}

TEST(OrcLengths, RunsOfVersionOne) {
  EXPECT_EQ(sum({0x61, 0x00, 0x07}, OrcRuns::v1), 100U * 7);
  EXPECT_EQ(sum({0x61, 0xff, 0x64}, OrcRuns::v1), 5050U);  // 100 to 1
  EXPECT_EQ(sum({0xfb, 0x02, 0x03, 0x06, 0x07, 0x0b}, OrcRuns::v1), 2U + 3 + 6 + 7 + 11);
}

TEST(OrcLengths, RunsOfVersionTwo) {
  EXPECT_EQ(sum({0x0a, 0x27, 0x10}), 5U * 10000);
  EXPECT_EQ(sum({0x5e, 0x03, 0x5c, 0xa1, 0xab, 0x1e, 0xde, 0xad, 0xbe, 0xef}), 23713U + 43806 + 57005 + 48879);
  EXPECT_EQ(sum({0xc6, 0x09, 0x02, 0x02, 0x22, 0x42, 0x42, 0x46}), 2U + 3 + 5 + 7 + 11 + 13 + 17 + 19 + 23 + 29);
  EXPECT_EQ(sum({0x8e, 0x13, 0x2b, 0x21, 0x07, 0xd0, 0x1e, 0x00, 0x14, 0x70, 0x28, 0x32, 0x3c, 0x46,
                 0x50, 0x5a, 0x64, 0x6e, 0x78, 0x82, 0x8c, 0x96, 0xa0, 0xaa, 0xb4, 0xbe, 0xfc, 0xe8}),
            2030U + 2000 + 2020 + 1000000 + 2040 + 2050 + 2060 + 2070 + 2080 + 2090 + 2100 + 2110 + 2120 + 2130 + 2140 +
                2150 + 2160 + 2170 + 2180 + 2190);
}

TEST(OrcLengths, OnlySoManyAreCounted) {
  EXPECT_EQ(sum({0x0a, 0x27, 0x10}, OrcRuns::v2, 2), 20000U);
  EXPECT_EQ(sum({0x0a, 0x27, 0x10, 0x00, 0x00}, OrcRuns::v2, 5), 50000U);
}

TEST(OrcLengths, InvalidLengthsBecomeTheMaximum) {
  EXPECT_EQ(sum({0x3a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}), most_of_orc);
  EXPECT_EQ(sum({0x02, 0xff, 0x01}, OrcRuns::v1), most_of_orc);  // 1, 0, -1
}

TEST(OrcLengths, RunsThatEndTooEarly) {
  EXPECT_THROW((void)sum({0x5e, 0x03, 0x5c}), ValueError);
  EXPECT_THROW((void)sum({0x0a, 0x27}), ValueError);
  EXPECT_THROW((void)sum({0x61, 0x00}, OrcRuns::v1), ValueError);
  EXPECT_EQ(sum({}), 0U);
}

}  // namespace
}  // namespace atl::table
