// SPDX-License-Identifier: Apache-2.0
// Private pages that replace shared ones. The functions do not allocate, lock or throw, so that they can be used around
// fork and while the replaced data is in use.
#pragma once

#include <cstddef>

namespace atl::fabric {

/// Sparse, zeroed, private pages; null when the kernel refuses.
std::byte* private_pages(std::size_t bytes) noexcept;
/// Moves the pages over the mapping at `where` in one step. Returns false, without effect, when the kernel refuses.
bool move_pages(std::byte* pages, void* where, std::size_t bytes) noexcept;
void release_pages(std::byte* pages, std::size_t bytes) noexcept;

}  // namespace atl::fabric
