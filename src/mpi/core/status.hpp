// SPDX-License-Identifier: Apache-2.0
// Contents of the internal fields of MPI_Status. Only these functions write a status.
#pragma once

#include <cstdint>
#include <cstring>

#include "mpi.h"

namespace atl::mpi {

// | offset | bytes | field           | what                                |
// |--------|-------|-----------------|-------------------------------------|
// |   0    |  12   | source, tag, error | as in the standard               |
// |  12    |   8   | MPI_internal[0..1] | bytes of the message, packed     |
// |  20    |   4   | MPI_internal[2]    | 1: cancelled                     |
// |  24    |   8   | MPI_internal[3..4] | 0                                |
static_assert(sizeof(MPI_Status) == 32);

inline std::int64_t bytes_of(const MPI_Status& status) {
  std::int64_t bytes;
  std::memcpy(&bytes, status.MPI_internal, sizeof(bytes));
  return bytes;
}
inline void set_bytes(MPI_Status& status, std::int64_t bytes) {
  std::memcpy(status.MPI_internal, &bytes, sizeof(bytes));
}
inline bool is_cancelled(const MPI_Status& status) { return status.MPI_internal[2] != 0; }
inline void set_cancelled(MPI_Status& status, bool cancelled) { status.MPI_internal[2] = cancelled ? 1 : 0; }

/// Leaves MPI_ERROR unchanged: only calls that complete several requests set it.
inline void fill(MPI_Status* status, int source, int tag, std::int64_t bytes, bool cancelled = false) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = source;
  status->MPI_TAG = tag;
  set_bytes(*status, bytes);
  status->MPI_internal[2] = cancelled ? 1 : 0;
}
/// The status of inactive requests and of sends.
inline void fill_empty(MPI_Status* status) {
  fill(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
  if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = MPI_SUCCESS;
}
inline void fill_no_process(MPI_Status* status) { fill(status, MPI_PROC_NULL, MPI_ANY_TAG, 0); }

}  // namespace atl::mpi
