// SPDX-License-Identifier: Apache-2.0
// Moving whole blocks: streaming copies, strided copies (slices and transposes), reversal, tiling, repetition.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/array/kernel/work.hpp"

namespace atl::array {

/// Copies `bytes`, which must not overlap. Blocks beyond the L2 cache are written past the caches.
void copy_bytes(const Work& work, void* to, const void* from, std::size_t bytes);

/// Copies an n-dimensional array of elements of `element_size` 1, 2, 4 or 8 bytes. Strides are in bytes and may be
/// negative, and zero at `from` (broadcast). The two must not overlap. Where the fastest axes of the two differ (a
/// transpose), it goes by tiles of one cache line each way.
void copy_strided(const Work& work, std::size_t element_size, std::size_t ndim, const std::int64_t* shape, void* to,
                  const std::int64_t* to_strides, const void* from, const std::int64_t* from_strides);

/// to[i] = from[n - 1 - i], for elements of any size.
void copy_reversed(const Work& work, std::size_t element_size, void* to, const void* from, std::size_t n);

/// Writes the block `from` of `bytes` one after another, `times` times (numpy.tile).
void tile(const Work& work, void* to, const void* from, std::size_t bytes, std::size_t times);

/// Writes each of the `n` elements `times` times in a row (numpy.repeat), for elements of any size.
void repeat(const Work& work, std::size_t element_size, void* to, const void* from, std::size_t n, std::size_t times);

}  // namespace atl::array
