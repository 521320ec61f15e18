// SPDX-License-Identifier: Apache-2.0
// One block of memory per PE within reach of all: in place where it is mapped, by copies of ranges on other nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "atoll/array/engine.hpp"

namespace atl::array {

/// Blocks that lie in the heaps of their PEs and stay while the object is used. What one PE writes, others may read
/// after complete() there and a barrier.
class Reach {
 public:
  Reach() = default;
  /// Collective, immediate with one PE. `mine` is this PE's block, or null if no PE will access it.
  Reach(Engine& engine, const void* mine);

  /// The PE's block as this process sees it; null when it is on another node.
  std::byte* mapped(std::uint32_t pe) const { return blocks_[pe]; }
  bool maps(std::uint32_t pe) const { return blocks_[pe] != nullptr; }

  /// Copies bytes [at, at + bytes) of the PE's block here; complete on return.
  void get(void* to, std::uint32_t pe, std::size_t at, std::size_t bytes) const;
  /// Copies to the PE's block. On return `from` may be used again; the bytes are there after complete().
  void put(std::uint32_t pe, std::size_t at, const void* from, std::size_t bytes) const;
  /// The same for PEs of other nodes, many under way at once: memory here is theirs until complete().
  void start_get(void* to, std::uint32_t pe, std::size_t at, std::size_t bytes) const;
  void start_put(std::uint32_t pe, std::size_t at, const void* from, std::size_t bytes) const;
  void complete() const;

 private:
  Engine* engine_ = nullptr;
  std::vector<std::byte*> blocks_;
  std::vector<HeapOffset> offsets_;
};

}  // namespace atl::array
