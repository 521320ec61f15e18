// SPDX-License-Identifier: Apache-2.0
// Conversions between all dtypes.
//
// Floats outside the integer's range and NaN become what NumPy's C casts become on x86, on every SIMD level: through
// int32 (int8, int16, int32, uint8, uint16), or int64 (uint32, int64, uint64), whose conversion instructions
// answer with the least integer; the rest of the bits are cut off.
#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/ops/cast.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernel/ops/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace {

template <class To, class From>
struct Cast {
  static HWY_INLINE HWY_ATTR auto call(From x) {
    if constexpr (std::is_same_v<To, bool>) {
      return static_cast<std::uint8_t>(x != From(0));
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
      if constexpr (std::is_same_v<To, std::uint64_t>) {
        // Two conversions of a signed word: from 2^63 on the upper half, by way of subtracting 2^63.
        constexpr From half = From(9223372036854775808.0);
        const bool upper = x >= half;
        const From shifted = upper ? x - half : x;
        const std::uint64_t word = static_cast<std::uint64_t>(static_cast<std::int64_t>(shifted));
        return upper ? word ^ (std::uint64_t{1} << 63) : word;
      } else if constexpr (std::is_same_v<To, std::uint32_t>) {
        return static_cast<To>(static_cast<std::int64_t>(x));
      } else if constexpr (sizeof(To) < 4) {
        return static_cast<To>(static_cast<std::int32_t>(x));
      } else {
        return static_cast<To>(x);
      }
    } else {
      return static_cast<To>(x);
    }
  }
};

}  // namespace

ElementKernel find_cast_kernel(DType to, DType from) {
  return dispatch(to, [from](auto t) {
    using To = typename decltype(t)::type;
    return dispatch(from, [](auto f) -> ElementKernel {
      using From = Plain<typename decltype(f)::type>;
      // Integers of one size differ only in name.
      if constexpr (!std::is_same_v<To, bool> && std::is_integral_v<To> && std::is_integral_v<From> &&
                    sizeof(To) <= sizeof(From)) {
        return &unary_loop<Cast<Unsigned<To>, Unsigned<From>>, Unsigned<To>, Unsigned<From>>;
      } else if constexpr (std::is_same_v<To, From>) {
        return &unary_loop<Cast<Unsigned<To>, Unsigned<To>>, Unsigned<To>, Unsigned<To>>;
      } else {
        return &unary_loop<Cast<To, From>, Plain<To>, From>;
      }
    });
  });
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {

namespace {
constexpr OpInfo rows[] = {{Op::cast, "cast", 1, BIUF, ResultRule::same}};
}
constinit const Family cast_ops{rows, [](unsigned, DType) -> ElementKernel { return nullptr; }};

HWY_EXPORT(find_cast_kernel);
ElementKernel find_cast(DType to, DType from) { return HWY_DYNAMIC_DISPATCH(find_cast_kernel)(to, from); }

}  // namespace atl::array
#endif
