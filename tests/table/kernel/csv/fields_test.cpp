// SPDX-License-Identifier: Apache-2.0
// Where fields end and what ranges are, against reading byte by byte, on all levels of vectors.
#include "atoll/table/kernel/csv/fields.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "atoll/array/kernel/simd_level.hpp"

namespace atl::table {
namespace {

constexpr std::size_t padding = 192;

struct Slow {
  std::vector<std::uint32_t> ends;
  RecordState state;
  std::int64_t first = -1, lines = 0;
  bool stray = false, empty = false;
};

/// One byte at a time.
Slow read_slowly(std::string_view bytes, RecordState state) {
  Slow slow{{}, state};
  std::size_t line = 0;  // where the line begins
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (slow.state == RecordState::quoted) {
      if (c == '"') slow.state = RecordState::quote_in_quoted;
      continue;
    }
    if (c == '"' && slow.state != RecordState::plain) {
      slow.state = RecordState::quoted;
      continue;
    }
    slow.stray |= c == '"';
    const bool ends_line = c == '\n' || (c == '\r' && (i + 1 == bytes.size() || bytes[i + 1] != '\n'));
    if (ends_line) {
      if (c == '\n' && slow.first < 0) slow.first = static_cast<std::int64_t>(i) + 1;
      ++slow.lines;
      const bool nothing = i == line || (i == line + 1 && bytes[line] == '\r');
      slow.empty |= c == '\r' || (line > 0 && nothing);
      line = i + 1;
    }
    if (c == ',' || ends_line) slow.ends.push_back(static_cast<std::uint32_t>(i));
    slow.state = c == ',' || ends_line ? RecordState::field_start : RecordState::plain;
  }
  return slow;
}

std::string random_bytes(std::mt19937& random, std::size_t size) {
  static const std::string alphabets[] = {"ab,\n", "ab\"\"\",\n\r", "abcdefgh\",", "\n\r,", "a\"", "abcdefghijklmnop,"};
  const std::string& alphabet = alphabets[random() % 6];
  std::string bytes;
  while (bytes.size() < size) {
    if (random() % 4 == 0) bytes += "\"quoted, \n\"\"text\"\"\",";
    if (random() % 8 == 0) bytes += "a line\n";
    bytes += alphabet[random() % alphabet.size()];
  }
  bytes.resize(size);
  return bytes;
}

class Fields : public testing::TestWithParam<SimdLevel> {
 protected:
  void SetUp() override {
    if (GetParam() > simd_level()) GTEST_SKIP() << "this processor has no such vectors";
    array::limit_kernels(GetParam());
  }
  void TearDown() override { array::limit_kernels(simd_level()); }
};

TEST_P(Fields, EndWhereReadingByteByByteFindsThem) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    const std::string bytes = random_bytes(random, random() % 400);
    const Slow slow = read_slowly(bytes, RecordState::field_start);
    const std::string padded = bytes + std::string(padding, '\0');
    std::vector<std::uint32_t> ends(bytes.size() + 8);
    FieldScan scan;
    const std::size_t cut = bytes.size() < 64 ? 0 : random() % (bytes.size() / 64) * 64;
    std::size_t count = scan_fields(scan, padded.data(), 0, cut, ends.data());
    count += scan_fields(scan, padded.data(), cut, bytes.size(), ends.data() + count);
    ends.resize(count);
    EXPECT_EQ(ends, slow.ends) << "seed " << seed;
    EXPECT_EQ(scan.lines, static_cast<std::size_t>(slow.lines)) << "seed " << seed;
    EXPECT_EQ(scan.state == RecordState::quoted, slow.state == RecordState::quoted) << "seed " << seed;
    if (slow.stray) { EXPECT_TRUE(scan.doubled) << "seed " << seed; }
  }
}

TEST_P(Fields, SurveysMatchReadingByteByByte) {
  int known = 0, countable = 0;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    std::mt19937 random(seed);
    const std::string bytes = random_bytes(random, 64 * (1 + random() % 5));
    const std::string padded = bytes + std::string(padding, '\0');
    const auto surveys = survey_records({}, padded.data(), bytes.size());
    for (const RecordState begin : {RecordState::field_start, RecordState::quoted}) {
      const RecordSurvey& survey = surveys[begin == RecordState::quoted];
      const Slow slow = read_slowly(bytes, begin);
      EXPECT_EQ(survey.known, !slow.stray) << "seed " << seed;
      if (!survey.known) continue;
      ++known;
      EXPECT_EQ(survey.end, slow.state) << "seed " << seed;
      EXPECT_EQ(survey.first, slow.first) << "seed " << seed;
      EXPECT_EQ(survey.lines, slow.lines) << "seed " << seed;
      if (survey.countable) { EXPECT_FALSE(slow.empty) << "seed " << seed; }
      countable += survey.countable;
    }
  }
  EXPECT_GT(known, 500);
  EXPECT_GT(countable, 20);
}

TEST_P(Fields, EmptyLinesAreNoRecords) {
  auto countable = [](const std::string& bytes) {
    return survey_records({}, (bytes + std::string(padding, '\0')).data(), bytes.size())[0].countable;
  };
  for (std::size_t before = 1; before < 140; ++before) {
    const std::string line(before, 'x');
    EXPECT_TRUE(countable(line + "\nb\n")) << before;
    EXPECT_TRUE(countable(line + "\r\nb\r\n")) << before;
    EXPECT_FALSE(countable(line + "\n\nb")) << before;
    EXPECT_FALSE(countable(line + "\r\n\r\nb")) << before;
    EXPECT_FALSE(countable(line + "\rb\n")) << before;
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, Fields, testing::Values(SimdLevel::sse4, SimdLevel::avx2, SimdLevel::avx512),
                         [](const auto& info) { return "level" + std::to_string(static_cast<int>(info.param)); });

}  // namespace
}  // namespace atl::table
