// SPDX-License-Identifier: Apache-2.0
// Separated values that are broken at random: whatever kinds of columns are asked for, the same rows are found, also in
// two parts.
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "atoll/table/kernel/csv/fields.hpp"
#include "atoll/table/kernel/csv/parse.hpp"
#include "atoll/table/kernel/csv/write.hpp"
#include "broken.hpp"

namespace atl::table {
namespace {

constexpr CsvKind all_kinds[] = {CsvKind::none, CsvKind::i64, CsvKind::b1, CsvKind::f64, CsvKind::text};

std::string values_of(std::mt19937& random, std::size_t rows, std::size_t columns) {
  const char* some[] = {"1", "-17",     "9223372036854775807", "1e300",          "0.1",  "true",     "false", "", "NA",
                        "x", "\"a,b\"", "\"a\"\"b\"",          "\"two\nlines\"", "a\"b", "\xc3\xa4", " 7 "};
  std::string text;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column) {
      text += random() % 40 == 0 ? std::string(random() % 300, 'y') : some[random() % std::size(some)];
      text += column + 1 < columns ? "," : random() % 10 == 0 ? "\r\n" : "\n";
    }
  return text;
}

CsvText text_of(Memory& memory, std::string_view bytes) {
  CsvText text(memory, bytes.size());
  std::copy(bytes.begin(), bytes.end(), text.data());
  return text;
}

void look_at(const CsvTable& table, std::span<const CsvKind> kinds) {
  const auto rows = static_cast<std::size_t>(table.rows);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] == CsvKind::none) continue;
    const CsvColumn& column = table.columns[i];
    std::int64_t missing = 0;
    for (std::size_t row = 0; column.missing > 0 && row < rows; ++row)
      missing += (column.valid[row / 8] >> (row % 8) & 1) == 0;
    EXPECT_EQ(missing, column.missing);
    if (kinds[i] == CsvKind::text) {
      EXPECT_EQ(column.offsets[0], 0);
      for (std::size_t row = 0; row < rows; ++row) ASSERT_LE(column.offsets[row], column.offsets[row + 1]);
      ASSERT_LE(static_cast<std::size_t>(column.offsets[rows]), column.values.size());
    } else {
      ASSERT_LE(rows * (kinds[i] == CsvKind::b1 ? 1 : 8), column.values.size());
    }
  }
}

/// Start of the first record at or after `at`; the end if there is none, or if it cannot be determined.
std::size_t border(Memory& memory, const std::string& bytes, std::size_t at) {
  const CsvText before = text_of(memory, std::string_view(bytes).substr(0, at)),
                behind = text_of(memory, std::string_view(bytes).substr(at));
  if (at % 64 != 0) return bytes.size();
  const RecordSurvey first = survey_records({}, before.data(), before.size())[0];
  if (!first.known || (first.end == RecordState::plain && bytes[at] == '"')) return bytes.size();
  const RecordSurvey second = survey_records({}, behind.data(), behind.size())[first.end == RecordState::quoted];
  return second.known && second.first >= 0 ? at + static_cast<std::size_t>(second.first) : bytes.size();
}

