// SPDX-License-Identifier: Apache-2.0
// Text of separated values becomes columns: a window of records at a time, first where their fields end, then column by
// column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "atoll/base/memory.hpp"

namespace atl::table {

/// How the string is written.
struct CsvDialect {
  char separator = ',';
  std::optional<char> quote = '"';
  char decimal = '.';
  bool skip_bad = false;  // lines of another number of values are passed over; else they are faults
  std::vector<std::string> missing;  // what stands for a missing value, quoted or not
  std::vector<std::string> yes, no;  // of columns of bool
};

/// What becomes of a column. `none`: nothing; of a guess: no value is there.
enum class CsvKind : std::uint8_t { none, i64, b1, f64, text };

/// A column: values (bool: a byte each), or strings' offsets and bytes.
struct CsvColumn {
  Buffer<std::byte> values;
  Buffer<std::int64_t> offsets;
  Buffer<std::uint8_t> valid;  // a bit for each row, when one is missing
  std::int64_t missing = 0;
};

/// What is wrong, and at which byte.
struct CsvFault {
  std::string text;
  std::size_t at = 0;
  std::optional<std::size_t> column;
};

struct CsvTable {
  std::int64_t rows = 0;
  std::int64_t skipped = 0;  // bad lines that were passed over
  std::vector<CsvColumn> columns;  // as many as kinds
  std::optional<CsvFault> fault;  // then the rest is of no use
};

/// Bytes in memory of ours, behind which the parser finds what it needs. It is used again: touched pages are cheaper.
class CsvText {
 public:
  CsvText(Memory& memory, std::size_t size) : memory_(memory) { resize(size); }

  char* data() const { return bytes_.data(); }
  std::size_t size() const { return size_; }
  /// Bytes are undefined then, and those behind them 0.
  void resize(std::size_t size) {
    if (bytes_.size() < size + padding) bytes_ = Buffer<char>(memory_, size + padding);
    size_ = size;
    std::memset(data() + size, 0, padding);
  }

 private:
  static constexpr std::size_t padding = 192;

  Memory& memory_;
  Buffer<char> bytes_;
  std::size_t size_ = 0;
};

/// Columns of the string's records: as many as `kinds`, of these kinds. Empty lines are no records. Not for strings of
/// 4 GiB and more in one record. Any thread.
CsvTable parse_csv(Memory& memory, const CsvText& text, const CsvDialect& dialect, std::span<const CsvKind> kinds);

/// What the columns' values are: whole numbers, else bools, else numbers, else strings; faults as of `parse_csv`.
std::vector<CsvKind> guess_csv(const CsvText& text, const CsvDialect& dialect, std::size_t columns,
                               std::optional<CsvFault>& fault);

}  // namespace atl::table
