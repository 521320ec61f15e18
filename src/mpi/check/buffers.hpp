// SPDX-License-Identifier: Apache-2.0
// The memory that a call accesses: which bytes, and whether it writes them.
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
  /// Adds a buffer. MPI_IN_PLACE and invalid addresses add nothing.
  Buffers& add(Use use, const void* buffer, MPI_Count count, MPI_Datatype type);
  /// Adds `pieces` pieces with these counts and displacements, in extents of the type.
  Buffers& add(Use use, const void* buffer, const MPI_Count* counts, const MPI_Aint* displacements, MPI_Count pieces,
               MPI_Datatype type);
  bool empty() const { return pieces_.empty(); }
  /// Throws Failure when two buffers share bytes and one of them is written.
  void check_among() const;
  /// Whether a buffer of `others` shares bytes with one of these and either is written.
  bool meets(const Buffers& others) const;
  /// Digest of all bytes that are read; none when some of them are no longer mapped.
  std::optional<std::size_t> digest() const;

 private:
  struct Range {
    const std::byte *begin, *end;
  };
  struct Piece {
    Use use;
    Range all;                  // from the first byte to the last
    std::vector<Range> ranges;  // ascending; empty: all of `all`
  };
  static bool shared(const Piece& one, const Piece& other);
  std::vector<Piece> pieces_;
};

}  // namespace atl::mpi::check
