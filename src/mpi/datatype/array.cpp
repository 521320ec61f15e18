// SPDX-License-Identifier: Apache-2.0
// Parts of multidimensional arrays: subarray and darray. Both are one loop per dimension, the fastest dimension
// innermost, with the extent of the whole array.
#include <algorithm>

#include "datatype/checked.hpp"
#include "datatype/type.hpp"

namespace atl::mpi::datatype {
namespace {

/// Visits the dimensions from the fastest to the slowest.
template <class Visit>
void for_each_dimension(std::size_t dimensions, Order order, Visit&& visit) {
  for (std::size_t i = 0; i < dimensions; ++i) visit(order == Order::fortran ? i : dimensions - 1 - i);
}

/// The rows of one dimension that belong to a process, `stride` bytes each.
NodePtr distribute(NodePtr row, Count size, Distribution how, Count argument, Count processes, Count rank,
                   Count stride) {
  if (how == Distribution::none || processes == 1) return make_repeat(size, stride, std::move(row));
  Count block = argument != default_argument ? argument
                : how == Distribution::block ? (size + processes - 1) / processes
                                             : 1;
  if (how == Distribution::block) {
    Count start = std::min(rank * block, size);
    return make_repeat(std::min(block, size - start), stride, std::move(row), start * stride);
  }
  Count cycle = block * processes, start = rank * block;
  Count whole = size <= start ? 0 : (size - start) / cycle;
  Count rest = size <= start ? 0 : std::min(size - start - whole * cycle, block);
  if (rest == block) ++whole, rest = 0;
  NodePtr blocks = make_repeat(whole, cycle * stride, make_repeat(block, stride, row), start * stride);
  if (rest == 0) return blocks;
  return make_pieces({{0, 1, 0, blocks}, {0, 1, 0, make_repeat(rest, stride, row, (start + whole * cycle) * stride)}});
}

void append(std::vector<int>& to, std::span<const Count> values) {
  for (Count value : values) to.push_back(static_cast<int>(value));
}
void append(std::vector<int>& to, std::span<const int> values) { to.insert(to.end(), values.begin(), values.end()); }
void append(std::vector<Count>& to, std::span<const Count> values) {
  to.insert(to.end(), values.begin(), values.end());
}

TypePtr array_type(NodePtr node, Count extent, const TypePtr& type, Combiner combiner, Contents contents) {
  return std::make_shared<Type>(std::move(node), Bounds{0, extent, true, true}, type->align(), combiner,
                                std::move(contents));
}

}  // namespace

TypePtr make_subarray(Form form, std::span<const Count> sizes, std::span<const Count> subsizes,
                      std::span<const Count> starts, Order order, const TypePtr& type) {
  NodePtr node = type->description();
  Count stride = type->extent();
  for_each_dimension(sizes.size(), order, [&](std::size_t d) {
    node = make_repeat(subsizes[d], stride, node, checked_multiply(starts[d], stride));
    stride = checked_multiply(stride, sizes[d]);
  });
  Contents contents{{static_cast<int>(sizes.size())}, {}, {}, {type}};
  for (auto values : {sizes, subsizes, starts}) {
    if (form == Form::small) append(contents.integers, values);
    else append(contents.large_counts, values);
  }
  contents.integers.push_back(static_cast<int>(order));
  return array_type(std::move(node), stride, type, Combiner::subarray, std::move(contents));
}

TypePtr make_darray(Form form, const DarrayGrid& grid, const TypePtr& type) {
  std::size_t dimensions = grid.sizes.size();
  // Processes are numbered with the last dimension fastest, whatever the order of the array.
  std::vector<Count> coordinates(dimensions);
  int rest = grid.rank;
  for (std::size_t d = dimensions; d-- > 0; rest /= grid.processes[d]) coordinates[d] = rest % grid.processes[d];
  NodePtr node = type->description();
  Count stride = type->extent();
  for_each_dimension(dimensions, grid.order, [&](std::size_t d) {
    node = distribute(node, grid.sizes[d], static_cast<Distribution>(grid.distributions[d]), grid.arguments[d],
                      grid.processes[d], coordinates[d], stride);
    stride = checked_multiply(stride, grid.sizes[d]);
  });
  Contents contents{{grid.size, grid.rank, static_cast<int>(dimensions)}, {}, {}, {type}};
  if (form == Form::small) append(contents.integers, grid.sizes);
  else append(contents.large_counts, grid.sizes);
  for (auto values : {grid.distributions, grid.arguments, grid.processes}) append(contents.integers, values);
  contents.integers.push_back(static_cast<int>(grid.order));
  return array_type(std::move(node), stride, type, Combiner::darray, std::move(contents));
}

}  // namespace atl::mpi::datatype
