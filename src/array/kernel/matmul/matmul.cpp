// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/kernel/matmul.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/kernel/simd.hpp"
#include "atoll/base/assertion.hpp"
#include "kernel/matmul/vector.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/matmul/matmul.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Two vectors of columns by so many rows: 12 sums in registers, 2 of b and 1 of a are the 16 registers of AVX2. AVX-512
// has 32, and needs more rows for each panel of b, which at twice the width fills the first cache.
constexpr std::size_t tile_rows = HWY_MAX_BYTES >= 64 ? 12 : 6;
constexpr std::size_t chunk_rows = 96;
static_assert(chunk_rows % tile_rows == 0);

template <class T>
std::size_t tile_columns() {
  return 2 * hn::Lanes(hn::ScalableTag<T>());
}

/// A MatrixView of Ts.
template <class T>
struct TypedView {
  const T* data;
  std::size_t row_stride, column_stride;
  const T* at(std::size_t row, std::size_t column) const { return data + row * row_stride + column * column_stride; }
};

/// Columns of b as panels, k rows from `row` on: all k of two vectors' columns, then those of the next two; zeros
/// beyond the end.
template <class T>
HWY_ATTR void pack_columns(const TypedView<T>& b, std::size_t row, std::size_t n, std::size_t k,
                           std::size_t first_panel, std::size_t last_panel, T* to) {
  constexpr std::size_t together = 8;  // rows of a transpose: a cache line of each of its columns
  const std::size_t width = tile_columns<T>();
  for (std::size_t panel = first_panel; panel < last_panel; ++panel) {
    const std::size_t column = panel * width, count = std::min(width, n - column);
    T* out = to + panel * width * k;
    if (count < width) std::fill_n(out, k * width, T{0});
    if (b.column_stride == 1) {
      for (std::size_t i = 0; i < k; ++i, out += width) {
        const T* from = b.at(row + i, column);
        for (std::size_t j = 0; j < count; ++j) out[j] = from[j];
      }
      continue;
    }
    for (std::size_t i = 0; i < k; i += together) {
      const std::size_t rows = std::min(together, k - i);
      for (std::size_t j = 0; j < count; ++j) {
        const T* from = b.at(row + i, column + j);
        for (std::size_t r = 0; r < rows; ++r) out[(i + r) * width + j] = from[r];
      }
    }
  }
}

/// Some rows of a, k columns from (row, column) on, element by element across the rows.
template <class T>
HWY_ATTR void pack_rows(const TypedView<T>& a, std::size_t row, std::size_t column, std::size_t rows, std::size_t k,
                        T* to) {
  const std::size_t row_stride = a.row_stride;
  if (row_stride == 1 && rows == tile_rows) {
    for (std::size_t i = 0; i < k; ++i, to += tile_rows) {
      const T* from = a.at(row, column + i);
      for (std::size_t r = 0; r < tile_rows; ++r) to[r] = from[r];
    }
    return;
  }
  for (std::size_t i = 0; i < k; ++i) {
    const T* from = a.at(row, column + i);
    for (std::size_t r = 0; r < tile_rows; ++r) *to++ = r < rows ? from[r * row_stride] : T{0};
  }
}

/// One tile of the product: tile_rows rows, two vectors of columns.
template <class T>
HWY_ATTR HWY_INLINE void tile_product(const T* HWY_RESTRICT a, const T* HWY_RESTRICT b, std::size_t k,
                                      T* HWY_RESTRICT to) {
  const hn::ScalableTag<T> d;
  using V = decltype(hn::Zero(d));
  const std::size_t lanes = hn::Lanes(d);
  V left[tile_rows], right[tile_rows];
#pragma GCC unroll 16
  for (std::size_t row = 0; row < tile_rows; ++row) left[row] = right[row] = hn::Zero(d);
  for (std::size_t i = 0; i < k; ++i, a += tile_rows, b += 2 * lanes) {
    const auto b0 = hn::LoadU(d, b), b1 = hn::LoadU(d, b + lanes);
#pragma GCC unroll 16
    for (std::size_t row = 0; row < tile_rows; ++row) {
      const auto x = hn::Set(d, a[row]);
      left[row] = hn::MulAdd(x, b0, left[row]);
      right[row] = hn::MulAdd(x, b1, right[row]);
    }
  }
#pragma GCC unroll 16
  for (std::size_t row = 0; row < tile_rows; ++row) {
    hn::StoreU(left[row], d, to + row * 2 * lanes);
    hn::StoreU(right[row], d, to + row * 2 * lanes + lanes);
  }
}

