// SPDX-License-Identifier: Apache-2.0
// With what a Context is made, and where its PE is.
#pragma once

#include <cstdint>
#include <memory>

namespace atl::runtime {

class Heap;

struct ContextOptions {
  /// Threads of this PE that may wait or compute. 0: ATOLL_THREADS, or an even share of the cores.
  unsigned threads = 0;
  /// Most bytes of arrays. 0: ATOLL_MEMORY_LIMIT, or an even share of what is available.
  std::uint64_t memory_limit_bytes = 0;
  std::uint64_t pool_bytes = 0;
  /// Bytes of blocks that the symmetric heap can hold; alike on all PEs. 0: half of the segment. More than 0 raises the
  /// limit above by as much.
  std::uint64_t symmetric_bytes = 0;
  /// Room for StaticData at the end of the segment: StaticData::bytes_needed(), or none.
  std::uint64_t static_bytes = 0;
  /// In a recoverable job: that of this process's Context before, for the blocks that are still in use.
  std::shared_ptr<Heap> heap = {};
};

/// Where this PE is, among the PEs of its node and the node's cores.
struct NodeInfo {
  std::uint32_t pes = 1;  ///< PEs on this node
  std::uint32_t rank = 0;  ///< of this PE among them
  std::uint32_t cores = 1;  ///< that PEs may use
  unsigned threads = 1;  ///< of this PE
  bool oversubscribed = false;  ///< more threads than cores: waits do not spin
};

}  // namespace atl::runtime
