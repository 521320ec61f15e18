// SPDX-License-Identifier: Apache-2.0
// What one element of each operation should be, written for clearness: NumPy's rules.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <type_traits>

#include "atoll/array/kernel/ops.hpp"

namespace atl::array::oracle {

/// An operation that this header says nothing of.
struct Unknown {};

/// 0: the result must have exactly the oracle's bits. Otherwise units in the last place against long double.
inline double tolerance_ulps(Op op, DType type) {
  if (!is_float(type)) return 0;
  switch (op) {
    case Op::power:
    case Op::cbrt:
    case Op::exp:
    case Op::exp2:
    case Op::expm1:
    case Op::log:
    case Op::log2:
    case Op::log10:
    case Op::log1p:
    case Op::sin:
    case Op::cos:
    case Op::tan:
    case Op::arcsin:
    case Op::arccos:
    case Op::arctan:
    case Op::arctan2:
    case Op::sinh:
    case Op::cosh:
    case Op::tanh:
    case Op::arcsinh:
    case Op::arccosh:
    case Op::arctanh:
    case Op::hypot:
    case Op::logaddexp:
    case Op::logaddexp2:
    case Op::deg2rad:
    case Op::rad2deg: return 4;
    default: return 0;
  }
}

template <class T>
long double precise(Op op, T x, T y) {
  const long double a = x, b = y;
  switch (op) {
    case Op::cbrt: return std::cbrt(a);
    case Op::exp: return std::exp(a);
    case Op::exp2: return std::exp2(a);
    case Op::expm1: return std::expm1(a);
    case Op::log: return std::log(a);
    case Op::log2: return std::log2(a);
    case Op::log10: return std::log10(a);
    case Op::log1p: return std::log1p(a);
    case Op::sin: return std::sin(a);
    case Op::cos: return std::cos(a);
    case Op::tan: return std::tan(a);
    case Op::arcsin: return std::asin(a);
    case Op::arccos: return std::acos(a);
    case Op::arctan: return std::atan(a);
    case Op::arctan2: return std::atan2(a, b);
    case Op::sinh: return std::sinh(a);
    case Op::cosh: return std::cosh(a);
    case Op::tanh: return std::tanh(a);
    case Op::arcsinh: return std::asinh(a);
    case Op::arccosh: return std::acosh(a);
    case Op::arctanh: return std::atanh(a);
    case Op::hypot: return std::hypot(a, b);
    case Op::power: return std::pow(a, b);
    case Op::deg2rad: return a * 3.141592653589793238462643383279502884L / 180;
    case Op::rad2deg: return a * 180 / 3.141592653589793238462643383279502884L;
    case Op::logaddexp:
      if (a == b) return a + std::log(2.0L);
      return std::fmax(a, b) + std::log1p(std::exp(-std::fabs(a - b))) + 0 * (a - b == a - b ? 0 : a + b);
    case Op::logaddexp2:
      if (a == b) return a + 1;
      return std::fmax(a, b) + std::log1p(std::exp2(-std::fabs(a - b))) / std::log(2.0L) +
             0 * (a - b == a - b ? 0 : a + b);
    default: return std::nanl("");
  }
}

/// Two's complement arithmetic in 128 bits: nothing overflows there.
__extension__ typedef __int128 Wide;

template <class T>
T floor_mod(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    const T r = std::fmod(x, y);
    if (y == 0 || std::isnan(r)) return r;
    if (r == 0) return std::copysign(T(0), y);
    return (r < 0) != (y < 0) ? r + y : r;
  } else {
    if (y == 0) return 0;
    const Wide b = y, r = Wide{x} % b;
    return static_cast<T>(r != 0 && (r < 0) != (b < 0) ? r + b : r);
  }
}

template <class T>
T floor_quotient(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    if (y == 0) return x / y;
    const T r = std::fmod(x, y);
    T q = (x - r) / y;
    if (r != 0 && (r < 0) != (y < 0)) q -= 1;
    if (q == 0) return std::copysign(T(0), x / y);
    const T f = std::floor(q);
    return q - f > T(0.5) ? f + 1 : f;
  } else {
    if (y == 0) return 0;
    const Wide a = x, b = y, q = a / b;
    return static_cast<T>(q * b != a && (a < 0) != (b < 0) ? q - 1 : q);
  }
}

