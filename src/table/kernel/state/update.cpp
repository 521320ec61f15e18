// SPDX-License-Identifier: Apache-2.0
// Adding values to exact sums: some rows are cut into their parts by vectors, then each row is one addition: of 32
// bytes, its count among them, with AVX2, of 16 and a count elsewhere. Where something is left of a row they are cut
// once more, one by one.
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

constexpr std::size_t piece = 64;  // 1 KiB of parts
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
// Returns whether any is not, where there is a band.
template <Term term>
HWY_ATTR bool make_terms(const StateSpec& spec, const double* HWY_RESTRICT values, std::size_t n,
                         double* HWY_RESTRICT terms) {
  const hn::CappedTag<double, 8> d;
  const std::size_t lanes = hn::Lanes(d);
  const bool banded = spec.from > 0 || spec.below < infinity;
  const auto from = hn::Set(d, spec.from), below = hn::Set(d, spec.below);
  __builtin_memcpy(terms, values, n * sizeof(double));
  for (std::size_t i = n; i < (n + 7) / 8 * 8; ++i) terms[i] = 0;
  if (term == Term::value && !banded) return true;
  auto zeros = hn::Eq(from, from);
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
    zeros = hn::And(zeros, hn::Eq(x, hn::Zero(d)));
  }
  return !banded || !hn::AllTrue(d, zeros);
}

// Parts of the terms of n rows: of L rows, as many as a vector has, the even ones' pairs come first. Returns whether
// something is left or does not fit.
HWY_ATTR bool cut(const SumWindow& window, const double* HWY_RESTRICT terms, std::size_t n,
                  std::int64_t* HWY_RESTRICT parts) {
  const hn::CappedTag<double, 8> d;
  const hn::RebindToSigned<decltype(d)> di;
  const std::size_t lanes = hn::Lanes(d);
  const auto m0 = hn::Set(d, window.magic[0]), m1 = hn::Set(d, window.magic[1]);
  const auto b0 = hn::BitCast(di, m0), b1 = hn::BitCast(di, m1);
  const bool special = window.special;
  auto left = hn::Zero(d), largest = hn::Zero(d);
  for (std::size_t i = 0; i < n; i += lanes) {
    auto x = hn::LoadU(d, terms + i);
    if (special) x = hn::IfThenElseZero(hn::IsFinite(x), x);  // others are added by add_specials()
    const auto t0 = hn::Add(x, m0);
    const auto r0 = hn::Sub(x, hn::Sub(t0, m0));
    const auto t1 = hn::Add(r0, m1);
    left = hn::Or(left, hn::Sub(r0, hn::Sub(t1, m1)));
    largest = hn::Max(hn::Abs(x), largest);  // of NaN the second stays, but then something is left
    const auto p0 = hn::Sub(hn::BitCast(di, t0), b0), p1 = hn::Sub(hn::BitCast(di, t1), b1);
    hn::Store(hn::InterleaveLower(di, p0, p1), di, parts + 2 * i);
    hn::Store(hn::InterleaveUpper(di, p0, p1), di, parts + 2 * i + lanes);
  }
  // As integers without signs: bits of several doubles together may be a NaN, or -0.0.
  const hn::RebindToUnsigned<decltype(d)> du;
  const bool nothing_left = hn::AllTrue(du, hn::Eq(hn::ShiftLeft<1>(hn::BitCast(du, left)), hn::Zero(du)));
  return !nothing_left || !hn::AllTrue(d, hn::Lt(largest, hn::Set(d, window.limit)));
}

// Values that are NaN become terms of 0: there[i] says which are not. Returns whether any is.
bool skip_nan(const double* values, std::size_t n, double* terms, std::uint64_t* there) {
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < n; ++i) {
    there[i] = values[i] == values[i] ? 1 : 0;
    found += there[i];
  }
  if (found == n) return false;
  for (std::size_t i = 0; i < n; ++i)
    if (there[i] == 0) terms[i] = 0;
  return true;
}