void break_values(std::uint32_t seed, int rounds) {
  SystemMemory memory;
  for (int round = 0; round < rounds; ++round) {
    std::mt19937 random(seed + static_cast<std::uint32_t>(round));
    SCOPED_TRACE(fmt::format("seed {}", seed + static_cast<std::uint32_t>(round)));
    const std::size_t columns = random() % 4 + 1;
    const std::string good = values_of(random, random() % 60, columns);
    const std::vector<char> bad = random() % 4 == 0 ? std::vector<char>(good.begin(), good.end())
                                                    : test::broken(std::vector<char>(good.begin(), good.end()), random);
    const std::string bytes(bad.begin(), bad.end());
    CsvDialect dialect{.skip_bad = random() % 2 == 0, .missing = {"", "NA"}, .yes = {"true"}, .no = {"false"}};
    const std::vector<CsvKind> texts(columns, CsvKind::text);
    const CsvTable whole = parse_csv(memory, text_of(memory, bytes), dialect, texts);
    if (!whole.fault) look_at(whole, texts);

    std::optional<CsvFault> fault;
    const std::vector<CsvKind> guessed = guess_csv(text_of(memory, bytes), dialect, columns, fault);
    EXPECT_EQ(fault.has_value(), whole.fault.has_value());
    const CsvTable typed = parse_csv(memory, text_of(memory, bytes), dialect, guessed);
    EXPECT_EQ(typed.fault.has_value(), whole.fault.has_value()) << (typed.fault ? typed.fault->text : "");
    EXPECT_EQ(typed.rows, whole.rows);
    if (!typed.fault) look_at(typed, guessed);
    std::vector<CsvKind> others(columns);
    for (CsvKind& kind : others) kind = all_kinds[random() % std::size(all_kinds)];
    const CsvTable other = parse_csv(memory, text_of(memory, bytes), dialect, others);
    if (!other.fault) {
      EXPECT_EQ(other.rows, whole.rows);
      look_at(other, others);
    } else {
      EXPECT_LE(other.fault->at, bytes.size());
    }
    if (const std::size_t at = border(memory, bytes, bytes.size() / 2 / 64 * 64);
        !whole.fault && at > 0 && at < bytes.size()) {
      const CsvTable one = parse_csv(memory, text_of(memory, std::string_view(bytes).substr(0, at)), dialect, texts);
      const CsvTable two = parse_csv(memory, text_of(memory, std::string_view(bytes).substr(at)), dialect, texts);
      EXPECT_EQ(one.rows + two.rows, whole.rows) << bytes;
      EXPECT_EQ(one.skipped + two.skipped, whole.skipped) << bytes;
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(CsvBroken, ValuesDoNoHarm) { break_values(1, 3000); }

TEST(CsvBrokenSlow, ManyValuesDoNoHarm) { break_values(test::printed_seed() * 1'000'000, 200'000); }

/// What a line of JSON says between two quotes, undone by hand.
std::string undone(std::string_view text) {
  std::string made;
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_NE(text[i], '"');
    EXPECT_GE(static_cast<unsigned char>(text[i]), 0x20);
    if (text[i] != '\\') {
      made += text[i];
      continue;
    }
    switch (text[++i]) {
      case 'n': made += '\n'; break;
      case 'r': made += '\r'; break;
      case 't': made += '\t'; break;
      case 'b': made += '\b'; break;
      case 'f': made += '\f'; break;
      case 'u':
        made += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 4)), nullptr, 16));
        i += 4;
        break;
      default: made += text[i];
    }
  }
  return made;
}

TEST(JsonLines, HoldAnyText) {
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    std::string bytes;
    std::vector<std::int64_t> offsets{0};
    for (std::size_t row = 0; row < 5; ++row) {
      for (std::size_t left = random() % 50; left > 0; --left)
        bytes += static_cast<char>(random() % 2 == 0 ? random() % 128 : "\"\\\n\x01\x1f"[random() % 5]);
      offsets.push_back(static_cast<std::int64_t>(bytes.size()));
    }
    const RowColumn column{array::DType::u8, bytes.data(), offsets.data(), nullptr, false, "{\"t\":"};
    SystemMemory memory;
    RowText made(memory);
    write_rows(std::span(&column, 1), {true, ',', '"', "null", "}\n"}, 0, 5, made);
    const std::string_view found = made.text();
    std::size_t at = 0;
    for (std::size_t row = 0; row < 5; ++row) {
      const std::size_t end = found.find('\n', at);
      ASSERT_NE(end, std::string::npos);
      const std::string_view line = found.substr(at, end - at);
      ASSERT_TRUE(line.starts_with("{\"t\":\"") && line.ends_with("\"}"));
      EXPECT_EQ(undone(line.substr(6, line.size() - 8)),
                bytes.substr(static_cast<std::size_t>(offsets[row]),
                             static_cast<std::size_t>(offsets[row + 1] - offsets[row])));
      at = end + 1;
    }
    EXPECT_EQ(at, found.size());
  }
}

}  // namespace
}  // namespace atl::table