/// At most chunk_rows rows of the product: some of a packed at a time, 192 KiB that stay in the second cache while each
/// panel of b, in the first, meets them all. Of a symmetric product only tiles that reach its diagonal or lie above.
template <class T>
HWY_ATTR void rows_product(const TypedView<T>& a, std::size_t first, std::size_t last, std::size_t inner,
                           const T* packed, T* c, std::size_t k, std::size_t n, bool symmetric, T* scratch) {
  const std::size_t width = tile_columns<T>();
  T* tile = scratch + chunk_rows * product_depth;
  for (std::size_t row = first; row < last; row += tile_rows)
    pack_rows(a, row, inner, std::min(tile_rows, last - row), k, scratch + (row - first) * k);
  for (std::size_t column = symmetric ? first / width * width : 0; column < n; column += width) {
    const std::size_t count = std::min(width, n - column);
    const std::size_t end = symmetric ? std::min(last, column + width) : last;
    for (std::size_t row = first; row < end; row += tile_rows) {
      tile_product(scratch + (row - first) * k, packed + column * k, k, tile);
      for (std::size_t r = 0; r < std::min(tile_rows, last - row); ++r) {
        T* to = c + (row + r) * n + column;
        for (std::size_t j = 0; j < count; ++j) to[j] += tile[r * width + j];
      }
    }
  }
}

/// c[i, j] = c[j, i] below the diagonal.
template <class T>
void mirror(const Work& work, T* c, std::size_t n) {
  constexpr std::size_t block = 32;
  Polling(work).for_pieces(n, block, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t column = 0; column < end; column += block)
      for (std::size_t i = std::max(begin, column); i < end; ++i)
        for (std::size_t j = column; j < std::min(column + block, i); ++j) c[i * n + j] = c[j * n + i];
  });
}

template <class T>
HWY_ATTR void add_float_product(const Work& work, const TypedView<T>& a, const TypedView<T>& b, T* c, std::size_t m,
                                std::size_t k, std::size_t n, bool symmetric) {
  const std::size_t width = tile_columns<T>(), panels = (n + width - 1) / width;
  Buffer<T> packed(work.memory, panels * width * std::min(k, product_depth));
  const std::size_t each = chunk_rows * product_depth + tile_rows * width;
  Buffer<T> scratch(work.memory, each * work.threads.size());
  for (std::size_t first = 0; first < k; first += product_depth) {
    const std::size_t depth = std::min(product_depth, k - first);
    Polling(work).for_pieces(panels, 16, [&](std::size_t begin, std::size_t end, unsigned) HWY_ATTR {
      pack_columns(b, first, n, depth, begin, end, packed.data());
    });
    Polling polling(work);
    auto product = [&](std::size_t row, std::size_t end, unsigned thread) HWY_ATTR {
      rows_product(a, row, end, first, packed.data(), c, depth, n, symmetric, scratch.data() + each * thread);
      polling.poll(thread);
    };
    if (symmetric) {  // the first rows have the most work
      polling.for_each_dynamic((m + chunk_rows - 1) / chunk_rows, [&](std::size_t chunk, unsigned thread) HWY_ATTR {
        product(chunk * chunk_rows, std::min(m, (chunk + 1) * chunk_rows), thread);
      });
    } else {
      polling.for_ranges(m, tile_rows, [&](std::size_t begin, std::size_t end, unsigned thread) HWY_ATTR {
        for (std::size_t row = begin; row < end; row += chunk_rows)
          product(row, std::min(end, row + chunk_rows), thread);
      });
    }
    work.monitor.checkpoint(first + depth, k);
  }
  if (symmetric) mirror(work, c, n);
}

HWY_ATTR void add_float32(const Work& work, const MatrixView& a, const MatrixView& b, float* c, std::size_t m,
                          std::size_t k, std::size_t n, bool symmetric) {
  add_float_product(work, TypedView<float>{static_cast<const float*>(a.data), a.row_stride, a.column_stride},
                    TypedView<float>{static_cast<const float*>(b.data), b.row_stride, b.column_stride}, c, m, k, n,
                    symmetric);
}

HWY_ATTR void add_float64(const Work& work, const MatrixView& a, const MatrixView& b, double* c, std::size_t m,
                          std::size_t k, std::size_t n, bool symmetric) {
  add_float_product(work, TypedView<double>{static_cast<const double*>(a.data), a.row_stride, a.column_stride},
                    TypedView<double>{static_cast<const double*>(b.data), b.row_stride, b.column_stride}, c, m, k, n,
                    symmetric);
}

}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {
namespace {

HWY_EXPORT(add_float32);
HWY_EXPORT(add_float64);

// Multiplications of a product of matrices, below which packing them takes longer: 32 x 32 by 32 x 32.
constexpr std::size_t small_product = std::size_t{1} << 15;

template <class T>
void add_rows_product(const T* a, std::size_t stride, const T* b, T* c, std::size_t rows, std::size_t k,
                      std::size_t n) {
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t i = 0; i < k; ++i) {
      const T factor = a[row * stride + i];
      T* to = c + row * n;
      const T* from = b + i * n;
      if constexpr (std::is_same_v<T, bool>) {
        if (factor)
          for (std::size_t j = 0; j < n; ++j) to[j] = to[j] || from[j];
      } else if constexpr (std::is_floating_point_v<T>) {
        for (std::size_t j = 0; j < n; ++j) to[j] += factor * from[j];
      } else {
        using Wide = std::conditional_t<(sizeof(T) < 4), std::uint32_t, T>;  // small ones would be promoted to signed
        for (std::size_t j = 0; j < n; ++j)
          to[j] = static_cast<T>(static_cast<Wide>(to[j]) + static_cast<Wide>(factor) * static_cast<Wide>(from[j]));
      }
    }
}

template <class T>
void add_whole_product(const Work& work, const T* a, std::size_t stride, const T* b, T* c, std::size_t m, std::size_t k,
                       std::size_t n) {
  Polling(work).for_pieces(m, 1, [&](std::size_t begin, std::size_t end, unsigned) {
    add_rows_product(a + begin * stride, stride, b, c + begin * n, end - begin, k, n);
  });
}

}  // namespace

