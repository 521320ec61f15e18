// SPDX-License-Identifier: Apache-2.0
// Sums and products of the transpose of a matrix, read where the matrix lies, with the bits of a transposed copy.
#include "atoll/array/kernel/simd.hpp"
#include "atoll/base/assertion.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/axis/transposed.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "atoll/array/kernel/axis.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "kernel/axis/inner.hpp"
#include "kernel/reduce/range_watch.hpp"

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
struct Add {
  template <class V>
  static HWY_INLINE HWY_ATTR V vectors(V x, V y) {
    return hn::Add(x, y);
  }
  static HWY_INLINE HWY_ATTR T numbers(T x, T y) { return x + y; }
};
template <class T>
struct Multiply {
  template <class V>
  static HWY_INLINE HWY_ATTR V vectors(V x, V y) {
    return hn::Mul(x, y);
  }
  static HWY_INLINE HWY_ATTR T numbers(T x, T y) { return x * y; }
};

/// The neighbours of 2^levels vectors joined in pairs, `levels` times: one vector, in order.
template <class T, class F, int levels, class D>
HWY_INLINE HWY_ATTR hn::Vec<D> pairs(D d, const T* x) {
  if constexpr (levels == 0) {
    return hn::LoadU(d, x);
  } else {
    const auto low = pairs<T, F, levels - 1>(d, x),
               high = pairs<T, F, levels - 1>(d, x + (hn::Lanes(d) << (levels - 1)));
    return F::vectors(hn::ConcatEven(d, high, low), hn::ConcatOdd(d, high, low));
  }
}

/// A subtree over `count` elements, a power of two.
template <class T, class F>
HWY_ATTR T subtree(const T* x, std::size_t count) {
  if (count == 1) return x[0];
  return F::numbers(subtree<T, F>(x, count / 2), subtree<T, F>(x + count / 2, count / 2));
}

/// The tree over `count` elements, each a unit.
template <class T, class F>
HWY_ATTR T tree_of(const T* x, std::size_t count) {
  constexpr int levels = 4;
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t lanes = HWY_MAX_BYTES / sizeof(T), chunk = lanes << levels;
  const std::size_t chunks = count / chunk;
  // Level l of the stack: a vector of nodes over chunk << l elements, there while bit l of the number of chunks is set.
  V stack[40];
  for (std::size_t c = 0; c < chunks; ++c) {
    const char* ahead = reinterpret_cast<const char*>(x + c * chunk) + 3072;
    for (std::size_t line = 0; line < chunk * sizeof(T); line += 64) __builtin_prefetch(ahead + line, 0, 2);
    V v = pairs<T, F, levels>(d, x + c * chunk);
    int level = 0;
    for (; (c >> level & 1) != 0; ++level)
      v = F::vectors(hn::ConcatEven(d, v, stack[level]), hn::ConcatOdd(d, v, stack[level]));
    stack[level] = v;
  }
  // Joins the remaining subtrees, from the right: short subtrees, then the stack from its lowest level on.
  bool some = false;
  T total{};
  auto join_left = [&](T node) HWY_ATTR {
    total = some ? F::numbers(node, total) : node;
    some = true;
  };
  std::size_t end = count;
  for (std::size_t size = 1; size < chunk; size *= 2)
    if ((count & size) != 0) {
      end -= size;
      join_left(subtree<T, F>(x + end, size));
    }
  for (int level = 0; chunks >> level != 0; ++level)
    if ((chunks >> level & 1) != 0) {
      alignas(64) T nodes[lanes];
      hn::StoreU(stack[level], d, nodes);
      join_left(subtree<T, F>(nodes, lanes));
    }
  return total;
}

template <class T, class F>
HWY_ATTR void trees(const void* in, std::size_t rows, std::size_t columns, void* out) {
  const T* x = static_cast<const T*>(in);
  T* y = static_cast<T*>(out);
  for (std::size_t row = 0; row < rows; ++row) y[row] = tree_of<T, F>(x + row * columns, columns);
}

