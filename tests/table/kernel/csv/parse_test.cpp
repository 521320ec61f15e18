// SPDX-License-Identifier: Apache-2.0
// Separated values to columns; numbers against the C++ library, bit by bit.
#include "atoll/table/kernel/csv/parse.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <random>

#include "atoll/table/kernel/csv/values.hpp"

namespace atl::table {
namespace {

class Csv : public testing::Test {
 protected:
  CsvText text_of(std::string_view bytes) {
    CsvText text(memory, bytes.size());
    if (!bytes.empty()) std::memcpy(text.data(), bytes.data(), bytes.size());
    return text;
  }
  CsvTable parse(std::string_view bytes, std::vector<CsvKind> kinds) {
    return parse_csv(memory, text_of(bytes), dialect, kinds);
  }

  SystemMemory memory;
  CsvDialect dialect{.missing = {"", "NA"}, .yes = {"true"}, .no = {"false"}};
};

std::vector<std::string> texts_in(const CsvTable& table, std::size_t column) {
  std::vector<std::string> texts;
  const CsvColumn& one = table.columns.at(column);
  for (std::int64_t i = 0; i < table.rows; ++i) {
    const bool valid = one.missing == 0 || (one.valid[static_cast<std::size_t>(i) / 8] >> (i % 8) & 1) != 0;
    texts.push_back(valid ? std::string(reinterpret_cast<const char*>(one.values.data()) + one.offsets[i],
                                        static_cast<std::size_t>(one.offsets[i + 1] - one.offsets[i]))
                          : "missing");
  }
  return texts;
}

TEST_F(Csv, TextsLoseTheirQuotes) {
  const CsvTable table = parse("x,\"a,\"\"b\"\"\nc\"\r\n\"\",\"q\"r\n\nNA,a\"b\"\ry,", {CsvKind::text, CsvKind::text});
  ASSERT_FALSE(table.fault);
  EXPECT_EQ(texts_in(table, 0), (std::vector<std::string>{"x", "missing", "missing", "y"}));
  EXPECT_EQ(texts_in(table, 1), (std::vector<std::string>{"a,\"b\"\nc", "qr", "a\"b\"", "missing"}));
}

TEST_F(Csv, RecordsLongerThanAWindow) {
  std::string bytes;
  std::vector<std::string> wanted;
  for (std::size_t size : {10u, 70000u, 3u, 200000u, 65536u, 0u, 1u}) {
    std::string inside(size, 'x');
    if (size > 100) inside[size / 2] = '\n';
    bytes += "\"" + inside + "\",1\n";
    wanted.push_back(size == 0 ? "missing" : inside);
  }
  const CsvTable table = parse(bytes, {CsvKind::text, CsvKind::i64});
  ASSERT_FALSE(table.fault);
  EXPECT_EQ(texts_in(table, 0), wanted);
}

TEST_F(Csv, FaultsSayWhere) {
  const CsvTable few = parse("1,2\n3\n", {CsvKind::i64, CsvKind::i64});
  ASSERT_TRUE(few.fault);
  EXPECT_EQ(few.fault->text, "expected 2 values, got 1: 3");
  EXPECT_EQ(few.fault->at, 4u);
  const CsvTable wrong = parse("1,2\n3,x\n", {CsvKind::i64, CsvKind::i64});
  ASSERT_TRUE(wrong.fault);
  EXPECT_EQ(wrong.fault->text, "conversion error to int64: invalid value 'x'");
  EXPECT_EQ(wrong.fault->at, 6u);
  EXPECT_EQ(wrong.fault->column, 1u);
  EXPECT_EQ(parse("1,\"2\n", {CsvKind::i64, CsvKind::i64}).fault->text, "a quote is not closed");
  dialect.skip_bad = true;
  const CsvTable skipped = parse("1,2\n3\n4,5,6\n7,8", {CsvKind::i64, CsvKind::i64});
  EXPECT_EQ(skipped.rows, 2);
  EXPECT_EQ(skipped.skipped, 2);
}

TEST_F(Csv, KindsAreGuessed) {
  std::optional<CsvFault> fault;
  const auto kinds = guess_csv(text_of("1,true,1.5,x,,1\n\"2\",false,3,2,NA,true\n"), dialect, 6, fault);
  EXPECT_EQ(kinds, (std::vector<CsvKind>{CsvKind::i64, CsvKind::b1, CsvKind::f64, CsvKind::text, CsvKind::none,
                                         CsvKind::text}));
  EXPECT_FALSE(fault);
}

TEST_F(Csv, RandomBytesDoNoHarm) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    std::string bytes;
    for (std::size_t left = random() % 300; left > 0; --left) bytes += "12a.\"\",\n\r-e"[random() % 11];
    const std::vector<CsvKind> kinds{static_cast<CsvKind>(random() % 5), static_cast<CsvKind>(random() % 5)};
    dialect.skip_bad = seed % 2 == 0;
    const CsvTable table = parse(bytes, kinds);
    if (!table.fault) { EXPECT_EQ(table.columns.size(), 2u); }
  }
}

