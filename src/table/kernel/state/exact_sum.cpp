// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "atoll/base/error.hpp"

namespace atl::table {
namespace {

// a + b = sum + rest, exactly (Knuth).
std::pair<double, double> two_sum(double a, double b) {
  const double sum = a + b;
  const double t = sum - a;
  return {sum, (a - (sum - t)) + (b - t)};
}

constexpr std::size_t most_terms = 3 * SumWindow::most_bands + 1;

// The sum of some doubles, correctly rounded: non-overlapping partial sums (Shewchuk), then half-way cases by the sign of
// what is below, as Python's math.fsum does.
double rounded(std::span<const double> terms) {
  std::array<double, most_terms> partial;
  std::size_t n = 0;
  for (double x : terms) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < n; ++i) {
      auto [sum, rest] = two_sum(x, partial[i]);
      if (rest != 0) partial[kept++] = rest;
      x = sum;
    }
    partial[kept++] = x;
    n = kept;
  }
  if (n == 0) return 0;
  double high = partial[--n];
  double low = 0;
  while (n > 0) {
    auto [sum, rest] = two_sum(high, partial[--n]);
    high = sum;
    low = rest;
    if (low != 0) break;
  }
  if (n > 0 && ((low < 0 && partial[n - 1] < 0) || (low > 0 && partial[n - 1] > 0))) {
    const double twice = low * 2;
    const double moved = high + twice;
    if (twice == moved - high) high = moved;
  }
  return high;
}

}  // namespace

// Values need room above for their sum and a bit for the sign.
static int headroom(std::uint64_t count) { return std::bit_width(count) + 1; }

int SumWindow::band_bits(std::uint64_t count) {
  // The lowest of 53 bits of a value 2^b below the largest is above the last unit, 3 x (52 - headroom) bits down.
  return std::max(1, 3 * (52 - headroom(count)) - 53);
}

SumWindow SumWindow::of(double largest, std::uint64_t count, bool special) {
  const int top = largest == 0 ? -1074 : std::ilogb(largest) + 1;
  return below(top, count, special, top + headroom(count) > 1000 ? std::ldexp(1.0, -128) : 1);
}

SumWindow SumWindow::below(int top, std::uint64_t count, bool special, double scale) {
  SumWindow window;
  window.special = special;
  window.scale = scale;
  top += std::ilogb(scale);
  for (double& magic : window.magic) {
    // With 1.5 x 2^k, x + magic stays in one binade for either sign of x. The unit is 2^(k-52); parts are at most
    // 2^top, and `count` of them at most 2^(k-1).
    const int k = std::max(top + headroom(count), -1022);
    magic = std::ldexp(1.5, k);
    window.last_unit = std::ldexp(1.0, k - 52);
    top = k - 52;  // what is left is at most half a unit
  }
  return window;
}

bool ExactSum::settled(const SumWindow& window) const {
  if (!std::isfinite(part[0])) return true;
  return rows * window.last_unit <= std::ldexp(std::abs(part[0] + part[1] + part[2]), -60);
}

namespace {

/// The sum, and what rounding took from it: twice the precision of a double.
struct Double {
  double high = 0, low = 0;
};

std::pair<double, double> two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}
Double normal(double high, double low) {
  auto [sum, rest] = two_sum(high, low);
  return {sum, rest};
}
Double squared(const Double& x) {
  auto [high, low] = two_product(x.high, x.high);
  return normal(high, low + 2 * x.high * x.low);
}
Double divided(const Double& x, double by) {
  const double first = x.high / by;
  auto [back, error] = two_product(first, by);
  return normal(first, ((x.high - back) - error + x.low) / by);
}

Double double_of(std::span<const ExactSum> sums, double scale) {
  ATOLL_EXPECT(sums.size() <= SumWindow::most_bands);
  std::array<double, most_terms> terms;
  double special = 0;  // the sum of infinities and NaN, which are first parts
  bool is_special = false;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    std::copy_n(sums[i].part.data(), 3, terms.data() + 3 * i);
    is_special = is_special || !std::isfinite(sums[i].part[0]);
    special += sums[i].part[0];
  }
  if (is_special) return {special, 0};
  const std::size_t n = 3 * sums.size();
  const double high = rounded(std::span(terms).first(n));
  terms[n] = -high;
  const double low = rounded(std::span(terms).first(n + 1));
  return {high / scale, low / scale};
}

}  // namespace

double value_of(std::span<const ExactSum> sums, double scale) {
  // One window and no infinities: by far the most.
  if (sums.size() == 1 && std::isfinite(sums[0].part[0])) return rounded(sums[0].part) / scale;
  return double_of(sums, scale).high;
}

double deviations_of(std::span<const ExactSum> sums, double scale, std::span<const ExactSum> squares, double square_scale) {
  const double rows = sums[0].rows;
  if (rows == 1 && std::isfinite(sums[0].part[0])) return 0;
  const Double square = double_of(squares, square_scale);
  const Double mean_part = divided(squared(double_of(sums, scale)), rows);
  const double rest = (square.high - mean_part.high) + (square.low - mean_part.low);
  return rest < 0 ? 0 : rest;
}

}  // namespace atl::table
