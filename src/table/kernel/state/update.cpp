// SPDX-License-Identifier: Apache-2.0
// Adding values to exact sums: a few rows are cut into their parts by vectors, then each row is one 32-byte addition. Rows of which
// something is left are cut once more, one by one.
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
constexpr double infinity = std::numeric_limits<double>::infinity();

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

// The terms of n values, n up to `piece`, padded with zeros to whole vectors; outside the spec's band they are 0.
template <Term term>
HWY_ATTR void make_terms(const StateSpec& spec, const double* HWY_RESTRICT values, std::size_t n, double* HWY_RESTRICT terms) {
  const hn::CappedTag<double, 8> d;
  const std::size_t lanes = hn::Lanes(d);
  const bool banded = spec.from > 0 || spec.below < infinity;
  const auto from = hn::Set(d, spec.from), below = hn::Set(d, spec.below);
  __builtin_memcpy(terms, values, n * sizeof(double));
  for (std::size_t i = n; i < (n + 7) / 8 * 8; ++i) terms[i] = 0;
  if (term == Term::value && !banded) return;
  for (std::size_t i = 0; i < n; i += lanes) {
    auto x = hn::Load(d, terms + i);
    if constexpr (term != Term::value) {
      const auto high = hn::Mul(x, x);
      x = term == Term::square_high ? high : hn::IfThenElseZero(hn::IsFinite(high), square_error(d, x, high));
    }
    if (banded) {  // infinities and NaN go to the band that has no end
      const auto size = hn::Abs(x);
      const auto low = hn::Lt(size, from);
      x = hn::IfThenZeroElse(spec.below < infinity ? hn::Or(low, hn::Not(hn::Lt(size, below))) : low, x);
    }
    hn::Store(x, d, terms + i);
  }
}

// Parts of the terms of n rows, and what each row counts as. Returns whether something is left or does not fit.
HWY_ATTR bool cut(const SumWindow& window, const double* HWY_RESTRICT terms, std::size_t n, double row, double* HWY_RESTRICT parts) {
  const hn::CappedTag<double, 8> d;
  const auto m0 = hn::Set(d, window.magic[0]), m1 = hn::Set(d, window.magic[1]), m2 = hn::Set(d, window.magic[2]);
  const auto rows = hn::Set(d, row);
  const bool special = window.special;
  auto left = hn::Zero(d), largest = hn::Zero(d);
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto x = hn::Load(d, terms + i);
    auto s0 = hn::Sub(hn::Add(x, m0), m0);
    const auto r0 = hn::Sub(x, s0);
    auto s1 = hn::Sub(hn::Add(r0, m1), m1);
    const auto r1 = hn::Sub(r0, s1);
    auto s2 = hn::Sub(hn::Add(r1, m2), m2);
    auto rest = hn::Sub(r1, s2);
    auto size = hn::Abs(x);
    if (special) {  // infinity and NaN are their own first part
      const auto plain = hn::IsFinite(x);
      s0 = hn::IfThenElse(plain, s0, x);
      s1 = hn::IfThenElseZero(plain, s1);
      s2 = hn::IfThenElseZero(plain, s2);
      rest = hn::IfThenElseZero(plain, rest);
      size = hn::IfThenElseZero(plain, size);
    }
    left = hn::Or(left, rest);
    largest = hn::Max(size, largest);  // of NaN the second stays, but then something is left
    hn::StoreInterleaved4(s0, s1, s2, rows, d, parts + 4 * i);
  }
  // As integers without signs: bits of several doubles together may be a NaN, or -0.0.
  const hn::RebindToUnsigned<decltype(d)> du;
  const bool nothing_left = hn::AllTrue(du, hn::Eq(hn::ShiftLeft<1>(hn::BitCast(du, left)), hn::Zero(du)));
  return !nothing_left || !hn::AllTrue(d, hn::Lt(largest, hn::Set(d, window.limit)));
}

// The parts of one row again; what is left goes to `rests`.
void cut_slowly(const SumWindow& window, double x, std::uint32_t code, double* parts, std::vector<CodeRest>& rests) {
  parts[0] = parts[1] = parts[2] = 0;
  if (!(x - x == 0)) {
    parts[0] = x;
    return;
  }
  double rest = x * window.scale;
  if ((x < 0 ? -x : x) >= window.limit || rest / window.scale != x) {
    rests.push_back({code, x});
    return;
  }
  for (int i = 0; i < 3; ++i) {
    parts[i] = (rest + window.magic[static_cast<std::size_t>(i)]) - window.magic[static_cast<std::size_t>(i)];
    rest -= parts[i];
  }
  if (rest != 0) rests.push_back({code, rest / window.scale});
}

template <Term term>
HWY_ATTR void add(const StateSpec& spec, ExactSum* states, const std::uint32_t* codes, const double* values, std::size_t n,
                  std::vector<CodeRest>& rests) {
  alignas(64) double terms[piece], parts[4 * piece];
  const hn::CappedTag<double, 4> d;
  const SumWindow& window = spec.window;
  for (std::size_t at = 0; at < n; at += piece) {
    const std::size_t count = n - at < piece ? n - at : piece;
    const double* HWY_RESTRICT x = values + at;
    if (term != Term::value || count < piece || reinterpret_cast<std::uintptr_t>(x) % 64 != 0 || spec.from > 0 || spec.below < infinity) {
      make_terms<term>(spec, x, count, terms);
      x = terms;
    }
    if (cut(window, x, count, term == Term::square_low ? 0 : 1, parts) || window.scale != 1) {
      for (std::size_t i = 0; i < count; ++i) cut_slowly(window, x[i], codes[at + i], parts + 4 * i, rests);
    }
#pragma GCC unroll 4
    for (std::size_t i = 0; i < count; ++i) {
      double* state = reinterpret_cast<double*>(states + codes[at + i]);
      for (std::size_t lane = 0; lane < 4; lane += hn::Lanes(d))
        hn::Store(hn::Add(hn::Load(d, state + lane), hn::Load(d, parts + 4 * i + lane)), d, state + lane);
    }
  }
}

void add_sums(const StateSpec& spec, ExactSum* states, const std::uint32_t* codes, const double* values, std::size_t n,
              std::vector<CodeRest>& rests) {
  if (spec.kind == StateKind::sum) return add<Term::value>(spec, states, codes, values, n, rests);
  add<Term::square_high>(spec, states, codes, values, n, rests);
  add<Term::square_low>(spec, states, codes, values, n, rests);
}

}  // namespace

AddSums choose_add_sums() { return &add_sums; }

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::table::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::table {

HWY_EXPORT(choose_add_sums);
AddSums find_add_sums() { return HWY_DYNAMIC_DISPATCH(choose_add_sums)(); }

}  // namespace atl::table
#endif
