// SPDX-License-Identifier: Apache-2.0
// Operations between whole rows, vectorised by the compiler for each SIMD level.
#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/axis/row_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <type_traits>

#include "kernel/axis/row_kernels.hpp"
#include "kernel/reduce/combine.hpp"

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// What the accumulator's form of an operation is for a few elements, too.
template <class F, class T, class Out>
struct Narrow {
  static HWY_INLINE HWY_ATTR Out lift_narrow(T x) { return F::lift(x); }
  static HWY_INLINE HWY_ATTR Out join_narrow(Out x, Out y) { return F::join(x, y); }
};

// Each operation: T is the element's type, Out the accumulator's.
template <class T>
struct Plus : Narrow<Plus<T>, Wrap<T>, Wrap<T>> {
  using In = Wrap<T>;
  using Out = Wrap<T>;
  static HWY_INLINE HWY_ATTR Out lift(In x) { return x; }
  static HWY_INLINE HWY_ATTR Out join(Out x, Out y) { return static_cast<Out>(x + y); }
};
template <class T>
struct Times : Narrow<Times<T>, Wrap<T>, Wrap<T>> {
  using In = Wrap<T>;
  using Out = Wrap<T>;
  static HWY_INLINE HWY_ATTR Out lift(In x) { return x; }
  static HWY_INLINE HWY_ATTR Out join(Out x, Out y) {
    if constexpr (sizeof(Out) < 4)
      return static_cast<Out>(static_cast<std::uint32_t>(x) * static_cast<std::uint32_t>(y));
    else return x * y;
  }
};
template <class T>
struct Least : Narrow<Least<T>, T, T> {
  using In = T;
  using Out = T;
  static HWY_INLINE HWY_ATTR Out lift(In x) { return x; }
  static HWY_INLINE HWY_ATTR Out join(Out x, Out y) { return (x <= y) | (x != x) ? x : y; }
};
template <class T>
struct Greatest : Narrow<Greatest<T>, T, T> {
  using In = T;
  using Out = T;
  static HWY_INLINE HWY_ATTR Out lift(In x) { return x; }
  static HWY_INLINE HWY_ATTR Out join(Out x, Out y) { return (x >= y) | (x != x) ? x : y; }
};
template <class T>
struct Any : Narrow<Any<T>, T, std::uint8_t> {
  using In = T;
  using Out = std::uint8_t;
  static HWY_INLINE HWY_ATTR Out lift(In x) { return x != T(0); }
  static HWY_INLINE HWY_ATTR Out join(Out x, Out y) { return x | y; }
};
template <class T>
struct All : Narrow<All<T>, T, std::uint8_t> {
  using In = T;
  using Out = std::uint8_t;
  static HWY_INLINE HWY_ATTR Out lift(In x) { return x != T(0); }
  static HWY_INLINE HWY_ATTR Out join(Out x, Out y) { return x & y; }
};
template <class T>
struct Count {
  using In = T;
  using Out = std::int64_t;
  static HWY_INLINE HWY_ATTR Out lift(In x) { return x != T(0); }
  static HWY_INLINE HWY_ATTR Out join(Out x, Out y) { return x + y; }
  static HWY_INLINE HWY_ATTR Unsigned<T> lift_narrow(In x) { return x != T(0); }
  static HWY_INLINE HWY_ATTR Unsigned<T> join_narrow(Unsigned<T> x, Unsigned<T> y) {
    return static_cast<Unsigned<T>>(x + y);
  }
};

