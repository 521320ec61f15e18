// SPDX-License-Identifier: Apache-2.0
// Plans of collectives that move data without reducing it, each as one exchange of messages.
#include "collective/by_messages.hpp"
#include "core/library.hpp"
#include "datatype/checked.hpp"

namespace atl::mpi {

void check_root(const Comm& comm, int root) {
  if (comm.is_inter() && (root == MPI_ROOT || root == MPI_PROC_NULL)) return;
  ATOLL_MPI_REQUIRE(root >= 0 && root < comm.peers().size(), MPI_ERR_ROOT, "root {}: there are ranks 0 to {}", root,
                    comm.peers().size() - 1);
}

Piece piece_of(const void* buffer, const Same& same, int index) {
  return make_piece(buffer, same.count, same.type, datatype::checked_multiply(same.count, index));
}

void check_lists(const Varied& varied) {
  need_list(varied.counts, 1, "counts");
  need_list(varied.displacements, 1, "displacements");
}
void check_lists(const Mixed& mixed) {
  need_list(mixed.counts, 1, "counts");
  need_list(mixed.displacements, 1, "displacements");
  need_list(mixed.types, 1, "datatypes");
}

Piece piece_of(const void* buffer, const Varied& varied, int index) {
  check_lists(varied);
  return make_piece(buffer, varied.counts[index], varied.type, varied.displacements[index]);
}
Piece piece_of(const void* buffer, const Mixed& mixed, int index) {
  check_lists(mixed);
  return make_piece(static_cast<const std::byte*>(buffer) + mixed.displacements[index], mixed.counts[index],
                    mixed.types[index]);
}

namespace by_messages {
namespace {

bool in_place(const void* buffer) { return buffer == MPI_IN_PLACE; }

void refuse_in_place(const Comm& comm, const void* buffer) {
  ATOLL_MPI_REQUIRE(!comm.is_inter() || !in_place(buffer), MPI_ERR_BUFFER, "MPI_IN_PLACE on an inter-communicator");
}

// Whether this rank is the root, and whether it communicates with a root.
bool is_root(const Comm& comm, int root) { return comm.is_inter() ? root == MPI_ROOT : root == comm.rank(); }
bool has_root(const Comm& comm, int root) { return !comm.is_inter() || root != MPI_PROC_NULL; }

// Copies a rank's piece for itself, then runs the rest.
Flow copy_then(Piece from, Piece to, Flow rest) {
  Outgoing out(from.at, from.count, handle_of(*from.type));
  Incoming in(to.at, to.count, handle_of(*to.type));
  ATOLL_MPI_REQUIRE(out.bytes() <= in.bytes(), MPI_ERR_TRUNCATE, "{} bytes do not fit into {}", out.bytes(),
                    in.bytes());
  if (in.data() != out.data() && out.bytes() != 0) std::memmove(in.data(), out.data(), out.bytes());
  in.land(out.bytes());
  co_await std::move(rest);
}

Plan exchange_plan(Comm& comm, std::uint64_t bits, std::vector<Edge> out, std::vector<Edge> in) {
  Course course{.bytes = bytes_of(out) + bytes_of(in)};
  return {[held = Ref<Comm>(comm), bits, out = std::move(out), in = std::move(in)] {
            return exchange_edges(held, bits, out, in);
          },
          course};
}

Plan with_copy(Piece from, Piece to, Plan rest) {
  Course course = rest.course;
  return {[from = std::move(from), to = std::move(to), rest = std::move(rest)] { return copy_then(from, to, rest()); },
          course};
}

Flow broadcast_piece(Ref<Comm> comm, std::uint64_t bits, Piece piece, int root) {
  Incoming data(piece.at, piece.count, handle_of(*piece.type));
  if (root == comm->rank()) data.take();
  co_await broadcast_bytes({&comm->local()->pes(), comm->rank(), bits}, data.data(), data.bytes(), root);
  if (root != comm->rank()) data.land();
}

// The root sends to member 0 of the other group, which broadcasts.
Flow broadcast_across(Ref<Comm> comm, std::uint64_t bits, Piece piece, int root) {
  if (root == MPI_ROOT) {
    std::vector<Edge> out;
    out.push_back({comm->pe_of(0), piece});
    co_await exchange_edges(comm, bits, std::move(out), {});
  } else {
    Incoming data(piece.at, piece.count, handle_of(*piece.type));
    Exchange exchange;
    if (comm->rank() == 0) exchange.receive(comm->pe_of(root), bits, data.data(), data.bytes());
    co_await exchange;
    co_await broadcast_bytes({&comm->local()->pes(), comm->rank(), bits}, data.data(), data.bytes());
    data.land();
  }
}

Flow nothing() { co_return; }

Flow barrier_across(Ref<Comm> comm, std::uint64_t bits) {
  Circle circle{&comm->local()->pes(), comm->rank(), bits};
  co_await barrier_of(circle);
  Exchange exchange;
  std::byte none{};
  if (circle.rank == 0) {
    exchange.send(comm->pe_of(0), bits, &none, 0);
    exchange.receive(comm->pe_of(0), bits, &none, 0);
  }
  co_await exchange;
  co_await broadcast_bytes(circle, &none, 0);
}

Flow barrier_inside(Ref<Comm> comm, std::uint64_t bits) {
  co_await barrier_of({&comm->local()->pes(), comm->rank(), bits});
}

}  // namespace

Plan barrier(MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  return [held = Ref<Comm>(comm), bits = comm.next_bits()] {
    return held->is_inter() ? barrier_across(held, bits) : barrier_inside(held, bits);
  };
}

Plan broadcast(void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  check_root(comm, root);
  std::uint64_t bits = comm.next_bits();
  if (!has_root(comm, root)) return [] { return nothing(); };
  return [held = Ref<Comm>(comm), bits, piece = make_piece(buffer, count, type), root] {
    return held->is_inter() ? broadcast_across(held, bits, piece, root) : broadcast_piece(held, bits, piece, root);
  };
}

template <class In>
Plan gather(const void* out, Same send, void* in, In receive, int root, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  check_root(comm, root);
  refuse_in_place(comm, out);
  std::uint64_t bits = comm.next_bits();
  if (!has_root(comm, root)) return [] { return nothing(); };
  std::vector<Edge> outgoing, incoming;
  if (!is_root(comm, root)) {
    ATOLL_MPI_REQUIRE(!in_place(out), MPI_ERR_BUFFER, "MPI_IN_PLACE on a rank that is not the root");
    outgoing.push_back({comm.pe_of(root), make_piece(out, send.count, send.type)});
    return exchange_plan(comm, bits, std::move(outgoing), {});
  }
  for (int rank = 0; rank < comm.peers().size(); ++rank)
    if (comm.is_inter() || rank != root) incoming.push_back({comm.pe_of(rank), piece_of(in, receive, rank)});
  Plan rest = exchange_plan(comm, bits, {}, std::move(incoming));
  if (comm.is_inter() || in_place(out)) return rest;
  return with_copy(make_piece(out, send.count, send.type), piece_of(in, receive, root), std::move(rest));
}
template Plan gather(const void*, Same, void*, Same, int, MPI_Comm);
template Plan gather(const void*, Same, void*, Varied, int, MPI_Comm);

template <class Out>
Plan scatter(const void* out, Out send, void* in, Same receive, int root, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  check_root(comm, root);
  refuse_in_place(comm, in);
  std::uint64_t bits = comm.next_bits();
  if (!has_root(comm, root)) return [] { return nothing(); };
  std::vector<Edge> outgoing, incoming;
  if (!is_root(comm, root)) {
    ATOLL_MPI_REQUIRE(!in_place(in), MPI_ERR_BUFFER, "MPI_IN_PLACE on a rank that is not the root");
    incoming.push_back({comm.pe_of(root), make_piece(in, receive.count, receive.type)});
    return exchange_plan(comm, bits, {}, std::move(incoming));
  }
  for (int rank = 0; rank < comm.peers().size(); ++rank)
    if (comm.is_inter() || rank != root) outgoing.push_back({comm.pe_of(rank), piece_of(out, send, rank)});
  Plan rest = exchange_plan(comm, bits, std::move(outgoing), {});
  if (comm.is_inter() || in_place(in)) return rest;
  return with_copy(piece_of(out, send, root), make_piece(in, receive.count, receive.type), std::move(rest));
}
template Plan scatter(const void*, Same, void*, Same, int, MPI_Comm);
template Plan scatter(const void*, Varied, void*, Same, int, MPI_Comm);

template <class In>
Plan allgather(const void* out, Same send, void* in, In receive, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  refuse_in_place(comm, out);
  std::uint64_t bits = comm.next_bits();
  int own = comm.is_inter() ? -1 : comm.rank();
  Piece mine = in_place(out) ? piece_of(in, receive, own) : make_piece(out, send.count, send.type);
  std::vector<Edge> outgoing, incoming;
  for (int rank = 0; rank < comm.peers().size(); ++rank) {
    if (rank == own) continue;
    outgoing.push_back({comm.pe_of(rank), mine});
    incoming.push_back({comm.pe_of(rank), piece_of(in, receive, rank)});
  }
  Plan rest = exchange_plan(comm, bits, std::move(outgoing), std::move(incoming));
  if (own < 0 || in_place(out)) return rest;
  return with_copy(std::move(mine), piece_of(in, receive, own), std::move(rest));
}
template Plan allgather(const void*, Same, void*, Same, MPI_Comm);
template Plan allgather(const void*, Same, void*, Varied, MPI_Comm);

namespace {

// For MPI_IN_PLACE: the receive buffer holds the data to send, so it is copied first.
Flow exchange_in_place(Ref<Comm> comm, std::uint64_t bits, std::vector<Edge> in) {
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  Exchange exchange;
  for (const Edge& edge : in) {
    outgoing.emplace_back(edge.piece.at, edge.piece.count, handle_of(*edge.piece.type));
    outgoing.back().own();
    incoming.emplace_back(edge.piece.at, edge.piece.count, handle_of(*edge.piece.type));
  }
  for (std::size_t i = 0; i < in.size(); ++i) {
    exchange.receive(in[i].pe, bits, incoming[i].data(), incoming[i].bytes());
    exchange.send(in[i].pe, bits, outgoing[i].data(), outgoing[i].bytes());
  }
  co_await exchange;
  for (Incoming& piece : incoming) piece.land();
}

}  // namespace

template <class Both>
Plan alltoall(const void* out, Both send, void* in, Both receive, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  refuse_in_place(comm, out);
  std::uint64_t bits = comm.next_bits();
  int own = comm.is_inter() ? -1 : comm.rank();
  std::vector<Edge> outgoing, incoming;
  for (int rank = 0; rank < comm.peers().size(); ++rank) {
    if (rank == own) continue;
    if (!in_place(out)) outgoing.push_back({comm.pe_of(rank), piece_of(out, send, rank)});
    incoming.push_back({comm.pe_of(rank), piece_of(in, receive, rank)});
  }
  if (in_place(out))
    return [held = Ref<Comm>(comm), bits, incoming = std::move(incoming)] {
      return exchange_in_place(held, bits, incoming);
    };
  Plan rest = exchange_plan(comm, bits, std::move(outgoing), std::move(incoming));
  if (own < 0) return rest;
  return with_copy(piece_of(out, send, own), piece_of(in, receive, own), std::move(rest));
}
template Plan alltoall(const void*, Same, void*, Same, MPI_Comm);
template Plan alltoall(const void*, Varied, void*, Varied, MPI_Comm);
template Plan alltoall(const void*, Mixed, void*, Mixed, MPI_Comm);

}  // namespace by_messages
}  // namespace atl::mpi
