// SPDX-License-Identifier: Apache-2.0
// What is known of some neighbouring rows' values. States of neighbours are joined, the left one first; NaN counts as
// missing.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "atoll/table/kernel/window/window.hpp"

namespace atl::table {

inline constexpr double no_figure = std::numeric_limits<double>::quiet_NaN();

struct TotalState {
  double total = 0;
  std::int64_t values = 0;

  void add(double x, double) {
    const bool there = x == x;
    total += there ? x : 0;
    values += there ? 1 : 0;
  }
  void join(const TotalState& right) {
    total += right.total;
    values += right.values;
  }
  double figure(const WindowSpec& spec) const {
    if (values < spec.min_periods) return no_figure;
    if (spec.figure == WindowFigure::sum) return total;
    return values == 0 ? no_figure : total / static_cast<double>(values);
  }
};

template <bool least>
struct ExtremeState {
  static constexpr double nothing =
      least ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  double extreme = nothing;
  std::int64_t values = 0;

  void add(double x, double) {
    extreme = least ? (x < extreme ? x : extreme) : (x > extreme ? x : extreme);
    values += x == x ? 1 : 0;
  }
  void join(const ExtremeState& right) {
    extreme = least ? (right.extreme < extreme ? right.extreme : extreme)
                    : (right.extreme > extreme ? right.extreme : extreme);
    values += right.values;
  }
  double figure(const WindowSpec& spec) const { return values < spec.min_periods || values == 0 ? no_figure : extreme; }
};

/// Sums of powers of deviations from the mean.
/// Source: P. Pebay, "Formulas for robust, one-pass parallel computation of covariances and arbitrary-order statistical
/// datetimes" (2008).
template <int order>
struct MomentState {
  double values = 0, mean = 0, second = 0, third = 0, fourth = 0;

  void add(double x, double) {
    if (x == x) join({1, x, 0, 0, 0});
  }
  void join(const MomentState& right) {
    if (right.values == 0) return;
    if (values == 0) {
      *this = right;
      return;
    }
    const double a = values, b = right.values, n = a + b;
    const double gap = right.mean - mean, step = gap / n, both = gap * step * a * b;
    if constexpr (order >= 4)
      fourth += right.fourth + both * step * step * (a * a - a * b + b * b) +
                6 * step * step * (a * a * right.second + b * b * second) + 4 * step * (a * right.third - b * third);
    if constexpr (order >= 3) third += right.third + both * step * (a - b) + 3 * step * (a * right.second - b * second);
    second += right.second + both;
    mean += step * b;
    values = n;
  }
  double figure(const WindowSpec& spec) const {
    const double n = values;
    if (n < static_cast<double>(spec.min_periods)) return no_figure;
    if constexpr (order == 2) {
      if (n <= spec.ddof || n < 1) return no_figure;
      const double variance = second / (n - spec.ddof);
      return spec.figure == WindowFigure::std ? std::sqrt(variance) : variance;
    } else if constexpr (order == 3) {
      if (n < 3 || second == 0) return no_figure;
      return n * std::sqrt(n - 1) / (n - 2) * third / (second * std::sqrt(second));
    } else {
      if (n < 4 || second == 0) return no_figure;
      const double share = (n - 1) / ((n - 2) * (n - 3));
      return share * (n * (n + 1) * fourth / (second * second) - 3 * (n - 1));
    }
  }
};

/// Of rows that have both values.
struct PairState {
  double values = 0, x_mean = 0, y_mean = 0, product = 0, x_second = 0, y_second = 0;

  void add(double x, double y) {
    if (x == x && y == y) join({1, x, y, 0, 0, 0});
  }
  void join(const PairState& right) {
    if (right.values == 0) return;
    if (values == 0) {
      *this = right;
      return;
    }
    const double n = values + right.values, x_gap = right.x_mean - x_mean, y_gap = right.y_mean - y_mean;
    const double share = values * right.values / n;
    product += right.product + x_gap * y_gap * share;
    x_second += right.x_second + x_gap * x_gap * share;
    y_second += right.y_second + y_gap * y_gap * share;
    x_mean += x_gap * right.values / n;
    y_mean += y_gap * right.values / n;
    values = n;
  }
  double figure(const WindowSpec& spec) const {
    if (values < static_cast<double>(spec.min_periods) || values < 1) return no_figure;
    if (spec.figure == WindowFigure::cov) return values > spec.ddof ? product / (values - spec.ddof) : no_figure;
    const double scale = std::sqrt(x_second) * std::sqrt(y_second);
    return scale > 0 ? std::fmin(1, std::fmax(-1, product / scale)) : no_figure;
  }
};

/// Calls `body(State{})` with the state that a figure needs; not of quantiles.
template <class Body>
decltype(auto) with_state(WindowFigure figure, Body&& body) {
  switch (figure) {
    case WindowFigure::min: return body(ExtremeState<true>{});
    case WindowFigure::max: return body(ExtremeState<false>{});
    case WindowFigure::var:
    case WindowFigure::std: return body(MomentState<2>{});
    case WindowFigure::skew: return body(MomentState<3>{});
    case WindowFigure::kurt: return body(MomentState<4>{});
    case WindowFigure::cov:
    case WindowFigure::corr: return body(PairState{});
    default: return body(TotalState{});
  }
}

}  // namespace atl::table
