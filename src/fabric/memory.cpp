// SPDX-License-Identifier: Apache-2.0
// Common part of `loop` and `shm`: reserving address space, and the error when the system refuses memory.
#include "memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>

#include "atoll/base/raise.hpp"
#include "atoll/base/units.hpp"
#include "atoll/fabric/layout.hpp"

namespace atl::fabric {

void refuse_mapping(std::string_view what, std::size_t bytes) {
  const int error = errno;
  const std::string text = fmt::format(
      "cannot {} {} for the segments ({}). Lower ATOLL_HEAP_SIZE, or raise the limit of address "
      "space (ulimit -v)?",
      what, format_bytes(bytes), std::strerror(error));
  if (error == ENOMEM) raise<MemoryError>(text);
  raise<SetupError>(text);
}

std::byte* reserve(std::size_t bytes) {
  const auto alignment = static_cast<std::size_t>(segment_alignment(bytes));
  std::size_t wide = bytes + alignment;
  void* place = ::mmap(nullptr, wide, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) refuse_mapping("reserve address space of", wide);
  auto begin = reinterpret_cast<std::uintptr_t>(place);
  auto aligned = round_up(begin, static_cast<std::uintptr_t>(alignment));
  if (aligned != begin) ::munmap(place, aligned - begin);
  std::size_t rest = begin + wide - (aligned + bytes);
  if (rest != 0) ::munmap(reinterpret_cast<void*>(aligned + bytes), rest);
  return reinterpret_cast<std::byte*>(aligned);
}

std::uint64_t available_address_bytes(std::uint64_t programs_bytes) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<std::uint64_t>::max();
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const std::uint64_t used = std::max(pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)), programs_bytes);
  return std::max<std::uint64_t>(limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used), limit.rlim_cur / 8);
}

void unmap(std::byte* base, std::size_t bytes) noexcept { ::munmap(base, bytes); }

}  // namespace atl::fabric
