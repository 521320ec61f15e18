// SPDX-License-Identifier: Apache-2.0
// Which algorithm was the fastest, as `atoll tune` measured it: a file of lines
//
//   collective  PEs  nodes  bytes  algorithm
//
// A line holds for sizes up to `bytes` (*: any) from the line before it on, for as many PEs as it says up to twice as
// many, and for as many nodes or more. One node, nodes of one PE each, and nodes of several PEs are told apart. #
// begins a comment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/coll/placement.hpp"

namespace atl::coll::detail {

class TunedTable {
 public:
  /// Numbers in Selection's order.
  using Lookup = std::optional<std::uint8_t> (*)(std::string_view name, std::uint8_t kind);

  TunedTable() = default;
  /// Throws ValueError with path, line and the accepted values. `kind_named(name)`, `algorithm_named(name, kind)`.
  TunedTable(const std::string& path, Lookup kind_named, Lookup algorithm_named);
  bool empty() const { return rows_.empty(); }
  /// Differs where files do. 0: empty.
  std::uint64_t digest() const { return digest_; }
  /// None: nothing was measured that is near enough.
  std::optional<std::uint8_t> choose(std::uint8_t kind, std::uint64_t bytes, const Placement& placement) const;

 private:
  struct Row {
    std::uint8_t kind;
    std::uint8_t algorithm;
    std::uint32_t pes;
    std::uint32_t nodes;
    std::uint64_t bytes;
  };
  std::vector<Row> rows_;
  std::uint64_t digest_ = 0;
};

}  // namespace atl::coll::detail
