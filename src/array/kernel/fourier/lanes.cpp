// SPDX-License-Identifier: Apache-2.0
// Stockham's passes over several lines at once: a lane of the vectors is a line. A line's numbers lie in tiles (number
// k: the lanes' real parts, then their imaginary parts), in cache; the first pass may read, and the last may write,
// where the lines come from and go to. A lane alone (vectors of one) takes what would leave most lanes empty.
#include <algorithm>
#include <type_traits>
#include <utility>

#include "atoll/array/kernel/simd.hpp"
#include "atoll/base/prefetch.hpp"
#include "kernel/fourier/plan.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/fourier/lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
struct Numbers {
  hn::Vec<D> re, im;
};

#define ATOLL_INLINE HWY_ATTR HWY_INLINE

template <class D>
ATOLL_INLINE Numbers<D> sum(Numbers<D> a, Numbers<D> b) {
  return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)};
}
template <class D>
ATOLL_INLINE Numbers<D> difference(Numbers<D> a, Numbers<D> b) {
  return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)};
}
template <class D>
ATOLL_INLINE Numbers<D> scaled(double s, Numbers<D> a) {
  const auto factor = hn::Set(D(), s);
  return {hn::Mul(a.re, factor), hn::Mul(a.im, factor)};
}
/// Times a number that all lanes share.
template <class D>
ATOLL_INLINE Numbers<D> turned(Numbers<D> a, Complex by) {
  const auto re = hn::Set(D(), by.re), im = hn::Set(D(), by.im);
  return {hn::Sub(hn::Mul(a.re, re), hn::Mul(a.im, im)), hn::Add(hn::Mul(a.re, im), hn::Mul(a.im, re))};
}
/// a - i b and a + i b.
template <class D>
ATOLL_INLINE Numbers<D> minus_i(Numbers<D> a, Numbers<D> b) {
  return {hn::Add(a.re, b.im), hn::Sub(a.im, b.re)};
}
template <class D>
ATOLL_INLINE Numbers<D> plus_i(Numbers<D> a, Numbers<D> b) {
  return {hn::Sub(a.re, b.im), hn::Add(a.im, b.re)};
}

// -- where numbers lie --

template <class D>
struct Tile {
  static constexpr std::size_t step = 2 * hn::MaxLanes(D());
  double* at;
  ATOLL_INLINE Numbers<D> load(std::size_t k) const {
    return {hn::LoadU(D(), at + step * k), hn::LoadU(D(), at + step * k + step / 2)};
  }
  ATOLL_INLINE void store(std::size_t k, Numbers<D> x) const {
    hn::StoreU(x.re, D(), at + step * k);
    hn::StoreU(x.im, D(), at + step * k + step / 2);
  }
};

template <class D>
struct FromRows {
  const double *const *re, *const *im;
  std::size_t column;
  ATOLL_INLINE Numbers<D> load(std::size_t k) const {
    // The next lanes' numbers: rows are too many and too far apart for the processor to see them coming.
    prefetch_for_read(re[k] + column + hn::MaxLanes(D()));
    prefetch_for_read(im[k] + column + hn::MaxLanes(D()));
    return {hn::LoadU(D(), re[k] + column), hn::LoadU(D(), im[k] + column)};
  }
};

template <class D>
struct ToRows {
  double *const *re, *const *im;
  std::size_t column;
  double factor;
  ATOLL_INLINE void store(std::size_t k, Numbers<D> x) const {
    x = scaled<D>(factor, x);
    hn::StoreU(x.re, D(), re[k] + column);
    hn::StoreU(x.im, D(), im[k] + column);
  }
};

// -- passes --

template <class D>
ATOLL_INLINE void combine(Numbers<D> (&t)[2]) {
  const Numbers<D> a = t[0], b = t[1];
  t[0] = sum<D>(a, b);
  t[1] = difference<D>(a, b);
}

template <class D>
ATOLL_INLINE void combine(Numbers<D> (&t)[3]) {
  const Numbers<D> both = sum<D>(t[1], t[2]), middle = difference<D>(t[0], scaled<D>(0.5, both));
  const Numbers<D> apart = scaled<D>(0.86602540378443864676, difference<D>(t[1], t[2]));
  t[0] = sum<D>(t[0], both);
  t[1] = minus_i<D>(middle, apart);
  t[2] = plus_i<D>(middle, apart);
}

