// SPDX-License-Identifier: Apache-2.0
// A RemotePath that has forms of its calls which do not wait for the PE they are for, whatever that does: what the
// network has no room for waits in a copy here, up to ATOLL_MEMORY_LIMIT.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/base/ids.hpp"
#include "atoll/fabric/remote_path.hpp"

namespace atl::fabric {

class Deferring {
 public:
  virtual ~Deferring() = default;
  /// As RemotePath::atomic(): the old value, of `width` bytes, is in `*old` after quiet().
  virtual void atomic_nbi(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand,
                          std::uint64_t expected, void* old) = 0;
  /// As RemotePath::put_signal(): `from` must stay as it is until quiet().
  virtual void put_signal_nbi(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal,
                              std::uint64_t value, AtomicOp how) = 0;
};

}  // namespace atl::fabric
