// SPDX-License-Identifier: Apache-2.0
// Where rows go when they are brought in order of their groups.
#pragma once

#include <cstdint>
#include <vector>

#include "atoll/array/kernel/work.hpp"

namespace atl::table {

/// Groups are numbers below `groups`; rows of one group keep their order. A table of counts for every thread: for far
/// fewer groups than rows.
class GroupPlaces {
 public:
  GroupPlaces(array::Work work, const std::int64_t* of, std::size_t rows, std::size_t groups);

  /// How many rows each group has.
  std::vector<std::int64_t> counts() const;
  /// The place of every row, given that of each group's first one.
  void write(array::Work work, std::vector<std::int64_t> first, std::int64_t* places);

 private:
  static constexpr std::size_t piece = 1024;
  const std::int64_t* of_;
  std::size_t rows_, groups_;
  std::vector<std::vector<std::int64_t>> counts_;  // by thread
};

}  // namespace atl::table
