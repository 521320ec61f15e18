// SPDX-License-Identifier: Apache-2.0
// Rows that each PE has read by itself become columns.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "atoll/array/ops/blocks.hpp"
#include "atoll/table/text.hpp"

namespace atl::table {

/// What a column is to be made of: numbers and bools of a type, or strings (dtype: u8).
struct LandingColumn {
  DType dtype{};
  bool text = false;

  template <class Archive>
  void fields(Archive& archive) {
    archive(dtype, text);
  }
};

/// Some rows of one column, in Arrow's buffers.
struct Chunk {
  enum class Form : std::uint8_t { plain, bits, text32, text64 };

  Form form = Form::plain;
  std::int64_t rows = 0;
  const void* values = nullptr;   // of the first row; of bits and of strings, the buffer
  const void* offsets = nullptr;  // of texts: that of the first row
  std::int64_t first_bit = 0;     // of bits: that of the first row
  const std::uint8_t* valid = nullptr;  // a bit for each row; null: all are there
  std::int64_t first_valid = 0;
  std::shared_ptr<void> owner;  // keeps all that alive
};

/// Collects chunks, of any number of threads, and makes columns of them in which the rows stand in PE order. Where it
/// is known how many rows each PE has, numbers are copied to where they belong at once, and their chunks forgotten.
class Landing {
 public:
  /// `rows`: of each PE, or empty. Collective.
  Landing(Engine& engine, std::vector<LandingColumn> columns, std::vector<std::int64_t> rows);

  /// Whether it is known how many rows each PE has.
  bool knows_rows() const { return known_; }

  /// What a column holds.
  const LandingColumn& kind(std::size_t column) const { return columns_.at(column).kind; }

  /// Chunks of a column stand in the order of their places. Where rows are known a chunk's place is its first row among
  /// this PE's. Not collective; any thread. ValueError for chunks that do not fit.
  void add(std::size_t column, std::int64_t place, Chunk chunk);

  /// Where rows of a column of numbers belong that is known to have them, in memory that this process sees; null when
  /// that is in several pieces. They are added all the same. Not collective; any thread.
  std::byte* room(std::size_t column, std::int64_t place, std::int64_t rows) const;

  /// For each column its values (of strings offsets and bytes), and which of them are there (bool; null: all).
  /// ValueError when columns of one PE differ in length, or strings are not UTF-8. Collective.
  std::vector<Array> finish();
  /// Instead of it, when a PE has failed. Collective.
  void give_up();

 private:
  struct Placed {
    std::int64_t place;
    Chunk chunk;
    std::vector<std::uint8_t> valid;  // a copy, of chunks that are forgotten
  };
  struct Column {
    LandingColumn kind;
    Array values;
    std::unique_ptr<array::OpenBlocks> open;
    std::vector<Placed> chunks;
    std::int64_t rows = 0;
  };

  void write(const array::OpenBlocks& blocks, std::int64_t first, const Chunk& chunk, std::int64_t begin,
             std::int64_t end) const;
  void agree_on_rows();
  void make_values(Column& column);
  Array make_valid(Column& column);
  Text make_texts(Column& column);
  void for_pieces(const Column& column, const std::function<void(std::size_t, std::int64_t, std::int64_t)>& body);

  Engine& engine_;
  std::vector<Column> columns_;
  bool known_;
  std::int64_t rows_ = 0, first_ = 0, total_ = 0;  // of this PE; the row that its first one is; of all
  std::mutex mutex_;
};

}  // namespace atl::table
