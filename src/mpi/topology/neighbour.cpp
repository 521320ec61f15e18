// SPDX-License-Identifier: Apache-2.0
#include "topology/neighbour.hpp"

namespace atl::mpi {
namespace {

// `piece_to(i)` is sent to neighbour i, `piece_from(i)` received from it.
template <class Out, class In>
Plan plan(Comm& comm, Out&& piece_to, In&& piece_from) {
  const Topology& topology = need_topology(comm);
  auto destinations = topology.destinations(comm), sources = topology.sources(comm);
  std::uint64_t bits =
      comm.next_bits(topology.sort == Topology::Sort::cart ? static_cast<std::uint32_t>(destinations.size()) + 1 : 1);
  std::vector<Edge> out, in;
  for (std::size_t i = 0; i < destinations.size(); ++i)
    if (destinations[i].rank != MPI_PROC_NULL)
      out.push_back({comm.pe_of(destinations[i].rank), piece_to(static_cast<int>(i)), destinations[i].way});
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (sources[i].rank != MPI_PROC_NULL)
      in.push_back({comm.pe_of(sources[i].rank), piece_from(static_cast<int>(i)), sources[i].way});
  Course course{.bytes = bytes_of(out) + bytes_of(in)};
  return {[held = Ref<Comm>(comm), bits, out = std::move(out), in = std::move(in)] {
            return exchange_edges(held, bits, out, in);
          },
          course};
}

void refuse_in_place(const void* buffer) {
  ATOLL_MPI_REQUIRE(buffer != MPI_IN_PLACE, MPI_ERR_BUFFER, "MPI_IN_PLACE in a neighbourhood");
}

}  // namespace

template <class In>
Plan plan_neighbour_allgather(const void* out, Same send, void* in, In receive, MPI_Comm handle) {
  refuse_in_place(out);
  return plan(
      need<Comm>(handle), [&](int) { return make_piece(out, send.count, send.type); },
      [&](int i) { return piece_of(in, receive, i); });
}
template Plan plan_neighbour_allgather(const void*, Same, void*, Same, MPI_Comm);
template Plan plan_neighbour_allgather(const void*, Same, void*, Varied, MPI_Comm);

template <class Both>
Plan plan_neighbour_alltoall(const void* out, Both send, void* in, Both receive, MPI_Comm handle) {
  refuse_in_place(out);
  return plan(
      need<Comm>(handle), [&](int i) { return piece_of(out, send, i); },
      [&](int i) { return piece_of(in, receive, i); });
}
template Plan plan_neighbour_alltoall(const void*, Same, void*, Same, MPI_Comm);
template Plan plan_neighbour_alltoall(const void*, Varied, void*, Varied, MPI_Comm);
template Plan plan_neighbour_alltoall(const void*, Mixed, void*, Mixed, MPI_Comm);

}  // namespace atl::mpi
