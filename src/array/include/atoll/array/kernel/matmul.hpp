// SPDX-License-Identifier: Apache-2.0
// Products of matrices in row-major memory.
#pragma once

#include <cstddef>

#include "atoll/array/dtype.hpp"
#include "atoll/array/kernel/work.hpp"

namespace atl::array {

/// Inner indices that are summed together before they are added to the result: a product may be computed in parts whose
/// borders are multiples of it, and keeps its bits.
inline constexpr std::size_t product_depth = 256;

/// c += a b, where a is m by k with rows `a_stride` elements apart, b is k by n and c m by n. Integers wrap around;
/// bools: or of ands. Floats are summed in the order of k, by fused multiply-add where the processor has it: the same
/// bits with AVX2, AVX-512 and NEON, others in the last places with SSE4. The method is K. Goto's: blocks of b packed
/// for the cache, panels of a for the registers. A product with a vector reads the matrix once; along its rows the sums
/// of product_depth products have an order of their own, of 64-byte vectors.
void add_product(const Work& work, DType type, const void* a, std::size_t a_stride, const void* b, void* c,
                 std::size_t m, std::size_t k, std::size_t n);

/// The same for `count` triples of matrices, each one after the other. Small matrices are multiplied by plain loops, by
/// their shape.
void add_products(const Work& work, DType type, const void* a, const void* b, void* c, std::size_t count, std::size_t m,
                  std::size_t k, std::size_t n);

}  // namespace atl::array
