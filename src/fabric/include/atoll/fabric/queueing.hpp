// SPDX-License-Identifier: Apache-2.0
// Interface of a RemotePath with non-blocking operations that do not wait for their target: an operation for which the
// network has no room is queued as a descriptor, within ATOLL_MEMORY_LIMIT, and starts when earlier ones are complete.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/base/ids.hpp"
#include "atoll/fabric/remote_path.hpp"

namespace atl::fabric {

/// All operations are complete in RemotePath::quiet(); until then the caller keeps the memory that it passes.
/// fence() orders them. Without a fence they are in no order with puts, updates and messages of RemotePath; its get()
/// and atomic() of the same PE start after them.
class Queueing {
 public:
  virtual void queue_put(PeId pe, HeapOffset to, const void* from, std::size_t bytes) = 0;
  virtual void queue_put_signal(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal,
                                std::uint64_t value, AtomicOp how) = 0;
  virtual void queue_get(void* to, PeId pe, HeapOffset from, std::size_t bytes) = 0;
  virtual void queue_update(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand) = 0;
  /// Writes the old value, of `width` bytes, to `old`.
  virtual void queue_atomic(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand,
                            std::uint64_t expected, void* old) = 0;

 protected:
  ~Queueing() = default;
};

}  // namespace atl::fabric
