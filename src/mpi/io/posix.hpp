// SPDX-License-Identifier: Apache-2.0
// Whole reads and writes of a POSIX file, and what its errors are in MPI.
#pragma once

#include <cstdint>
#include <string>

#include "datatype/node.hpp"

namespace atl::mpi::io {

using datatype::Count;

/// How far an access got. `error`: 0, or the errno that ended it.
struct Moved {
  Count bytes = 0;
  int error = 0;
};

/// Fewer bytes without an error: the file ends there.
Moved read_at(int fd, void* to, Count bytes, Count offset);
/// Fewer bytes only with an error: those are there.
Moved write_at(int fd, const void* from, Count bytes, Count offset);

/// MPI_ERR_NO_SUCH_FILE and its kin for an errno.
int error_class_of(int error);
/// What the system calls it.
std::string sentence_of(int error);

/// A lock on bytes of a file against other openings of it, while it lives. Taking one waits. Where the file system has
/// no locks, none is taken.
class RangeLock {
 public:
  enum class Mode { shared, exclusive };
  RangeLock(int fd, Count offset, Count bytes, Mode mode);
  ~RangeLock();
  RangeLock(const RangeLock&) = delete;
  RangeLock& operator=(const RangeLock&) = delete;

 private:
  int fd_;
  Count offset_, bytes_;
};

}  // namespace atl::mpi::io