template <class F>
HWY_ATTR void first_row(void* acc, const void* row, std::size_t n) {
  typename F::Out* a = static_cast<typename F::Out*>(acc);
  const typename F::In* x = static_cast<const typename F::In*>(row);
  for (std::size_t i = 0; i < n; ++i) a[i] = F::lift(x[i]);
}
template <class F>
HWY_ATTR void add_row(void* acc, const void* row, std::size_t n) {
  typename F::Out* a = static_cast<typename F::Out*>(acc);
  const typename F::In* x = static_cast<const typename F::In*>(row);
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) a[i] = F::join(a[i], F::lift(x[i]));
}
template <class F>
HWY_ATTR void merge_row(void* acc, const void* other, std::size_t n) {
  typename F::Out* a = static_cast<typename F::Out*>(acc);
  const typename F::Out* x = static_cast<const typename F::Out*>(other);
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) a[i] = F::join(a[i], x[i]);
}
template <class F>
HWY_ATTR void tree_rows(void* acc, const void* const* rows, std::size_t n) {
  using In = typename F::In;
  typename F::Out* a = static_cast<typename F::Out*>(acc);
  const In *r0 = static_cast<const In*>(rows[0]), *r1 = static_cast<const In*>(rows[1]);
  const In *r2 = static_cast<const In*>(rows[2]), *r3 = static_cast<const In*>(rows[3]);
  const In *r4 = static_cast<const In*>(rows[4]), *r5 = static_cast<const In*>(rows[5]);
  const In *r6 = static_cast<const In*>(rows[6]), *r7 = static_cast<const In*>(rows[7]);
  // Narrow: a count of eight fits the elements' size, so that as many are added at a time.
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    const auto left = F::join_narrow(F::join_narrow(F::lift_narrow(r0[i]), F::lift_narrow(r1[i])),
                                     F::join_narrow(F::lift_narrow(r2[i]), F::lift_narrow(r3[i])));
    const auto right = F::join_narrow(F::join_narrow(F::lift_narrow(r4[i]), F::lift_narrow(r5[i])),
                                      F::join_narrow(F::lift_narrow(r6[i]), F::lift_narrow(r7[i])));
    a[i] = static_cast<typename F::Out>(F::join_narrow(left, right));
  }
}
// GCC makes branches of comparisons of eight rows: 60 ms instead of 1.7 for 4 * 10^6 doubles.
template <class F, bool minimum>
HWY_ATTR void tree_of_extremes(void* acc, const void* const* rows, std::size_t n) {
  using T = typename F::Out;
  const hn::ScalableTag<T> d;
  auto join = [](auto x, auto y) HWY_ATTR __attribute__((always_inline)) {
    if constexpr (std::is_floating_point_v<T>) {
      const auto ordered = minimum ? hn::Le(x, y) : hn::Ge(x, y);
      return hn::IfThenElse(hn::Or(ordered, hn::IsNaN(x)), x, y);
    } else {
      return minimum ? hn::Min(x, y) : hn::Max(x, y);
    }
  };
  T* a = static_cast<T*>(acc);
  auto load = [&](std::size_t row, std::size_t i) HWY_ATTR
      __attribute__((always_inline)) { return hn::LoadU(d, static_cast<const T*>(rows[row]) + i); };
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    const auto left = join(join(load(0, i), load(1, i)), join(load(2, i), load(3, i)));
    const auto right = join(join(load(4, i), load(5, i)), join(load(6, i), load(7, i)));
    hn::StoreU(join(left, right), d, a + i);
  }
  for (; i < n; ++i) {
    T best = static_cast<const T*>(rows[0])[i];
    for (std::size_t row = 1; row < 8; ++row) best = F::join(best, static_cast<const T*>(rows[row])[i]);
    a[i] = best;
  }
}
template <class F>
HWY_ATTR void scan_row(void* out, void* carry, const void* row, std::size_t n) {
  using T = typename F::Out;
  T *y = static_cast<T*>(out), *a = static_cast<T*>(carry);
  const T* x = static_cast<const T*>(row);
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    const T v = F::join(a[i], x[i]);
    a[i] = v;
    y[i] = v;
  }
}
template <class F>
HWY_ATTR void short_lines(void* out, std::int64_t*, const void* in, std::size_t lines, std::size_t length) {
  typename F::Out* y = static_cast<typename F::Out*>(out);
  const typename F::In* x = static_cast<const typename F::In*>(in);
  for (std::size_t line = 0; line < lines; ++line, x += length) {
    typename F::Out sum = F::lift(x[0]);
    for (std::size_t i = 1; i < length; ++i) sum = F::join(sum, F::lift(x[i]));
    y[line] = sum;
  }
}
template <class F>
HWY_ATTR void line_scan(void* out, const void* in, std::size_t lines, std::size_t length) {
  using T = typename F::Out;
  T* y = static_cast<T*>(out);
  const T* x = static_cast<const T*>(in);
  for (std::size_t line = 0; line < lines; ++line, x += length, y += length) {
    T sum = x[0];
    y[0] = sum;
    for (std::size_t i = 1; i < length; ++i) {
      sum = F::join(sum, x[i]);
      y[i] = sum;
    }
  }
}

template <class T, bool minimum>
struct Beats {
  /// Whether a later x takes the place of y.
  static HWY_INLINE HWY_ATTR bool call(T x, T y) { return ((minimum ? x < y : x > y) | (x != x)) & (y == y); }
};
template <class T, bool minimum>
HWY_ATTR void add_places(void* acc, std::int64_t* places, const void* row, std::int64_t place, std::size_t n) {
  T* a = static_cast<T*>(acc);
  const T* x = static_cast<const T*>(row);
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    const bool wins = Beats<T, minimum>::call(x[i], a[i]);
    const T old = a[i], candidate = x[i];
    const std::int64_t old_place = places[i];
    a[i] = wins ? candidate : old;
    places[i] = wins ? place : old_place;
  }
}
template <class T, bool minimum>
HWY_ATTR void merge_places(void* acc, std::int64_t* places, const void* other, const std::int64_t* other_places,
                           std::size_t n) {
  T* a = static_cast<T*>(acc);
  const T* x = static_cast<const T*>(other);
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    const bool wins = Beats<T, minimum>::call(x[i], a[i]);
    const T old = a[i], candidate = x[i];
    const std::int64_t old_place = places[i], new_place = other_places[i];
    a[i] = wins ? candidate : old;
    places[i] = wins ? new_place : old_place;
  }
}
template <class T, bool minimum>
HWY_ATTR void short_places(void* out, std::int64_t* places, const void* in, std::size_t lines, std::size_t length) {
  T* y = static_cast<T*>(out);
  const T* x = static_cast<const T*>(in);
  for (std::size_t line = 0; line < lines; ++line, x += length) {
    T best = x[0];
    std::size_t place = 0;
    for (std::size_t i = 1; i < length; ++i) {
      if (Beats<T, minimum>::call(x[i], best)) {
        best = x[i];
        place = i;
      }
    }
    y[line] = best;
    places[line] = static_cast<std::int64_t>(place);
  }
}

