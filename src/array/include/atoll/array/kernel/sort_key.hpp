// SPDX-License-Identifier: Apache-2.0
// Keys of any dtype, and several of them, as one string of bits whose unsigned order is the sort order.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "atoll/array/dtype.hpp"
#include "atoll/array/kernel/work.hpp"

namespace atl::array {

/// What becomes of zeros: as keys -0.0 and 0.0 are equal; as values they must both survive a sort, -0.0 first.
enum class Zeros : std::uint8_t { equal, apart };

/// Order-preserving map to u64: unsigned order of the images is NumPy's sort order of the values. All NaNs become
/// one value directly above infinity (not the largest u64), so that NaN-heavy data still spans few bits.
template <Zeros zeros = Zeros::equal, class T>
constexpr std::uint64_t ordered_bits(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    using U = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    using S = std::make_signed_t<U>;
    constexpr U sign = U{1} << (8 * sizeof(T) - 1);
    constexpr U above_infinity = (std::bit_cast<U>(std::numeric_limits<T>::infinity()) | sign) + 1;
    if constexpr (zeros == Zeros::equal) value += T{0};
    U bits = std::bit_cast<U>(value);
    bits ^= static_cast<U>(static_cast<S>(bits) >> (8 * sizeof(T) - 1)) | sign;
    return value != value ? above_infinity : bits;
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? 1 : 0;
  } else if constexpr (std::is_signed_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<U>(static_cast<U>(value) ^ (U{1} << (8 * sizeof(T) - 1)));
  } else {
    return value;
  }
}

/// Inverse of ordered_bits<Zeros::apart>; NaN comes back as the quiet NaN.
template <class T>
constexpr T from_ordered_bits(std::uint64_t ordered) {
  if constexpr (std::is_floating_point_v<T>) {
    using U = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    using S = std::make_signed_t<U>;
    constexpr U sign = U{1} << (8 * sizeof(T) - 1);
    constexpr U infinity = std::bit_cast<U>(std::numeric_limits<T>::infinity());
    U bits = static_cast<U>(ordered);
    bits ^= static_cast<U>(~static_cast<U>(static_cast<S>(bits) >> (8 * sizeof(T) - 1))) | sign;
    return std::bit_cast<T>(bits == infinity + 1 ? static_cast<U>(infinity | (infinity >> 1)) : bits);
  } else if constexpr (std::is_same_v<T, bool>) {
    return ordered != 0;
  } else if constexpr (std::is_signed_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(static_cast<U>(ordered) ^ (U{1} << (8 * sizeof(T) - 1))));
  } else {
    return static_cast<T>(ordered);
  }
}

/// A column to sort by: `data` holds the rows of one PE.
struct Key {
  DType type;
  const void* data;
};

/// Smallest and largest ordered bits of a column. Merge the ranges of all PEs before making a CompositeKey.
struct KeyRange {
  std::uint64_t min = ~std::uint64_t{0};
  std::uint64_t max = 0;
  bool ascending = true;  // already in order, within what was looked at

  unsigned width() const { return max <= min ? 0 : static_cast<unsigned>(std::bit_width(max - min)); }
  void merge(const KeyRange& other) {
    min = other.min < min ? other.min : min;
    max = other.max > max ? other.max : max;
    ascending = false;
  }
};

/// One read of the column. Misaligned data is fine for this and for everything below.
KeyRange key_range(Work work, Key key, std::size_t n, Zeros zeros = Zeros::equal);

/// k columns as one bit string per row: first column most significant, each less its minimum and only as wide as
/// its range, cut into chunks of up to 64 bits (chunk 0 the most significant). Two rows compare as their chunks do.
///
/// Rows are numbered globally. The rows of a job may lie in several pieces (one per PE whose memory is mapped): the
/// first piece is this PE's own, which is read in blocks; the others are looked up only when rows tie. Such rows of
/// other nodes are brought here and listed.
class CompositeKey {
 public:
  static constexpr std::size_t block = 512;  // rows handled at a time: everything about a block stays in L1
  // Rows worth waking a thread for: that takes some 10 us, in which one thread handles as many.
  static constexpr std::size_t share = 32 * block;

  /// `ranges[i]` is that of column i over all rows. `keys` hold rows [first_row, first_row + n).
  CompositeKey(std::span<const Key> keys, std::span<const KeyRange> ranges, std::size_t n, std::uint64_t first_row = 0,
               Zeros zeros = Zeros::equal);

  /// Rows of another PE: column data of rows from `first_row` on. Pieces must not overlap.
  void add_piece(std::span<const Key> keys, std::size_t n, std::uint64_t first_row);
  /// Single rows outside the pieces: their numbers, ascending, and column data in that order.
  void list_rows(std::span<const std::uint64_t> rows, std::span<const Key> keys);
  bool in_pieces(std::uint64_t row) const;

  std::size_t rows() const { return pieces_[0].count; }         // in this PE's piece
  std::uint64_t first_row() const { return pieces_[0].first; }  // of this PE's piece
  unsigned chunks() const { return static_cast<unsigned>(chunks_.size()); }  // 0: all rows are equal
  unsigned width(unsigned chunk) const { return chunks_[chunk].width; }
  std::uint64_t min(std::size_t column) const { return columns_[column].min; }

  /// dst[i] = chunk 0 of own row begin + i (counted from 0), or 0 where there are no chunks; count ≤ block.
  void load(std::size_t begin, std::size_t count, std::uint64_t* dst) const;
  /// The low 32 bits of the same, for keys that are known to have no more: returns all bits of all of them, so that the
  /// caller may see whether they do.
  std::uint64_t load_codes(std::size_t begin, std::size_t count, std::uint32_t* dst) const;
  /// dst[i] = `chunk` of global row rows[i] - bias.
  void gather(unsigned chunk, const std::uint64_t* rows, std::size_t count, std::uint64_t bias,
              std::uint64_t* dst) const;

 private:
  struct Column {
    DType type;
    std::uint64_t min;
    unsigned width;
  };
  struct Part {  // bits [drop, drop + length) of a column lie at `place` of the chunk
    unsigned column, drop, length, place;
  };
  struct Chunk {
    unsigned width = 0;
    std::vector<Part> parts;
  };
  struct Piece {
    std::uint64_t first;
    std::size_t count;
    std::vector<const void*> data;
  };
  struct Listed {
    std::span<const std::uint64_t> rows;
    std::vector<const void*> data;
  };
  template <class T>
  T fetch(unsigned column, std::uint64_t row) const;

  Zeros zeros_;
  std::vector<Column> columns_;
  std::vector<Chunk> chunks_;
  std::vector<Piece> pieces_;
  Listed listed_;
};

}  // namespace atl::array
