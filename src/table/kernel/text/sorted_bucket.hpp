// SPDX-License-Identifier: Apache-2.0
// Some strings in order, while they are in a cache.
#pragma once

#include <string_view>
#include <vector>

#include "atoll/base/memory.hpp"
#include "kernel/text/codes.hpp"

namespace atl::table {

/// Strings by their rows, which lie in pieces.
class RowTexts {
 public:
  /// Behind the pieces before: rows from `first` on.
  void add(std::size_t first, const std::int64_t* offsets, const char* bytes) {
    pieces_.push_back({first, offsets, bytes});
  }
  std::size_t first(std::size_t piece) const { return pieces_[piece].first; }
  /// Where the row's offsets lie.
  const std::int64_t* offsets(std::size_t row) const {
    const Piece& piece = piece_of(row);
    return piece.offsets + (row - piece.first);
  }
  std::string_view operator[](std::size_t row) const {
    const Piece& piece = piece_of(row);
    const std::int64_t* at = piece.offsets + (row - piece.first);
    return {piece.bytes + at[0], static_cast<std::size_t>(at[1] - at[0])};
  }

 private:
  struct Piece {
    std::size_t first;
    const std::int64_t* offsets;
    const char* bytes;
  };
  const Piece& piece_of(std::size_t row) const {
    std::size_t piece = pieces_.size() - 1;
    while (piece > 0 && row < pieces_[piece].first) --piece;
    return pieces_[piece];
  }

  std::vector<Piece> pieces_;
};

/// Room for a bucket's texts: their images, rows, and words of key bits and places, which are sorted in place of them.
class SortedBucket {
 public:
  /// `texts` have `depth` bytes in common, and are what rows are of; they stay. A bucket has up to `most` of them.
  SortedBucket(Memory& memory, const RowTexts& texts, std::size_t depth, ByteCodes codes, std::size_t most)
      : texts_(&texts),
        depth_(depth),
        codes_(codes),
        images_(memory, most),
        rows_(memory, most),
        words_(memory, most) {}

  void clear() { count_ = 0; }
  /// More strings, behind those before: of equal ones it keeps the order. Rows are counted from the first of the piece.
  void add(std::size_t piece, const std::uint32_t* rows, const Image* images, std::size_t count);
  std::size_t size() const { return count_; }
  void sort();

  // -- in order --

  void rows(std::int64_t* out) const;
  /// out[i]: whether text i differs from the one before; the first one does.
  void apart(bool* out) const;
  /// Writes the strings to [to, to_end), and to ends[i] where text i ends, counted from `to` and `base` more.
  void write(std::int64_t base, char* to, const char* to_end, std::int64_t* ends) const;
  /// The same of the distinct ones, and the first row of each; how many there are.
  std::size_t write_distinct(char* to, const char* to_end, std::int64_t* ends, std::uint32_t* first_rows) const;

 private:
  std::size_t place(std::size_t i) const { return words_[i] & mask_; }
  std::string_view text(std::size_t i) const { return (*texts_)[rows_[place(i)]]; }
  bool same_key(std::size_t i, std::size_t j) const { return ((words_[i] ^ words_[j]) & ~mask_) == 0; }
  bool differs_from_last(std::size_t i) const;
  void mend(std::size_t begin, std::size_t end);
  void mend_long(std::size_t begin, std::size_t end);
  template <bool distinct>
  std::size_t write_texts(std::int64_t base, char* to, const char* to_end, std::int64_t* ends,
                          std::uint32_t* first_rows) const;

  const RowTexts* texts_;
  std::size_t depth_;
  ByteCodes codes_;
  Buffer<Image> images_;
  Buffer<std::uint32_t> rows_;
  Buffer<std::uint64_t> words_;
  std::size_t count_ = 0;
  std::uint64_t mask_ = 0;  // of the bits of words that are a place
  bool has_long_ = false;
};

}  // namespace atl::table
