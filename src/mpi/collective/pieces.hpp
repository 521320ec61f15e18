// SPDX-License-Identifier: Apache-2.0
// Pieces of the program's buffers, and the exchanges in which a collective sends and receives them.
#pragma once

#include <vector>

#include "comm/comm.hpp"
#include "message/buffer.hpp"

namespace atl::mpi {

/// `count` elements of a type at an address. Holds the type, so that the program may free it meanwhile.
struct Piece {
  std::byte* at = nullptr;
  Count count = 0;
  Ref<TypeObject> type;

  Count bytes() const { return count * type->type()->size(); }
};

/// Checks count and type. `displacement` counts extents of the type.
Piece make_piece(const void* buffer, Count count, MPI_Datatype type, Count displacement = 0);

/// A piece to or from a PE. `way` distinguishes several pieces between two PEs; pieces of the same `way` keep their
/// order.
struct Edge {
  PeId pe;
  Piece piece;
  std::uint32_t way = 0;
};

std::size_t bytes_of(const std::vector<Edge>& edges);

/// Sends all pieces of `out` and receives all of `in`. Holds `comm`, so that its match bits stay reserved.
Flow exchange_edges(Ref<Comm> comm, std::uint64_t bits, std::vector<Edge> out, std::vector<Edge> in);

}  // namespace atl::mpi
