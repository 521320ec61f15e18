// SPDX-License-Identifier: Apache-2.0
// A column's part of a Parquet row group, decoded: plain and dictionary pages, unpacked or by Snappy. What else there is, is for
// others to read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "atoll/base/memory.hpp"

namespace atl::table {

struct ParquetChunk {
  enum class Physical : std::uint8_t { i32, i64, f32, f64, text };
  enum class Codec : std::uint8_t { none, snappy };

  Physical physical{};
  Codec codec{};
  bool optional = false;  // values may be missing
  std::int64_t rows = 0;
};

/// Where the bytes of a chunk come from.
class ChunkSource {
 public:
  virtual ~ChunkSource() = default;
  virtual std::size_t size() const = 0;
  /// Bytes [at, at + count), until the next call; 16 behind them may be read.
  virtual std::span<const std::byte> view(std::size_t at, std::size_t count) = 0;
  /// Copies them.
  virtual void copy(std::size_t at, std::span<std::byte> to) = 0;
};

/// Where numbers go.
class NumbersSink {
 public:
  virtual ~NumbersSink() = default;
  /// Memory in which these rows belong, one behind the other; null when it cannot be had.
  virtual std::byte* room(std::int64_t first, std::int64_t rows) = 0;
  /// Rows of a page: `values` of all (0 where one is missing), perhaps in their room, and a bit for each that says which are
  /// there, or null.
  virtual void put(std::int64_t first, std::int64_t rows, const std::byte* values, const std::uint8_t* valid) = 0;
};

/// All texts of a chunk, as Arrow's large_utf8 has them; not looked at whether they are UTF-8.
struct ParquetTexts {
  Buffer<std::int64_t> offsets;
  Buffer<char> bytes;  // with room behind them
  std::vector<std::uint8_t> valid;  // bits; empty: all are there
};

/// Decodes a chunk's pages. ValueError for what is broken, with the byte where the page begins.
void decode_numbers(Memory& memory, ChunkSource& source, const ParquetChunk& chunk, NumbersSink& sink);
ParquetTexts decode_texts(Memory& memory, ChunkSource& source, const ParquetChunk& chunk);

}  // namespace atl::table
