// SPDX-License-Identifier: Apache-2.0
#include "hierarchy.hpp"

#include <algorithm>

namespace atl::coll::detail {

Hierarchy::Hierarchy(ScheduleBuilder& steps, int root)
    : steps_(steps), placement_(steps.placement()), node_(placement_.node_of(steps.rank())) {
  for (int node = 0; node < placement_.nodes(); ++node) leaders_.push_back(placement_.members(node).front());
  if (root >= 0) leaders_[static_cast<std::size_t>(placement_.node_of(root))] = root;
}

Circle::Circle(const std::vector<std::uint64_t>& sizes, int rank) : rank_(rank) {
  const int n = static_cast<int>(sizes.size());
  std::uint64_t at = 0;
  for (int distance = 0; distance < n; ++distance) {
    offsets_.push_back(at);
    at += sizes[static_cast<std::size_t>((rank + distance) % n)];
  }
  offsets_.push_back(at);
}

Circle Circle::of_nodes(const Hierarchy& hierarchy, std::uint64_t bytes) {
  std::vector<std::uint64_t> sizes;
  for (int node = 0; node < hierarchy.placement().nodes(); ++node)
    sizes.push_back(bytes * hierarchy.placement().members(node).size());
  return Circle(sizes, hierarchy.node());
}

void allgather_circle(ScheduleBuilder& steps, const Circle& circle, Ref blocks) {
  int n = steps.size(), rank = steps.rank();
  for (int have = 1; have < n; have *= 2) {
    int more = std::min(have, n - have);
    steps.send((rank - have + n) % n, blocks, circle.offset(more));
    steps.recv((rank + have) % n, blocks + circle.offset(have), circle.offset(have + more) - circle.offset(have));
    steps.join();
  }
}

void gather_circle(ScheduleBuilder& steps, const Circle& circle, Ref blocks, int root) {
  int n = steps.size(), rank = steps.rank(), shifted = (rank - root + n) % n;
  for (int distance = 1; distance < n; distance *= 2) {
    if ((shifted & distance) != 0) {
      steps.send((rank - distance + n) % n, blocks, circle.offset(std::min(distance, n - shifted)));
      steps.join();
      return;
    }
    if (shifted + distance < n) {
      steps.recv((rank + distance) % n, blocks + circle.offset(distance),
                 circle.offset(std::min(2 * distance, n - shifted)) - circle.offset(distance));
      steps.join();
    }
  }
}

void scatter_circle(ScheduleBuilder& steps, const Circle& circle, Ref blocks, int root) {
  int n = steps.size(), rank = steps.rank(), shifted = (rank - root + n) % n;
  int distance = 1;
  while (distance < n && (shifted & distance) == 0) distance *= 2;
  if (shifted != 0) {
    steps.recv((rank - distance + n) % n, blocks, circle.offset(std::min(distance, n - shifted)));
    steps.join();
  }
  for (distance /= 2; distance > 0; distance /= 2)
    if (shifted + distance < n)
      steps.send((rank + distance) % n, blocks + circle.offset(distance),
                 circle.offset(std::min(2 * distance, n - shifted)) - circle.offset(distance));
  steps.join();
}

}  // namespace atl::coll::detail
