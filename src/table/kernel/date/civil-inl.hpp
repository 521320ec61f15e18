// SPDX-License-Identifier: Apache-2.0
// Dates of several datetimes at once: for files compiled for each SIMD level.
//
// Days and what follows from them are whole numbers in doubles: their quotients by constants are floor((n + 1/2) / by),
// which rounding leaves alone, as n + 1/2 is no multiple of `by`. That takes half the instructions that integers need.
#if defined(ATOLL_TABLE_CIVIL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ATOLL_TABLE_CIVIL_INL
#undef ATOLL_TABLE_CIVIL_INL
#else
#define ATOLL_TABLE_CIVIL_INL
#endif

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace atl::table::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using Longs = hn::ScalableTag<std::int64_t>;
using VD = hn::Vec<Doubles>;
using VL = hn::Vec<Longs>;

HWY_INLINE HWY_ATTR VD number(double value) { return hn::Set(Doubles(), value); }
/// Of whole numbers.
HWY_INLINE HWY_ATTR VD down(VD whole, double by) {
  return hn::Floor(hn::Mul(hn::Add(whole, number(0.5)), number(1.0 / by)));
}
HWY_INLINE HWY_ATTR VD less_times(VD from, VD count, double by) { return hn::NegMulAdd(count, number(by), from); }
HWY_INLINE HWY_ATTR VD remainder(VD whole, double by) { return less_times(whole, down(whole, by), by); }
/// 1 where the mask is set, else 0.
template <class M>
HWY_INLINE HWY_ATTR VD one_if(M mask) {
  return hn::IfThenElseZero(mask, number(1));
}

struct Quotients {
  VL whole, left;
};
/// Quotients rounded down of any numbers, by numbers above 0; `twice` where quotients may exceed 2^51.
template <bool twice>
HWY_INLINE HWY_ATTR Quotients divided(VL value, std::int64_t by, double inverse) {
  const Longs di;
  const VL divisor = hn::Set(di, by);
  VL whole = hn::ConvertTo(di, hn::Floor(hn::Mul(hn::ConvertTo(Doubles(), value), number(inverse))));
  VL left = hn::Sub(value, hn::Mul(whole, divisor));
  if constexpr (twice) {
    const VL more = hn::ConvertTo(di, hn::Floor(hn::Mul(hn::ConvertTo(Doubles(), left), number(inverse))));
    whole = hn::Add(whole, more);
    left = hn::Sub(left, hn::Mul(more, divisor));
  }
  const auto low = hn::Lt(left, hn::Zero(di)), high = hn::Not(hn::Lt(left, divisor));
  whole = hn::Add(whole, hn::Sub(hn::VecFromMask(di, low), hn::VecFromMask(di, high)));
  left = hn::Add(left, hn::Sub(hn::IfThenElseZero(low, divisor), hn::IfThenElseZero(high, divisor)));
  return {whole, left};
}

/// A date: cycles of 400 years, then March years in them.
struct Dates {
  VD cycle, century, year;  // cycles since year 0, centuries of the cycle, years of the century
  VD of_year, month, late;  // days since 1 March, months since March, 1 in January and February
};
HWY_INLINE HWY_ATTR Dates dates_of(VD days) {
  Dates date;
  const VD since = hn::Add(days, number(719'468));
  date.cycle = down(since, 146'097);
  const VD of_cycle = less_times(since, date.cycle, 146'097);
  date.century = down(hn::MulAdd(of_cycle, number(4), number(3)), 146'097);
  const VD of_century = hn::Sub(of_cycle, hn::Floor(hn::Mul(date.century, number(36'524.25))));
  date.year = down(hn::MulAdd(of_century, number(4), number(3)), 1'461);
  date.of_year = hn::Sub(of_century, hn::Floor(hn::Mul(date.year, number(365.25))));
  date.month = down(hn::MulAdd(date.of_year, number(5), number(2)), 153);
  date.late = one_if(hn::Ge(date.month, number(10)));
  return date;
}
HWY_INLINE HWY_ATTR VD year_of(const Dates& date) {
  return hn::Add(hn::MulAdd(date.cycle, number(400), date.late), hn::MulAdd(date.century, number(100), date.year));
}
HWY_INLINE HWY_ATTR VD month_of(const Dates& date) { return less_times(hn::Add(date.month, number(3)), date.late, 12); }
HWY_INLINE HWY_ATTR VD day_of(const Dates& date) {
  return hn::Add(hn::Sub(date.of_year, down(hn::MulAdd(date.month, number(153), number(2)), 5)), number(1));
}
HWY_INLINE HWY_ATTR auto is_leap_year(VD year) {
  const auto by_4 = hn::Eq(remainder(year, 4), hn::Zero(Doubles())),
             by_100 = hn::Eq(remainder(year, 100), hn::Zero(Doubles()));
  return hn::And(by_4, hn::Or(hn::Not(by_100), hn::Eq(remainder(year, 400), hn::Zero(Doubles()))));
}
HWY_INLINE HWY_ATTR VD length_of_month(VD year, VD month) {
  const VD alternating = remainder(hn::Add(month, one_if(hn::Gt(month, number(7)))), 2);
  const VD february = hn::Add(number(28), one_if(is_leap_year(year)));
  return hn::IfThenElse(hn::Eq(month, number(2)), february, hn::Add(number(30), alternating));
}
HWY_INLINE HWY_ATTR VD day_of_year(const Dates& date) {
  const VD spring = hn::Add(hn::Add(date.of_year, number(60)), one_if(is_leap_year(year_of(date))));
  return hn::IfThenElse(hn::Gt(date.late, hn::Zero(Doubles())), hn::Sub(date.of_year, number(305)), spring);
}
/// Monday is 0.
HWY_INLINE HWY_ATTR VD day_of_week(VD days) { return remainder(hn::Add(days, number(3)), 7); }
HWY_INLINE HWY_ATTR VD thursday_of(VD days) { return hn::Add(hn::Sub(days, day_of_week(days)), number(3)); }

}  // namespace atl::table::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
