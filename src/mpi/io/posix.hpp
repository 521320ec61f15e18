// SPDX-License-Identifier: Apache-2.0
// Complete reads and writes of POSIX files, and their errors as MPI error classes.
#pragma once

#include <cstdint>
#include <string>

#include "datatype/node.hpp"

namespace atl::mpi::io {

using datatype::Count;

/// Result of an access: transferred bytes. `error`: 0, or the errno that ended it.
struct Moved {
  Count bytes = 0;
  int error = 0;
};

/// Fewer bytes without an error mean end of file.
Moved read_at(int fd, void* to, Count bytes, Count offset);
/// Fewer bytes only with an error; those bytes were written.
Moved write_at(int fd, const void* from, Count bytes, Count offset);

/// The MPI error class of an errno (MPI_ERR_NO_SUCH_FILE, …).
int error_class_of(int error);
/// The system's message for an errno.
std::string sentence_of(int error);

/// Holds a lock on bytes of a file against other file descriptors. The constructor waits for the lock. Takes none where
/// the file system does not support locks.
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
