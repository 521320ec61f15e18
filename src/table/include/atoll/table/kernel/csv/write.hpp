// SPDX-License-Identifier: Apache-2.0
// Rows as lines of text: separated values, or objects of JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "atoll/array/dtype.hpp"
#include "atoll/base/memory.hpp"

namespace atl::table {

/// A column's rows where they lie, and what stands in front of each value.
struct RowColumn {
  array::DType dtype{};
  const void* values = nullptr;           // of texts: their bytes
  const std::int64_t* offsets = nullptr;  // of strings
  const bool* valid = nullptr;            // null: all are there
  bool verbatim = false;                  // strings without special characters: no quotes around them
  std::string before;
};

/// How lines are written. Separated values as pandas writes them: quotes only around what needs them (a line's only
/// value, when it has no characters), and numbers that are none are missing. In JSON a number that is infinite is
/// missing, too.
struct RowForm {
  bool json = false;
  char separator = ',';
  char quote = '"';
  std::string missing;  // what stands for a missing value
  std::string end;      // of a line
};

/// Lines that grow; what is not used yet is undefined.
class RowText {
 public:
  explicit RowText(Memory& memory) : memory_(memory) {}

  std::string_view text() const { return {bytes_.data(), used_}; }
  /// Where so many bytes can be written behind the string; `use` says how many were.
  char* room(std::size_t count);
  void use(std::size_t count) { used_ += count; }
  /// No text is left, and the room that there was.
  void clear() { used_ = 0; }

 private:
  Memory& memory_;
  Buffer<char> bytes_;
  std::size_t used_ = 0;
};

/// Appends the rows [begin, end).
void write_rows(std::span<const RowColumn> columns, const RowForm& form, std::size_t begin, std::size_t end,
                RowText& out);

}  // namespace atl::table
