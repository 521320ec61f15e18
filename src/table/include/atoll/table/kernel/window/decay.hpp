// SPDX-License-Identifier: Apache-2.0
// Exponentially weighted means and variances: states of neighbouring rows, and the running figure.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace atl::table {

enum class DecayFigure : std::uint8_t { mean, var, std };
enum class DecayWeights : std::uint8_t { adjusted, recursive };
enum class DecayGaps : std::uint8_t { count, ignore };

/// Every row multiplies the weights of those before it by 1 - alpha, or by 2^(-time / halflife) where times are given.
struct DecaySpec {
  DecayFigure figure = DecayFigure::mean;
  DecayWeights weights =
      DecayWeights::adjusted;  ///< recursive: each value has weight alpha beside all before it together
  DecayGaps gaps = DecayGaps::count;              ///< ignore: rows without a value do not count
  double alpha = 0.5;
  double halflife = 0;  ///< in units of the times
  std::int64_t min_periods = 1;
  bool bias = false;

  template <class Archive>
  void fields(Archive& archive) {
    archive(figure, weights, gaps, alpha, halflife, min_periods, bias);
  }
};

/// Weighted values: the sum of weights and of their squares, the mean, and the weighted squares of deviations from it.
struct Weighted {
  double weight = 0, squares = 0, mean = 0, spread = 0;

  void scale(double by) {
    weight *= by;
    squares *= by * by;
    spread *= by;
  }
  void join(const Weighted& right) {
    if (right.weight == 0) return;
    if (weight == 0) {
      *this = right;
      return;
    }
    const double all = weight + right.weight, gap = right.mean - mean, share = right.weight / all;
    spread += right.spread + gap * gap * weight * share;
    mean += gap * share;
    weight = all;
    squares += right.squares;
  }
};

/// One row: how the weights before it decay, and its value.
struct DecayRow {
  double factor, value;
  bool there() const { return value == value; }
};

/// Rows whose weights are powers of the factor. A state of rows joins one of those behind it.
struct AdjustedDecay {
  Weighted values;
  double decay = 1;  // of what is before these rows
  std::int64_t count = 0;

  void add(const DecayRow& row, double) {
    decay *= row.factor;
    values.scale(row.factor);
    if (!row.there()) return;
    values.join({1, 1, row.value, 0});
    ++count;
  }
  void join(const AdjustedDecay& right) {
    values.scale(right.decay);
    values.join(right.values);
    decay *= right.decay;
    count += right.count;
  }
  Weighted total() const { return values; }
};

/// Rows of which each value has weight alpha beside all before it, whose weights together are 1 before they decay. What
/// comes before some rows changes the weight of the first value among them alone: so that one stands apart.
struct RecursiveDecay {
  Weighted others;  // all weights together are 1
  double first = 0;  // the first value,
  double first_weight = 0;  // and its weight
  double lead = 1;  // what decays before the first value, with it
  double trail = 1;  // and behind the last
  double alpha = 0;
  std::int64_t count = 0;

  void add(const DecayRow& row, double weight) {
    RecursiveDecay one;
    one.alpha = weight;
    if (row.there()) {
      one.first = row.value;
      one.first_weight = 1;
      one.lead = row.factor;
      one.count = 1;
    } else {
      one.trail = row.factor;
    }
    join(one);
  }
  void join(const RecursiveDecay& right) {
    if (right.count == 0) {
      trail *= right.trail;
      return;
    }
    if (count == 0) {
      const double before = trail;
      *this = right;
      lead *= before;
      return;
    }
    const double old = trail * right.lead, share = right.first_weight / (old + right.alpha),
                 weight = share * right.alpha;
    const Weighted one{weight, weight * weight, right.first, 0};
    others.scale(share * old);
    first_weight *= share * old;
    others.join(one);
    others.join(right.others);
    trail = right.trail;
    alpha = right.alpha;
    count += right.count;
  }
  Weighted total() const {
    Weighted all{first_weight, first_weight * first_weight, first, 0};
    all.join(others);
    return all;
  }
};

/// The figure from row to row, of rows with recursive weights.
struct RunningRecursive {
  Weighted values;
  double old = 1;  // the weight of all before, 1 before it decays
  std::int64_t count = 0;

  explicit RunningRecursive(const RecursiveDecay& state)
      : values(state.total()), old(state.count == 0 ? 1 : state.trail), count(state.count) {
    if (count == 0) values = {};
  }
  void add(const DecayRow& row, double alpha) {
    old *= row.factor;
    if (!row.there()) return;
    if (count++ == 0) {
      values = {1, 1, row.value, 0};
    } else {
      const double all = old + alpha;
      values.scale(old / all);
      const double share = alpha / all;
      values.join({share, share * share, row.value, 0});
    }
    old = 1;
  }
  Weighted total() const { return values; }
};

inline double decay_figure(const DecaySpec& spec, const Weighted& values, std::int64_t count) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (count < spec.min_periods || count == 0) return none;
  if (spec.figure == DecayFigure::mean) return values.mean;
  double variance = values.spread / values.weight;
  if (!spec.bias) {
    const double whole = values.weight * values.weight, rest = whole - values.squares;
    if (count < 2 || !(rest > 0)) return none;
    variance *= whole / rest;
  }
  return spec.figure == DecayFigure::std ? std::sqrt(variance) : variance;
}

}  // namespace atl::table
