// SPDX-License-Identifier: Apache-2.0
// What a stream of lengths in an ORC file adds up to: the bytes of its strings, or the elements of its lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace atl::table {

/// How ORC packs runs of whole numbers.
enum class OrcRuns : std::uint8_t { v1 = 1, v2 = 2 };

/// The largest sum that is reported; larger sums, and sums with a length below 0, are this.
inline constexpr std::uint64_t most_of_orc = std::uint64_t{1} << 62;

/// The sum of the first `count` lengths of an unpacked stream, or of all where there are fewer. ValueError where a run
/// ends too early.
std::uint64_t sum_orc_lengths(std::span<const std::byte> stream, OrcRuns runs, std::uint64_t count);

}  // namespace atl::table
