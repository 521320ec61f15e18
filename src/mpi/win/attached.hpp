// SPDX-License-Identifier: Apache-2.0
// Memory attached to a dynamic window: the owner's records, and the table that other ranks read.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <set>

#include "datatype/pack.hpp"

namespace atl::mpi::win {

/// The table of memory that other ranks may access, behind a rank's Control. Only its owner writes it.
///
/// | bytes      | what                                                                            |
/// |------------|---------------------------------------------------------------------------------|
/// |      4     | number of rows that have ever been used                                         |
/// |      4     | number of pieces without a row; while it is not 0, every access is allowed      |
/// | 16 * rows  | address and bytes of each piece; 0 bytes: a free row                            |
struct Attached {
  static constexpr std::uint32_t rows = 64;
  struct Row {
    std::atomic<std::uint64_t> address{0}, bytes{0};
  };
  std::atomic<std::uint32_t> used{0}, more{0};
  Row row[rows];

  /// Whether all bytes of the region at `address`, which spans `begin` to `end`, may be accessed. `last` caches the row
  /// of the previous access, which is tried first; threads may share it.
  bool covers(std::uint64_t address, const datatype::Region& region, std::uint64_t begin, std::uint64_t end,
              std::uint32_t& last) const;

 private:
  bool covers_span(std::uint64_t begin, std::uint64_t end, std::uint32_t& last) const;
};
static_assert(sizeof(Attached) == 8 + 16 * Attached::rows);

/// The pieces that this rank has attached. Not thread-safe.
class Attachments {
 public:
  /// Throws Failure when some of the memory is attached already. Pieces of 0 bytes may be attached anywhere,
  /// repeatedly.
  void add(Attached& shown, std::uint64_t address, std::uint64_t bytes);
  /// Throws Failure when no attached piece begins at `address`.
  void remove(Attached& shown, std::uint64_t address);

 private:
  struct Piece {
    std::uint64_t bytes;
    std::uint32_t row;  ///< Attached::rows: it has none
  };
  std::map<std::uint64_t, Piece> pieces_;  // by address
  std::map<std::uint64_t, std::size_t> empty_;  // how many pieces without bytes, by address
  std::set<std::uint64_t> without_row_;
};

}  // namespace atl::mpi::win
