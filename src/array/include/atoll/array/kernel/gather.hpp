// SPDX-License-Identifier: Apache-2.0
// Indexing by data: v[i], c[i] = v, c[i] += v, where rows may lie in the blocks of several co-located PEs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "atoll/array/dtype.hpp"
#include "atoll/array/kernel/work.hpp"

namespace atl::array {

/// The rows of one array, split in contiguous blocks, each where this process can reach it. Blocks of one size (the
/// last may be shorter, those after it empty) are found by a multiplication, others by a search.
class PeerBlocks {
 public:
  /// All rows in one block.
  PeerBlocks(void* base, std::int64_t rows, std::size_t row_bytes);
  /// Block b holds the rows [begins[b], begins[b + 1]) and starts at bases[b]; begins has one entry more than bases.
  PeerBlocks(std::span<void* const> bases, std::span<const std::int64_t> begins, std::size_t row_bytes);

  std::int64_t rows() const { return begins_.back(); }
  std::size_t row_bytes() const { return row_bytes_; }
  std::size_t count() const { return origins_.size(); }
  bool single() const { return origins_.size() == 1; }
  bool uniform() const { return block_rows_ != 0; }

  /// The row's address; 0 <= row < rows().
  unsigned char* find(std::int64_t row) const {
    if (single()) return origins_[0] + static_cast<std::size_t>(row) * row_bytes_;
    return at(block_of(row), row);
  }
  std::size_t block_of(std::int64_t row) const {
    if (single()) return 0;
    return uniform() ? divide(static_cast<std::uint64_t>(row)) : search(row);
  }

  /// The row after the block's last.
  std::int64_t end_of(std::size_t block) const { return begins_[block + 1]; }

  /// A view of the fields for inner loops.
  std::uint64_t block_rows() const { return block_rows_; }
  std::uint64_t reciprocal() const { return reciprocal_; }
  /// Where row 0 would be if block b went on to the left: one addition less per element.
  unsigned char* const* origins() const { return origins_.data(); }

  std::size_t divide(std::uint64_t row) const {
    // floor(2^64 / d) gives the quotient or one less.
    std::uint64_t q = static_cast<std::uint64_t>((static_cast<unsigned __int128>(row) * reciprocal_) >> 64);
    return static_cast<std::size_t>(q + (row - q * block_rows_ >= block_rows_ ? 1 : 0));
  }
  std::size_t search(std::int64_t row) const;

 private:
  unsigned char* at(std::size_t block, std::int64_t row) const {
    return origins_[block] + static_cast<std::size_t>(row) * row_bytes_;
  }

  std::size_t row_bytes_;
  std::uint64_t block_rows_ = 0;
  std::uint64_t reciprocal_ = 0;
  std::vector<unsigned char*> origins_;
  std::vector<std::int64_t> begins_;
};

/// The first index that is out of range, if any.
struct BadIndex {
  std::int64_t position = -1;
  std::int64_t value = 0;
  explicit operator bool() const { return position >= 0; }
};

/// Rows [begin, end): a scatter leaves others alone. So PEs that each write their own rows need no locks.
struct RowRange {
  std::int64_t begin = 0;
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
};

/// Whether a scatter looks for bad indices first (a pass over them), or the caller has done so.
enum class Bounds : std::uint8_t { check, checked };

/// Looks for an index outside [-rows, rows).
BadIndex check_indices(const Work& work, const std::int64_t* indices, std::size_t n, std::int64_t rows);

/// to[i] = from[indices[i]]; negative indices count from the end. On a bad index nothing outside the blocks is read,
/// and the contents of `to` are undefined.
BadIndex gather(const Work& work, const PeerBlocks& from, const std::int64_t* indices, std::size_t n, void* to);

/// to[indices[i]] = row i of `values`; the last of repeated indices wins, whatever the number of threads. On a bad
/// index nothing is written. `value_stride` is row_bytes, or 0 to write one row everywhere.
BadIndex scatter(const Work& work, const PeerBlocks& to, const std::int64_t* indices, std::size_t n, const void* values,
                 std::size_t value_stride, RowRange only = {}, Bounds bounds = Bounds::check);

/// to[indices[i]] += row i of `values` (numpy.add.at; bool: or). Repeated indices are added in the order of i, so that
/// floating-point results do not depend on the threads. `row_elements` elements of `type` make a row.
BadIndex scatter_add(const Work& work, DType type, std::size_t row_elements, const PeerBlocks& to,
                     const std::int64_t* indices, std::size_t n, const void* values, std::size_t value_stride,
                     RowRange only = {}, Bounds bounds = Bounds::check);

}  // namespace atl::array
