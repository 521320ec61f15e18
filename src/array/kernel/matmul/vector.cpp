// SPDX-License-Identifier: Apache-2.0
#include "kernel/matmul/vector.hpp"

#include <algorithm>
#include <type_traits>

#include "atoll/array/kernel/matmul.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/kernel/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/matmul/vector.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t vector_bytes = 64;  // at every SIMD level, so that all sum in the same order
constexpr std::size_t sums = 4;           // vectors at a time: hides the latency of an addition
constexpr std::size_t ahead_bytes = 3072;  // of prefetching into the second cache, as in sums

/// The sum of count products.
template <class T>
HWY_ATTR HWY_INLINE T dot(const T* HWY_RESTRICT x, const T* HWY_RESTRICT y, std::size_t count) {
  const hn::CappedTag<T, vector_bytes / sizeof(T)> d;
  constexpr std::size_t lanes = std::min<std::size_t>(HWY_MAX_BYTES, vector_bytes) / sizeof(T);
  constexpr std::size_t parts = vector_bytes / sizeof(T) / lanes;
  constexpr std::size_t vectors = sums * parts, block = vectors * lanes;
  using V = decltype(hn::Zero(d));
  V sum[vectors];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < vectors; ++i) sum[i] = hn::Zero(d);
  auto add_block = [&](const T* from, const T* by) HWY_ATTR __attribute__((always_inline)) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < vectors; ++i)
      sum[i] = hn::MulAdd(hn::LoadU(d, from + i * lanes), hn::LoadU(d, by + i * lanes), sum[i]);
  };
  std::size_t at = 0;
  for (; at + block <= count; at += block) {
    const char* ahead = reinterpret_cast<const char*>(x + at) + ahead_bytes;
#pragma GCC unroll 4
    for (std::size_t i = 0; i < sums; ++i) __builtin_prefetch(ahead + i * vector_bytes, 0, 2);
    add_block(x + at, y + at);
  }
  if (at < count) {
    alignas(vector_bytes) T rest_x[block] = {}, rest_y[block] = {};
    std::copy_n(x + at, count - at, rest_x);
    std::copy_n(y + at, count - at, rest_y);
    add_block(rest_x, rest_y);
  }
  alignas(vector_bytes) T lane[vector_bytes / sizeof(T)];
#pragma GCC unroll 4
  for (std::size_t part = 0; part < parts; ++part) {
    const V low = hn::Add(sum[part], sum[part + parts]), high = hn::Add(sum[part + 2 * parts], sum[part + 3 * parts]);
    hn::StoreU(hn::Add(low, high), d, lane + part * lanes);
  }
  for (std::size_t half = vector_bytes / sizeof(T) / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) lane[i] += lane[i + half];
  return lane[0];
}

/// Products of product_depth elements each, the numbers `begin` to `end` of those of all rows.
template <class T>
HWY_ATTR void block_dots(const T* a, std::size_t stride, const T* v, std::size_t k, std::size_t begin, std::size_t end,
                         T* dots) {
  const std::size_t blocks = (k + product_depth - 1) / product_depth;
  for (std::size_t number = begin; number < end; ++number) {
    const std::size_t first = number % blocks * product_depth;
    dots[number] = dot(a + number / blocks * stride + first, v + first, std::min(product_depth, k - first));
  }
}

