// SPDX-License-Identifier: Apache-2.0
// `shm`: PEs are processes of one node, which all map one memfd. It has no name in any directory, so nothing is
// left behind when PEs and launcher die, and other users cannot open it.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../memory.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"

namespace atl::fabric::shm {

int create(std::size_t bytes) {
  int descriptor = ::memfd_create("atoll-job", MFD_CLOEXEC);
  if (descriptor < 0) throw_errno("cannot create the job's shared memory (memfd_create)");
  // memfd files are born 0777; /proc/<pid>/fd must not let another user in, should it be reachable.
  if (::fchmod(descriptor, 0600) != 0 || ::ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) {
    ::close(descriptor);
    throw_errno(fmt::format("cannot size the job's shared memory to {}. Lower ATOLL_HEAP_SIZE?", format_bytes(bytes)));
  }
  return descriptor;
}

int open(const std::string& name) { return ::open(name.c_str(), O_RDWR | O_CLOEXEC); }

std::size_t size(int descriptor) {
  struct stat info {};
  return ::fstat(descriptor, &info) == 0 ? static_cast<std::size_t>(info.st_size) : 0;
}

std::byte* map(int descriptor, std::size_t bytes) {
  std::byte* place = reserve(bytes);
  void* mapped = ::mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, descriptor, 0);
  if (mapped == MAP_FAILED) {
    unmap(place, bytes);
    throw_errno(fmt::format("cannot map {} for the segments. Lower ATOLL_HEAP_SIZE?", format_bytes(bytes)));
  }
  ::madvise(place, bytes, MADV_DONTDUMP);
  return place;
}

void map_over(int descriptor, std::uint64_t offset, void* where, std::size_t bytes) {
  void* mapped = ::mmap(where, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, descriptor,
                        static_cast<off_t>(offset));
  if (mapped == MAP_FAILED) throw_errno(fmt::format("cannot map {} of global data", format_bytes(bytes)));
}

}  // namespace atl::fabric::shm
