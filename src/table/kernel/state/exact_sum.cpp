// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

namespace atl::table {
namespace {

// a + b = sum + rest, exactly (Knuth).
std::pair<double, double> two_sum(double a, double b) {
  const double sum = a + b;
  const double t = sum - a;
  return {sum, (a - (sum - t)) + (b - t)};
}

// Reduces terms to doubles that do not overlap, the smallest first, with the same sum (Shewchuk). Returns how many.
std::size_t reduce(std::span<const double> terms, double* partial) {
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
  return n;
}

// The sum of doubles that do not overlap, correctly rounded: half-way cases by the sign of what is below, as Python's
// math.fsum does.
double rounded(const double* partial, std::size_t n) {
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

double sum_of(const std::vector<double>& terms) {
  std::vector<double> partial(terms.size());
  return rounded(partial.data(), reduce(terms, partial.data()));
}

// Appends a * b, exactly.
void append_product(double a, double b, std::vector<double>& terms) {
  const double product = a * b;
  terms.push_back(product);
  terms.push_back(std::fma(a, b, -product));
}

// What the values add up to times `by`, a power of two, in doubles that do not overlap; infinity or NaN alone when there is one.
std::vector<double> reduced(const Summands& values, double by) {
  double special = 0;  // the sum of infinities and NaN, which are first parts
  bool is_special = false;
  std::vector<double> terms;
  for (double rest : values.rests) terms.push_back(rest * by);
  for (std::size_t i = 0; i < values.sums.size(); ++i) {
    is_special = is_special || !std::isfinite(values.sums[i].part[0]);
    special += values.sums[i].part[0];
    for (double part : values.sums[i].part) terms.push_back(part * (by / values.scales[i]));
  }
  if (is_special) return {special};
  std::vector<double> partial(terms.size());
  partial.resize(reduce(terms, partial.data()));
  return partial;
}

}  // namespace

// Values need room above for their sum and a bit for the sign.
static int headroom(std::uint64_t count) { return std::bit_width(count) + 1; }

int SumWindow::band_bits(std::uint64_t count) {
  // The lowest of 53 bits of a value 2^b below the largest is above the last unit, 3 x (52 - headroom) bits down.
  return std::max(1, 3 * (52 - headroom(count)) - 53);
}

SumWindow SumWindow::below(int top, std::uint64_t count, bool special) {
  SumWindow window;
  window.limit = std::ldexp(1.0, std::max(top, -1074));  // infinity for 1024
  window.special = special;
  if (top + headroom(count) > 1000) {
    window.scale = std::ldexp(1.0, -128);
    top -= 128;
  }
  for (double& magic : window.magic) {
    // With 1.5 x 2^k, x + magic stays in one binade for either sign of x. The unit is 2^(k-52); parts are at most
    // 2^top, and `count` of them at most 2^(k-1).
    const int k = std::max(top + headroom(count), -1022);
    magic = std::ldexp(1.5, k);
    top = k - 52;  // what is left is at most half a unit
  }
  return window;
}

double value_of(const Summands& values) {
  // One window, no infinities and nothing aside: by far the most.
  if (values.sums.size() == 1 && values.rests.empty() && std::isfinite(values.sums[0].part[0])) {
    double partial[3];
    return rounded(partial, reduce(values.sums[0].part, partial)) / values.scales[0];
  }
  const std::vector<double> partial = reduced(values, 1);
  const double value = rounded(partial.data(), partial.size());
  if (std::isfinite(value) || !std::isfinite(values.sums[0].part[0])) return value;
  // Near the end of the range: what cancels must not overflow before it does.
  const std::vector<double> small = reduced(values, 0x1p-128);
  return rounded(small.data(), small.size()) / 0x1p-128;
}

double deviations_of(const Summands& values, const Summands& squares) {
  const double rows = values.sums[0].rows;
  // rows * sum of squares - square of the sum, exactly, but for one rounding: both are far larger where the mean is.
  double value = 0;
  for (double by : {1.0, 0x1p-256}) {
    std::vector<double> terms;
    for (double square : reduced(squares, by * by)) append_product(rows, square, terms);
    const std::vector<double> sums = reduced(values, by);
    for (double a : sums)
      for (double b : sums) append_product(-a, b, terms);
    value = sum_of(terms) / by / by / rows;
    if (std::isfinite(value)) break;  // else products have overflowed, or it is infinite
  }
  return value < 0 ? 0 : value;
}

}  // namespace atl::table