/// Rows of b that lanes `lane` and `lane` + one vector of dot() take, each times its factor: per column the sum of the
/// two lanes, to which `to` is added first where it has been begun.
template <class T>
HWY_ATTR void sum_two_lanes(const T* HWY_RESTRICT factors, const T* HWY_RESTRICT b, std::size_t stride,
                            std::size_t depth, std::size_t width, std::size_t lane, bool begun, T* HWY_RESTRICT to) {
  constexpr std::size_t vector = vector_bytes / sizeof(T), block = sums * vector;
  constexpr std::size_t most = product_depth / block;  // rows of a lane
  const hn::ScalableTag<T> d;
  using V = decltype(hn::Zero(d));
  const std::size_t lanes = hn::Lanes(d);
  const T* row[2][most] = {};
  V factor[2][most];
  std::size_t rows[2] = {};
  for (std::size_t side = 0; side < 2; ++side)
    for (std::size_t i = lane + side * vector; i < depth; i += block, ++rows[side]) {
      row[side][rows[side]] = b + i * stride;
      factor[side][rows[side]] = hn::Set(d, factors[i]);
    }
  auto join = [&](V low, V high, V before) HWY_ATTR __attribute__((always_inline)) {
    const V sum = hn::Add(low, high);
    return begun ? hn::Add(before, sum) : sum;
  };
  std::size_t j = 0;
  if (rows[0] == most && rows[1] == most) {
    for (; j + lanes <= width; j += lanes) {
      V sum[2] = {hn::Zero(d), hn::Zero(d)};
#pragma GCC unroll 8
      for (std::size_t i = 0; i < most; ++i) {
        sum[0] = hn::MulAdd(hn::LoadU(d, row[0][i] + j), factor[0][i], sum[0]);
        sum[1] = hn::MulAdd(hn::LoadU(d, row[1][i] + j), factor[1][i], sum[1]);
      }
      hn::StoreU(join(sum[0], sum[1], hn::LoadU(d, to + j)), d, to + j);
    }
  }
  alignas(vector_bytes) T few[std::max<std::size_t>(HWY_MAX_BYTES, vector_bytes) / sizeof(T)] = {};
  for (; j < width; j += lanes) {
    const std::size_t count = std::min(lanes, width - j);
    auto read = [&](const T* from) HWY_ATTR {
      if (count == lanes) return hn::LoadU(d, from);
      std::copy_n(from, count, few);
      return hn::LoadU(d, few);
    };
    V sum[2] = {hn::Zero(d), hn::Zero(d)};
    for (std::size_t side = 0; side < 2; ++side)
      for (std::size_t i = 0; i < rows[side]; ++i)
        sum[side] = hn::MulAdd(read(row[side][i] + j), factor[side][i], sum[side]);
    hn::StoreU(join(sum[0], sum[1], read(to + j)), d, few);
    std::copy_n(few, count, to + j);
  }
}

/// to = the sum of depth rows of b, each times its factor, over `width` columns: per column in the order of dot().
template <class T>
HWY_ATTR void sum_rows(const T* HWY_RESTRICT factors, const T* HWY_RESTRICT b, std::size_t stride, std::size_t depth,
                       std::size_t width, T* HWY_RESTRICT to) {
  constexpr std::size_t vector = vector_bytes / sizeof(T);
  alignas(vector_bytes) T joined[vector][strip_columns];
  for (std::size_t lane = 0; lane < vector; ++lane) {
    sum_two_lanes(factors, b, stride, depth, width, lane, false, joined[lane]);
    sum_two_lanes(factors, b, stride, depth, width, lane + 2 * vector, true, joined[lane]);
  }
  for (std::size_t half = vector / 2; half > 0; half /= 2)
    for (std::size_t lane = 0; lane < half; ++lane)
      for (std::size_t j = 0; j < width; ++j) joined[lane][j] += joined[lane + half][j];
  std::copy_n(joined[0], width, to);
}

}  // namespace

