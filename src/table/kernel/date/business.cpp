// SPDX-License-Identifier: Apache-2.0
// Days on which business is done: some days of the week, without holidays.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "atoll/base/validate.hpp"
#include "kernel/date/civil.hpp"
#include "kernel/date/families.hpp"

namespace atl::table {
namespace {

class Business {
 public:
  /// numbers from `from` on: the days of the week as bits, Monday's is 1; then holidays, ascending.
  Business(const TextCall& call, std::size_t from) {
    const std::int64_t week = call.numbers.at(from);
    holidays_.assign(call.numbers.begin() + static_cast<std::ptrdiff_t>(from) + 1, call.numbers.end());
    for (std::size_t day = 0; day < 7; ++day) {
      open_[day] = (week >> day & 1) != 0;
      before_[day] = per_week_;
      if (open_[day]) places_[static_cast<std::size_t>(per_week_++)] = static_cast<std::int64_t>(day);
    }
    std::erase_if(holidays_, [&](std::int64_t day) { return !open_[weekday_of(day)]; });
  }

  /// This, where some day of the week is open.
  Business&& with_days() && {
    ATOLL_VALIDATE(per_week_ > 0, ValueError, "business days are counted, and no day of the week is one");
    return std::move(*this);
  }

  bool is_open(std::int64_t day) const {
    return open_[weekday_of(day)] && !std::binary_search(holidays_.begin(), holidays_.end(), day);
  }
  /// Open days before this one, of those since some Monday.
  std::int64_t number(std::int64_t day) const {
    const Quotient week = divide(static_cast<std::int64_t>(static_cast<std::uint64_t>(day) + 3), 7);
    const auto closed = std::lower_bound(holidays_.begin(), holidays_.end(), day) - holidays_.begin();
    return week.whole * per_week_ + before_[static_cast<std::size_t>(week.left)] - closed;
  }
  /// The open day with that number, where some day of the week is open; `no_time` where it is out of range.
  std::int64_t day(std::int64_t number) const {
    if (number > most || number < -most) return no_time;
    for (std::int64_t closed = 0;;) {
      const Quotient week = divide(number + closed, per_week_);
      const std::int64_t day = 7 * week.whole + places_[static_cast<std::size_t>(week.left)] - 3;
      const auto passed = std::upper_bound(holidays_.begin(), holidays_.end(), day) - holidays_.begin();
      if (passed == closed) return day;
      closed = passed;
    }
  }

 private:
  static constexpr std::int64_t most = std::int64_t{1} << 59;  // seven times as many, and holidays, fit into 64 bits

  std::vector<std::int64_t> holidays_;
  std::array<bool, 7> open_{};
  std::array<std::int64_t, 7> before_{}, places_{};
  std::int64_t per_week_ = 0;
};

template <class F>
DateMap each(F each_value) {
  return {array::DType::i64, [=](const std::int64_t* values, std::size_t n, void* out) {
            for (std::size_t i = 0; i < n; ++i) static_cast<std::int64_t*>(out)[i] = each_value(values[i]);
          }};
}

DateMap is_open(const TextCall& call) {
  return {array::DType::b1, [business = Business(call, 1)](const std::int64_t* values, std::size_t n, void* out) {
            for (std::size_t i = 0; i < n; ++i) static_cast<bool*>(out)[i] = business.is_open(values[i]);
          }};
}

DateMap number_of(const TextCall& call) {
  return each([business = Business(call, 1)](std::int64_t day) { return business.number(day); });
}

DateMap day_of(const TextCall& call) {
  return each([business = Business(call, 1).with_days()](std::int64_t number) { return business.day(number); });
}

/// numbers: how many days. From a day that is none, the first step forward leads to the next; with 0 that, too.
DateMap step(const TextCall& call) {
  const std::int64_t per_day = call.numbers[0], steps = call.numbers.at(1);
  return each([=, business = Business(call, 2).with_days()](std::int64_t value) {
    const Quotient q = divide(value, per_day);
    const std::int64_t from = business.number(q.whole) - (steps > 0 && !business.is_open(q.whole) ? 1 : 0);
    std::int64_t to, moved;
    return __builtin_add_overflow(from, steps, &to) || __builtin_mul_overflow(business.day(to), per_day, &moved) ||
                   __builtin_add_overflow(moved, q.left, &moved)
               ? no_time
               : moved;
  });
}

constexpr DateMapEntry entries[] = {
    {"is_business", is_open}, {"business_number", number_of}, {"business_day", day_of}, {"business_step", step}};

}  // namespace

std::span<const DateMapEntry> business_maps() { return entries; }

}  // namespace atl::table
