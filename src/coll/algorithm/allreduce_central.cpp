// SPDX-License-Identifier: Apache-2.0
// The first member receives all vectors, evaluates the tree of every reduction, and sends the result to all: for short
// vectors of members that share cores (see barrier_central.cpp).
#include <vector>

#include "algorithms.hpp"

namespace atl::coll::detail {

Ref evaluate_tree(ScheduleBuilder& steps, Ref all, std::uint64_t bytes) {
  const int n = steps.size();
  auto vector_of = [&](int member) { return all + bytes * static_cast<std::uint64_t>(member); };
  const ReductionTree tree(0, n);
  std::vector<Ref> level;
  for (int leaf = 0; leaf < tree.leaves(); ++leaf) {
    const int first = tree.rank_of(leaf);
    level.push_back(vector_of(first));
    if (ReductionTree(first, n).paired()) steps.reduce(vector_of(first), vector_of(first), vector_of(first + 1), bytes);
  }
  for (; level.size() > 1; level.resize(level.size() / 2))
    for (std::size_t i = 0; i < level.size() / 2; ++i) {
      steps.reduce(level[2 * i], level[2 * i], level[2 * i + 1], bytes);
      level[i] = level[2 * i];
    }
  return level.front();
}

void allreduce_central(ScheduleBuilder& steps, const Arguments& arguments) {
  const int n = steps.size();
  const std::uint64_t bytes = arguments.bytes;
  if (steps.rank() != 0) {
    steps.send(0, in_at(0), bytes);
    steps.join();
    steps.recv(0, out_at(0), bytes);
    steps.join();
    return;
  }
  const Ref all = steps.scratch(bytes * static_cast<std::uint64_t>(n));
  auto vector_of = [&](int member) { return all + bytes * static_cast<std::uint64_t>(member); };
  steps.copy(vector_of(0), in_at(0), bytes);
  for (int member = 1; member < n; ++member) steps.recv(member, vector_of(member), bytes);
  steps.join();
  steps.copy(out_at(0), evaluate_tree(steps, all, bytes), bytes);
  for (int member = 1; member < n; ++member) steps.send(member, out_at(0), bytes);
  steps.join();
}

}  // namespace atl::coll::detail
