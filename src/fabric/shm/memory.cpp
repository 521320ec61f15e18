// SPDX-License-Identifier: Apache-2.0
// `shm`: PEs are processes of one node, which all map one memfd. It has no name in any directory, so nothing is
// left behind when PEs and launcher die, and other users cannot open it.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string_view>

#include "../memory.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"

namespace atl::fabric::shm {
namespace {

constexpr std::string_view inherited = "inherited:";

}  // namespace

int create(std::size_t bytes) {
  int descriptor = ::memfd_create("atoll-job", MFD_CLOEXEC);
  if (descriptor < 0) throw_errno("cannot create the job's shared memory (memfd_create)");
  // memfd files are born 0777; /proc/<pid>/fd must not let another user in, should it be reachable.
  if (::fchmod(descriptor, 0600) != 0 || ::ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) {
    ::close(descriptor);
    refuse_mapping("size a file of memory to", bytes);
  }
  return descriptor;
}

bool has_names() { return ::access("/proc/self/fd", X_OK) == 0; }

std::string name(int descriptor) {
  if (has_names()) return fmt::format("/proc/{}/fd/{}", ::getpid(), descriptor);
  ::fcntl(descriptor, F_SETFD, 0);
  return fmt::format("{}{}", inherited, descriptor);
}

int open(const std::string& name) {
  if (!name.starts_with(inherited)) return ::open(name.c_str(), O_RDWR | O_CLOEXEC);
  int descriptor = -1;
  const char* end = name.data() + name.size();
  if (auto [at, error] = std::from_chars(name.data() + inherited.size(), end, descriptor);
      error != std::errc{} || at != end) {
    errno = EINVAL;
    return -1;
  }
  return ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
}

std::size_t size(int descriptor) {
  struct stat info{};
  return ::fstat(descriptor, &info) == 0 ? static_cast<std::size_t>(info.st_size) : 0;
}

std::byte* map(int descriptor, std::size_t bytes) {
  std::byte* place = reserve(bytes);
  void* mapped = ::mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, descriptor, 0);
  if (mapped == MAP_FAILED) {
    unmap(place, bytes);
    refuse_mapping("map", bytes);
  }
  ::madvise(place, bytes, MADV_DONTDUMP);
  return place;
}

void map_over(int descriptor, std::uint64_t offset, void* where, std::size_t bytes) {
  void* mapped = ::mmap(where, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, descriptor,
                        static_cast<off_t>(offset));
  if (mapped == MAP_FAILED) throw_errno(fmt::format("cannot map {} of global data", format_bytes(bytes)));
}

bool discard(int descriptor, std::uint64_t offset, std::size_t bytes) noexcept {
  return ::fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                     static_cast<off_t>(bytes)) == 0;
}

}  // namespace atl::fabric::shm