template <class D>
ATOLL_INLINE void combine_4(Numbers<D>& t0, Numbers<D>& t1, Numbers<D>& t2, Numbers<D>& t3) {
  const Numbers<D> a = sum<D>(t0, t2), b = difference<D>(t0, t2), c = sum<D>(t1, t3), d = difference<D>(t1, t3);
  t0 = sum<D>(a, c);
  t1 = minus_i<D>(b, d);
  t2 = difference<D>(a, c);
  t3 = plus_i<D>(b, d);
}

template <class D>
ATOLL_INLINE void combine(Numbers<D> (&t)[4]) {
  combine_4<D>(t[0], t[1], t[2], t[3]);
}

template <class D>
ATOLL_INLINE void combine(Numbers<D> (&t)[5]) {
  const double c1 = 0.30901699437494742410, c2 = -0.80901699437494742410;
  const double s1 = 0.95105651629515357212, s2 = 0.58778525229247312917;
  const Numbers<D> a = sum<D>(t[1], t[4]), b = sum<D>(t[2], t[3]), c = difference<D>(t[1], t[4]),
                   d = difference<D>(t[2], t[3]);
  const Numbers<D> e = sum<D>(sum<D>(t[0], scaled<D>(c1, a)), scaled<D>(c2, b));
  const Numbers<D> f = sum<D>(sum<D>(t[0], scaled<D>(c2, a)), scaled<D>(c1, b));
  const Numbers<D> g = sum<D>(scaled<D>(s1, c), scaled<D>(s2, d)),
                   h = difference<D>(scaled<D>(s2, c), scaled<D>(s1, d));
  t[0] = sum<D>(sum<D>(t[0], a), b);
  t[1] = minus_i<D>(e, g);
  t[2] = minus_i<D>(f, h);
  t[3] = plus_i<D>(f, h);
  t[4] = plus_i<D>(e, g);
}

template <class D>
ATOLL_INLINE void combine(Numbers<D> (&t)[8]) {
  combine_4<D>(t[0], t[2], t[4], t[6]);
  combine_4<D>(t[1], t[3], t[5], t[7]);
  const double half_root = 0.70710678118654752440;
  const Numbers<D> b0 = t[1], b2 = t[5];
  // (1 - i) / root 2 and (-1 - i) / root 2
  const Numbers<D> b1 = scaled<D>(half_root, minus_i<D>(t[3], t[3]));
  const Numbers<D> b3 = scaled<D>(half_root, plus_i<D>(t[7], t[7]));
  const Numbers<D> a0 = t[0], a1 = t[2], a2 = t[4], a3 = t[6];
  t[0] = sum<D>(a0, b0), t[4] = difference<D>(a0, b0);
  t[1] = sum<D>(a1, b1), t[5] = difference<D>(a1, b1);
  t[2] = minus_i<D>(a2, b2), t[6] = plus_i<D>(a2, b2);
  t[3] = difference<D>(a3, b3), t[7] = sum<D>(a3, b3);
}

// `before` is the product of the factors done, `after` of those to come. Input j of p lies at i + after * (j + p * k),
// output q at i + after * (k + before * q), and is turned by q * before * i / n.
template <std::size_t P, class D, class From, class To>
HWY_ATTR void pass_of(const Complex* roots, std::size_t before, std::size_t after, From from, To to) {
  for (std::size_t i = 0; i < after; ++i)
    for (std::size_t k = 0; k < before; ++k) {
      Numbers<D> t[P];
      for (std::size_t j = 0; j < P; ++j) t[j] = from.load(i + after * (j + P * k));
      combine<D>(t);
      to.store(i + after * k, t[0]);
      if (i == 0)
        for (std::size_t q = 1; q < P; ++q) to.store(after * (k + before * q), t[q]);
      else
        for (std::size_t q = 1; q < P; ++q)
          to.store(i + after * (k + before * q), turned<D>(t[q], roots[q * before * i]));
    }
}

