// SPDX-License-Identifier: Apache-2.0
// Runs of whole records, of which it is known where each field ends.
#pragma once

#include <memory>

#include "atoll/table/kernel/csv/fields.hpp"
#include "atoll/table/kernel/csv/parse.hpp"

namespace atl::table {

/// Records one behind the other: field c of record r ends at `ends[r * fields + c]`, and begins behind `ends[… - 1]`.
struct CsvRun {
  const std::uint32_t* ends;
  std::size_t rows;
};

/// Goes through a string, a window at a time.
class CsvWindows {
 public:
  CsvWindows(const CsvText& text, const CsvDialect& dialect, std::size_t fields);

  /// The next records; false when there are none, or one is not as it should be.
  bool next();
  const char* base() const { return base_; }
  std::span<const CsvRun> runs() const { return runs_; }
  std::size_t rows() const { return rows_; }
  /// Bytes that have been gone through, and all.
  std::size_t seen() const { return static_cast<std::size_t>(base_ - text_) + scanned_; }
  std::size_t size() const { return size_; }
  std::size_t window() const { return scanned_; }
  /// Whether each field that begins with a quote ends with the one that closes it, or is something else altogether.
  bool plain_quotes() const { return !scan_.doubled; }

  std::int64_t skipped = 0;
  std::optional<CsvFault> fault;

 private:
  void find_runs(std::size_t count);
  void find_runs_slowly(std::size_t count);
  void bad_line(std::size_t first, std::size_t last);
  bool ends_line(std::size_t index) const { return base_[ends()[index]] == '\n' || base_[ends()[index]] == '\r'; }
  std::uint32_t* ends() const { return ends_.get() + 1; }  // one stands before them

  const char* text_;
  std::size_t size_;
  bool skip_bad_;
  std::size_t fields_;
  FieldScan scan_;
  const char* base_;
  std::size_t scanned_ = 0;  // from base_ on
  std::unique_ptr<std::uint32_t[]> ends_;
  std::size_t room_ = 0, used_ = 0, passed_ = 0;
  std::vector<CsvRun> runs_;
  std::size_t rows_ = 0;
};

}  // namespace atl::table
