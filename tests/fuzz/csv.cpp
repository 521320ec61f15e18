// SPDX-License-Identifier: Apache-2.0
// Separated values: whatever kinds of columns are asked for, the same rows are found.
#include <vector>

#include "atoll/table/kernel/csv/fields.hpp"
#include "atoll/table/kernel/csv/parse.hpp"
#include "target.hpp"

namespace {

using namespace atl::table;
using atl::fuzz::expect;

void check(const CsvTable& table, std::span<const CsvKind> kinds) {
  const auto rows = static_cast<std::size_t>(table.rows);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const CsvColumn& column = table.columns[i];
    std::int64_t missing = 0;
    for (std::size_t row = 0; column.missing > 0 && row < rows; ++row)
      missing += (column.valid[row / 8] >> (row % 8) & 1) == 0;
    expect(missing == column.missing, "bits of missing values are as many as their count");
    if (kinds[i] == CsvKind::none) continue;
    if (kinds[i] != CsvKind::text) {
      expect(rows * (kinds[i] == CsvKind::b1 ? 1 : 8) <= column.values.size(), "all values are there");
      continue;
    }
    for (std::size_t row = 0; row < rows; ++row)
      expect(column.offsets[row] <= column.offsets[row + 1], "offsets ascend");
    expect(static_cast<std::size_t>(column.offsets[rows]) <= column.values.size(), "texts end inside their bytes");
  }
}

}  // namespace

ATOLL_FUZZ(csv) {
  atl::fuzz::Input input(bytes);
  const unsigned how = input.byte();
  const std::size_t columns = 1 + input.byte() % 5;
  std::vector<CsvKind> kinds(columns);
  for (CsvKind& kind : kinds) kind = static_cast<CsvKind>(input.byte() % 5);
  CsvDialect dialect{.separator = how & 1 ? ';' : ',',
                     .decimal = how & 2 ? ',' : '.',
                     .skip_bad = (how & 4) != 0,
                     .missing = {"", "NA"},
                     .yes = {"true", "T"},
                     .no = {"false"}};
  if (how & 1 && how & 8) dialect.quote = '\'';
  if (how & 16) dialect.quote.reset();
  if (dialect.separator == dialect.decimal) dialect.decimal = '.';
  atl::SystemMemory memory;
  CsvText text(memory, input.rest().size());
  std::copy(input.rest().begin(), input.rest().end(), text.data());

  FieldScan scan{
      .separator = dialect.separator, .quote = dialect.quote.value_or('"'), .quotes = dialect.quote.has_value()};
  (void)survey_records(scan, text.data(), text.size());
  const std::vector<CsvKind> as_texts(columns, CsvKind::text);
  const CsvTable whole = parse_csv(memory, text, dialect, as_texts);
  if (!whole.fault) check(whole, as_texts);
  std::optional<CsvFault> fault;
  const std::vector<CsvKind> guessed = guess_csv(text, dialect, columns, fault);
  expect(fault.has_value() == whole.fault.has_value(), "guessing finds a fault where parsing does");
  const CsvTable typed = parse_csv(memory, text, dialect, guessed);
  expect(typed.fault.has_value() == whole.fault.has_value() && typed.rows == whole.rows,
         "columns of the guessed kinds have the same rows");
  if (!typed.fault) check(typed, guessed);
  const CsvTable other = parse_csv(memory, text, dialect, kinds);
  if (other.fault) return expect(other.fault->at <= text.size(), "a fault is inside the text");
  expect(other.rows == whole.rows, "columns of any kinds have the same rows");
  check(other, kinds);
}
