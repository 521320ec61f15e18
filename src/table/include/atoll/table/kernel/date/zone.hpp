// SPDX-License-Identifier: Apache-2.0
// A time zone: how far its clock is ahead of UTC, between the datetimes where that changes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace atl::table {

/// Offset i holds from change i - 1 (UTC) up to change i. All in units of the column.
class Zone {
 public:
  /// As commands carry it: the number of changes, the changes, and one offset more. Empty: UTC.
  Zone(std::span<const std::int64_t> numbers, std::int64_t per_second) {
    const std::size_t count = numbers.empty() ? 0 : static_cast<std::size_t>(numbers[0]);
    offsets_.push_back(0);
    if (numbers.size() < 2 || count > (numbers.size() - 2) / 2) return;
    offsets_.clear();
    for (std::size_t i = 0; i < count; ++i) changes_.push_back(scaled(numbers[1 + i], per_second));
    for (std::size_t i = 0; i <= count; ++i) offsets_.push_back(numbers[1 + count + i] * per_second);
    for (std::size_t i = 0; i < count; ++i) {
      before_.push_back(saturated(changes_[i], offsets_[i]));
      after_.push_back(saturated(changes_[i], offsets_[i + 1]));
    }
  }

  /// The interval that a datetime of UTC lies in; `near` is where the last one did.
  std::size_t interval(std::int64_t utc, std::size_t near) const { return place(changes_, utc, near); }
  /// The same for the zone's clock, as if each change came when the clock before it, or the one after it, shows that.
  std::size_t interval_before(std::int64_t local, std::size_t near) const { return place(before_, local, near); }
  std::size_t interval_after(std::int64_t local, std::size_t near) const { return place(after_, local, near); }

  std::int64_t offset(std::size_t interval) const { return offsets_[interval]; }
  std::int64_t change(std::size_t i) const { return changes_[i]; }

 private:
  static std::int64_t scaled(std::int64_t seconds, std::int64_t per_second) {
    std::int64_t value;
    return __builtin_mul_overflow(seconds, per_second, &value) ? (seconds < 0 ? INT64_MIN : INT64_MAX) : value;
  }
  static std::int64_t saturated(std::int64_t a, std::int64_t b) {
    std::int64_t value;
    return __builtin_add_overflow(a, b, &value) ? (a < 0 ? INT64_MIN : INT64_MAX) : value;
  }
  static std::size_t place(const std::vector<std::int64_t>& at, std::int64_t value, std::size_t near) {
    if ((near == 0 || at[near - 1] <= value) && (near == at.size() || value < at[near])) return near;
    return static_cast<std::size_t>(std::upper_bound(at.begin(), at.end(), value) - at.begin());
  }

  std::vector<std::int64_t> changes_, offsets_, before_, after_;
};

}  // namespace atl::table
