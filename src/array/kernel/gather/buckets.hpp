// SPDX-License-Identifier: Apache-2.0
// c[i] = v and c[i] += v where c is much larger than the caches and most of its lines are written: rows and values are
// dealt into parts of c that fit into a second-level cache, then each part is written. Private to the kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "atoll/array/dtype.hpp"
#include "atoll/array/kernel/work.hpp"

namespace atl::array {

/// Does to[indices[i]] = values[i], or += where `add` names a type, as if one after the other. `to` has `rows` rows of
/// `row_bytes`, as the values. Indices are in [-rows, rows). False, and nothing done, where another way is as fast or
/// there is no memory for this one (12 bytes for each of up to 16 million indices).
bool scatter_in_buckets(const Work& work, std::optional<DType> add, void* to, std::int64_t rows, std::size_t row_bytes,
                        const std::int64_t* indices, std::size_t n, const void* values);

}  // namespace atl::array
