// SPDX-License-Identifier: Apache-2.0
// Private to products of matrices: products with one vector, which are bound by reading the matrix.
#pragma once

#include <cstddef>

#include "atoll/array/dtype.hpp"
#include "atoll/array/kernel/work.hpp"

namespace atl::array {

/// Columns of one unit of work, whose sums, one for each lane of a vector, stay in the second cache.
inline constexpr std::size_t strip_columns = 1024;

/// Calls `body` with the type whose arithmetic is that of the elements.
template <class Body>
void dispatch_arithmetic(DType type, Body&& body) {
  if (type == DType::f32) body(Type<float>{});
  else if (type == DType::f64) body(Type<double>{});
  else if (type == DType::b1) body(Type<bool>{});
  else dispatch_size(size_of(type), body);
}

/// c += a v, where a is m by k with rows `stride` elements apart.
void add_matrix_vector(const Work& work, DType type, const void* a, std::size_t stride, const void* v, void* c,
                       std::size_t m, std::size_t k);
/// c += v b, where b is k by n with rows `stride` elements apart. The bits are those of add_matrix_vector for the
/// transpose of b.
void add_vector_matrix(const Work& work, DType type, const void* v, const void* b, std::size_t stride, void* c,
                       std::size_t k, std::size_t n);

}  // namespace atl::array
