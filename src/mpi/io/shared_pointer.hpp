// SPDX-License-Identifier: Apache-2.0
// A number that all members of a communicator read and add to: it lies with the first of them.
#pragma once

#include "comm/comm.hpp"
#include "datatype/node.hpp"

namespace atl::mpi::io {

using datatype::Count;

class SharedPointer {
 public:
  /// Collective; 0 at first. Ends with release().
  void make(Comm& comm);
  /// Collective; afterwards no rank may use it.
  void release(Comm& comm);
  /// What it was before.
  Count fetch_add(Comm& comm, Count by);
  Count get(Comm& comm);
  /// By one member; the others wait for a barrier.
  void set(Comm& comm, Count value);

 private:
  std::byte* block_ = nullptr;  // at the first member
  HeapOffset offset_{};
};

}  // namespace atl::mpi::io