// An odd prime: outputs q and p - q come of sums and differences of inputs j and p - j.
template <class D, class From, class To>
HWY_ATTR void pass_any(std::size_t p, std::size_t n, const Complex* roots, std::size_t before, std::size_t after,
                       From from, To to) {
  Numbers<D> sums[most_factor / 2 + 1], differences[most_factor / 2 + 1];
  const std::size_t step = n / p, half = p / 2;
  for (std::size_t i = 0; i < after; ++i)
    for (std::size_t k = 0; k < before; ++k) {
      const Numbers<D> first = from.load(i + after * p * k);
      Numbers<D> total = first;
      for (std::size_t j = 1; j <= half; ++j) {
        const Numbers<D> a = from.load(i + after * (j + p * k)), b = from.load(i + after * (p - j + p * k));
        sums[j] = sum<D>(a, b);
        differences[j] = difference<D>(a, b);
        total = sum<D>(total, sums[j]);
      }
      to.store(i + after * k, total);
      for (std::size_t q = 1; q <= half; ++q) {
        Numbers<D> even = first, odd = {hn::Zero(D()), hn::Zero(D())};
        for (std::size_t j = 1; j <= half; ++j) {
          const Complex root = roots[step * (j * q % p)];
          even = sum<D>(even, scaled<D>(root.re, sums[j]));
          odd = difference<D>(odd, scaled<D>(root.im, differences[j]));
        }
        to.store(i + after * (k + before * q), turned<D>(minus_i<D>(even, odd), roots[q * before * i]));
        to.store(i + after * (k + before * (p - q)), turned<D>(plus_i<D>(even, odd), roots[(p - q) * before * i]));
      }
    }
}

template <class D, class From, class To>
HWY_ATTR void pass(const FourierPlan& plan, std::size_t which, std::size_t before, From from, To to) {
  const std::size_t n = plan.length(), p = plan.factors()[which], after = n / (before * p);
  switch (p) {
    case 2: pass_of<2, D>(plan.roots(), before, after, from, to); break;
    case 3: pass_of<3, D>(plan.roots(), before, after, from, to); break;
    case 4: pass_of<4, D>(plan.roots(), before, after, from, to); break;
    case 5: pass_of<5, D>(plan.roots(), before, after, from, to); break;
    case 8: pass_of<8, D>(plan.roots(), before, after, from, to); break;
    default: pass_any<D>(p, n, plan.roots(), before, after, from, to);
  }
}

/// Passes [first, last) from one tile to the other and back; says where the result is.
template <class D>
HWY_ATTR double* passes(const FourierPlan& plan, std::size_t first, std::size_t last, double* from, double* to) {
  std::size_t before = 1;
  for (std::size_t which = 0; which < last; ++which) {
    if (which >= first) {
      pass<D>(plan, which, before, Tile<D>{from}, Tile<D>{to});
      std::swap(from, to);
    }
    before *= plan.factors()[which];
  }
  return from;
}

template <class D>
HWY_ATTR double* convolution(const FourierPlan& plan, double* scratch) {
  const FourierPlan& inner = *plan.inner();
  const std::size_t n = plan.length(), length = inner.length();
  const Tile<D> own{scratch}, wide{own.at + Tile<D>::step * n}, rest{wide.at + Tile<D>::step * length};
  const Numbers<D> zero{hn::Zero(D()), hn::Zero(D())};
  for (std::size_t k = 0; k < n; ++k) wide.store(k, turned<D>(own.load(k), plan.chirp()[k]));
  for (std::size_t k = n; k < length; ++k) wide.store(k, zero);
  const Tile<D> there{passes<D>(inner, 0, inner.factors().size(), wide.at, rest.at)};
  // Back by a forward transform of conjugates.
  for (std::size_t k = 0; k < length; ++k) {
    const Numbers<D> product = turned<D>(there.load(k), plan.chirp_transform()[k]);
    there.store(k, {product.re, hn::Neg(product.im)});
  }
  const Tile<D> back{passes<D>(inner, 0, inner.factors().size(), there.at, there.at == wide.at ? rest.at : wide.at)};
  const double scale = 1.0 / static_cast<double>(length);
  for (std::size_t k = 0; k < n; ++k) {
    const Numbers<D> x = scaled<D>(scale, back.load(k));
    own.store(k, turned<D>(Numbers<D>{x.re, hn::Neg(x.im)}, plan.chirp()[k]));
  }
  return own.at;
}

