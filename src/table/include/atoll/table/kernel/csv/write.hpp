// SPDX-License-Identifier: Apache-2.0
// Rows as lines of text: separated values, or objects of JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "atoll/array/dtype.hpp"

namespace atl::table {

/// A column's rows where they lie, and what stands in front of each value.
struct RowColumn {
  array::DType dtype{};
  const void* values = nullptr;           // of texts: their bytes
  const std::int64_t* offsets = nullptr;  // of texts
  const bool* valid = nullptr;            // null: all are there
  bool verbatim = false;                  // texts without special characters: no quotes around them
  std::string before;
};

/// How lines are written. Separated values as pandas writes them: quotes only around what needs them (a line's only value, when it
/// has no characters), and numbers that are none are missing. In JSON a number that is infinite is missing, too.
struct RowForm {
  bool json = false;
  char separator = ',';
  char quote = '"';
  std::string missing;  // what stands for a missing value
  std::string end;      // of a line
};

/// Appends the rows [begin, end).
void write_rows(std::span<const RowColumn> columns, const RowForm& form, std::size_t begin, std::size_t end, std::string& out);

}  // namespace atl::table
