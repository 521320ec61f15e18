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

// The sum of doubles that do not overlap, correctly rounded: half-way cases by the sign of the rest, as Python's
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

int exponent_of(double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff); }

// What a sum's parts are, times `by`: four doubles, exact, of which the upper ones may be infinite.
std::array<double, 4> terms_of(const ExactSum& sum, const SumWindow& window, double by) {
  std::array<double, 4> terms;
  for (std::size_t i = 0; i < 2; ++i) {
    const double unit = window.unit(i);
    terms[2 * i] = static_cast<double>(sum.part[i] >> 32) * 0x1p32 * unit * (by / window.scale);
    terms[2 * i + 1] = static_cast<double>(sum.part[i] & 0xffffffff) * unit * (by / window.scale);
  }
  return terms;
}

// What the values add up to times `by`, a power of two, in doubles that do not overlap; infinity or NaN alone when
// there is one.
std::vector<double> reduced(const Summands& values, double by) {
  double special = 0;
  std::vector<double> terms;
  for (double rest : values.rests) terms.push_back(rest * by);
  for (std::size_t i = 0; i < values.sums.size(); ++i) {
    special += values.sums[i].special;
    for (double part : terms_of(values.sums[i], values.windows[i], by)) terms.push_back(part);
  }
  if (!std::isfinite(special)) return {special};
  std::vector<double> partial(terms.size());
  partial.resize(reduce(terms, partial.data()));
  return partial;
}

}  // namespace

// Bits of a part of one value: 62 hold the sum of `count` of them, 51 the sum with a magic number.
static int part_bits(std::uint64_t count) { return std::min(50, 62 - static_cast<int>(std::bit_width(count))); }

int SumWindow::band_bits(std::uint64_t count) {
  // The lowest of 53 bits of a value 2^b below the largest is above the last unit, which is two parts and a bit down.
  return std::max(1, 2 * part_bits(count) + 1 - 53);
}

SumWindow SumWindow::below(int top, std::uint64_t count, bool special) {
  SumWindow window;
  window.limit = std::ldexp(1.0, std::max(top, -1074));  // infinity for 1024
  window.special = special;
  const int bits = part_bits(count);
  if (top + 52 - bits > 1000) {
    window.scale = std::ldexp(1.0, -128);
    top -= 128;
  }
  for (double& magic : window.magic) {
    // With 1.5 x 2^k, x + magic stays in one binade for either sign of x. The unit is 2^(k-52), and parts are at most
    // 2^bits.
    const int k = std::max(top + 52 - bits, -1022);
    magic = std::ldexp(1.5, k);
    top = k - 53;  // the rest is at most half a unit
  }
  return window;
}

namespace {

// Rounded once: of more than 63 bits the lowest stands for all below it. By way of 63, as processors convert signed
// words without a branch.
double to_double(__int128 x) {
  const auto size = static_cast<unsigned __int128>(x < 0 ? -x : x);
  const auto high = static_cast<std::uint64_t>(size >> 63);
  double value;
  if (high == 0) {
    value = static_cast<double>(static_cast<std::int64_t>(size));
  } else {
    const int shift = std::bit_width(high);
    const bool below = static_cast<std::uint64_t>(size) << (64 - shift) != 0;
    value = static_cast<double>(static_cast<std::int64_t>(size >> shift) | (below ? 1 : 0)) *
            std::bit_cast<double>(static_cast<std::uint64_t>(1023 + shift) << 52);
  }
  return x < 0 ? -value : value;
}

/// Both parts of a sum as one integer, rounded once.
class WholeSums {
 public:
  explicit WholeSums(const SumWindow& window)
      : fits_(window.scale == 1),
        apart_(exponent_of(window.magic[0]) - exponent_of(window.magic[1])),
        unit_(window.unit(1)) {}
  /// False: it is infinite or NaN, is scaled, or so small that it would be rounded twice.
  bool value(const ExactSum& sum, double& value) const {
    if (!fits_ || sum.special != 0) return false;
    value = to_double((static_cast<__int128>(sum.part[0]) << apart_) + sum.part[1]) * unit_;
    return value == 0 || std::isnormal(value);
  }

 private:
  bool fits_;
  int apart_;
  double unit_;
};

}  // namespace

void values_of(const ExactSum* sums, std::size_t n, const SumWindow& window, double* out) {
  const WholeSums whole(window);
  for (std::size_t i = 0; i < n; ++i)
    if (!whole.value(sums[i], out[i])) [[unlikely]]
      out[i] = value_of({{sums + i, 1}, {&window, 1}, {}});
}

double value_of(const Summands& values) {
  // One window, no infinities and nothing aside: by far the most.
  if (double value = 0;
      values.sums.size() == 1 && values.rests.empty() && WholeSums(values.windows[0]).value(values.sums[0], value))
    return value;
  const std::vector<double> partial = reduced(values, 1);
  const double value = rounded(partial.data(), partial.size());
  if (std::isfinite(value) ||
      std::any_of(values.sums.begin(), values.sums.end(), [](const ExactSum& sum) { return sum.special != 0; }))
    return value;
  // Near the end of the range: what cancels must not overflow before it does.
  const std::vector<double> small = reduced(values, 0x1p-128);
  return rounded(small.data(), small.size()) / 0x1p-128;
}

double deviations_of(const Summands& values, const Summands& squares) {
  const auto rows = static_cast<double>(values.sums[0].rows);
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
