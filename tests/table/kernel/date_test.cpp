// SPDX-License-Identifier: Apache-2.0
// Parts and steps of moments against the arithmetic of one date at a time, in vectors of all lengths.
#include "atoll/table/kernel/date/map.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <vector>

#include "atoll/base/error.hpp"

namespace atl::table {
namespace {

struct Date {
  std::int64_t year, month, day;
};
/// By counting years and months.
Date date_of(std::int64_t days) {
  auto leap = [](std::int64_t year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; };
  Date date{1970, 1, 1};
  for (; days < 0; days += leap(date.year) ? 366 : 365) --date.year;
  for (; days >= (leap(date.year) ? 366 : 365); ++date.year) days -= leap(date.year) ? 366 : 365;
  const std::int64_t lengths[] = {31, leap(date.year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  for (; days >= lengths[date.month - 1]; ++date.month) days -= lengths[date.month - 1];
  date.day = days + 1;
  return date;
}
std::int64_t floor_of(std::int64_t value, std::int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }

std::vector<std::int64_t> moments(std::size_t n, std::int64_t per_day) {
  std::mt19937_64 random(n);
  std::vector<std::int64_t> values(n);
  const std::int64_t most = 9'000'000'000'000'000'000 / (86'400'000'000'000 / per_day);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = std::uniform_int_distribution<std::int64_t>(-most, most)(random);
    if (i % 5 == 0) values[i] = floor_of(values[i], per_day) * per_day;         // midnights
    if (i % 5 == 1) values[i] = floor_of(values[i], per_day) * per_day - 1;     // and just before
  }
  return values;
}

template <class T>
std::vector<T> run(const char* name, std::vector<std::int64_t> numbers, const std::vector<std::int64_t>& values) {
  std::vector<T> out(values.size() + 1);
  out.back() = T{77};
  make_date_map({name, {}, std::move(numbers)}).run(values.data(), values.size(), out.data());
  EXPECT_EQ(out.back(), T{77}) << name << " wrote behind its last value";
  out.pop_back();
  return out;
}

TEST(DateMap, PartsOfVectorsOfAllLengths) {
  for (const std::int64_t per_day :
       {std::int64_t{1}, std::int64_t{86'400}, std::int64_t{86'400'000'000}, std::int64_t{86'400'000'000'000}}) {
    for (std::size_t n : {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 300}) {
      const auto values = moments(n, per_day);
      const auto year = run<std::int32_t>("year", {per_day}, values),
                 month = run<std::int32_t>("month", {per_day}, values);
      const auto day = run<std::int32_t>("day", {per_day}, values), hour = run<std::int32_t>("hour", {per_day}, values);
      const auto weekday = run<std::int32_t>("dayofweek", {per_day}, values);
      for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t days = floor_of(values[i], per_day), time = values[i] - days * per_day;
        const Date date = date_of(days);
        ASSERT_EQ(year[i], date.year) << values[i] << " of " << per_day;
        ASSERT_EQ(month[i], date.month) << values[i];
        ASSERT_EQ(day[i], date.day) << values[i];
        ASSERT_EQ(hour[i], per_day == 1 ? 0 : time / (per_day / 24)) << values[i];
        ASSERT_EQ(weekday[i], ((days + 3) % 7 + 7) % 7) << values[i];
      }
    }
  }
}

TEST(DateMap, RoundsToAnyStep) {
  const std::int64_t per_day = 86'400'000'000'000;
  for (const std::int64_t step : {std::int64_t{1}, std::int64_t{7}, std::int64_t{8'191}, std::int64_t{8'192},
                                  std::int64_t{3'600'000'000'000}, 7 * per_day}) {
    for (std::size_t n : {1, 8, 13, 200}) {
      const auto values = moments(n, per_day);
      const auto low = run<std::int64_t>("floor", {per_day, step, 5}, values),
                 high = run<std::int64_t>("ceil", {per_day, step, 5}, values);
      const auto near = run<std::int64_t>("round", {per_day, step, 5}, values),
                 quotient = run<std::int64_t>("floored", {per_day, step}, values);
      for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t whole = floor_of(values[i] - 5, step), left = values[i] - 5 - whole * step;
        ASSERT_EQ(low[i], values[i] - left) << values[i] << " by " << step;
        ASSERT_EQ(high[i], values[i] - left + (left > 0 ? step : 0)) << values[i] << " by " << step;
        const bool up = 2 * left > step || (2 * left == step && whole % 2 != 0);
        ASSERT_EQ(near[i], values[i] - left + (up ? step : 0)) << values[i] << " by " << step;
        ASSERT_EQ(quotient[i], floor_of(values[i], step)) << values[i] << " by " << step;
      }
    }
  }
  EXPECT_EQ(run<std::int64_t>("floor", {per_day, 1'000, 0}, {INT64_MIN + 1})[0], no_time);
  EXPECT_EQ(run<std::int64_t>("ceil", {per_day, 1'000, 0}, {INT64_MAX})[0], no_time);
}

TEST(DateMap, BusinessDaysOfAnyNumbers) {
  const std::vector<std::int64_t> extreme = {
      INT64_MIN, INT64_MIN + 1, -(std::int64_t{1} << 60), -1, 0, 4, std::int64_t{1} << 60, INT64_MAX - 3, INT64_MAX};
  for (const std::int64_t week : {std::int64_t{1}, std::int64_t{31}, std::int64_t{127}, INT64_MAX}) {
    const auto open = run<char>("is_business", {1, week, INT64_MIN, 0, INT64_MAX}, extreme);
    EXPECT_EQ(open[4], 0);                         // a holiday
    EXPECT_EQ(open[5], static_cast<char>(week & 1)) << week;       // a Monday
    run<std::int64_t>("business_number", {1, week, 0, INT64_MAX}, extreme);
    for (const std::int64_t steps : extreme)
      run<std::int64_t>("business_step", {1, steps, week, 0, INT64_MAX}, extreme);
    const auto days = run<std::int64_t>("business_day", {1, week, 0, INT64_MAX}, extreme);
    EXPECT_EQ(days.front(), no_time);
    EXPECT_EQ(days.back(), no_time);
  }
  EXPECT_EQ(run<std::int64_t>("business_day", {1, 31}, {0, 5}), (std::vector<std::int64_t>{-3, 4}));
}

TEST(DateMap, RefusesLengthsAndWeeksOfNothing) {
  for (const char* name : {"floor", "ceil", "round", "floored", "period"})
    for (const std::int64_t length : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN})
      EXPECT_THROW(make_date_map({name, {}, {1, length, 0}}), ValueError) << name;
  EXPECT_THROW(make_date_map({"of_period", {}, {1, 0, 0, 0}}), ValueError);
  EXPECT_THROW(make_date_map({"anchored", {}, {1, 1, 0, 0, 0}}), ValueError);
  EXPECT_THROW(make_date_map({"business_day", {}, {1, 0}}), ValueError);
  EXPECT_THROW(make_date_map({"business_step", {}, {1, 1, 128}}), ValueError);
  for (const char* name : {"is_business", "business_number", "business_day", "business_step"})
    EXPECT_THROW(make_date_map({name, {}, {1}}), std::out_of_range) << name;
}

}  // namespace
}  // namespace atl::table
