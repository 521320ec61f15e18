// SPDX-License-Identifier: Apache-2.0
// Which members share a node. The same on every member, so that all make the same choices by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace atl::coll {

class Placement {
 public:
  Placement() = default;
  /// `node_of_member`: any numbers, equal for members of one node. Here nodes are numbered by their lowest member.
  explicit Placement(std::span<const std::uint32_t> node_of_member) {
    std::unordered_map<std::uint32_t, int> known;
    std::vector<int> counts;
    node_of_.reserve(node_of_member.size());
    index_in_node_.reserve(node_of_member.size());
    for (std::uint32_t node : node_of_member) {
      const int i = known.try_emplace(node, static_cast<int>(counts.size())).first->second;
      if (i == static_cast<int>(counts.size())) counts.push_back(0);
      index_in_node_.push_back(counts[static_cast<std::size_t>(i)]++);
      node_of_.push_back(i);
    }
    first_.reserve(counts.size() + 1);
    first_.push_back(0);
    for (int count : counts) first_.push_back(first_.back() + count);
    members_.resize(node_of_.size());
    for (std::size_t member = 0; member < node_of_.size(); ++member)
      members_[static_cast<std::size_t>(first_[static_cast<std::size_t>(node_of_[member])] + index_in_node_[member])] = static_cast<int>(member);
  }

  int size() const { return static_cast<int>(node_of_.size()); }
  int nodes() const { return first_.empty() ? 0 : static_cast<int>(first_.size()) - 1; }
  int node_of(int member) const { return node_of_[static_cast<std::size_t>(member)]; }
  int index_in_node(int member) const { return index_in_node_[static_cast<std::size_t>(member)]; }
  /// Ascending.
  std::span<const int> members(int node) const {
    const int first = first_[static_cast<std::size_t>(node)], end = first_[static_cast<std::size_t>(node) + 1];
    return std::span(members_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first));
  }
  /// Several nodes, of which one has several members.
  bool has_levels() const { return nodes() > 1 && nodes() < size(); }

 private:
  std::vector<int> node_of_, index_in_node_;
  std::vector<int> members_;  // of node 0, of node 1, …
  std::vector<int> first_;    // by node: where its members begin there; then where the last one's end
};

}  // namespace atl::coll
