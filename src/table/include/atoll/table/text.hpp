// SPDX-License-Identifier: Apache-2.0
// A distributed column of strings, made of two arrays.
#pragma once

#include <vector>

#include "atoll/array/command.hpp"
#include "atoll/array/engine.hpp"
#include "atoll/table/kernel/text/view.hpp"

namespace atl::table {

using array::Array;
using array::DType;
using array::Engine;

/// Rows lie in blocks as a 1-d array's of that length do, each PE has the bytes of its own rows. `offsets` (int64)
/// holds on every PE one element more than it has rows, `bytes` (uint8) what they point into: buffers as Arrow's
/// large_utf8 has them. Both are arrays, so commands, memory and errors are those of arrays; neither is ever seen
/// alone.
struct Text {
  Array offsets, bytes;

  std::int64_t rows() const { return offsets->shape.rows() - offsets->distribution.npes(); }
  std::size_t local_rows() const { return static_cast<std::size_t>(offsets->local_rows() - 1); }
  TextView view() const { return {offsets->data<std::int64_t>(), bytes->data<char>(), local_rows()}; }
  /// The global row that PE's first row is.
  std::int64_t first_row(std::uint32_t pe) const { return offsets->distribution.begin(pe) - pe; }
  std::int64_t first_row() const { return first_row(offsets->pe); }
  std::int64_t rows_of(std::uint32_t pe) const { return offsets->distribution.count(pe) - 1; }
  std::uint32_t owner(std::int64_t row) const;

  template <class Archive>
  void fields(Archive& archive) {
    archive(offsets, bytes);
  }
};

template <class F>
void for_each_array(const Text& text, F&& visit) {
  visit(text.offsets);
  visit(text.bytes);
}
template <class F>
void for_each_array(const std::vector<Text>& texts, F&& visit) {
  for (const Text& text : texts) for_each_array(text, visit);
}

/// How the rows of a column of that length lie.
array::Distribution distribution_of(Engine& engine, std::int64_t rows);
/// A column of which this PE's rows have that many bytes; offsets and bytes are undefined. Collective.
Text make_text(Engine& engine, std::int64_t rows, std::int64_t local_bytes);

}  // namespace atl::table
