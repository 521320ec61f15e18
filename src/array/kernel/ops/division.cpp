// SPDX-License-Identifier: Apache-2.0
// Quotients and remainders with NumPy's signs and zeros, integer powers, common divisors.
#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/ops/division.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernel/ops/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace {

// Integers: Python's floor semantics; a division by zero gives 0 and the least number divided by -1 is itself.
template <class T>
struct FloorDivide {
  static HWY_INLINE HWY_ATTR T call(T x, T y) {
    if (y == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (y == -1) return static_cast<T>(Unsigned<T>(0) - static_cast<Unsigned<T>>(x));
      const T q = static_cast<T>(x / y);
      return static_cast<T>(q - ((x % y != 0) & ((x < 0) != (y < 0))));
    } else {
      return static_cast<T>(x / y);
    }
  }
};
template <class T>
struct Remainder {
  static HWY_INLINE HWY_ATTR T call(T x, T y) {
    if (y == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (y == -1) return 0;
      const T r = static_cast<T>(x % y);
      return static_cast<T>((r != 0) & ((r < 0) != (y < 0)) ? r + y : r);
    } else {
      return static_cast<T>(x % y);
    }
  }
};
template <class T>
struct Fmod {
  static HWY_INLINE HWY_ATTR T call(T x, T y) {
    if (y == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (y == -1) return 0;
    }
    return static_cast<T>(x % y);
  }
};

HWY_INLINE HWY_ATTR double c_fmod(double x, double y) { return __builtin_fmod(x, y); }
HWY_INLINE HWY_ATTR float c_fmod(float x, float y) { return __builtin_fmodf(x, y); }
HWY_INLINE HWY_ATTR double c_floor(double x) { return __builtin_floor(x); }
HWY_INLINE HWY_ATTR float c_floor(float x) { return __builtin_floorf(x); }
HWY_INLINE HWY_ATTR double c_copysign(double x, double y) { return __builtin_copysign(x, y); }
HWY_INLINE HWY_ATTR float c_copysign(float x, float y) { return __builtin_copysignf(x, y); }

// Floats: Python's divmod, from C's fmod, which is exact.
template <class T>
struct FloatRemainder {
  static HWY_INLINE HWY_ATTR T call(T x, T y) {
    T r = c_fmod(x, y);
    if (!(y != 0)) return r;  // NaN by way of fmod
    if (r == 0) return c_copysign(T(0), y);
    return (r < 0) != (y < 0) ? r + y : r;
  }
};
template <class T>
struct FloatFloorDivide {
  static HWY_INLINE HWY_ATTR T call(T x, T y) {
    if (y == 0) return x / y;
    const T r = c_fmod(x, y);
    T q = (x - r) / y;
    if (r != 0 && (r < 0) != (y < 0)) q -= T(1);
    if (q == 0) return c_copysign(T(0), x / y);
    T floored = c_floor(q);
    if (q - floored > T(0.5)) floored += T(1);
    return floored;
  }
};
ATOLL_BINARY(FloatFmod, c_fmod(x, y))

template <class T>
HWY_ATTR void power_loop(void* out, const void* a, const void* b, const void*, std::size_t n, Outcome& outcome) {
  using U = std::conditional_t<sizeof(T) < 4, std::uint32_t, Unsigned<T>>;  // wide enough not to become a signed int
  T* result = static_cast<T*>(out);
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  bool negative = false;
  for (std::size_t i = 0; i < n; ++i) {
    U base = static_cast<U>(x[i]), power = 1;
    Unsigned<T> exponent = static_cast<Unsigned<T>>(y[i]);
    if constexpr (std::is_signed_v<T>) {
      if (y[i] < 0) {
        negative = true;
        power = exponent = 0;
      }
    }
    for (; exponent != 0; exponent = static_cast<Unsigned<T>>(exponent >> 1), base *= base) {
      if (exponent & 1) power *= base;
    }
    result[i] = static_cast<T>(power);
  }
  if (negative) outcome.negative_power = true;
}

template <class U>
HWY_INLINE HWY_ATTR U greatest_divisor(U x, U y) {
  while (y != 0) {
    const U r = static_cast<U>(x % y);
    x = y;
    y = r;
  }
  return x;
}
template <class T>
HWY_INLINE HWY_ATTR Unsigned<T> magnitude(T x) {
  const Unsigned<T> u = static_cast<Unsigned<T>>(x);
  if constexpr (std::is_signed_v<T>) return x < 0 ? static_cast<Unsigned<T>>(0 - u) : u;
  else return u;
}
ATOLL_BINARY(Gcd, static_cast<T>(greatest_divisor(magnitude(x), magnitude(y))))
template <class T>
struct Lcm {
  static HWY_INLINE HWY_ATTR T call(T x, T y) {
    const std::uint64_t u = magnitude(x), v = magnitude(y);
    const std::uint64_t divisor = greatest_divisor(u, v);
    return static_cast<T>(divisor == 0 ? 0 : u / divisor * v);
  }
};
template <template <class> class F, class T>
constexpr ElementKernel binary = &binary_loop<F<T>, T, T, T>;
template <template <class> class OfFloat, template <class> class OfInteger, class T>
constexpr ElementKernel either = [] {
  if constexpr (std::is_floating_point_v<T>) return binary<OfFloat, T>;
  else return binary<OfInteger, T>;
}();
template <class T>
ElementKernel find_power() {
  if constexpr (std::is_floating_point_v<T>) return find_float_power(dtype_of<T>);
  else return &power_loop<T>;
}

#define ATOLL_DIVISION_OPS(X) \
  X(floor_divide, 2, IUF, same, either<FloatFloorDivide, FloorDivide, T>) \
  X(remainder, 2, IUF, same, either<FloatRemainder, Remainder, T>) \
  X(fmod, 2, IUF, same, either<FloatFmod, Fmod, T>) \
  X(power, 2, IUF, same, find_power<T>()) \
  X(gcd, 2, IU, same, binary<Gcd, T>) \
  X(lcm, 2, IU, same, binary<Lcm, T>)

}  // namespace

ATOLL_FAMILY_LOOPS(division, ATOLL_DIVISION_OPS)

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {

ATOLL_FAMILY_TABLE(division, ATOLL_DIVISION_OPS)

}  // namespace atl::array
#endif
