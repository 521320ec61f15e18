// SPDX-License-Identifier: Apache-2.0
// Picks from a block of indices those that fall in a range, in order and without a branch per element: how threads that
// each own a range of a target share one list of indices. Private to the kernels.
#pragma once

#include <cstddef>
#include <cstdint>

namespace atl::array {

/// Indices per call at most; outputs have room for `filter_slack` more.
inline constexpr std::size_t filter_block = 256;
inline constexpr std::size_t filter_slack = 16;

/// Numbers with number - low < width, and where in the block they stood. Returns how many. count <= filter_block.
std::size_t filter_numbers(const std::uint32_t* numbers, std::size_t count, std::uint32_t low, std::uint32_t width,
                           std::uint32_t* number, std::uint32_t* offset);

}  // namespace atl::array