/// The transforms of the tile at the start of the scratch memory; says where they are.
template <class D>
HWY_ATTR double* transform_tile(const FourierPlan& plan, double* scratch) {
  if (plan.length() == 1) return scratch;
  if (plan.inner() != nullptr) return convolution<D>(plan, scratch);
  return passes<D>(plan, 0, plan.factors().size(), scratch, scratch + Tile<D>::step * plan.length());
}

// -- between tiles and memory --

template <class D>
ATOLL_INLINE hn::Vec<D> load_as(D d, const double* from) {
  return hn::LoadU(d, from);
}
template <class D>
ATOLL_INLINE hn::Vec<D> load_as(D d, const float* from) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), from));
}
template <class D>
ATOLL_INLINE void store_as(D d, hn::Vec<D> x, double* to) {
  hn::StoreU(x, d, to);
}
template <class D>
ATOLL_INLINE void store_as(D, hn::Vec<D> x, float* to) {
  const hn::Rebind<float, D> narrow;
  hn::StoreU(hn::DemoteTo(narrow, x), narrow, to);
}

/// A square of lanes by lanes on its diagonal.
template <class D>
ATOLL_INLINE void transpose(D d, hn::Vec<D> (&x)[hn::MaxLanes(D())]) {
  constexpr std::size_t lanes = hn::MaxLanes(D());
  static_assert(lanes == 1 || lanes == 2 || lanes == 4 || lanes == 8);
  if constexpr (lanes >= 2)
    for (std::size_t i = 0; i < lanes; i += 2) {
      const auto a = x[i], b = x[i + 1];
      x[i] = hn::InterleaveLower(d, a, b);
      x[i + 1] = hn::InterleaveUpper(d, a, b);
    }
  if constexpr (lanes == 4)
    for (std::size_t i = 0; i < 2; ++i) {
      const auto a = x[i], b = x[i + 2];
      x[i] = hn::ConcatLowerLower(d, b, a);
      x[i + 2] = hn::ConcatUpperUpper(d, b, a);
    }
  if constexpr (lanes == 8)
    for (std::size_t i = 0; i < 2; ++i) {
      const auto a = hn::ConcatLowerLower(d, x[i + 4], x[i]), b = hn::ConcatLowerLower(d, x[i + 6], x[i + 2]);
      const auto e = hn::ConcatUpperUpper(d, x[i + 4], x[i]), f = hn::ConcatUpperUpper(d, x[i + 6], x[i + 2]);
      x[i] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a);
      x[i + 2] = hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a));
      x[i + 4] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(f), e);
      x[i + 6] = hn::OddEvenBlocks(f, hn::SwapAdjacentBlocks(e));
    }
}

/// Part `part` (0 real, 1 imaginary) of a tile from up to `lanes` rows; null: zeros. Lanes without a row are zeros.
template <class D, class T>
HWY_ATTR void load_rows(const T* from, std::size_t n, std::size_t rows, double* tile) {
  constexpr std::size_t lanes = hn::MaxLanes(D()), step = Tile<D>::step;
  const D d;
  std::size_t k = 0;
  if (from != nullptr && rows == lanes)
    for (; k + lanes <= n; k += lanes) {
      hn::Vec<D> square[lanes];
      for (std::size_t r = 0; r < lanes; ++r) square[r] = load_as(d, from + r * n + k);
      transpose(d, square);
      for (std::size_t r = 0; r < lanes; ++r) hn::StoreU(square[r], d, tile + step * (k + r));
    }
  for (; k < n; ++k)
    for (std::size_t r = 0; r < lanes; ++r)
      tile[step * k + r] = from != nullptr && r < rows ? static_cast<double>(from[r * n + k]) : 0.0;
}

