// SPDX-License-Identifier: Apache-2.0
// The nodes of members. The same on every member, so that all make the same choices.
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
    std::unordered_map<std::uint32_t, std::size_t> known;
    for (std::uint32_t node : node_of_member) {
      const std::size_t i = known.try_emplace(node, members_.size()).first->second;
      if (i == members_.size()) members_.emplace_back();
      index_in_node_.push_back(static_cast<int>(members_[i].size()));
      members_[i].push_back(static_cast<int>(node_of_.size()));
      node_of_.push_back(static_cast<int>(i));
    }
  }

  int size() const { return static_cast<int>(node_of_.size()); }
  int nodes() const { return static_cast<int>(members_.size()); }
  int node_of(int member) const { return node_of_[static_cast<std::size_t>(member)]; }
  int index_in_node(int member) const { return index_in_node_[static_cast<std::size_t>(member)]; }
  /// Ascending.
  const std::vector<int>& members(int node) const { return members_[static_cast<std::size_t>(node)]; }
  /// Several nodes, of which one has several members.
  bool has_levels() const { return nodes() > 1 && nodes() < size(); }

 private:
  std::vector<int> node_of_, index_in_node_;
  std::vector<std::vector<int>> members_;
};

}  // namespace atl::coll
