// SPDX-License-Identifier: Apache-2.0
// Sums of floats that do not depend on the order of their addition: every value is cut into two parts, whole multiples
// of two units far apart, and each part is added up as an integer. What is left of a value below the last unit, some 77
// bits below the largest, is kept aside (Rest). Only the end result is rounded, once. Source: pre-rounding as in J.
// Demmel and H. D. Nguyen, "Parallel reproducible summation", IEEE Trans. Computers 64 (2015).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace atl::table {

/// The two units for a column of values.
struct SumWindow {
  /// Magnitudes from here on do not fit, and are kept aside whole.
  double limit = 0;
  /// Values are multiplied by this power of two first; below 1 where their sum might leave the range of a double.
  double scale = 1;
  /// The bits of x + magic[i] less those of magic[i] are how many of unit i x is, rounded.
  std::array<double, 2> magic{};
  /// Infinities and NaN are expected. They are right without it, but slow.
  bool special = false;

  double unit(std::size_t i) const { return magic[i] / 1.5 * 0x1p-52; }

  /// Values of which none is larger than 2^band_bits(count) times another leave nothing in one window: 24 for 10^7
  /// values, at least 1 up to 3 x 10^10.
  static int band_bits(std::uint64_t count);
  /// As many as all doubles need at 24 bits each; of narrower bands the last takes the rest.
  static constexpr std::size_t most_bands = 88;

  /// For magnitudes below 2^top; `count`: values that may be added up.
  static SumWindow below(int top, std::uint64_t count, bool special);
};

/// A sum under way. Sums of one window are joined by adding their fields.
///
/// | bytes | field |
/// |---|---|
/// | 0 to 15 | part: how many of the two units |
/// | 16 to 23 | rows: how many values were added |
/// | 24 to 31 | special: the sum of those that are infinite or NaN, or 0 |
struct alignas(32) ExactSum {
  std::array<std::int64_t, 2> part{};
  std::uint64_t rows = 0;
  double special = 0;

  void add(const ExactSum& other) {
    for (std::size_t i = 0; i < part.size(); ++i) part[i] += other.part[i];
    rows += other.rows;
    special += other.special;
  }
};
static_assert(sizeof(ExactSum) == 32);

/// The sum of a group's values, in pieces: sums of some windows, the windows, and values that were kept aside.
struct Summands {
  std::span<const ExactSum> sums;
  std::span<const SumWindow> windows;
  std::span<const double> rests;
};
/// The sum, correctly rounded.
double value_of(const Summands& values);
/// The same of n groups that have one sum each, and nothing aside.
void values_of(const ExactSum* sums, std::size_t n, const SumWindow& window, double* out);
/// The sum of squared deviations from the mean, given the values and their squares. At least 0.
double deviations_of(const Summands& values, const Summands& squares);

}  // namespace atl::table
