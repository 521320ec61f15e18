// SPDX-License-Identifier: Apache-2.0
// What every PE has a few of, brought together on all: samples, from which all make the same plan.
#pragma once

#include <vector>

#include "atoll/array/engine.hpp"
#include "atoll/coll/collectives.hpp"

namespace atl::array {

/// Everybody's values, those of one PE behind those of the one before. Collective; in one piece of memory, of which
/// there is no second copy (Engine::allgather_vector() has a vector for each PE).
template <class T>
std::vector<T> allgather_joined(Engine& engine, const std::vector<T>& mine) {
  if (engine.npes() == 1) return mine;
  const auto counts = engine.allgather_value<std::uint64_t>(mine.size());
  std::uint64_t total = 0;
  for (std::uint64_t count : counts) total += count;
  std::vector<T> all(total);
  std::vector<coll::Block> blocks;
  blocks.reserve(counts.size());
  T* to = all.data();
  for (std::uint64_t count : counts) {
    blocks.push_back({to, count * sizeof(T)});
    to += count;
  }
  engine.communicator().allgatherv(mine.data(), mine.size() * sizeof(T), blocks);
  return all;
}

}  // namespace atl::array
