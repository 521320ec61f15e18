// SPDX-License-Identifier: Apache-2.0
// Texts where they lie, to be copied into a column: what gathers, filters and cutting operations have in common.
#pragma once

#include <span>

#include "atoll/array/kernel/work.hpp"
#include "atoll/table/kernel/text/view.hpp"

namespace atl::table {

/// Text i is `lengths[i]` bytes at `data[i]`.
struct Spans {
  Buffer<const char*> data;
  Buffer<std::int64_t> lengths;

  Spans() = default;
  Spans(Memory& memory, std::size_t count) : data(memory, count), lengths(memory, count) {}
  std::size_t size() const { return data.size(); }
  std::string_view operator[](std::size_t i) const { return {data[i], static_cast<std::size_t>(lengths[i])}; }
};

/// The sum of `count` lengths.
std::int64_t sum_lengths(const array::Work& work, const std::int64_t* lengths, std::size_t count);

/// offsets[0] = 0, offsets[i + 1] = offsets[i] + lengths[i]. They may be the same memory shifted by one: lengths =
/// offsets + 1.
void to_offsets(const array::Work& work, const std::int64_t* lengths, std::size_t count, std::int64_t* offsets);

/// Copies every string to `bytes` + its offset. Sources are read up to 16 bytes beyond their ends.
void copy_spans(const array::Work& work, const Spans& spans, const std::int64_t* offsets, char* bytes);

/// Where strings of several blocks lie that this process can reach.
struct TextBlock {
  const std::int64_t* offsets;
  const char* bytes;
};
/// Locates row rows[i] of the blocks; block b holds the rows [begins[b], begins[b + 1]). Every row is in range,
/// negative ones count from the end.
void locate(const array::Work& work, std::span<const TextBlock> blocks, std::span<const std::int64_t> begins,
            const std::int64_t* rows, std::size_t count, const char** data, std::int64_t* lengths);

}  // namespace atl::table
