// SPDX-License-Identifier: Apache-2.0
// Topologies: Cartesian, graph, distributed graph.
#pragma once

#include <vector>

#include "comm/comm.hpp"

namespace atl::mpi {

struct Neighbour {
  int rank;
  /// Distinguishes several messages between two neighbours: both sides use the same number for a message.
  std::uint32_t way;
};

class Topology : public Shape {
 public:
  enum class Sort { cart, graph, dist_graph };
  explicit Topology(Sort sort) : sort(sort) {}
  /// Destinations and sources of a neighbourhood collective, in the order of its buffers.
  virtual std::vector<Neighbour> destinations(const Comm& comm) const = 0;
  virtual std::vector<Neighbour> sources(const Comm& comm) const = 0;
  const Sort sort;
};

class Cart : public Topology {
 public:
  Cart(std::vector<int> dims, std::vector<bool> periods)
      : Topology(Sort::cart), dims(std::move(dims)), periods(std::move(periods)) {}
  std::unique_ptr<Shape> copy() const override { return std::make_unique<Cart>(*this); }
  std::vector<Neighbour> destinations(const Comm& comm) const override;
  std::vector<Neighbour> sources(const Comm& comm) const override;
  std::vector<int> coords(int rank) const;
  int size() const;
  /// The rank at these coordinates; MPI_PROC_NULL when they lie outside.
  int rank(std::vector<int> coords) const;
  /// The rank at distance `by` along a dimension; MPI_PROC_NULL when it lies outside.
  int shifted(int rank, std::size_t dimension, int by) const;

  const std::vector<int> dims;
  const std::vector<bool> periods;
};

class Graph : public Topology {
 public:
  Graph(std::vector<int> index, std::vector<int> edges)
      : Topology(Sort::graph), index(std::move(index)), edges(std::move(edges)) {}
  std::unique_ptr<Shape> copy() const override { return std::make_unique<Graph>(*this); }
  std::vector<Neighbour> destinations(const Comm& comm) const override { return neighbours(comm.rank()); }
  std::vector<Neighbour> sources(const Comm& comm) const override { return neighbours(comm.rank()); }
  std::vector<Neighbour> neighbours(int rank) const;

  const std::vector<int> index, edges;
};

class DistGraph : public Topology {
 public:
  DistGraph() : Topology(Sort::dist_graph) {}
  std::unique_ptr<Shape> copy() const override { return std::make_unique<DistGraph>(*this); }
  std::vector<Neighbour> destinations(const Comm&) const override { return listed(to); }
  std::vector<Neighbour> sources(const Comm&) const override { return listed(from); }

  std::vector<int> from, from_weights, to, to_weights;
  bool weighted = false;

 private:
  static std::vector<Neighbour> listed(const std::vector<int>& ranks);
};

/// Throws Failure when the communicator has no topology.
const Topology& need_topology(const Comm& comm);
/// Lengths of the arrays of a neighbourhood collective.
std::int64_t in_degree(MPI_Comm comm);
std::int64_t out_degree(MPI_Comm comm);

void topo_test(MPI_Comm comm, int* status);
void dims_create(int nodes, int count, int* dims);
void cart_create(MPI_Comm comm, int count, const int* dims, const int* periods, MPI_Comm* made);
void cart_map(MPI_Comm comm, int count, const int* dims, int* rank);
void cart_dim(MPI_Comm comm, int* count);
void cart_get(MPI_Comm comm, int room, int* dims, int* periods, int* coords);
void cart_rank(MPI_Comm comm, const int* coords, int* rank);
void cart_coords(MPI_Comm comm, int rank, int room, int* coords);
void cart_shift(MPI_Comm comm, int dimension, int by, int* source, int* dest);
void cart_sub(MPI_Comm comm, const int* remain, MPI_Comm* made);
void graph_create(MPI_Comm comm, int nodes, const int* index, const int* edges, MPI_Comm* made);
void graph_map(MPI_Comm comm, int nodes, int* rank);
void graph_dims(MPI_Comm comm, int* nodes, int* edges);
void graph_get(MPI_Comm comm, int index_room, int edge_room, int* index, int* edges);
void graph_neighbour_count(MPI_Comm comm, int rank, int* count);
void graph_neighbours(MPI_Comm comm, int rank, int room, int* ranks);
void dist_graph_create(MPI_Comm comm, int n, const int* sources, const int* degrees, const int* destinations,
                       const int* weights, MPI_Info info, MPI_Comm* made);
void dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int* sources, const int* source_weights,
                                int outdegree, const int* destinations, const int* dest_weights, MPI_Info info,
                                MPI_Comm* made);
void dist_graph_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted);
void dist_graph_neighbours(MPI_Comm comm, int in_room, int* sources, int* source_weights, int out_room,
                           int* destinations, int* dest_weights);

}  // namespace atl::mpi
