// SPDX-License-Identifier: Apache-2.0
// Sorting of one PE's rows, by all its threads. The distributed sorts are made of the parts in partition.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "atoll/array/dtype.hpp"
#include "atoll/array/kernel/sort_key.hpp"
#include "atoll/array/kernel/work.hpp"

namespace atl::array {

/// out = in, ascending, NaN last (as the quiet NaN), -0.0 before 0.0. `in` and `out` may be the same block, but must
/// not overlap otherwise. Scratch: none when they differ, n elements when they are the same. When it throws
/// (Interrupted, MemoryError) `in` is as it was and `out`, if another block, undefined.
/// Cost: 1- and 2-byte types O(n) by counting; otherwise one partition pass and a sort in the cache, O(n log n).
void sort(Work work, DType type, const void* in, void* out, std::size_t n);

/// out[i] = first_index + the row that is i-th in order; equal keys (-0.0 and 0.0; all NaNs, last) in row order.
/// Scratch: none for well spread keys, at most 16 n bytes. Same cost for every input: O(n log n).
void argsort(Work work, DType type, const void* keys, std::size_t n, std::int64_t first_index, std::int64_t* out);

/// The same by several columns, the first most significant. No columns: rows in order.
void coargsort(Work work, std::span<const Key> keys, std::size_t n, std::int64_t first_index, std::int64_t* out);

}  // namespace atl::array