/// acc[i] = four rows' elements i joined to it, in order.
template <class T, class F>
HWY_ATTR void add_four(void* acc, const void* rows, std::size_t stride, std::size_t n) {
  const hn::ScalableTag<T> d;
  T* a = static_cast<T*>(acc);
  const T* x = static_cast<const T*>(rows);
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    auto v = F::vectors(hn::LoadU(d, a + i), hn::LoadU(d, x + i));
    v = F::vectors(v, hn::LoadU(d, x + stride + i));
    v = F::vectors(v, hn::LoadU(d, x + 2 * stride + i));
    hn::StoreU(F::vectors(v, hn::LoadU(d, x + 3 * stride + i)), d, a + i);
  }
  for (; i < n; ++i)
    for (std::size_t row = 0; row < 4; ++row) a[i] = F::numbers(a[i], x[row * stride + i]);
}

}  // namespace

struct Kernels {
  void (*trees)(const void* in, std::size_t rows, std::size_t columns, void* out);
  void (*add_four)(void* acc, const void* rows, std::size_t stride, std::size_t n);
};

template <template <class> class F>
Kernels kernels_of(DType type) {
  if (type == DType::f32) return {&trees<float, F<float>>, &add_four<float, F<float>>};
  return {&trees<double, F<double>>, &add_four<double, F<double>>};
}

