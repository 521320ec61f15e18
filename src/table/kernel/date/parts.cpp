// SPDX-License-Identifier: Apache-2.0
// Parts of a date and of a time of day.
#include <algorithm>

#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/date/parts.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernel/date/civil-inl.hpp"
#include "kernel/date/families.hpp"

#ifndef ATOLL_TABLE_DATE_PARTS
#define ATOLL_TABLE_DATE_PARTS
namespace atl::table {

enum class Part {
  year,
  month,
  day,
  of_week,
  of_year,
  quarter,
  in_month,
  leap,
  iso_year,
  iso_week,
  month_start,
  month_end,
  quarter_start,
  quarter_end,
  year_start,
  year_end,
  hour,
  minute,
  second,
  of_day,
  microsecond,
  nanosecond,
  date,
  time,
};

}  // namespace atl::table
#endif

HWY_BEFORE_NAMESPACE();
namespace atl::table::HWY_NAMESPACE {
namespace {

HWY_INLINE HWY_ATTR void store(VL value, std::int64_t* to) { hn::StoreU(value, Longs(), to); }
HWY_INLINE HWY_ATTR void store(VD value, std::int32_t* to) {
  const hn::Rebind<std::int32_t, Doubles> di;
  hn::StoreU(hn::DemoteTo(di, value), di, to);
}
HWY_INLINE HWY_ATTR void store(VD value, bool* to) {
  const hn::Rebind<std::int32_t, Doubles> di;
  const hn::Rebind<std::uint8_t, Doubles> du;
  hn::StoreU(hn::DemoteTo(du, hn::DemoteTo(di, value)), du, reinterpret_cast<std::uint8_t*>(to));
}

/// out[i] = part(quotient of value i by the units of a day), a vector at a time.
template <class T, class F>
HWY_INLINE HWY_ATTR void each(const std::int64_t* values, std::size_t n, std::int64_t per_day, void* out, F part) {
  const Longs di;
  const std::size_t lanes = hn::Lanes(di);
  const double inverse = 1.0 / static_cast<double>(per_day);
  T* to = static_cast<T*>(out);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) store(part(divided<false>(hn::LoadU(di, values + i), per_day, inverse)), to + i);
  if (i == n) return;
  HWY_ALIGN std::int64_t rest[hn::MaxLanes(di)] = {};
  HWY_ALIGN T made[hn::MaxLanes(di)];
  std::copy(values + i, values + n, rest);
  store(part(divided<false>(hn::Load(di, rest), per_day, inverse)), made);
  std::copy_n(made, n - i, to + i);
}

HWY_INLINE HWY_ATTR VD doubles(VL values) { return hn::ConvertTo(Doubles(), values); }

}  // namespace

#define DATE(expression) \
  each<std::int32_t>(values, n, per_day, out, [&](const Quotients& q) HWY_ATTR { \
    const VD days = doubles(q.whole); \
    [[maybe_unused]] const Dates c = dates_of(days); \
    return expression; \
  })
#define WHETHER(expression) \
  each<bool>(values, n, per_day, out, [&](const Quotients& q) HWY_ATTR { \
    const Dates c = dates_of(doubles(q.whole)); \
    [[maybe_unused]] const VD month = month_of(c), day = day_of(c); \
    return one_if(expression); \
  })
#define TIME(expression) \
  each<std::int32_t>(values, n, per_day, out, [&](const Quotients& q) HWY_ATTR { \
    const VD time = doubles(q.left); \
    return expression; \
  })

