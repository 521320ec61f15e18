// SPDX-License-Identifier: Apache-2.0
// Contiguous copies that a request uses in place of the program's buffers. For the Fortran library.
#pragma once

#include "mpi.h"

namespace atl::mpi {

class BufferCopies {
 public:
  virtual ~BufferCopies() = default;
  /// From the program's buffers, before the operation starts.
  virtual void copy_in() = 0;
  /// To the program's buffers, when the operation is complete.
  virtual void copy_out() = 0;
};

/// Replaces a request that has just been made by one that owns `copies`: these are copied out when it completes, and
/// copied in each time that a persistent request starts.
extern "C" [[gnu::visibility("default")]] void atoll_mpi_keep_copies(MPI_Request* request, BufferCopies* copies);

}  // namespace atl::mpi
