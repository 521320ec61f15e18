// SPDX-License-Identifier: Apache-2.0
#include "io/posix.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "mpi.h"

namespace atl::mpi::io {
namespace {

constexpr Count longest_call = Count{1} << 30;

void set_lock(int fd, short type, Count offset, Count bytes) {
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = offset;
  lock.l_len = bytes;
  while (::fcntl(fd, F_OFD_SETLKW, &lock) != 0 && errno == EINTR) {}
}

}  // namespace

Moved read_at(int fd, void* to, Count bytes, Count offset) {
  Moved moved;
  while (moved.bytes < bytes) {
    auto length = static_cast<std::size_t>(std::min(bytes - moved.bytes, longest_call));
    ssize_t got = ::pread(fd, static_cast<std::byte*>(to) + moved.bytes, length, offset + moved.bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) moved.error = errno;
    if (got <= 0) break;
    moved.bytes += got;
  }
  return moved;
}

Moved write_at(int fd, const void* from, Count bytes, Count offset) {
  Moved moved;
  while (moved.bytes < bytes) {
    auto length = static_cast<std::size_t>(std::min(bytes - moved.bytes, longest_call));
    ssize_t put = ::pwrite(fd, static_cast<const std::byte*>(from) + moved.bytes, length, offset + moved.bytes);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      moved.error = put < 0 ? errno : ENOSPC;
      break;
    }
    moved.bytes += put;
  }
  return moved;
}

int error_class_of(int error) {
  switch (error) {
    case 0: return MPI_SUCCESS;
    case ENOENT: return MPI_ERR_NO_SUCH_FILE;
    case EEXIST: return MPI_ERR_FILE_EXISTS;
    case EACCES:
    case EPERM: return MPI_ERR_ACCESS;
    case ENAMETOOLONG:
    case ENOTDIR:
    case EISDIR:
    case ELOOP: return MPI_ERR_BAD_FILE;
    case ENOSPC: return MPI_ERR_NO_SPACE;
    case EDQUOT: return MPI_ERR_QUOTA;
    case EROFS: return MPI_ERR_READ_ONLY;
    case ETXTBSY:
    case EBUSY: return MPI_ERR_FILE_IN_USE;
    case ENOMEM: return MPI_ERR_NO_MEM;
    default: return MPI_ERR_IO;
  }
}

std::string sentence_of(int error) { return std::strerror(error); }

RangeLock::RangeLock(int fd, Count offset, Count bytes, Mode mode) : fd_(fd), offset_(offset), bytes_(bytes) {
  if (bytes_ > 0) set_lock(fd_, mode == Mode::shared ? F_RDLCK : F_WRLCK, offset_, bytes_);
}

RangeLock::~RangeLock() {
  if (bytes_ > 0) set_lock(fd_, F_UNLCK, offset_, bytes_);
}

}  // namespace atl::mpi::io
