// SPDX-License-Identifier: Apache-2.0
// A counter that all members of a communicator read and increase; it is stored on rank 0.
#pragma once

#include "comm/comm.hpp"
#include "datatype/node.hpp"

namespace atl::mpi::io {

using datatype::Count;

class SharedPointer {
 public:
  /// Collective. Creates the counter with value 0.
  void make(Comm& comm);
  /// Collective. No rank may use the counter afterwards.
  void release(Comm& comm);
  /// Returns the old value.
  Count fetch_add(Comm& comm, Count by);
  Count get(Comm& comm);
  /// Called by one member, while the others wait in a barrier.
  void set(Comm& comm, Count value);

 private:
  std::byte* block_ = nullptr;  // on rank 0
  HeapOffset offset_{};
};

}  // namespace atl::mpi::io