template <class Body>
auto with_reduction(Reduction kind, DType type, Body body) {
  return dispatch(type, [kind, body](auto t) {
    using Stored = typename decltype(t)::type;
    using T = std::conditional_t<std::is_same_v<Stored, bool>, std::uint8_t, Stored>;
    switch (kind) {
      case Reduction::sum: return body(Type<Plus<T>>{});
      case Reduction::prod: return body(Type<Times<T>>{});
      case Reduction::min: return body(Type<Least<T>>{});
      case Reduction::max: return body(Type<Greatest<T>>{});
      case Reduction::any: return body(Type<Any<T>>{});
      case Reduction::all: return body(Type<All<T>>{});
      default: return body(Type<Count<T>>{});
    }
  });
}

}  // namespace

RowKernels row_kernels(Reduction kind, DType type) {
  return with_reduction(kind, type, [](auto f) {
    using F = typename decltype(f)::type;
    using T = typename F::Out;
    if constexpr (std::is_same_v<F, Least<T>>)
      return RowKernels{&first_row<F>, &add_row<F>, &merge_row<F>, &tree_of_extremes<F, true>};
    if constexpr (std::is_same_v<F, Greatest<T>>)
      return RowKernels{&first_row<F>, &add_row<F>, &merge_row<F>, &tree_of_extremes<F, false>};
    return RowKernels{&first_row<F>, &add_row<F>, &merge_row<F>, &tree_rows<F>};
  });
}

PlaceKernels place_kernels(Reduction kind, DType type) {
  return dispatch(type, [kind](auto t) {
    using Stored = typename decltype(t)::type;
    using T = std::conditional_t<std::is_same_v<Stored, bool>, std::uint8_t, Stored>;
    return kind == Reduction::argmin ? PlaceKernels{&add_places<T, true>, &merge_places<T, true>}
                                     : PlaceKernels{&add_places<T, false>, &merge_places<T, false>};
  });
}

ShortLines short_line_kernel(Reduction kind, DType type) {
  if (kind == Reduction::argmin || kind == Reduction::argmax) {
    return dispatch(type, [kind](auto t) -> ShortLines {
      using Stored = typename decltype(t)::type;
      using T = std::conditional_t<std::is_same_v<Stored, bool>, std::uint8_t, Stored>;
      return kind == Reduction::argmin ? &short_places<T, true> : &short_places<T, false>;
    });
  }
  return with_reduction(kind, type, [](auto f) -> ShortLines { return &short_lines<typename decltype(f)::type>; });
}

template <class Body>
auto with_scan(Scan kind, DType type, Body body) {
  return dispatch(type, [kind, body](auto t) {
    using Stored = typename decltype(t)::type;
    using T = std::conditional_t<std::is_same_v<Stored, bool>, std::uint8_t, Stored>;
    switch (kind) {
      case Scan::cumsum: return body(Type<Plus<T>>{});
      case Scan::cumprod: return body(Type<Times<T>>{});
      case Scan::cummax: return body(Type<Greatest<T>>{});
      default: return body(Type<Least<T>>{});
    }
  });
}
RowScan row_scan(Scan kind, DType type) {
  return with_scan(kind, type, [](auto f) -> RowScan { return &scan_row<typename decltype(f)::type>; });
}
LineScan line_scan_kernel(Scan kind, DType type) {
  return with_scan(kind, type, [](auto f) -> LineScan { return &line_scan<typename decltype(f)::type>; });
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {

HWY_EXPORT(row_kernels);
RowKernels find_row_kernels(Reduction kind, DType type) { return HWY_DYNAMIC_DISPATCH(row_kernels)(kind, type); }
HWY_EXPORT(place_kernels);
PlaceKernels find_place_kernels(Reduction kind, DType type) { return HWY_DYNAMIC_DISPATCH(place_kernels)(kind, type); }
HWY_EXPORT(short_line_kernel);
ShortLines find_short_lines(Reduction kind, DType type) { return HWY_DYNAMIC_DISPATCH(short_line_kernel)(kind, type); }
HWY_EXPORT(row_scan);
RowScan find_row_scan(Scan kind, DType type) { return HWY_DYNAMIC_DISPATCH(row_scan)(kind, type); }
HWY_EXPORT(line_scan_kernel);
LineScan find_line_scan(Scan kind, DType type) { return HWY_DYNAMIC_DISPATCH(line_scan_kernel)(kind, type); }

}  // namespace atl::array
#endif
