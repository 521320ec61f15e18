// SPDX-License-Identifier: Apache-2.0
// Sums of floats that do not depend on the order of their addition: every value is cut into three parts, multiples of three
// units far apart, and parts of one unit add up without rounding. Only the end result is rounded, once.
//
// The units follow from the largest magnitude of the column and the number of its rows, so from data alone. A value's bits
// below the last unit (some 80 bits below the largest value) are rounded off; see ExactSum::settled().
// Source: pre-rounding as in J. Demmel and H. D. Nguyen, "Parallel reproducible summation", IEEE Trans. Computers 64 (2015).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace atl::table {

/// The three units for a column of values.
struct SumWindow {
  /// Values are multiplied by this power of two first; below 1 where their sum might leave the range of a double.
  double scale = 1;
  /// (x + magic[i]) - magic[i] is x rounded to a multiple of unit i.
  std::array<double, 3> magic{};
  double last_unit = 0;
  /// Some values are infinite or NaN.
  bool special = false;

  /// Values of which none is larger than 2^band_bits(count) times another lose nothing in one window: 28 for 10^7 values, at
  /// least 1 up to 10^10.
  static int band_bits(std::uint64_t count);
  /// As many as all doubles need at 24 bits each; of narrower bands the last takes what is left.
  static constexpr std::size_t most_bands = 88;

  /// `largest`: of the finite values' magnitudes; `count`: values that may be added up.
  static SumWindow of(double largest, std::uint64_t count, bool special);
  /// The same for magnitudes below 2^top, with a scale that others have.
  static SumWindow below(int top, std::uint64_t count, bool special, double scale);
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
  /// Whether what was rounded off below the last unit can hardly change the result. When not (the values of this group are
  /// far smaller than the column's largest, or cancel), they are due to be added in bands of magnitudes.
  bool settled(const SumWindow& window) const;
};
static_assert(sizeof(ExactSum) == 32);

/// The sum of all that was added to several sums whose windows have one scale, correctly rounded.
double value_of(std::span<const ExactSum> sums, double scale);

/// The sum of squared deviations from the mean, given exact sums of the values and of their squares. At least 0.
double deviations_of(std::span<const ExactSum> sums, double scale, std::span<const ExactSum> squares, double square_scale);

}  // namespace atl::table
