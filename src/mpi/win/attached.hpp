// SPDX-License-Identifier: Apache-2.0
// Memory that ranks have attached to a dynamic window: what its owner knows of it, and what others are told.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <set>

#include "datatype/pack.hpp"

namespace atl::mpi::win {

/// Behind a rank's Control: what others may access. Written by its owner alone.
///
/// | bytes      | what                                                                            |
/// |------------|---------------------------------------------------------------------------------|
/// |      4     | how many rows have ever been used                                               |
/// |      4     | how many pieces have no row: while there are any, nothing is refused            |
/// | 16 * rows  | address and bytes of each; without bytes: a free row                            |
struct Attached {
  static constexpr std::uint32_t rows = 64;
  struct Row {
    std::atomic<std::uint64_t> address{0}, bytes{0};
  };
  std::atomic<std::uint32_t> used{0}, more{0};
  Row row[rows];

  /// Whether all bytes of the region at `address` may be accessed, which reaches from `begin` to `end`. `last`: the row
  /// that held the access before, which is looked at first; threads may share it.
  bool covers(std::uint64_t address, const datatype::Region& region, std::uint64_t begin, std::uint64_t end,
              std::uint32_t& last) const;

 private:
  bool covers_span(std::uint64_t begin, std::uint64_t end, std::uint32_t& last) const;
};
static_assert(sizeof(Attached) == 8 + 16 * Attached::rows);

/// What a rank itself has attached. Calls are made one at a time.
class Attachments {
 public:
  /// Failure when some of the memory is attached already. Nothing, attached anywhere and as often as anybody likes,
  /// meets nothing.
  void add(Attached& shown, std::uint64_t address, std::uint64_t bytes);
  /// Failure when nothing that begins there is attached.
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
