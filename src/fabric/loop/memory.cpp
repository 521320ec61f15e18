// SPDX-License-Identifier: Apache-2.0
// `loop`: PEs are threads of one process, and a segment is anonymous memory.
#include "../memory.hpp"

#include <sys/mman.h>

#include "atoll/base/config.hpp"

namespace atl::fabric::loop {

std::byte* map(std::size_t bytes) {
  std::byte* place = reserve(bytes);
  if (::mprotect(place, bytes, PROT_READ | PROT_WRITE) != 0) {
    unmap(place, bytes);
    refuse_mapping("map", bytes);
  }
  // Touching new 2 MiB pages runs at 5.4 GiB/s, touching 4 KiB pages at 1.6 GiB/s (one thread).
  if (config::choice(config::Variable::huge_pages) == 1) ::madvise(place, bytes, MADV_HUGEPAGE);
  // A core dump of a sparse terabyte is useless.
  ::madvise(place, bytes, MADV_DONTDUMP);
  return place;
}

bool discard(std::byte* where, std::size_t bytes) noexcept { return ::madvise(where, bytes, MADV_DONTNEED) == 0; }

}  // namespace atl::fabric::loop
