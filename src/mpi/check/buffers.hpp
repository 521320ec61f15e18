// SPDX-License-Identifier: Apache-2.0
// Memory that a call uses: which bytes, and whether it writes them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "mpi.h"

namespace atl::mpi::check {

enum class Use { read, write };

class Buffers {
 public:
  Buffers() = default;
  /// Adds a buffer; MPI_IN_PLACE, and what is none, add nothing.
  Buffers& add(Use use, const void* buffer, MPI_Count count, MPI_Datatype type);
  /// `lengths` and `displacements` of so many pieces, in extents of the type.
  Buffers& add(Use use, const void* buffer, const MPI_Count* counts, const MPI_Aint* displacements, MPI_Count pieces,
               MPI_Datatype type);
  bool empty() const { return pieces_.empty(); }
  /// Failure when two of them share bytes that one of them writes.
  void check_among() const;
  /// Whether one of the others shares bytes with one of these that either writes.
  bool meets(const Buffers& others) const;
  /// Of the bytes that are read; nothing when some of them are not there any more.
  std::optional<std::size_t> digest() const;

 private:
  struct Range {
    const std::byte *begin, *end;
  };
  struct Piece {
    Use use;
    Range all;                  // from the first byte to the last
    std::vector<Range> ranges;  // ascending; none: all of it
  };
  static bool shared(const Piece& one, const Piece& other);
  std::vector<Piece> pieces_;
};

}  // namespace atl::mpi::check
