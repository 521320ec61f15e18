// SPDX-License-Identifier: Apache-2.0
// What a collective moves: pieces of programs' buffers, and where they go to or come from.
#pragma once

#include <vector>

#include "comm/comm.hpp"
#include "message/buffer.hpp"

namespace atl::mpi {

/// So many elements of a type. Holds the type, so that it may be freed meanwhile.
struct Piece {
  std::byte* at = nullptr;
  Count count = 0;
  Ref<TypeObject> type;

  Count bytes() const { return count * type->type()->size(); }
};

/// Checks count and type. `displacement` is in extents of the type.
Piece make_piece(const void* buffer, Count count, MPI_Datatype type, Count displacement = 0);

/// A piece to or from a PE. `way` tells several between the same two PEs apart; what has the same goes in order.
struct Edge {
  PeId pe;
  Piece piece;
  std::uint32_t way = 0;
};

std::size_t bytes_of(const std::vector<Edge>& edges);

/// Sends all of one and receives all of the other. `comm` is held for its bits.
Flow exchange_edges(Ref<Comm> comm, std::uint64_t bits, std::vector<Edge> out, std::vector<Edge> in);

}  // namespace atl::mpi