HWY_ATTR void block_dots32(const float* a, std::size_t stride, const float* v, std::size_t k, std::size_t begin,
                           std::size_t end, float* dots) {
  block_dots(a, stride, v, k, begin, end, dots);
}
HWY_ATTR void block_dots64(const double* a, std::size_t stride, const double* v, std::size_t k, std::size_t begin,
                           std::size_t end, double* dots) {
  block_dots(a, stride, v, k, begin, end, dots);
}
HWY_ATTR void sum_rows32(const float* factors, const float* b, std::size_t stride, std::size_t depth, std::size_t width,
                         float* to) {
  sum_rows(factors, b, stride, depth, width, to);
}
HWY_ATTR void sum_rows64(const double* factors, const double* b, std::size_t stride, std::size_t depth,
                         std::size_t width, double* to) {
  sum_rows(factors, b, stride, depth, width, to);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {
namespace {

HWY_EXPORT(block_dots32);
HWY_EXPORT(block_dots64);
HWY_EXPORT(sum_rows32);
HWY_EXPORT(sum_rows64);

constexpr std::size_t piece_elements = 16384;  // of the matrix; below that another thread costs more than it saves

template <class T>
void add_float_matrix_vector(const Work& work, const T* a, std::size_t stride, const T* v, T* c, std::size_t m,
                             std::size_t k) {
  const std::size_t blocks = (k + product_depth - 1) / product_depth;
  Buffer<T> dots(work.memory, m * blocks);
  const std::size_t each = std::max<std::size_t>(1, piece_elements / std::min(k, product_depth));
  Polling(work).for_pieces(m * blocks, each, [&](std::size_t begin, std::size_t end, unsigned) {
    if constexpr (sizeof(T) == 4) HWY_DYNAMIC_DISPATCH(block_dots32)(a, stride, v, k, begin, end, dots.data());
    else HWY_DYNAMIC_DISPATCH(block_dots64)(a, stride, v, k, begin, end, dots.data());
  });
  for (std::size_t row = 0; row < m; ++row)
    for (std::size_t block = 0; block < blocks; ++block) c[row] += dots.data()[row * blocks + block];
}

template <class T>
void add_float_vector_matrix(const Work& work, const T* v, const T* b, std::size_t stride, T* c, std::size_t k,
                             std::size_t n) {
  // A unit of work is product_depth rows of a strip of columns; units are independent, and joined in order.
  const std::size_t blocks = (k + product_depth - 1) / product_depth, strips = (n + strip_columns - 1) / strip_columns;
  Buffer<T> partial(work.memory, blocks * n);
  const std::size_t unit = std::min(k, product_depth) * std::min(n, strip_columns);
  const std::size_t each = std::max<std::size_t>(1, piece_elements / unit);
  Polling(work).for_pieces(blocks * strips, each, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t number = begin; number < end; ++number) {
      const std::size_t row = number / strips * product_depth, column = number % strips * strip_columns;
      const std::size_t depth = std::min(product_depth, k - row), width = std::min(strip_columns, n - column);
      T* const to = partial.data() + number / strips * n + column;
      if constexpr (sizeof(T) == 4)
        HWY_DYNAMIC_DISPATCH(sum_rows32)(v + row, b + row * stride + column, stride, depth, width, to);
      else HWY_DYNAMIC_DISPATCH(sum_rows64)(v + row, b + row * stride + column, stride, depth, width, to);
    }
  });
  for (std::size_t block = 0; block < blocks; ++block)
    for (std::size_t j = 0; j < n; ++j) c[j] += partial.data()[block * n + j];
}

/// Integers wrap around, and bools are ored: any order has the same bits.
template <class T>
struct Exact {
  using Wide = std::conditional_t<(sizeof(T) < 4), std::uint32_t, T>;  // small ones would be promoted to signed
  static void add(T& to, T x, T y) {
    if constexpr (std::is_same_v<T, bool>) to = to || (x && y);
    else to = static_cast<T>(static_cast<Wide>(to) + static_cast<Wide>(x) * static_cast<Wide>(y));
  }
};

template <class T>
void add_exact_matrix_vector(const Work& work, const T* a, std::size_t stride, const T* v, T* c, std::size_t m,
                             std::size_t k) {
  Polling(work).for_pieces(m, std::max<std::size_t>(1, piece_elements / k),
                           [&](std::size_t begin, std::size_t end, unsigned) {
                             for (std::size_t row = begin; row < end; ++row) {
                               T sum = c[row];
                               for (std::size_t i = 0; i < k; ++i) Exact<T>::add(sum, a[row * stride + i], v[i]);
                               c[row] = sum;
                             }
                           });
}

template <class T>
void add_exact_vector_matrix(const Work& work, const T* v, const T* b, std::size_t stride, T* c, std::size_t k,
                             std::size_t n) {
  Polling(work).for_pieces(n, std::max<std::size_t>(64, piece_elements / k),
                           [&](std::size_t begin, std::size_t end, unsigned) {
                             for (std::size_t row = 0; row < k; ++row) {
                               const T factor = v[row];
                               for (std::size_t j = begin; j < end; ++j)
                                 Exact<T>::add(c[j], factor, b[row * stride + j]);
                             }
                           });
}

}  // namespace

void add_matrix_vector(const Work& work, DType type, const void* a, std::size_t stride, const void* v, void* c,
                       std::size_t m, std::size_t k) {
  dispatch_arithmetic(type, [&]<class T>(Type<T>) {
    const auto *left = static_cast<const T*>(a), *right = static_cast<const T*>(v);
    if constexpr (std::is_floating_point_v<T>)
      add_float_matrix_vector(work, left, stride, right, static_cast<T*>(c), m, k);
    else add_exact_matrix_vector(work, left, stride, right, static_cast<T*>(c), m, k);
  });
}

void add_vector_matrix(const Work& work, DType type, const void* v, const void* b, std::size_t stride, void* c,
                       std::size_t k, std::size_t n) {
  dispatch_arithmetic(type, [&]<class T>(Type<T>) {
    const auto *left = static_cast<const T*>(v), *right = static_cast<const T*>(b);
    if constexpr (std::is_floating_point_v<T>)
      add_float_vector_matrix(work, left, right, stride, static_cast<T*>(c), k, n);
    else add_exact_vector_matrix(work, left, right, stride, static_cast<T*>(c), k, n);
  });
}

}  // namespace atl::array
#endif  // HWY_ONCE