HWY_ATTR void DateParts(Part part, const std::int64_t* values, std::size_t n, std::int64_t per_day, void* out) {
  const double second = static_cast<double>(per_day) / 86'400;
  const double per_microsecond = std::max(second / 1e6, 1.0), scale = std::max(1e6 / second, 1.0);
  switch (part) {
    case Part::year: return DATE(year_of(c));
    case Part::month: return DATE(month_of(c));
    case Part::day: return DATE(day_of(c));
    case Part::of_week:
      return each<std::int32_t>(values, n, per_day, out,
                                [&](const Quotients& q) HWY_ATTR { return day_of_week(doubles(q.whole)); });
    case Part::of_year: return DATE(day_of_year(c));
    case Part::quarter: return DATE(hn::Add(down(hn::Sub(month_of(c), number(1)), 3), number(1)));
    case Part::in_month: return DATE(length_of_month(year_of(c), month_of(c)));
    case Part::iso_year: return DATE(year_of(dates_of(thursday_of(days))));
    case Part::iso_week:
      return DATE(hn::Add(down(hn::Sub(day_of_year(dates_of(thursday_of(days))), number(1)), 7), number(1)));
    case Part::leap: return WHETHER(is_leap_year(year_of(c)));
    case Part::month_start: return WHETHER(hn::Eq(day, number(1)));
    case Part::month_end: return WHETHER(hn::Eq(day, length_of_month(year_of(c), month)));
    case Part::quarter_start: return WHETHER(hn::And(hn::Eq(day, number(1)), hn::Eq(remainder(month, 3), number(1))));
    case Part::quarter_end:
      return WHETHER(hn::And(hn::Eq(remainder(month, 3), number(0)), hn::Eq(day, length_of_month(year_of(c), month))));
    case Part::year_start: return WHETHER(hn::And(hn::Eq(day, number(1)), hn::Eq(month, number(1))));
    case Part::year_end: return WHETHER(hn::And(hn::Eq(day, number(31)), hn::Eq(month, number(12))));
    case Part::hour: return TIME(down(time, 3'600 * second));
    case Part::minute: return TIME(remainder(down(time, 60 * second), 60));
    case Part::second: return TIME(remainder(down(time, second), 60));
    case Part::of_day: return TIME(down(time, second));
    case Part::microsecond: return TIME(hn::Mul(down(remainder(time, second), per_microsecond), number(scale)));
    case Part::nanosecond: return TIME(remainder(time, 1'000));
    case Part::date:
      return each<std::int64_t>(values, n, per_day, out, [&](const Quotients& q) HWY_ATTR { return q.whole; });
    case Part::time:
      return each<std::int64_t>(values, n, per_day, out, [&](const Quotients& q) HWY_ATTR { return q.left; });
  }
}

#undef DATE
#undef WHETHER
#undef TIME

}  // namespace atl::table::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::table {
HWY_EXPORT(DateParts);

namespace {

template <Part part>
DateMap part_of(const TextCall& call) {
  const std::int64_t per_day = call.numbers[0];
  const bool flag = part == Part::leap || (part >= Part::month_start && part <= Part::year_end);
  const array::DType type = flag                                       ? array::DType::b1
                            : part == Part::date || part == Part::time ? array::DType::i64
                                                                       : array::DType::i32;
  // Below the unit there is nothing.
  const std::int64_t finest = part == Part::nanosecond                          ? 86'400'000'000'000
                              : part >= Part::hour && part <= Part::microsecond ? 86'400
                                                                                : 1;
  return {type, [=](const std::int64_t* values, std::size_t n, void* out) {
            if (per_day < finest) std::fill_n(static_cast<std::int32_t*>(out), n, 0);
            else HWY_DYNAMIC_DISPATCH(DateParts)(part, values, n, per_day, out);
          }};
}

constexpr DateMapEntry entries[] = {
    {"year", part_of<Part::year>},
    {"month", part_of<Part::month>},
    {"day", part_of<Part::day>},
    {"dayofweek", part_of<Part::of_week>},
    {"dayofyear", part_of<Part::of_year>},
    {"quarter", part_of<Part::quarter>},
    {"days_in_month", part_of<Part::in_month>},
    {"is_leap_year", part_of<Part::leap>},
    {"iso_year", part_of<Part::iso_year>},
    {"iso_week", part_of<Part::iso_week>},
    {"is_month_start", part_of<Part::month_start>},
    {"is_month_end", part_of<Part::month_end>},
    {"is_quarter_start", part_of<Part::quarter_start>},
    {"is_quarter_end", part_of<Part::quarter_end>},
    {"is_year_start", part_of<Part::year_start>},
    {"is_year_end", part_of<Part::year_end>},
    {"hour", part_of<Part::hour>},
    {"minute", part_of<Part::minute>},
    {"second", part_of<Part::second>},
    {"second_of_day", part_of<Part::of_day>},
    {"microsecond", part_of<Part::microsecond>},
    {"nanosecond", part_of<Part::nanosecond>},
    {"date", part_of<Part::date>},
    {"time", part_of<Part::time>},
};

}  // namespace

std::span<const DateMapEntry> part_maps() { return entries; }

}  // namespace atl::table
#endif