// Adds one row's term; the rounding error goes to `rests`.
void add_slowly(const SumWindow& window, double x, std::uint64_t row, std::uint32_t code, ExactSum& state,
                std::vector<CodeRest>& rests) {
  state.rows += row;
  if (!(x - x == 0)) {
    state.special += x;
    return;
  }
  double rest = x * window.scale;
  if ((x < 0 ? -x : x) >= window.limit || rest / window.scale != x) {
    rests.push_back({code, x});
    return;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const double magic = window.magic[i], moved = rest + magic;
    std::int64_t bits, none;
    __builtin_memcpy(&bits, &moved, sizeof bits);
    __builtin_memcpy(&none, &magic, sizeof none);
    state.part[i] += bits - none;
    rest -= moved - magic;
  }
  if (rest != 0) rests.push_back({code, rest / window.scale});
}

void add_specials(const double* terms, const std::uint32_t* codes, std::size_t n, ExactSum* states) {
  for (std::size_t i = 0; i < n; ++i)
    if (!(terms[i] - terms[i] == 0)) states[codes[i]].special += terms[i];
}

template <Term term>
HWY_ATTR void add(const StateSpec& spec, ExactSum* states, const std::uint32_t* codes, const double* values,
                  std::size_t n, std::vector<CodeRest>& rests) {
  constexpr std::size_t lanes = hn::MaxLanes(hn::CappedTag<double, 8>());
  constexpr std::uint64_t row = term == Term::square_low ? 0 : 1;
  alignas(64) double terms[piece];
  alignas(64) std::int64_t parts[2 * piece];
  std::uint64_t there[piece];
  const hn::FixedTag<std::int64_t, 2> pair;
#if HWY_MAX_BYTES == 32
  const hn::FixedTag<std::int64_t, 4> whole;
  alignas(32) static constexpr std::int64_t one_row[4] = {0, 0, row, 0};
  const auto counted = hn::Load(whole, one_row);
#endif
  const SumWindow& window = spec.window;
  for (std::size_t at = 0; at < n; at += piece) {
    const std::size_t count = n - at < piece ? n - at : piece;
    const double* HWY_RESTRICT x = values + at;
    const std::uint32_t* HWY_RESTRICT code = codes + at;
    if (term != Term::value || count < piece || spec.from > 0 || spec.below < infinity || spec.skips_nan) {
      // Most pieces have nothing in most bands; rows are counted in the first.
      if (!make_terms<term>(spec, x, count, terms) && (row == 0 || spec.below < infinity)) continue;
      x = terms;
    }
    const bool some = spec.skips_nan && skip_nan(values + at, count, terms, there);
    if (cut(window, x, count, parts) || window.scale != 1) {
      for (std::size_t i = 0; i < count; ++i)
        add_slowly(window, x[i], some ? row * there[i] : row, code[i], states[code[i]], rests);
      continue;
    }
    // Every row's count is added below; those of rows that are none are taken away first.
    if (some && row == 1)
      for (std::size_t i = 0; i < count; ++i) states[code[i]].rows -= 1 - there[i];
    auto add_row = [&](std::size_t i, std::size_t place) HWY_ATTR {
      ExactSum& state = states[code[i]];
#if HWY_MAX_BYTES == 32
      // Parts and count in one addition: a double in the state's last word has 0 added to its bits.
      auto* const words = reinterpret_cast<std::int64_t*>(&state);
      const auto added = hn::Or(hn::ZeroExtendVector(whole, hn::Load(pair, parts + place)), counted);
      hn::Store(hn::Add(hn::Load(whole, words), added), whole, words);
#else
      hn::Store(hn::Add(hn::Load(pair, state.part.data()), hn::Load(pair, parts + place)), pair, state.part.data());
      state.rows += row;
#endif
    };
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
#pragma GCC unroll 8
      for (std::size_t k = 0; k < lanes; ++k) add_row(i + k, 2 * i + k % 2 * lanes + k / 2 * 2);
    }
    for (std::size_t k = 0; i + k < count; ++k) add_row(i + k, 2 * i + k % 2 * lanes + k / 2 * 2);
    if (window.special) add_specials(x, code, count, states);
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