/// Behind numbers there is room to read.
struct Padded {
  explicit Padded(std::string_view text)
      : bytes(std::string(text) + std::string(64, ',')), end(bytes.data() + text.size()) {}
  std::string bytes;
  const char* end;
};

TEST(Values, FloatsAreTheNearest) {
  std::mt19937_64 random(1);
  int fast = 0;
  for (int i = 0; i < 300000; ++i) {
    std::string text = std::to_string(random() >> (random() % 64));
    if (random() % 8 != 0) text.insert(random() % std::min<std::size_t>(text.size() + 1, 8), ".");
    if (random() % 2 == 0) text.insert(0, "-");
    // Halves between two doubles, which must go to the even one.
    if (i % 5 == 0)
      text = std::to_string((std::uint64_t{1} << 53) + 2 * (random() % 1000) + 1) + (random() % 2 == 0 ? "" : ".0");
    if (i % 7 == 0)
      text = fmt::format(
          "{}", std::bit_cast<double>(random() % (std::uint64_t{1} << 52) | std::uint64_t{1022 + random() % 12} << 52));
    double wanted = 0, found = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), wanted);
    const bool good = error == std::errc() && end == text.data() + text.size();
    const Padded padded(text);
    if (!read_float_fast(padded.bytes.data(), padded.end, found)) continue;
    ++fast;
    ASSERT_TRUE(good) << text;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(found), std::bit_cast<std::uint64_t>(wanted)) << text;
  }
  EXPECT_GT(fast, 200000);
}

TEST(Values, TiesGoToTheEvenOne) {
  for (std::uint64_t whole = std::uint64_t{1} << 52; whole < (std::uint64_t{1} << 52) + 200; ++whole)
    for (const std::string places : {"499", "5", "501", "500"}) {
      const std::string text = std::to_string(whole) + "." + places;
      double wanted = 0;
      std::from_chars(text.data(), text.data() + text.size(), wanted);
      EXPECT_EQ(decimal_fraction(std::stoull(std::to_string(whole) + places), static_cast<unsigned>(places.size())),
                wanted)
          << text;
    }
  EXPECT_EQ(decimal_fraction(45035996273704965, 1), 4503599627370496.0);  // .5 below an odd one
  EXPECT_EQ(decimal_fraction(45035996273704975, 1), 4503599627370498.0);
}

TEST(Values, WholeNumbersFitOrAreRefused) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100000; ++i) {
    std::string text = std::to_string(static_cast<std::int64_t>(random()) >> (random() % 64));
    if (i % 3 == 0) text[random() % text.size()] = "a /:.-"[random() % 6];
    if (i % 100 == 0) text = "9223372036854775807";
    if (i % 101 == 0) text = "9223372036854775808";
    std::int64_t wanted = 0, found = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), wanted);
    const bool good = error == std::errc() && end == text.data() + text.size();
    const Padded padded(text);
    const bool fast = read_int_fast(padded.bytes.data(), padded.end, found);
    if (fast) { ASSERT_TRUE(good && found == wanted) << text; }
    if (good && wanted >= 0) { ASSERT_TRUE(fast) << text; }
  }
  EXPECT_EQ(read_int(" +12\t"), 12);
  EXPECT_EQ(read_int("+-1"), std::nullopt);
  EXPECT_EQ(read_float("1e400"), HUGE_VAL);
  EXPECT_EQ(read_float("1.5x"), std::nullopt);
}

}  // namespace
}  // namespace atl::table