void find_kernels(Reduction kind, DType type, void* found) {
  const Kernels kernels = kind == Reduction::sum ? kernels_of<Add>(type) : kernels_of<Multiply>(type);
  std::memcpy(found, &kernels, sizeof kernels);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {
namespace {

HWY_EXPORT(find_kernels);

struct TransposedKernels {
  TransposedKernels(Reduction kind, DType type) { HWY_DYNAMIC_DISPATCH(find_kernels)(kind, type, this); }
  void (*trees)(const void* in, std::size_t rows, std::size_t columns, void* out);
  void (*add_four)(void* acc, const void* rows, std::size_t stride, std::size_t n);
};

constexpr std::size_t piece_elements = 16384;  // below that another thread costs more than it saves
constexpr std::size_t strip_columns = 1024;  // of one unit of work: their sums stay in the first cache

/// Columns of a strip, as lines: the order of UnitReduction in a unit, of TreeFold between units.
class StripReducer {
 public:
  StripReducer(Reduction kind, DType type, const std::byte* in, std::size_t rows, std::size_t columns)
      : kind_(kind),
        type_(type),
        size_(size_of(type)),
        in_(in),
        rows_(rows),
        columns_(columns),
        lanes_(unit_vector_bytes / size_),
        block_(4 * lanes_),
        kernels_(find_row_kernels(kind, type)),
        four_(kind, type) {}

  void reduce(std::size_t from, std::size_t width, std::byte* out) {
    if (LineReducer::is_short(rows_)) return reduce_in_order(from, width, out);
    if (rows_ <= UnitGrid::max_unit) {
      reduce_unit(0, rows_, from, width);
      std::memcpy(out, sums_.data(), width * size_);
      return;
    }
    RowFold fold(kind_, type_, width);
    for (std::size_t first = 0; first < rows_; first += UnitGrid::max_unit) {
      reduce_unit(first, std::min<std::size_t>(UnitGrid::max_unit, rows_ - first), from, width);
      TreeNode node;
      node.index = first / UnitGrid::max_unit;
      fold.push(node, sums_.data(), nullptr);
    }
    fold.finish(out);
  }

 private:
  const std::byte* at(std::size_t row, std::size_t column) const { return in_ + (row * columns_ + column) * size_; }

  void reduce_in_order(std::size_t from, std::size_t width, std::byte* out) {
    kernels_.first(out, at(0, from), width);
    for (std::size_t row = 1; row < rows_; ++row) kernels_.add(out, at(row, from), width);
  }

  /// Rows [first, first + count) to the first row of sums_. A lane is every block_-th row; lanes are joined as those of
  /// four vectors, and these by halves.
  void reduce_unit(std::size_t first, std::size_t count, std::size_t from, std::size_t width) {
    sums_.resize(block_ * width * size_);
    const std::size_t present = std::min(block_, count);
    for (std::size_t lane = 0; lane < present; ++lane) {
      std::byte* const acc = sums_.data() + lane * width * size_;
      kernels_.first(acc, at(first + lane, from), width);
      std::size_t row = lane + block_;
      for (; row + 3 * block_ < count; row += 4 * block_)
        four_.add_four(acc, at(first + row, from), block_ * columns_, width);
      for (; row < count; row += block_) kernels_.add(acc, at(first + row, from), width);
    }
    auto join = [&](std::size_t into, std::size_t other) {
      // A lane without elements is the identity, which changes nothing.
      if (other < present)
        kernels_.merge(sums_.data() + into * width * size_, sums_.data() + other * width * size_, width);
    };
    for (std::size_t vector : {0, 2})
      for (std::size_t lane = 0; lane < lanes_; ++lane) join(vector * lanes_ + lane, (vector + 1) * lanes_ + lane);
    for (std::size_t lane = 0; lane < lanes_; ++lane) join(lane, 2 * lanes_ + lane);
    for (std::size_t half = lanes_ / 2; half > 0; half /= 2)
      for (std::size_t lane = 0; lane < half; ++lane) join(lane, lane + half);
  }

  Reduction kind_;
  DType type_;
  std::size_t size_;
  const std::byte* in_;
  std::size_t rows_, columns_, lanes_, block_;
  RowKernels kernels_;
  TransposedKernels four_;
  std::vector<std::byte> sums_;
};

}  // namespace

bool reduce_transposed_rows(Work& work, Reduction kind, DType type, const void* in, std::size_t rows,
                            std::size_t columns, void* out) {
  ATOLL_EXPECT(may_leave_range(kind, type) && rows > 0 && columns > 0);
  const std::size_t size = size_of(type);
  const TransposedKernels kernels(kind, type);
  std::atomic<bool> left{false};
  Polling(work).for_pieces(rows, std::max<std::size_t>(1, piece_elements / columns),
                           [&](std::size_t begin, std::size_t end, unsigned) {
                             const RangeWatch watch;
                             kernels.trees(static_cast<const std::byte*>(in) + begin * columns * size, end - begin,
                                           columns, static_cast<std::byte*>(out) + begin * size);
                             if (watch.left()) left.store(true, std::memory_order_relaxed);
                           });
  return !left.load(std::memory_order_relaxed);
}

bool reduce_transposed_columns(Work& work, Reduction kind, DType type, const void* in, std::size_t rows,
                               std::size_t columns, void* out) {
  ATOLL_EXPECT(may_leave_range(kind, type) && rows > 0 && columns > 0);
  const std::size_t threads = work.threads.size();
  const std::size_t strip = std::clamp<std::size_t>((columns / threads + 63) / 64 * 64, 64, strip_columns);
  std::atomic<bool> left{false};
  Polling(work).for_pieces((columns + strip - 1) / strip, std::max<std::size_t>(1, piece_elements / (rows * strip)),
                           [&](std::size_t begin, std::size_t end, unsigned) {
                             StripReducer reducer(kind, type, static_cast<const std::byte*>(in), rows, columns);
                             const RangeWatch watch;
                             for (std::size_t number = begin; number < end; ++number) {
                               const std::size_t from = number * strip;
                               reducer.reduce(from, std::min(strip, columns - from),
                                              static_cast<std::byte*>(out) + from * size_of(type));
                             }
                             if (watch.left()) left.store(true, std::memory_order_relaxed);
                           });
  return !left.load(std::memory_order_relaxed);
}

}  // namespace atl::array
#endif
