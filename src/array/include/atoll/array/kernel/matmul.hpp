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
/// for the cache, panels of a for the registers. A product with a vector reads the matrix once; its sums of
/// product_depth products have an order of their own, of 64-byte vectors.
void add_product(const Work& work, DType type, const void* a, std::size_t a_stride, const void* b, void* c,
                 std::size_t m, std::size_t k, std::size_t n);

/// The same for a product that has one row as a whole, v b: with the order of products with vectors. (add_product with
/// m = 1 is for one row of several.)
void add_row_product(const Work& work, DType type, const void* v, const void* b, void* c, std::size_t k, std::size_t n);

/// A matrix in memory: element (i, j) is i * row_stride + j * column_stride elements from `data`. One stride is 1.
struct MatrixView {
  const void* data;
  std::size_t row_stride, column_stride;
};

/// c = a b, both of floats, with the bits that add_product (m = 1: add_row_product) has for row-major copies of them. A
/// product of a matrix and its own transpose takes half of the operations.
void multiply(const Work& work, DType type, const MatrixView& a, const MatrixView& b, void* c, std::size_t m,
              std::size_t k, std::size_t n);

/// add_product for `count` triples of matrices, each one after the other. Small matrices are multiplied by plain loops,
/// by their shape.
void add_products(const Work& work, DType type, const void* a, const void* b, void* c, std::size_t count, std::size_t m,
                  std::size_t k, std::size_t n);

}  // namespace atl::array
