// SPDX-License-Identifier: Apache-2.0
// Adding values to exact sums: a few rows are cut into their parts by vectors, then each row is one 32-byte addition.
#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/state/update.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <limits>

#include "kernel/state/update.hpp"

HWY_BEFORE_NAMESPACE();
namespace atl::table::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t piece = 64;  // 2 KiB of parts

/// What of a value is added: itself, or one of the two doubles that make up its square.
enum class Term { value, square_high, square_low };

// x * x - high, exactly.
template <class D, class V = hn::VFromD<D>>
HWY_ATTR HWY_INLINE V square_error(D d, V x, V high) {
#if HWY_NATIVE_FMA
  (void)d;
  return hn::MulSub(x, x, high);
#else  // Dekker, with Veltkamp's splitting
  const V t = hn::Mul(x, hn::Set(d, 134217729.0));
  const V a = hn::Sub(t, hn::Sub(t, x));
  const V b = hn::Sub(x, a);
  const V ab = hn::Mul(a, b);
  return hn::Add(hn::Add(hn::Add(hn::Sub(hn::Mul(a, a), high), ab), ab), hn::Mul(b, b));
#endif
}

// Parts of n values, n up to `piece`; what lies behind n is undefined.
template <Term term>
HWY_ATTR bool cut(const StateSpec& spec, const double* HWY_RESTRICT values, std::size_t n, double* HWY_RESTRICT parts) {
  const hn::CappedTag<double, 8> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto scale = hn::Set(d, spec.window.scale);
  const auto m0 = hn::Set(d, spec.window.magic[0]), m1 = hn::Set(d, spec.window.magic[1]), m2 = hn::Set(d, spec.window.magic[2]);
  const auto row = hn::Set(d, term == Term::square_low ? 0.0 : 1.0);
  const bool special = spec.window.special;
  const bool banded = spec.from > 0 || spec.below < std::numeric_limits<double>::infinity();
  const auto from = hn::Set(d, spec.from), below = hn::Set(d, spec.below);
  auto lost = hn::Zero(d);
  alignas(64) double tail[8] = {};
  for (std::size_t i = 0; i < n; i += lanes) {
    if (n - i < lanes) {
      for (std::size_t k = 0; k < n - i; ++k) tail[k] = values[i + k];
    }
    auto x = hn::LoadU(d, n - i < lanes ? tail : values + i);
    if constexpr (term != Term::value) {
      const auto high = hn::Mul(x, x);
      x = term == Term::square_high ? high : hn::IfThenElseZero(hn::IsFinite(high), square_error(d, x, high));
    }
    if (banded) {  // infinities and NaN go to the band that has no end
      const auto size = hn::Abs(x);
      const auto low = hn::Lt(size, from);
      const auto outside = spec.below < std::numeric_limits<double>::infinity() ? hn::Or(low, hn::Not(hn::Lt(size, below))) : low;
      x = hn::IfThenZeroElse(outside, x);
    }
    x = hn::Mul(x, scale);
    auto s0 = hn::Sub(hn::Add(x, m0), m0);
    const auto r0 = hn::Sub(x, s0);
    auto s1 = hn::Sub(hn::Add(r0, m1), m1);
    const auto r1 = hn::Sub(r0, s1);
    auto s2 = hn::Sub(hn::Add(r1, m2), m2);
    auto rest = hn::Sub(r1, s2);
    if (special) {  // infinity and NaN are their own first part
      const auto plain = hn::IsFinite(x);
      s0 = hn::IfThenElse(plain, s0, x);
      s1 = hn::IfThenElseZero(plain, s1);
      s2 = hn::IfThenElseZero(plain, s2);
      rest = hn::IfThenElseZero(plain, rest);
    }
    lost = hn::Or(lost, rest);
    hn::StoreInterleaved4(s0, s1, s2, row, d, parts + 4 * i);
  }
  return !hn::AllFalse(d, hn::Ne(lost, hn::Zero(d)));
}

template <Term term>
HWY_ATTR bool add(const StateSpec& spec, ExactSum* states, const std::uint32_t* codes, const double* values, std::size_t n) {
  alignas(64) double parts[4 * (piece + 8)];
  const hn::CappedTag<double, 4> d;
  bool lost = false;
  for (std::size_t at = 0; at < n; at += piece) {
    const std::size_t count = n - at < piece ? n - at : piece;
    lost |= cut<term>(spec, values + at, count, parts);
    for (std::size_t i = 0; i < count; ++i) {
      double* state = reinterpret_cast<double*>(states + codes[at + i]);
      for (std::size_t lane = 0; lane < 4; lane += hn::Lanes(d))
        hn::Store(hn::Add(hn::Load(d, state + lane), hn::Load(d, parts + 4 * i + lane)), d, state + lane);
    }
  }
  return lost;
}

bool add_sums(const StateSpec& spec, ExactSum* states, const std::uint32_t* codes, const double* values, std::size_t n) {
  if (spec.kind == StateKind::sum) return add<Term::value>(spec, states, codes, values, n);
  const bool lost = add<Term::square_high>(spec, states, codes, values, n);
  return add<Term::square_low>(spec, states, codes, values, n) || lost;
}

AddSums choose() { return &add_sums; }

}  // namespace

AddSums choose_add_sums() { return choose(); }

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::table::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::table {

HWY_EXPORT(choose_add_sums);
AddSums find_add_sums() { return HWY_DYNAMIC_DISPATCH(choose_add_sums)(); }

}  // namespace atl::table
#endif
