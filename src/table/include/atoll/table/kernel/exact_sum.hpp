// SPDX-License-Identifier: Apache-2.0
// Sums of floats that do not depend on the order of their addition: every value is cut into three parts, multiples of three
// units far apart, and parts of one unit add up without rounding. What is left of a value below the last unit, some 80 bits
// below the largest, is kept aside (Rest). Only the end result is rounded, once.
// Source: pre-rounding as in J. Demmel and H. D. Nguyen, "Parallel reproducible summation", IEEE Trans. Computers 64 (2015).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace atl::table {

/// The three units for a column of values.
struct SumWindow {
  /// Magnitudes from here on do not fit, and are kept aside whole.
  double limit = 0;
  /// Values are multiplied by this power of two first; below 1 where their sum might leave the range of a double.
  double scale = 1;
  /// (x + magic[i]) - magic[i] is x rounded to a multiple of unit i.
  std::array<double, 3> magic{};
  /// Infinities and NaN are expected. They are right without it, but slow.
  bool special = false;

  /// Values of which none is larger than 2^band_bits(count) times another leave nothing in one window: 28 for 10^7 values, at
  /// least 1 up to 10^10.
  static int band_bits(std::uint64_t count);
  /// As many as all doubles need at 24 bits each; of narrower bands the last takes what is left.
  static constexpr std::size_t most_bands = 88;

  /// For magnitudes below 2^top; `count`: values that may be added up.
  static SumWindow below(int top, std::uint64_t count, bool special);
};

/// A sum under way. Sums of one window are joined by adding their fields.
///
/// | bytes | field |
/// |---|---|
/// | 0 to 23 | part: multiples of the three units |
/// | 24 to 31 | rows: how many values were added |
struct alignas(32) ExactSum {
  std::array<double, 3> part{};
  double rows = 0;

  void add(const ExactSum& other) {
    for (std::size_t i = 0; i < 3; ++i) part[i] += other.part[i];
    rows += other.rows;
  }
};
static_assert(sizeof(ExactSum) == 32);

/// What a group's values add up to, in pieces: sums of some windows, the windows' scales, and what was kept aside.
struct Summands {
  std::span<const ExactSum> sums;
  std::span<const double> scales;
  std::span<const double> rests;
};
/// The sum, correctly rounded.
double value_of(const Summands& values);
/// The sum of squared deviations from the mean, given the values and their squares. At least 0.
double deviations_of(const Summands& values, const Summands& squares);

}  // namespace atl::table
