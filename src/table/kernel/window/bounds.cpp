// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/table/kernel/window/window.hpp"

namespace atl::table {
namespace {

/// a - b, or a + b, within the range of an int64.
std::int64_t minus(std::int64_t a, std::int64_t b) {
  std::int64_t result;
  return __builtin_sub_overflow(a, b, &result)
             ? (b > 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max())
             : result;
}
std::int64_t plus(std::int64_t a, std::int64_t b) {
  std::int64_t result;
  return __builtin_add_overflow(a, b, &result)
             ? (b > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min())
             : result;
}

}  // namespace

bool WindowBounds::is_before(std::int64_t other, std::int64_t row) const {
  if (rows_.segments != nullptr && segment(other) < segment(row)) return true;
  switch (spec_.frame) {
    case Frame::expanding: return false;
    case Frame::rows: {
      const std::int64_t offset = spec_.centred ? (spec_.size - 1) / 2 : 0;
      return other < row + offset + 1 - spec_.size - (spec_.left_closed ? 1 : 0);
    }
    case Frame::range: {
      // Half a unit does not occur: with an odd size both ends are closed.
      const bool halves = spec_.centred && spec_.size % 2 == 1;
      const std::int64_t bound = minus(time(row), spec_.centred ? spec_.size / 2 : spec_.size);
      return time(other) < bound || (time(other) == bound && !spec_.left_closed && !halves);
    }
  }
  return false;
}

bool WindowBounds::is_within(std::int64_t other, std::int64_t row) const {
  if (spec_.frame == Frame::expanding) return other <= row;
  if (rows_.segments != nullptr && segment(other) > segment(row)) return false;
  if (spec_.frame == Frame::rows) {
    const std::int64_t offset = spec_.centred ? (spec_.size - 1) / 2 : 0;
    return other < row + offset + (spec_.right_closed ? 1 : 0);
  }
  if (!spec_.centred) return spec_.right_closed ? other <= row : time(other) < time(row);
  const bool halves = spec_.size % 2 == 1;
  const std::int64_t bound = plus(time(row), spec_.size / 2);
  return time(other) < bound || (time(other) == bound && (spec_.right_closed || halves));
}

void WindowBounds::next(std::int64_t row, std::int64_t count, std::int64_t* begin, std::int64_t* end) {
  const std::int64_t stop = rows_.end();
  if (spec_.frame == Frame::rows && rows_.segments == nullptr) {
    const std::int64_t offset = spec_.centred ? (spec_.size - 1) / 2 : 0;
    const std::int64_t low = offset + 1 - spec_.size - (spec_.left_closed ? 1 : 0),
                       high = offset + (spec_.right_closed ? 1 : 0);
    for (std::int64_t i = 0; i < count; ++i) {
      begin[i] = std::max<std::int64_t>(row + i + low, 0);
      end[i] = std::min(row + i + high, stop);
    }
    return;
  }
  if (!started_) {
    // The first row that is not before the window.
    std::int64_t left = rows_.first, right = row;
    while (left < right) {
      const std::int64_t middle = left + (right - left) / 2;
      if (is_before(middle, row)) left = middle + 1;
      else right = middle;
    }
    low_ = high_ = left;
    started_ = true;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    while (low_ < row + i && is_before(low_, row + i)) ++low_;
    high_ = std::max(high_, low_);
    if (!spec_.centred && spec_.right_closed) high_ = row + i + 1;
    else
      while (high_ < stop && is_within(high_, row + i)) ++high_;
    begin[i] = low_;
    end[i] = high_;
  }
}

std::int64_t widest_window(array::Work work, const WindowSpec& spec, const WindowRows& rows, std::int64_t begin,
                           std::int64_t end) {
  if (spec.frame == Frame::rows) return spec.size + (spec.left_closed ? 1 : 0);
  constexpr std::int64_t piece = 1024;
  std::vector<std::int64_t> widest(work.threads.size(), 1);
  array::Polling polling(work);
  polling.for_ranges(
      static_cast<std::size_t>(end - begin), piece, [&](std::size_t from, std::size_t to, unsigned thread) {
        WindowBounds bounds(spec, rows);
        std::int64_t low[piece], high[piece];
        array::Pace pace(polling, thread);
        for (auto at = static_cast<std::int64_t>(from); at < static_cast<std::int64_t>(to); at += piece) {
          const std::int64_t n = std::min(piece, static_cast<std::int64_t>(to) - at);
          bounds.next(begin + at, n, low, high);
          pace.done(static_cast<std::size_t>(n));
          for (std::int64_t i = 0; i < n; ++i) widest[thread] = std::max(widest[thread], high[i] - low[i]);
        }
      });
  return *std::max_element(widest.begin(), widest.end());
}

}  // namespace atl::table
