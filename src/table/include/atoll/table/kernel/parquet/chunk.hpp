// SPDX-License-Identifier: Apache-2.0
// A column's part of a Parquet row group, decoded: plain and dictionary pages, unpacked or by Snappy. What else there
// is, is for others to read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
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

/// Which rows of a chunk are wanted: all, or some, whose numbers ascend and may repeat. Pages that have none are not
/// read.
class WantedRows {
 public:
  WantedRows() = default;
  /// `first`: the number of the chunk's first row.
  WantedRows(std::span<const std::int64_t> rows, std::int64_t first) : all_(false), rows_(rows), first_(first) {}

  bool all() const { return all_; }
  /// How many there are of a chunk of so many rows.
  std::int64_t count(std::int64_t rows) const { return all_ ? rows : static_cast<std::int64_t>(rows_.size()); }
  /// The place among the wanted of the first one that is not before this row of the chunk.
  std::size_t place(std::int64_t row) const;
  /// Where in the chunk one of them is.
  std::int64_t row(std::size_t place) const { return rows_[place] - first_; }
  /// ValueError when they do not ascend, or not all are rows of a chunk of so many.
  void check(std::int64_t rows) const;

 private:
  bool all_ = true;
  std::span<const std::int64_t> rows_;
  std::int64_t first_ = 0;
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

/// Where numbers go; rows are counted among those that are wanted.
class NumbersSink {
 public:
  virtual ~NumbersSink() = default;
  /// Memory in which these rows belong, one behind the other; null when it cannot be had.
  virtual std::byte* room(std::int64_t first, std::int64_t rows) = 0;
  /// Rows of a page: `values` of all (0 where one is missing), perhaps in their room, and a bit for each that says
  /// which are there, or null.
  virtual void put(std::int64_t first, std::int64_t rows, const std::byte* values, const std::uint8_t* valid) = 0;
};

/// What a file's numbers become: what they are; 64 bits of 32; floats, each divided by `divisor` (decimals).
struct NumbersForm {
  bool widened = false;
  double divisor = 0;  // 0: they do not become floats
};

/// Strings of a chunk, as Arrow's large_utf8 has them; not looked at whether they are UTF-8.
struct ParquetTexts {
  Buffer<std::int64_t> offsets;
  Buffer<char> bytes;  // with room behind them
  std::vector<std::uint8_t> valid;  // bits; empty: all are there
};

/// Decodes a chunk's pages. ValueError for what is broken, with the byte where the page begins.
void decode_numbers(Memory& memory, ChunkSource& source, const ParquetChunk& chunk, NumbersSink& sink,
                    const WantedRows& wanted = {}, NumbersForm form = {});
ParquetTexts decode_texts(Memory& memory, ChunkSource& source, const ParquetChunk& chunk,
                          const WantedRows& wanted = {});

/// The words of a chunk of strings, each of whose rows has one of them; nothing where a page has strings of its own.
std::optional<std::vector<std::string>> read_words(Memory& memory, ChunkSource& source, const ParquetChunk& chunk);
/// Of a chunk of strings for each row the code of its word, `bytes` (1, 2 or 4) wide. ValueError where a page has
/// strings of its own.
void decode_codes(Memory& memory, ChunkSource& source, const ParquetChunk& chunk, NumbersSink& sink,
                  const WantedRows& wanted, std::span<const std::int64_t> codes, std::size_t bytes);

}  // namespace atl::table