void add_product(const Work& work, DType type, const void* a, std::size_t a_stride, const void* b, void* c,
                 std::size_t m, std::size_t k, std::size_t n) {
  if (m == 0 || k == 0 || n == 0) return;
  if (n == 1) {
    add_matrix_vector(work, type, a, a_stride, b, c, m, k);
  } else if (type == DType::f32) {
    HWY_DYNAMIC_DISPATCH(add_float32)(work, {a, a_stride, 1}, {b, n, 1}, static_cast<float*>(c), m, k, n, false);
  } else if (type == DType::f64) {
    HWY_DYNAMIC_DISPATCH(add_float64)(work, {a, a_stride, 1}, {b, n, 1}, static_cast<double*>(c), m, k, n, false);
  } else {
    dispatch_arithmetic(type, [&]<class T>(Type<T>) {
      if constexpr (!std::is_floating_point_v<T>)
        add_whole_product(work, static_cast<const T*>(a), a_stride, static_cast<const T*>(b), static_cast<T*>(c), m, k,
                          n);
    });
  }
}

void add_row_product(const Work& work, DType type, const void* v, const void* b, void* c, std::size_t k,
                     std::size_t n) {
  if (k == 0 || n == 0) return;
  if (n == 1) add_matrix_vector(work, type, v, k, b, c, 1, k);
  else add_vector_matrix(work, type, v, b, n, c, k, n);
}

void multiply(const Work& work, DType type, const MatrixView& a, const MatrixView& b, void* c, std::size_t m,
              std::size_t k, std::size_t n) {
  ATOLL_EXPECT(is_float(type));
  if (m > 0 && n > 0) std::memset(c, 0, m * n * size_of(type));
  if (m == 0 || k == 0 || n == 0) return;
  if (n == 1) {
    if (a.column_stride == 1) add_matrix_vector(work, type, a.data, a.row_stride, b.data, c, m, k);
    else add_vector_matrix(work, type, b.data, a.data, a.column_stride, c, k, m);
    return;
  }
  if (m == 1) {
    if (b.column_stride == 1) add_vector_matrix(work, type, a.data, b.data, b.row_stride, c, k, n);
    else add_matrix_vector(work, type, b.data, b.column_stride, a.data, c, n, k);
    return;
  }
  // Both factors of an element change places with those of its mirror image, which keeps its bits.
  const bool symmetric = m == n && a.data == b.data && a.row_stride == b.column_stride &&
                         a.column_stride == b.row_stride && a.row_stride != a.column_stride;
  if (type == DType::f32) HWY_DYNAMIC_DISPATCH(add_float32)(work, a, b, static_cast<float*>(c), m, k, n, symmetric);
  else HWY_DYNAMIC_DISPATCH(add_float64)(work, a, b, static_cast<double*>(c), m, k, n, symmetric);
}

void add_products(const Work& work, DType type, const void* a, const void* b, void* c, std::size_t count, std::size_t m,
                  std::size_t k, std::size_t n) {
  if (m == 0 || k == 0 || n == 0) return;
  dispatch_arithmetic(type, [&]<class T>(Type<T>) {
    const auto* left = static_cast<const T*>(a);
    const auto* right = static_cast<const T*>(b);
    auto* to = static_cast<T*>(c);
    auto each = [&](const Work& with, std::size_t i) {
      const T *x = left + i * m * k, *y = right + i * k * n;
      if (m == 1) add_row_product(with, type, x, y, to + i * n, k, n);
      else add_product(with, type, x, k, y, to + i * m * n, m, k, n);
    };
    if (m * k * n <= small_product) {
      Polling(work).for_pieces(count, 1, [&](std::size_t begin, std::size_t end, unsigned) {
        for (std::size_t i = begin; i < end; ++i)
          add_rows_product(left + i * m * k, k, right + i * k * n, to + i * m * n, m, k, n);
      });
    } else if (count < work.threads.size()) {
      for (std::size_t i = 0; i < count; ++i) each(work, i);
    } else {
      work.threads.for_each_dynamic(count, [&](std::size_t i, unsigned) {
        ThreadPool alone(1);
        Monitor unmonitored;
        each({alone, work.memory, unmonitored}, i);
      });
    }
  });
}

}  // namespace atl::array
#endif  // HWY_ONCE
