// SPDX-License-Identifier: Apache-2.0
#include "collective/pieces.hpp"

#include "core/library.hpp"
#include "datatype/checked.hpp"

namespace atl::mpi {

Piece make_piece(const void* buffer, Count count, MPI_Datatype type, Count displacement) {
  const datatype::Type& checked = detail::checked(count, type);
  auto* at = const_cast<std::byte*>(static_cast<const std::byte*>(buffer));
  checked.validate_count(count);
  return {at + datatype::checked_multiply(displacement, checked.extent()), count,
          Ref<TypeObject>(*find<TypeObject>(type))};
}

std::size_t bytes_of(const std::vector<Edge>& edges) {
  Count bytes = 0;
  for (const Edge& edge : edges) bytes = datatype::checked_add(bytes, edge.piece.bytes());
  return static_cast<std::size_t>(bytes);
}

Flow exchange_edges(Ref<Comm>, std::uint64_t bits, std::vector<Edge> out, std::vector<Edge> in) {
  std::vector<Outgoing> outgoing(out.size());
  std::vector<Incoming> incoming(in.size());
  Exchange exchange;
  for (std::size_t i = 0; i < in.size(); ++i) {
    incoming[i] = Incoming(in[i].piece.at, in[i].piece.count, handle_of(*in[i].piece.type));
    exchange.receive(in[i].pe, bits + in[i].way, incoming[i].data(), incoming[i].bytes());
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    outgoing[i] = Outgoing(out[i].piece.at, out[i].piece.count, handle_of(*out[i].piece.type));
    exchange.send(out[i].pe, bits + out[i].way, outgoing[i].data(), outgoing[i].bytes());
  }
  co_await exchange;
  for (Incoming& piece : incoming) piece.land();
}

}  // namespace atl::mpi
