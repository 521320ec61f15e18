// SPDX-License-Identifier: Apache-2.0
// Columns of texts: made, moved and given back.
#pragma once

#include <string>
#include <vector>

#include "atoll/array/ops/move.hpp"
#include "atoll/array/ops/reach.hpp"
#include "atoll/table/kernel/text/gather.hpp"
#include "atoll/table/kernel/text/spans.hpp"
#include "atoll/table/text.hpp"

namespace atl::table {

using array::DriverOnly;

/// A column of `rows` strings, valid UTF-8, of which Arrow's offsets and bytes are given. Driver: only PE 0 has them;
/// else every PE has the same ones.
Text text_from_buffers(Engine& engine, std::int64_t rows, DriverOnly<const std::int64_t*> offsets,
                       DriverOnly<const char*> bytes);
/// Every PE gives some strings; the column has them in PE order.
Text text_from_local(Engine& engine, std::int64_t local_rows, DriverOnly<const std::int64_t*> offsets,
                     DriverOnly<const char*> bytes);
/// Bytes of all strings together.
std::int64_t text_bytes(Engine& engine, Text text);
/// Copies to `offsets` (rows + 1, from 0) and `bytes` on the PEs that give them.
void text_to_buffers(Engine& engine, Text text, DriverOnly<std::int64_t*> offsets, DriverOnly<char*> bytes);

/// text[indices]: int64, negative from the end; 1-d. IndexError in NumPy's words. Each string crosses once.
Text text_take(Engine& engine, Text text, Array indices);
/// Rows start, start + step, …
Text text_slice(Engine& engine, Text text, array::Slice slice);
Text text_concatenate(Engine& engine, std::vector<Text> parts);
/// Row i of `yes` where the mask is true, else of `no`; all of one length.
/// Strings that stand side by side as one: row i is the `lengths[i]` strings from starts[i] on, which is where row i -
/// 1 ends. int64, 1-d.
Text text_runs(Engine& engine, Text text, Array starts, Array lengths);
Text text_where(Engine& engine, Array mask, Text yes, Text no);

// -- for other operations, not commands --

/// A view of this PE's strings; PEs may hold different numbers of rows.
Text adopt(Engine& engine, const array::Work& work, const Spans& spans);
/// Rows of other PEs' strings within reach.
class OpenText {
 public:
  /// Collective.
  OpenText(Engine& engine, const Text& text);
  /// Where these rows' strings lie, fetched in bulk from PEs of other nodes; they stay there until close(). Collective.
  void find(const std::int64_t* rows, std::size_t count, const char** data, std::int64_t* lengths);
  /// The same for a column to be made of them, where it pays; see GatheredTexts. Not collective.
  std::optional<GatheredTexts> gather(const std::int64_t* rows, std::size_t count) const;
  /// One string, for a look at it. Not collective.
  std::string text_of(std::int64_t row);
  const Text& text() const { return text_; }
  /// Bytes of rows [begin, end), all on one PE. Not collective.
  std::int64_t bytes_of(std::int64_t begin, std::int64_t end);
  /// Copies them: offsets from `base` on to offsets[1 …], and the bytes to bytes + base.
  void read(std::int64_t begin, std::int64_t end, std::int64_t base, std::int64_t* offsets, char* bytes);
  void close();

 private:
  std::uint32_t owner(std::int64_t row) const;
  /// PEs of one node.
  std::vector<TextBlock> blocks() const;
  void find_far(const std::int64_t* rows, std::size_t count, const char** data, std::int64_t* lengths);
  std::int64_t offset_of(std::uint32_t pe, std::int64_t local);

  Engine& engine_;
  Text text_;
  array::Reach offsets_, bytes_;
  std::vector<std::int64_t> begins_;
  std::vector<Buffer<char>> fetched_;
};

}  // namespace atl::table
