// SPDX-License-Identifier: Apache-2.0
// Private to reductions and scans: floating-point numbers whose exponent has no bounds, and what is computed with them
// where a plain evaluation leaves the range of its type. The order of operations is the plain one's, so that a false
// alarm costs time and changes no bit.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "atoll/array/kernel/tree.hpp"

namespace atl::array {

/// mantissa × 2^exponent. The mantissa is 0, infinite or NaN (then the exponent is 0), or so near to 1 that two of them
/// multiply in range. Each operation rounds once, to the precision of T.
template <class T>
struct Scaled {
  T mantissa;
  std::int64_t exponent;

  static Scaled of(T value, std::int64_t exponent = 0) {
    constexpr int near = std::numeric_limits<T>::max_exponent / 4;
    constexpr T most = static_cast<T>(std::uint64_t{1} << (near < 63 ? near : 63)), least = T(1) / most;
    const T size = std::fabs(value);
    if (size <= most && size >= least) return {value, exponent};
    if (value == T(0) || !std::isfinite(value)) return {value, 0};
    int shift = 0;
    const T mantissa = std::frexp(value, &shift);
    return {mantissa, exponent + shift};
  }
  /// Rounded to T: may be infinite, subnormal or zero.
  T value() const {
    if (exponent == 0) return mantissa;
    constexpr std::int64_t far = 4 * std::numeric_limits<T>::max_exponent;
    if (exponent < -far) return std::copysign(T(0), mantissa);
    if (exponent > far) return std::copysign(std::numeric_limits<T>::infinity(), mantissa);
    return std::scalbn(mantissa, static_cast<int>(exponent));
  }
  /// With exponent 0 where T holds the number as a normal one.
  Scaled settled() const {
    const T whole = value();
    return mantissa == T(0) || !std::isfinite(mantissa) || std::isnormal(whole) ? Scaled{whole, 0} : *this;
  }

  friend Scaled operator*(const Scaled& x, const Scaled& y) {
    return of(x.mantissa * y.mantissa, x.exponent + y.exponent);
  }
  friend Scaled operator+(const Scaled& x, const Scaled& y) {
    if (x.exponent == y.exponent) return of(x.mantissa + y.mantissa, x.exponent);
    if (!std::isfinite(x.mantissa) || !std::isfinite(y.mantissa)) return {x.mantissa + y.mantissa, 0};
    if (x.mantissa == T(0)) return y;
    if (y.mantissa == T(0)) return x;
    int p = 0, q = 0;
    T a = std::frexp(x.mantissa, &p), b = std::frexp(y.mantissa, &q);
    std::int64_t higher = x.exponent + p, lower = y.exponent + q;
    if (higher < lower) {
      std::swap(a, b);
      std::swap(higher, lower);
    }
    // Too small to change the sum, also just above a power of 2 whose lower neighbours are nearer.
    if (higher - lower > std::numeric_limits<T>::digits + 2) return of(a, higher);
    return of(a + std::scalbn(b, static_cast<int>(lower - higher)), higher);
  }
};

/// Whether values of this reduction may leave the range of their type: sums and products of floats.
constexpr bool may_leave_range(Reduction kind, DType type) {
  return (kind == Reduction::sum || kind == Reduction::prod) && is_float(type);
}

/// For kinds and types that may leave the range. Exponents, where they are parameters: one for each element, or null
/// for zeros.
struct ScaledKernels {
  /// The value of a unit, in the order of its UnitKernel, as bits and position of the node.
  void (*unit)(const void* x, const std::int64_t* exponents, std::size_t count, TreeNode& node);
  /// acc[i] = acc[i] ⊕ x[i].
  void (*join)(void* acc, std::int64_t* acc_exponents, const void* x, const std::int64_t* exponents, std::size_t n);
  /// The numbers rounded to their type.
  void (*round)(void* out, const void* x, const std::int64_t* exponents, std::size_t n);
};
const ScaledKernels& find_scaled_kernels(Reduction kind, DType type);

}  // namespace atl::array