template <class D, class T>
HWY_ATTR void store_rows(const double* tile, double factor, std::size_t n, std::size_t rows, T* to) {
  constexpr std::size_t lanes = hn::MaxLanes(D()), step = Tile<D>::step;
  const D d;
  const auto times = hn::Set(d, factor);
  std::size_t k = 0;
  if (rows == lanes)
    for (; k + lanes <= n; k += lanes) {
      hn::Vec<D> square[lanes];
      for (std::size_t r = 0; r < lanes; ++r) square[r] = hn::Mul(hn::LoadU(d, tile + step * (k + r)), times);
      transpose(d, square);
      for (std::size_t r = 0; r < lanes; ++r) store_as(d, square[r], to + r * n + k);
    }
  for (; k < n; ++k)
    for (std::size_t r = 0; r < rows; ++r) to[r * n + k] = static_cast<T>(tile[step * k + r] * factor);
}

/// The same of columns that begin at a place of each row.
template <class D, class T>
HWY_ATTR void load_columns(const T* const* from, std::size_t n, std::size_t column, std::size_t columns, double* tile) {
  constexpr std::size_t lanes = hn::MaxLanes(D()), step = Tile<D>::step;
  const D d;
  for (std::size_t k = 0; k < n; ++k) {
    if (from != nullptr && columns == lanes) hn::StoreU(load_as(d, from[k] + column), d, tile + step * k);
    else
      for (std::size_t c = 0; c < lanes; ++c)
        tile[step * k + c] = from != nullptr && c < columns ? static_cast<double>(from[k][column + c]) : 0.0;
  }
}

template <class D, class T>
HWY_ATTR void store_columns(const double* tile, double factor, std::size_t n, std::size_t column, std::size_t columns,
                            T* const* to) {
  constexpr std::size_t lanes = hn::MaxLanes(D()), step = Tile<D>::step;
  const D d;
  const auto times = hn::Set(d, factor);
  for (std::size_t k = 0; k < n; ++k) {
    if (columns == lanes) store_as(d, hn::Mul(hn::LoadU(d, tile + step * k), times), to[k] + column);
    else
      for (std::size_t c = 0; c < columns; ++c) to[k][column + c] = static_cast<T>(tile[step * k + c] * factor);
  }
}

// -- drivers --

template <class D, class T>
HWY_ATTR void some_rows(const FourierPlan& plan, double factor, const T* re, const T* im, T* to_re, T* to_im,
                        std::size_t rows, double* scratch) {
  const std::size_t n = plan.length(), imaginary = Tile<D>::step / 2;
  load_rows<D>(re, n, rows, scratch);
  load_rows<D>(im, n, rows, scratch + imaginary);
  const double* found = transform_tile<D>(plan, scratch);
  store_rows<D>(found, factor, n, rows, to_re);
  store_rows<D>(found + imaginary, factor, n, rows, to_im);
}

using Full = hn::ScalableTag<double>;
using One = hn::CappedTag<double, 1>;

/// Whether so many lines are better done one by one than in vectors of which most lanes are empty.
constexpr bool one_by_one(std::size_t lines) { return 3 * lines < hn::MaxLanes(Full()); }

template <class T>
HWY_ATTR void rows_of(const FourierPlan& plan, double factor, Parts<const T*> from, Parts<T*> to, std::size_t rows,
                      double* scratch) {
  const std::size_t n = plan.length();
  for (std::size_t row = 0; row < rows;) {
    const std::size_t left = rows - row, count = one_by_one(left) ? 1 : std::min(left, hn::MaxLanes(Full())),
                      at = row * n;
    const T* im = from.im == nullptr ? nullptr : from.im + at;
    const T* re = from.re == nullptr ? nullptr : from.re + at;
    if (one_by_one(left)) some_rows<One>(plan, factor, re, im, to.re + at, to.im + at, 1, scratch);
    else some_rows<Full>(plan, factor, re, im, to.re + at, to.im + at, count, scratch);
    row += count;
  }
}

