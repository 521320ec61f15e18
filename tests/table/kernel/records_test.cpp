// SPDX-License-Identifier: Apache-2.0
// Where records begin, against reading byte by byte.
#include "atoll/table/kernel/text/records.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace atl::table {
namespace {

/// One byte at a time.
RecordScan scan_slowly(std::string_view bytes, RecordState state) {
  RecordScan scan{state, -1};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    const bool quote = c == '"', border = c == ',' || c == '\n' || c == '\r';
    switch (scan.end) {
      case RecordState::quoted:
        if (quote) scan.end = RecordState::quote_in_quoted;
        continue;
      case RecordState::quote_in_quoted:
        if (quote) {
          scan.end = RecordState::quoted;
          continue;
        }
        break;
      case RecordState::field_start:
        if (quote) {
          scan.end = RecordState::quoted;
          continue;
        }
        break;
      case RecordState::plain: break;
    }
    if (c == '\n' && scan.first < 0) scan.first = static_cast<std::int64_t>(i) + 1;
    scan.end = border ? RecordState::field_start : RecordState::plain;
  }
  return scan;
}

TEST(Records, BeginWhereReadingByteByByteFindsThem) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    std::string bytes;
    for (std::size_t left = random() % 30; left > 0; --left) bytes += "ab\"\"\",\n\r"[random() % 8];
    const auto scans = scan_records(bytes, '"', ',');
    for (std::size_t i = 0; i < record_states; ++i) {
      const RecordScan slow = scan_slowly(bytes, static_cast<RecordState>(i));
      EXPECT_EQ(scans[i].end, slow.end) << "seed " << seed << ", state " << i << ": " << bytes;
      EXPECT_EQ(scans[i].first, slow.first) << "seed " << seed << ", state " << i << ": " << bytes;
    }
  }
}

TEST(Records, EndsCompose) {
  const std::string bytes = "a,\"b\n\"\"c\",d\n\"e\nf\",\"\"\nplain \" quote\n";
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    const auto left = scan_records(std::string_view(bytes).substr(0, cut), '"', ',')[0];
    const auto right = scan_records(std::string_view(bytes).substr(cut), '"', ',')[static_cast<std::size_t>(left.end)];
    EXPECT_EQ(right.end, RecordState::field_start) << cut;
  }
}

}  // namespace
}  // namespace atl::table
