// SPDX-License-Identifier: Apache-2.0
// Private pages to put in the place of shared ones. Neither call allocates, locks or throws, so that they can be
// used around fork and while the data being replaced is in use.
#pragma once

#include <cstddef>

namespace atl::fabric {

/// Sparse, zero, private pages; null when the kernel gives none.
std::byte* private_pages(std::size_t bytes) noexcept;
/// Moves them over what lies at `where`, in one step. False: they stayed where they were.
bool move_pages(std::byte* pages, void* where, std::size_t bytes) noexcept;
void release_pages(std::byte* pages, std::size_t bytes) noexcept;

}  // namespace atl::fabric
