// SPDX-License-Identifier: Apache-2.0
// Windows over rows: which rows each has, and figures of their values.
#pragma once

#include <cstdint>

#include "atoll/array/kernel/work.hpp"

namespace atl::table {

/// `less` and `same`: how many values are less than the window's last row's, and how many equal it, itself included.
enum class WindowFigure : std::uint8_t { sum, mean, var, std, skew, kurt, min, max, cov, corr, quantile, less, same };
/// The last `size` rows; those whose times lie at most `size` apart; all rows up to this one.
enum class Frame : std::uint8_t { rows, range, expanding };
enum class Interpolation : std::uint8_t { linear, lower, higher, midpoint, nearest };

/// Windows as pandas has them: they end at their row, or lie around it when centred; NaN counts as missing.
struct WindowSpec {
  WindowFigure figure = WindowFigure::sum;
  Frame frame = Frame::rows;
  std::int64_t size = 1;  ///< at least 1
  bool left_closed = false, right_closed = true, centred = false;
  std::int64_t min_periods = 1;  ///< fewer values give NaN
  std::int32_t ddof = 1;         ///< of var, std and cov
  double q = 0.5;                ///< of quantile
  Interpolation interpolation = Interpolation::linear;

  template <class Archive>
  void fields(Archive& archive) {
    archive(figure, frame, size, left_closed, right_closed, centred, min_periods, ddof, q, interpolation);
  }
};

/// Rows that lie here, one after the other. What a figure does not need is null.
struct WindowRows {
  std::int64_t first = 0;  ///< global number of the first row here
  std::int64_t count = 0;
  const double* x = nullptr;
  const double* y = nullptr;
  const std::int64_t* segments = nullptr;  ///< ascending; no window reaches beyond its row's segment
  const std::int64_t* times = nullptr;     ///< ascending in each segment

  std::int64_t end() const { return first + count; }
};

/// Where the windows of rows [begin, end) begin and end, global row numbers, both of them ascending from row to row.
/// Here are the rows of all these windows.
class WindowBounds {
 public:
  WindowBounds(const WindowSpec& spec, const WindowRows& rows) : spec_(spec), rows_(rows) {}

  /// The next rows' windows; `begin` and `end` hold `count` elements.
  void next(std::int64_t row, std::int64_t count, std::int64_t* begin, std::int64_t* end);
  /// Whether row `other` lies left of the window of `row`.
  bool is_before(std::int64_t other, std::int64_t row) const;
  /// Whether it does not lie right of it.
  bool is_within(std::int64_t other, std::int64_t row) const;

 private:
  std::int64_t segment(std::int64_t row) const { return rows_.segments[row - rows_.first]; }
  std::int64_t time(std::int64_t row) const { return rows_.times[row - rows_.first]; }

  WindowSpec spec_;
  WindowRows rows_;
  bool started_ = false;
  std::int64_t low_ = 0, high_ = 0;
};

/// How many rows the largest window of rows [begin, end) has.
std::int64_t widest_window(array::Work work, const WindowSpec& spec, const WindowRows& rows, std::int64_t begin,
                           std::int64_t end);

/// The figure of the windows of rows [begin, end), of any kind that needs no order. Values are added up from multiples
/// of `block` rows on, which holds the widest window: so last bits depend on nothing else. No window is corrected by
/// taking values away again: each is made of sums towards and from a row between its ends ("two stacks"), three
/// additions per row.
void slide(array::Work work, const WindowSpec& spec, const WindowRows& rows, std::int64_t begin, std::int64_t end,
           std::int64_t block, double* out);

/// Quantiles of the windows of rows [begin, end): values are numbered in order, `block` rows at a time, and a set of
/// numbers knows the one of the last window's quantile, from where that of the next is a step or two: O(log block) per
/// row for the numbers.
void window_quantiles(array::Work work, const WindowSpec& spec, const WindowRows& rows, std::int64_t begin,
                      std::int64_t end, std::int64_t block, double* out);

/// `less` or `same` of the windows of rows [begin, end): numbers as above, and a tree of counts: O(log block) per row.
/// NaN where the window's last row has no value.
void window_places(array::Work work, const WindowSpec& spec, const WindowRows& rows, std::int64_t begin,
                   std::int64_t end, std::int64_t block, double* out);

}  // namespace atl::table
