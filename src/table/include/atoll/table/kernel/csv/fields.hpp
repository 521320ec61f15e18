// SPDX-License-Identifier: Apache-2.0
// Where the fields of separated values end: a vector of bytes at a time, of which quotes hide what lies between them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "atoll/table/kernel/text/records.hpp"

namespace atl::table {

/// What separates fields, and where in a record the bytes begin that are looked at next.
struct FieldScan {
  char separator = ',';
  char quote = '"';
  bool quotes = true;
  RecordState state = RecordState::field_start;
  std::size_t lines = 0;  // that have ended
  bool doubled = false;   // whether quotes were found that are no border of a field
};

/// Puts down where fields end in the bytes [from, to) of `base`: separators, line feeds, and carriage returns with no
/// line feed behind them, outside quotes, as distances from `base`. A quote opens where a field starts, as for
/// `scan_records`. Returns how many; `ends` has room for one per byte and 8 more. 64 bytes behind `to` may be read;
/// `to` is below 2^32. Where `to - from` is no multiple of 64 the bytes end: of the state behind them only whether it
/// is quoted can be used.
std::size_t scan_fields(FieldScan& scan, const char* base, std::size_t from, std::size_t to, std::uint32_t* ends);

/// What a range of bytes is, supposed that it begins where a field may, or inside quotes.
struct RecordSurvey {
  bool known = true;  // a quote that is no border of a field: then nothing is said
  RecordState end{};
  std::int64_t first = -1;  // as of `RecordScan`
  std::int64_t lines = 0;   // that end in it
  bool countable =
      true;    // each of them is a record's: none is empty (but the first, perhaps), and each ends with a line feed
};

/// Both, in one go. 64 bytes behind may be read, and are 0. A range whose size is no multiple of 64 is a file's last:
/// the state at its end is of no use. Outside quotes a first byte that is a quote is taken for one that opens.
std::array<RecordSurvey, 2> survey_records(const FieldScan& scan, const char* bytes, std::size_t size);

}  // namespace atl::table
