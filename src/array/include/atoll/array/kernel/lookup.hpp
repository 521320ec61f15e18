// SPDX-License-Identifier: Apache-2.0
// Finding values: in a sorted table, and in a set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/array/dtype.hpp"
#include "atoll/array/kernel/work.hpp"

namespace atl::array {

enum class Side : std::uint8_t { left, right };

/// to[i] = where values[i] would go in the sorted `table` of m values: before its equals (left) or after them. NaN is
/// the largest value and equal to itself, as in NumPy.
void searchsorted(const Work& work, DType type, const void* table, std::size_t m, const void* values, std::size_t n,
                  Side side, std::int64_t* to);

/// to[i] = whether values[i] is one of the m `test` values (both of `type`). NaN equals nothing.
void isin(const Work& work, DType type, const void* values, std::size_t n, const void* test, std::size_t m, bool* to);

}  // namespace atl::array