template <class R, class T>
R exact(Op op, T x, T y) {
  if constexpr (std::is_same_v<T, bool>) {
    switch (op) {
      case Op::add: return static_cast<R>(x || y);
      case Op::multiply: return static_cast<R>(x && y);
      case Op::positive:
      case Op::absolute:
      case Op::square: return static_cast<R>(x);
      case Op::invert: return static_cast<R>(!x);
      default: break;
    }
  }
  switch (op) {
    case Op::equal: return R(x == y);
    case Op::not_equal: return R(x != y);
    case Op::less: return R(x < y);
    case Op::less_equal: return R(x <= y);
    case Op::greater: return R(x > y);
    case Op::greater_equal: return R(x >= y);
    case Op::logical_and: return R(x != 0 && y != 0);
    case Op::logical_or: return R(x != 0 || y != 0);
    case Op::logical_xor: return R((x != 0) != (y != 0));
    case Op::logical_not: return R(x == 0);
    case Op::maximum: return R(x != x ? x : y != y ? y : x >= y ? x : y);
    case Op::minimum: return R(x != x ? x : y != y ? y : x <= y ? x : y);
    case Op::fmax: return R(y != y ? x : x != x ? y : x >= y ? x : y);
    case Op::fmin: return R(y != y ? x : x != x ? y : x <= y ? x : y);
    case Op::positive: return R(x);
    default: break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    switch (op) {
      case Op::add: return R(x + y);
      case Op::subtract: return R(x - y);
      case Op::multiply: return R(x * y);
      case Op::divide: return R(x / y);
      case Op::floor_divide: return R(floor_quotient(x, y));
      case Op::remainder: return R(floor_mod(x, y));
      case Op::fmod: return R(std::fmod(x, y));
      case Op::negative: return R(-x);
      case Op::absolute: return R(std::fabs(x));
      case Op::sign: return R(x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x);
      case Op::rint: return R(std::nearbyint(x));
      case Op::floor: return R(std::floor(x));
      case Op::ceil: return R(std::ceil(x));
      case Op::trunc: return R(std::trunc(x));
      case Op::square: return R(x * x);
      case Op::reciprocal: return R(1 / x);
      case Op::isnan: return R(std::isnan(x));
      case Op::isinf: return R(std::isinf(x));
      case Op::isfinite: return R(std::isfinite(x));
      case Op::signbit: return R(std::signbit(x));
      case Op::sqrt: return R(std::sqrt(x));
      case Op::copysign: return R(std::copysign(x, y));
      case Op::nextafter: return R(std::nextafter(x, y));
      case Op::heaviside: return R(x != x ? x : x == 0 ? y : x < 0 ? 0 : 1);
      default: throw Unknown{};
    }
  } else {
    using U = std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>>;
    constexpr unsigned width = sizeof(T) * 8;
    const Wide a = x, b = y;
    switch (op) {
      case Op::add: return static_cast<R>(a + b);
      case Op::subtract: return static_cast<R>(a - b);
      case Op::multiply: return static_cast<R>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
      case Op::floor_divide: return static_cast<R>(floor_quotient(x, y));
      case Op::remainder: return static_cast<R>(floor_mod(x, y));
      case Op::fmod: return static_cast<R>(b == 0 ? 0 : a % b);
      case Op::power: {
        std::uint64_t power = 1;
        for (std::uint64_t bit = std::uint64_t{1} << 63; bit != 0; bit >>= 1) {
          power *= power;
          if (static_cast<std::uint64_t>(y) & bit) power *= static_cast<std::uint64_t>(x);
        }
        return static_cast<R>(power);
      }
      case Op::negative: return static_cast<R>(-a);
      case Op::absolute: return static_cast<R>(a < 0 ? -a : a);
      case Op::sign: return static_cast<R>(a > 0 ? 1 : a < 0 ? -1 : 0);
      case Op::square: return static_cast<R>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(a));
      case Op::reciprocal: return static_cast<R>(a == 1 ? 1 : a == -1 ? -1 : 0);
      case Op::bitwise_and: return static_cast<R>(x & y);
      case Op::bitwise_or: return static_cast<R>(x | y);
      case Op::bitwise_xor: return static_cast<R>(x ^ y);
      case Op::invert: return static_cast<R>(-1 - a);
      case Op::left_shift:
        return static_cast<R>(static_cast<U>(y) < width ? static_cast<U>(x) * (Wide{1} << static_cast<U>(y)) : 0);
      case Op::right_shift: return static_cast<R>(static_cast<U>(y) < width ? a >> static_cast<U>(y) : a < 0 ? -1 : 0);
      case Op::isnan:
      case Op::isinf: return R(0);
      case Op::isfinite: return R(1);
      case Op::signbit: return R(a < 0);
      case Op::bitwise_count: return static_cast<R>(std::popcount(static_cast<U>(a < 0 ? -a : a)));
      case Op::gcd:
        return static_cast<R>(
            std::gcd(static_cast<std::uint64_t>(a < 0 ? -a : a), static_cast<std::uint64_t>(b < 0 ? -b : b)));
      case Op::lcm: {
        const std::uint64_t u = static_cast<std::uint64_t>(a < 0 ? -a : a),
                            v = static_cast<std::uint64_t>(b < 0 ? -b : b);
        return static_cast<R>(u == 0 || v == 0 ? 0 : u / std::gcd(u, v) * v);
      }
      case Op::unit_interval:
        return static_cast<R>(static_cast<double>(static_cast<std::uint64_t>(x) >> 11) * 0x1.0p-53);
      case Op::multiply_high:
        return static_cast<R>(
            (static_cast<unsigned __int128>(static_cast<std::uint64_t>(x)) * static_cast<std::uint64_t>(y)) >> 64);
      default: throw Unknown{};
    }
  }
}

/// A float as the low bits of int32 or int64, whose out-of-range values and NaN are the least integer.
template <class I, class T>
I indefinite(T x) {
  const T limit = std::ldexp(T(1), sizeof(I) * 8 - 1);
  if (!(x > -limit - 1 && x < limit)) return std::numeric_limits<I>::min();
  if (std::trunc(x) < -limit) return std::numeric_limits<I>::min();
  return static_cast<I>(x);
}

template <class R, class T>
R cast(T x) {
  if constexpr (std::is_same_v<R, bool>) return x != 0;
  else if constexpr (std::is_floating_point_v<T> && std::is_integral_v<R>) {
    if constexpr (std::is_same_v<R, std::uint64_t>) {
      constexpr T half = 9223372036854775808.0;
      if (x >= half) return static_cast<R>(indefinite<std::int64_t>(x - half)) ^ (R{1} << 63);
      return static_cast<R>(indefinite<std::int64_t>(x));
    } else if constexpr (std::is_same_v<R, std::int64_t> || std::is_same_v<R, std::uint32_t>) {
      return static_cast<R>(indefinite<std::int64_t>(x));
    } else {
      return static_cast<R>(indefinite<std::int32_t>(x));
    }
  } else {
    return static_cast<R>(x);
  }
}

}  // namespace atl::array::oracle
