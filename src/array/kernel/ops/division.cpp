// SPDX-License-Identifier: Apache-2.0
// Quotients and remainders with NumPy's signs and zeros, integer powers, common divisors.
#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/ops/division.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <bit>

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

// Quotients by one divisor of at least 1, as a multiplication by its reciprocal: Granlund and Montgomery, Division by
// Invariant Integers using Multiplication, 1994, figure 4.1.
template <class U>
class Reciprocal {
 public:
  explicit Reciprocal(U divisor) {
    const auto bits = static_cast<unsigned>(std::bit_width(static_cast<U>(divisor - 1)));  // divisor <= 2^bits
    factor_ = static_cast<U>((((Wide{1} << bits) - divisor) << width) / divisor + 1);
    before_ = bits > 0 ? 1 : 0;
    after_ = bits > 0 ? bits - 1 : 0;
  }
  HWY_INLINE HWY_ATTR U quotient(U x) const {
    const auto high = static_cast<U>((static_cast<Wide>(factor_) * x) >> width);
    return (high + ((x - high) >> before_)) >> after_;
  }

 private:
  using Wide = std::conditional_t<sizeof(U) == 8, unsigned __int128, std::uint64_t>;
  static constexpr unsigned width = 8 * sizeof(U);

  U factor_;
  unsigned before_, after_;
};

// Elements divided by one number, as in `i // 7`, are multiplied by its reciprocal: `call` computes the rest. A
// division takes 7 to 18 cycles, where the numbers are of 64 bits.
template <template <class> class Operation, class T, class Call>
HWY_ATTR void divide_loop(void* out, const void* a, const void* b, std::size_t n, Outcome& outcome, Call call) {
  const T* y = static_cast<const T*>(b);
  bool same = n >= 64 && y[0] > 0;
  for (std::size_t i = 0; same && i < n; i += 16) {
    T difference = 0;
    for (std::size_t k = 0; k < 16; ++k) difference |= static_cast<T>(y[i + k] ^ y[0]);
    same = difference == 0;
  }
  if (!same) {
    binary_loop<Operation<T>, T, T, T>(out, a, b, nullptr, n, outcome);
    return;
  }
  const T divisor = y[0];
  using U = Unsigned<T>;
  const Reciprocal<U> reciprocal(static_cast<U>(divisor));
  T* result = static_cast<T*>(out);
  const T* x = static_cast<const T*>(a);
  n &= ~(kernel_multiple - 1);
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    // The floor of a negative number's quotient is the complement of that of its complement.
    const U sign = std::is_signed_v<T> && x[i] < 0 ? static_cast<U>(-1) : 0;
    const U whole = static_cast<U>(reciprocal.quotient(static_cast<U>(static_cast<U>(x[i]) ^ sign)) ^ sign);
    result[i] = call(x[i], static_cast<T>(whole), divisor);
  }
}
template <class T>
HWY_ATTR void floor_divide_loop(void* out, const void* a, const void* b, const void*, std::size_t n, Outcome& outcome) {
  divide_loop<FloorDivide, T>(out, a, b, n, outcome, [](T, T quotient, T) { return quotient; });
}
template <class T>
HWY_ATTR void remainder_loop(void* out, const void* a, const void* b, const void*, std::size_t n, Outcome& outcome) {
  divide_loop<Remainder, T>(out, a, b, n, outcome, [](T x, T quotient, T divisor) {
    return static_cast<T>(static_cast<Unsigned<T>>(x) -
                          static_cast<Unsigned<T>>(quotient) * static_cast<Unsigned<T>>(divisor));
  });
}

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
constexpr ElementKernel floor_divide = [] {
  if constexpr (std::is_integral_v<T> && sizeof(T) >= 4) return ElementKernel{&floor_divide_loop<T>};
  else return either<FloatFloorDivide, FloorDivide, T>;
}();
template <class T>
constexpr ElementKernel remainder = [] {
  if constexpr (std::is_integral_v<T> && sizeof(T) >= 4) return ElementKernel{&remainder_loop<T>};
  else return either<FloatRemainder, Remainder, T>;
}();
template <class T>
ElementKernel find_power() {
  if constexpr (std::is_floating_point_v<T>) return find_float_power(dtype_of<T>);
  else return &power_loop<T>;
}

#define ATOLL_DIVISION_OPS(X) \
  X(floor_divide, 2, IUF, same, floor_divide<T>) \
  X(remainder, 2, IUF, same, remainder<T>) \
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
