// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>

#include "comm/create.hpp"
#include "core/library.hpp"
#include "topology/topology.hpp"

namespace atl::mpi {
namespace {

const Graph& need_graph(const Comm& comm) {
  auto* graph = dynamic_cast<const Graph*>(comm.shape.get());
  ATOLL_MPI_REQUIRE(graph != nullptr, MPI_ERR_TOPOLOGY, "the communicator has no graph topology");
  return *graph;
}

const DistGraph& need_dist_graph(const Comm& comm) {
  auto* graph = dynamic_cast<const DistGraph*>(comm.shape.get());
  ATOLL_MPI_REQUIRE(graph != nullptr, MPI_ERR_TOPOLOGY, "the communicator has no distributed graph topology");
  return *graph;
}

// Numbers several edges between the same two ranks in their order.
std::vector<Neighbour> in_order(const int* ranks, std::size_t count) {
  std::vector<Neighbour> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back({ranks[i], 0});
  return all;
}

void check_ranks(const Comm& comm, int count, const int* ranks) {
  ATOLL_MPI_REQUIRE(count >= 0, MPI_ERR_ARG, "{} neighbours", count);
  need_list(ranks, count, "neighbours");
  for (int i = 0; i < count; ++i)
    ATOLL_MPI_REQUIRE((ranks[i] >= 0 && ranks[i] < comm.size()) || ranks[i] == MPI_PROC_NULL, MPI_ERR_RANK,
                      "neighbour {}: there are ranks 0 to {}", ranks[i], comm.size() - 1);
}

bool has_weights(const int* weights) { return weights != MPI_UNWEIGHTED; }

int weight_of(const int* weights, std::size_t edge) {
  if (!has_weights(weights) || weights == MPI_WEIGHTS_EMPTY) return 1;
  ATOLL_MPI_REQUIRE(weights[edge] >= 0, MPI_ERR_ARG, "an edge's weight is {}", weights[edge]);
  return weights[edge];
}

std::vector<int> weights_of(const int* weights, int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  for (std::size_t edge = 0; edge < all.size(); ++edge) all[edge] = weight_of(weights, edge);
  return all;
}

void give_dist_graph(Comm& comm, std::unique_ptr<DistGraph> graph, MPI_Info info, MPI_Comm* made) {
  auto result = comm.duplicate();
  result->hints = entries_of(info);
  result->shape = std::move(graph);
  give(std::move(result), made);
}

// An edge, as it is sent to its two end points.
struct Told {
  std::int32_t other, weight, incoming, unused;
};

}  // namespace

const Topology& need_topology(const Comm& comm) {
  auto* topology = dynamic_cast<const Topology*>(comm.shape.get());
  ATOLL_MPI_REQUIRE(topology != nullptr, MPI_ERR_TOPOLOGY, "the communicator has no topology");
  return *topology;
}

std::int64_t in_degree(MPI_Comm comm) {
  Comm& object = need<Comm>(comm);
  return static_cast<std::int64_t>(need_topology(object).sources(object).size());
}
std::int64_t out_degree(MPI_Comm comm) {
  Comm& object = need<Comm>(comm);
  return static_cast<std::int64_t>(need_topology(object).destinations(object).size());
}

void topo_test(MPI_Comm comm, int* status) {
  auto* topology = dynamic_cast<const Topology*>(need<Comm>(comm).shape.get());
  constexpr std::array sorts{MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH};
  *status = topology == nullptr ? MPI_UNDEFINED : sorts[static_cast<std::size_t>(topology->sort)];
}

std::vector<Neighbour> Graph::neighbours(int rank) const {
  int begin = rank == 0 ? 0 : index[static_cast<std::size_t>(rank) - 1];
  return in_order(edges.data() + begin, static_cast<std::size_t>(index[static_cast<std::size_t>(rank)] - begin));
}

std::vector<Neighbour> DistGraph::listed(const std::vector<int>& ranks) { return in_order(ranks.data(), ranks.size()); }

void graph_create(MPI_Comm handle, int nodes, const int* index, const int* edges, MPI_Comm* made) {
  Comm& comm = need_intra(handle);
  ATOLL_MPI_REQUIRE(nodes >= 0 && nodes <= comm.size(), MPI_ERR_ARG, "a graph of {} nodes over {} ranks", nodes,
                    comm.size());
  need_list(index, nodes, "numbers of neighbours");
  int edge_count = nodes == 0 ? 0 : index[nodes - 1];
  check_ranks(comm, edge_count, edges);
  comm_split(handle, comm.rank() < nodes ? 0 : MPI_UNDEFINED, comm.rank(), made);
  if (*made != MPI_COMM_NULL)
    need<Comm>(*made).shape =
        std::make_unique<Graph>(std::vector(index, index + nodes), std::vector(edges, edges + edge_count));
}

void graph_map(MPI_Comm handle, int nodes, int* rank) {
  Comm& comm = need_intra(handle);
  ATOLL_MPI_REQUIRE(nodes >= 0 && nodes <= comm.size(), MPI_ERR_ARG, "a graph of {} nodes over {} ranks", nodes,
                    comm.size());
  *rank = comm.rank() < nodes ? comm.rank() : MPI_UNDEFINED;
}

void graph_dims(MPI_Comm comm, int* nodes, int* edges) {
  const Graph& graph = need_graph(need<Comm>(comm));
  *nodes = static_cast<int>(graph.index.size());
  *edges = static_cast<int>(graph.edges.size());
}

void graph_get(MPI_Comm comm, int index_room, int edge_room, int* index, int* edges) {
  const Graph& graph = need_graph(need<Comm>(comm));
  std::copy_n(graph.index.begin(), std::min(graph.index.size(), static_cast<std::size_t>(std::max(index_room, 0))),
              index);
  std::copy_n(graph.edges.begin(), std::min(graph.edges.size(), static_cast<std::size_t>(std::max(edge_room, 0))),
              edges);
}

void graph_neighbour_count(MPI_Comm handle, int rank, int* count) {
  Comm& comm = need<Comm>(handle);
  const Graph& graph = need_graph(comm);
  ATOLL_MPI_REQUIRE(rank >= 0 && rank < comm.size(), MPI_ERR_RANK, "rank {} of {}", rank, comm.size());
  *count = static_cast<int>(graph.neighbours(rank).size());
}

void graph_neighbours(MPI_Comm handle, int rank, int room, int* ranks) {
  Comm& comm = need<Comm>(handle);
  const Graph& graph = need_graph(comm);
  ATOLL_MPI_REQUIRE(rank >= 0 && rank < comm.size(), MPI_ERR_RANK, "rank {} of {}", rank, comm.size());
  for (const Neighbour& one : graph.neighbours(rank))
    if (room-- > 0) *ranks++ = one.rank;
}

void dist_graph_create_adjacent(MPI_Comm handle, int indegree, const int* sources, const int* source_weights,
                                int outdegree, const int* destinations, const int* dest_weights, MPI_Info info,
                                MPI_Comm* made) {
  Comm& comm = need_intra(handle);
  check_ranks(comm, indegree, sources);
  check_ranks(comm, outdegree, destinations);
  auto graph = std::make_unique<DistGraph>();
  graph->from.assign(sources, sources + indegree);
  graph->to.assign(destinations, destinations + outdegree);
  graph->weighted = has_weights(source_weights) || has_weights(dest_weights);
  graph->from_weights = weights_of(source_weights, indegree);
  graph->to_weights = weights_of(dest_weights, outdegree);
  give_dist_graph(comm, std::move(graph), info, made);
}

// Any rank may specify any edge, so each edge is sent to its two end points.
void dist_graph_create(MPI_Comm handle, int n, const int* sources, const int* degrees, const int* destinations,
                       const int* weights, MPI_Info info, MPI_Comm* made) {
  Comm& comm = need_intra(handle);
  check_ranks(comm, n, sources);
  ATOLL_MPI_REQUIRE(degrees != nullptr || n == 0, MPI_ERR_ARG, "the list of degrees is a null pointer");
  std::vector<std::vector<Told>> told(static_cast<std::size_t>(comm.size()));
  std::size_t edge = 0;
  for (int i = 0; i < n; ++i) {
    check_ranks(comm, degrees[i], destinations + edge);
    for (int k = 0; k < degrees[i]; ++k, ++edge) {
      int to = destinations[edge], weight = weight_of(weights, edge);
      if (sources[i] != MPI_PROC_NULL) told[static_cast<std::size_t>(sources[i])].push_back({to, weight, 0, 0});
      if (to != MPI_PROC_NULL) told[static_cast<std::size_t>(to)].push_back({sources[i], weight, 1, 0});
    }
  }
  std::vector<std::uint64_t> counts;
  for (const auto& list : told) counts.push_back(list.size());
  coll::Communicator& coll = comm.coll();
  auto coming = coll.alltoall(counts);
  std::vector<std::vector<Told>> heard(told.size());
  std::vector<coll::ConstBlock> out;
  std::vector<coll::Block> in;
  for (std::size_t rank = 0; rank < told.size(); ++rank) {
    heard[rank].resize(coming[rank]);
    out.push_back({told[rank].data(), told[rank].size() * sizeof(Told)});
    in.push_back({heard[rank].data(), heard[rank].size() * sizeof(Told)});
  }
  coll.alltoallv(out, in);
  auto graph = std::make_unique<DistGraph>();
  for (const auto& list : heard)
    for (const Told& one : list) {
      (one.incoming ? graph->from : graph->to).push_back(one.other);
      (one.incoming ? graph->from_weights : graph->to_weights).push_back(one.weight);
    }
  graph->weighted = has_weights(weights);
  give_dist_graph(comm, std::move(graph), info, made);
}

void dist_graph_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted) {
  const DistGraph& graph = need_dist_graph(need<Comm>(comm));
  *indegree = static_cast<int>(graph.from.size());
  *outdegree = static_cast<int>(graph.to.size());
  *weighted = graph.weighted;
}

void dist_graph_neighbours(MPI_Comm comm, int in_room, int* sources, int* source_weights, int out_room,
                           int* destinations, int* dest_weights) {
  const DistGraph& graph = need_dist_graph(need<Comm>(comm));
  auto copy = [&](const std::vector<int>& from, int room, int* to) {
    std::copy_n(from.begin(), std::min(from.size(), static_cast<std::size_t>(std::max(room, 0))), to);
  };
  copy(graph.from, in_room, sources);
  copy(graph.to, out_room, destinations);
  if (graph.weighted && source_weights != MPI_UNWEIGHTED) copy(graph.from_weights, in_room, source_weights);
  if (graph.weighted && dest_weights != MPI_UNWEIGHTED) copy(graph.to_weights, out_room, dest_weights);
}

}  // namespace atl::mpi
