// SPDX-License-Identifier: Apache-2.0
// Snappy's raw format, read.
#pragma once

#include <cstddef>
#include <span>

namespace atl::table {

/// What `packed` says that it becomes. ValueError when it does not begin with a size.
std::size_t snappy_size(std::span<const std::byte> packed);
/// Fills `to`, which has that size. ValueError for what is no Snappy, or of another size.
void unpack_snappy(std::span<const std::byte> packed, std::span<std::byte> to);

}  // namespace atl::table
