// SPDX-License-Identifier: Apache-2.0
// Moments moved: to multiples of a length, by months, to the ends of months, quarters, years and weeks.
#include <algorithm>

#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/date/steps.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "atoll/base/validate.hpp"
#include "kernel/date/civil-inl.hpp"
#include "kernel/date/civil.hpp"
#include "kernel/date/families.hpp"

#ifndef ATOLL_TABLE_DATE_STEPS
#define ATOLL_TABLE_DATE_STEPS
namespace atl::table {

enum class Rounding { floor, ceil, even };

}  // namespace atl::table
#endif

HWY_BEFORE_NAMESPACE();
namespace atl::table::HWY_NAMESPACE {
namespace {

/// out[i] = step(value i), a vector at a time.
template <class F>
HWY_INLINE HWY_ATTR void each_vector(const std::int64_t* values, std::size_t n, std::int64_t* out, F step) {
  const Longs di;
  const std::size_t lanes = hn::Lanes(di);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(step(hn::LoadU(di, values + i)), di, out + i);
  if (i == n) return;
  HWY_ALIGN std::int64_t rest[hn::MaxLanes(di)] = {};
  std::copy(values + i, values + n, rest);
  hn::Store(step(hn::Load(di, rest)), di, rest);
  std::copy_n(rest, n - i, out + i);
}

/// To multiples of `step` from `origin` on; `no_time` where that is out of range.
template <Rounding rounding, bool twice>
HWY_INLINE HWY_ATTR void round_all(const std::int64_t* values, std::size_t n, std::int64_t step, std::int64_t origin,
                                   std::int64_t* out) {
  const Longs di;
  const double inverse = 1.0 / static_cast<double>(step);
  const VL none = hn::Set(di, no_time), one = hn::Set(di, 1), by = hn::Set(di, step), half = hn::Set(di, step / 2),
           zero = hn::Set(di, origin);
  each_vector(values, n, out, [&](VL value) HWY_ATTR {
    const Quotients q = divided<twice>(hn::Sub(value, zero), step, inverse);
    const VL below = hn::Sub(value, q.left);
    const auto under = hn::Gt(below, value);
    if constexpr (rounding == Rounding::floor) return hn::IfThenElse(under, none, below);
    auto up = hn::Ne(q.left, hn::Zero(di));
    if constexpr (rounding == Rounding::even) {
      const auto tie = hn::And(hn::Eq(q.left, half), hn::Eq(hn::And(q.whole, one), one));
      up = (step & 1) != 0 ? hn::Gt(q.left, half) : hn::Or(hn::Gt(q.left, half), tie);
    }
    const VL to = hn::Add(below, hn::IfThenElseZero(up, by));
    return hn::IfThenElse(hn::Or(hn::And(up, hn::Lt(to, value)), hn::And(hn::Not(up), under)), none, to);
  });
}

template <Rounding rounding>
HWY_INLINE HWY_ATTR void round_by(const std::int64_t* values, std::size_t n, std::int64_t step, std::int64_t origin,
                                  std::int64_t* out) {
  // Quotients below 2^51 need one step.
  if (step >= 1 << 13) round_all<rounding, false>(values, n, step, origin, out);
  else round_all<rounding, true>(values, n, step, origin, out);
}

}  // namespace

HWY_ATTR void RoundTo(Rounding rounding, const std::int64_t* values, std::size_t n, std::int64_t step,
                      std::int64_t origin, std::int64_t* out) {
  switch (rounding) {
    case Rounding::floor: return round_by<Rounding::floor>(values, n, step, origin, out);
    case Rounding::ceil: return round_by<Rounding::ceil>(values, n, step, origin, out);
    case Rounding::even: return round_by<Rounding::even>(values, n, step, origin, out);
  }
}

HWY_ATTR void FloorQuotients(const std::int64_t* values, std::size_t n, std::int64_t by, std::int64_t* out) {
  const double inverse = 1.0 / static_cast<double>(by);
  each_vector(values, n, out, [&](VL value) HWY_ATTR { return divided<true>(value, by, inverse).whole; });
}

/// The period, of some months from the anchor's on, that a datetime lies in.
HWY_ATTR void Periods(const std::int64_t* values, std::size_t n, std::int64_t per_day, std::int64_t months,
                      std::int64_t anchor, std::int64_t* out) {
  const double inverse = 1.0 / static_cast<double>(per_day), of_year = static_cast<double>(-1 - anchor),
               by = static_cast<double>(months);
  each_vector(values, n, out, [&](VL value) HWY_ATTR {
    const Dates date = dates_of(hn::ConvertTo(Doubles(), divided<false>(value, per_day, inverse).whole));
    const VD month = hn::MulAdd(year_of(date), number(12), hn::Add(month_of(date), number(of_year)));
    return hn::ConvertTo(Longs(), down(month, by));
  });
}

}  // namespace atl::table::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::table {
HWY_EXPORT(RoundTo);
HWY_EXPORT(Periods);
HWY_EXPORT(FloorQuotients);

