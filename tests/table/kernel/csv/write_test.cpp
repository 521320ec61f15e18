// SPDX-License-Identifier: Apache-2.0
// Rows as separated values and as JSON: what is quoted, escaped, and missing.
#include "atoll/table/kernel/csv/write.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace atl::table {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity(), none = std::numeric_limits<double>::quiet_NaN();

/// A column and what it looks at.
class Texts {
 public:
  explicit Texts(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      bytes_ += text;
      offsets_.push_back(static_cast<std::int64_t>(bytes_.size()));
    }
  }
  RowColumn column(const bool* valid = nullptr) const {
    return {.values = bytes_.data(), .offsets = offsets_.data(), .valid = valid, .before = {}};
  }

 private:
  std::string bytes_;
  std::vector<std::int64_t> offsets_{0};
};

template <class T>
RowColumn numbers(const std::vector<T>& values, const bool* valid = nullptr) {
  return {.dtype = array::dtype_of<T>, .values = values.data(), .valid = valid, .before = {}};
}

std::string lines(std::vector<RowColumn> columns, const RowForm& form, std::size_t rows, std::size_t begin = 0) {
  for (std::size_t i = 1; i < columns.size() && !form.json; ++i) columns[i].before = form.separator;
  SystemMemory memory;
  RowText out(memory);
  std::memcpy(out.room(5), "kept\n", 5);
  out.use(5);
  write_rows(columns, form, begin, rows, out);
  return std::string(out.text().substr(5));
}

const RowForm csv{.missing = "NA", .end = "\n"}, json{.json = true, .missing = "null", .end = "\n"};

TEST(WriteRows, NumbersAsPythonWritesThem) {
  const std::vector<double> doubles{0.1,      -0.0,      1e16, 1e-5, 5e-324, std::numeric_limits<double>::max(),
                                    infinite, -infinite, none};
  EXPECT_EQ(lines({numbers(doubles)}, csv, doubles.size()),
            "0.1\n-0.0\n1e+16\n1e-05\n5e-324\n1.7976931348623157e+308\ninf\n-inf\nNA\n");
  EXPECT_EQ(lines({numbers(doubles)}, json, doubles.size()),
            "0.1\n-0.0\n1e+16\n1e-05\n5e-324\n1.7976931348623157e+308\nnull\nnull\nnull\n");
  const std::vector<float> floats{0.1F, 16777216.0F};
  const std::vector<std::int64_t> wholes{std::numeric_limits<std::int64_t>::min(), 7};
  const std::vector<std::uint64_t> large{std::numeric_limits<std::uint64_t>::max(), 0};
  const std::vector<std::int8_t> small{-128, 65};
  EXPECT_EQ(lines({numbers(floats), numbers(wholes), numbers(large), numbers(small)}, csv, 2),
            "0.1,-9223372036854775808,18446744073709551615,-128\n16777216.0,7,0,65\n");
  const bool flags[] = {true, false};
  const RowColumn column{.dtype = array::dtype_of<bool>, .values = flags, .before = {}};
  EXPECT_EQ(lines({column}, csv, 2), "True\nFalse\n");
  EXPECT_EQ(lines({column}, json, 2), "true\nfalse\n");
}

TEST(WriteRows, QuotesWhereNecessary) {
  const Texts texts({"plain", "a,b", "say \"x\"", "two\nlines", "\r", "\"", "", "it's; \xc3\xa9"});
  const std::vector<std::int64_t> row{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(lines({texts.column(), numbers(row)}, csv, 8),
            "plain,0\n\"a,b\",1\n\"say \"\"x\"\"\",2\n\"two\nlines\",3\n\"\r\",4\n\"\"\"\",5\n,6\nit's; \xc3\xa9,7\n");
  EXPECT_EQ(
      lines({texts.column(), numbers(row)}, {.separator = ';', .quote = '\'', .missing = "", .end = "\r\n"}, 8, 6),
      ";6\r\n'it''s; \xc3\xa9';7\r\n");
  RowColumn verbatim = texts.column();
  verbatim.verbatim = true;
  EXPECT_EQ(lines({verbatim}, csv, 2), "plain\na,b\n");
}

TEST(WriteRows, WritesMissingValues) {
  const Texts texts({"a", "b", ""});
  const std::vector<std::int32_t> numbers_there{1, 2, 3};
  const bool there[] = {true, false, true}, others[] = {false, true, true};
  EXPECT_EQ(lines({texts.column(there), numbers(numbers_there, others)}, csv, 3), "a,NA\nNA,2\n,3\n");
  EXPECT_EQ(lines({texts.column(there)}, json, 3), "\"a\"\nnull\n\"\"\n");
}

// Readers skip empty lines.
TEST(WriteRows, AnOnlyValueIsNeverNothing) {
  const Texts texts({"", "x"});
  const bool there[] = {true, false};
  EXPECT_EQ(lines({texts.column(there)}, {.missing = "", .end = "\n"}, 2), "\"\"\n\"\"\n");
  EXPECT_EQ(lines({numbers(std::vector<double>{none, 1})}, {.missing = "", .end = "\n"}, 2), "\"\"\n1.0\n");
  EXPECT_EQ(lines({texts.column(there), texts.column(there)}, {.missing = "", .end = "\n"}, 2), ",\n,\n");
}

TEST(WriteRows, EscapesOfJson) {
  const Texts texts({std::string("\"\\\b\f\n\r\t") + '\0' + "\x01\x1f\x7f/ \xc3\xa9", "plain"});
  RowColumn column = texts.column();
  column.before = "{\"a\":";
  RowForm form = json;
  form.end = "}\n";
  EXPECT_EQ(lines({column}, form, 2),
            "{\"a\":\"\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u0001\\u001f\x7f/ \xc3\xa9\"}\n{\"a\":\"plain\"}\n");
}

// More than a line's room is made for at once.
TEST(WriteRows, LongTexts) {
  const std::string quotes(10'000, '"');
  const Texts texts({quotes, std::string(5'000, 'x')});
  EXPECT_EQ(lines({texts.column()}, csv, 2), '"' + quotes + quotes + "\"\n" + std::string(5'000, 'x') + '\n');
}

}  // namespace
}  // namespace atl::table
