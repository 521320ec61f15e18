// SPDX-License-Identifier: Apache-2.0
#include "atoll/fabric/private_pages.hpp"

#include <sys/mman.h>

namespace atl::fabric {

std::byte* private_pages(std::size_t bytes) noexcept {
  void* pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages == MAP_FAILED ? nullptr : static_cast<std::byte*>(pages);
}

bool move_pages(std::byte* pages, void* where, std::size_t bytes) noexcept {
  return ::mremap(pages, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, where) != MAP_FAILED;
}

void release_pages(std::byte* pages, std::size_t bytes) noexcept { ::munmap(pages, bytes); }

}  // namespace atl::fabric