namespace {

/// A number of the call that is above 0.
std::int64_t above_zero(const TextCall& call, std::size_t place) {
  const std::int64_t number = call.numbers.at(place);
  ATOLL_VALIDATE(number > 0, ValueError, "'{}' of moments needs a length above 0, not {}", call.name, number);
  return number;
}

template <Rounding rounding>
DateMap round_to(const TextCall& call) {
  const std::int64_t step = above_zero(call, 1), origin = call.numbers.at(2);
  return {array::DType::i64, [=](const std::int64_t* values, std::size_t n, void* out) {
            HWY_DYNAMIC_DISPATCH(RoundTo)(rounding, values, n, step, origin, static_cast<std::int64_t*>(out));
          }};
}

/// numbers: the divisor, above 0. Quotients rounded down.
DateMap floored(const TextCall& call) {
  return {array::DType::i64, [by = above_zero(call, 1)](const std::int64_t* values, std::size_t n, void* out) {
            HWY_DYNAMIC_DISPATCH(FloorQuotients)(values, n, by, static_cast<std::int64_t*>(out));
          }};
}

DateMap period(const TextCall& call) {
  const std::int64_t per_day = call.numbers[0], months = above_zero(call, 1), anchor = call.numbers.at(2);
  return {array::DType::i64, [=](const std::int64_t* values, std::size_t n, void* out) {
            HWY_DYNAMIC_DISPATCH(Periods)(values, n, per_day, months, anchor, static_cast<std::int64_t*>(out));
          }};
}

/// The day of a month that something is anchored at.
enum class At { first, last, first_business, last_business };

std::int64_t day_at(At at, std::int64_t month) {
  const std::int64_t first = days_of_month(month);
  if (at == At::first || at == At::first_business) {
    const std::uint32_t weekday = weekday_of(first);
    return at == At::first || weekday < 5 ? first : first + 7 - weekday;
  }
  const std::int64_t last = days_of_month(month + 1) - 1;
  const std::uint32_t weekday = weekday_of(last);
  return at == At::last || weekday < 5 ? last : last - (weekday - 4);
}

/// days * per_day + time, or no_time.
std::int64_t moment(std::int64_t days, std::int64_t per_day, std::int64_t time) {
  std::int64_t value;
  if (__builtin_mul_overflow(days, per_day, &value) || __builtin_add_overflow(value, time, &value)) return no_time;
  return value;
}

template <class F>
DateMap each(F each_value) {
  return {array::DType::i64, [=](const std::int64_t* values, std::size_t n, void* out) {
            for (std::size_t i = 0; i < n; ++i) static_cast<std::int64_t*>(out)[i] = each_value(values[i]);
          }};
}

/// numbers: months of a period, its anchor, At. The day of periods that are given by number.
DateMap of_period(const TextCall& call) {
  const std::int64_t per_day = call.numbers[0], months = above_zero(call, 1), anchor = call.numbers.at(2);
  const At at = static_cast<At>(call.numbers.at(3));
  const bool last = at == At::last || at == At::last_business;
  return each([=](std::int64_t number) {
    std::int64_t month;
    if (__builtin_mul_overflow(number, months, &month) || month > (std::int64_t{1} << 40) ||
        month < -(std::int64_t{1} << 40))
      return no_time;
    return moment(day_at(at, month + anchor + (last ? months - 1 : 0)), per_day, 0);
  });
}

/// numbers: how many months. The day is the last of its month where there is no such day.
DateMap add_months(const TextCall& call) {
  const std::int64_t per_day = call.numbers[0], months = call.numbers.at(1);
  return each([=](std::int64_t value) {
    const Quotient q = divide(value, per_day);
    const Civil c = civil_of(q.whole);
    const std::int64_t first = days_of_month(12 * c.year + c.month - 1 + months),
                       length = days_of_month(12 * c.year + c.month + months) - first;
    return moment(first + std::min<std::int64_t>(c.day, length) - 1, per_day, q.left);
  });
}

/// numbers: how many steps, months of one, the anchor's month from 0, At: pandas' offsets of months, quarters and
/// years. From between two days of the sequence the first step leads to the nearer one.
DateMap anchored(const TextCall& call) {
  const std::int64_t per_day = call.numbers[0], steps = call.numbers.at(1), months = above_zero(call, 2),
                     anchor = call.numbers.at(3);
  const At at = static_cast<At>(call.numbers.at(4));
  return each([=](std::int64_t value) {
    const Quotient q = divide(value, per_day);
    const Civil c = civil_of(q.whole);
    const std::int64_t month = 12 * c.year + c.month - 1;
    const std::int64_t since = (c.month - 1) % months - anchor % months, here = day_at(at, month);
    std::int64_t n = steps;
    if (n > 0 && (since < 0 || (since == 0 && q.whole < here))) --n;
    else if (n <= 0 && (since > 0 || (since == 0 && q.whole > here))) ++n;
    return moment(day_at(at, month + n * months - since), per_day, q.left);
  });
}

/// numbers: how many steps, a weekday.
DateMap weekly(const TextCall& call) {
  const std::int64_t per_day = call.numbers[0], steps = call.numbers.at(1), weekday = call.numbers.at(2);
  return each([=](std::int64_t value) {
    const Quotient q = divide(value, per_day);
    const std::int64_t ahead = divide(weekday - weekday_of(q.whole), 7).left;
    return moment(q.whole + ahead + 7 * (ahead != 0 && steps > 0 ? steps - 1 : steps), per_day, q.left);
  });
}

constexpr DateMapEntry entries[] = {
    {"floor", round_to<Rounding::floor>},
    {"ceil", round_to<Rounding::ceil>},
    {"round", round_to<Rounding::even>},
    {"period", period},
    {"of_period", of_period},
    {"add_months", add_months},
    {"anchored", anchored},
    {"weekly", weekly},
    {"floored", floored},
};

}  // namespace

std::span<const DateMapEntry> step_maps() { return entries; }

}  // namespace atl::table
#endif