template <class T>
HWY_ATTR void columns_of(const FourierPlan& plan, double factor, Parts<const T* const*> from, Parts<T* const*> to,
                         std::size_t columns, double* scratch) {
  using D = Full;
  constexpr std::size_t lanes = hn::MaxLanes(D());
  const std::size_t n = plan.length(), last = plan.factors().size() - 1, imaginary = Tile<D>::step / 2;
  std::size_t column = 0;
  if constexpr (std::is_same_v<T, double>)
    if (plan.inner() == nullptr && plan.factors().size() >= 2 && from.re != nullptr && from.im != nullptr)
      for (; column + lanes <= columns; column += lanes) {
        double* tile = scratch;
        double* other = scratch + Tile<D>::step * n;
        pass<D>(plan, 0, 1, FromRows<D>{from.re, from.im, column}, Tile<D>{tile});
        double* found = passes<D>(plan, 1, last, tile, other);
        pass<D>(plan, last, n / plan.factors()[last], Tile<D>{found}, ToRows<D>{to.re, to.im, column, factor});
      }
  for (; column < columns; column += lanes) {
    const std::size_t count = std::min(lanes, columns - column);
    load_columns<D>(from.re, n, column, count, scratch);
    load_columns<D>(from.im, n, column, count, scratch + imaginary);
    const double* found = transform_tile<D>(plan, scratch);
    store_columns<D>(found, factor, n, column, count, to.re);
    store_columns<D>(found + imaginary, factor, n, column, count, to.im);
  }
}

HWY_ATTR void rows_f32(const FourierPlan& plan, double factor, Parts<const float*> from, Parts<float*> to,
                       std::size_t rows, double* scratch) {
  rows_of(plan, factor, from, to, rows, scratch);
}
HWY_ATTR void rows_f64(const FourierPlan& plan, double factor, Parts<const double*> from, Parts<double*> to,
                       std::size_t rows, double* scratch) {
  rows_of(plan, factor, from, to, rows, scratch);
}
HWY_ATTR void columns_f32(const FourierPlan& plan, double factor, Parts<const float* const*> from,
                          Parts<float* const*> to, std::size_t columns, double* scratch) {
  columns_of(plan, factor, from, to, columns, scratch);
}
HWY_ATTR void columns_f64(const FourierPlan& plan, double factor, Parts<const double* const*> from,
                          Parts<double* const*> to, std::size_t columns, double* scratch) {
  columns_of(plan, factor, from, to, columns, scratch);
}

std::size_t lanes_here() { return hn::MaxLanes(Full()); }

}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {
namespace {

HWY_EXPORT(rows_f32);
HWY_EXPORT(rows_f64);
HWY_EXPORT(columns_f32);
HWY_EXPORT(columns_f64);
HWY_EXPORT(lanes_here);

template <class T>
Parts<const T*> typed(Parts<const void*> parts) {
  return {static_cast<const T*>(parts.re), static_cast<const T*>(parts.im)};
}

template <class T, class Pointer>
Parts<T* const*> tables(Parts<Pointer> parts) {
  return {reinterpret_cast<T* const*>(parts.re), reinterpret_cast<T* const*>(parts.im)};
}

}  // namespace

std::size_t fourier_lanes() { return HWY_DYNAMIC_DISPATCH(lanes_here)(); }

void transform_rows(const FourierPlan& plan, DType type, double factor, Parts<const void*> from, Parts<void*> to,
                    std::size_t rows, double* scratch) {
  if (type == DType::f64) {
    HWY_DYNAMIC_DISPATCH(rows_f64)
    (plan, factor, typed<double>(from), {static_cast<double*>(to.re), static_cast<double*>(to.im)}, rows, scratch);
  } else {
    HWY_DYNAMIC_DISPATCH(rows_f32)
    (plan, factor, typed<float>(from), {static_cast<float*>(to.re), static_cast<float*>(to.im)}, rows, scratch);
  }
}

void transform_columns(const FourierPlan& plan, DType type, double factor, Parts<const void* const*> from,
                       Parts<void* const*> to, std::size_t columns, double* scratch) {
  if (type == DType::f64) {
    HWY_DYNAMIC_DISPATCH(columns_f64)
    (plan, factor, tables<const double>(from), tables<double>(to), columns, scratch);
  } else {
    HWY_DYNAMIC_DISPATCH(columns_f32)
    (plan, factor, tables<const float>(from), tables<float>(to), columns, scratch);
  }
}

}  // namespace atl::array
#endif  // HWY_ONCE
