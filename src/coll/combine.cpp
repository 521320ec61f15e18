// SPDX-License-Identifier: Apache-2.0
#include "combine.hpp"

#include <complex>
#include <cstring>
#include <type_traits>

// Instruction sets of the array kernels: the baseline, and those chosen at run time.
#define HWY_WANT_SSE4 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "combine.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atl::coll::detail::HWY_NAMESPACE {
namespace {

template <class T>
constexpr bool is_complex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <class T, Op op>
HWY_INLINE HWY_ATTR T combine_one(T left, T right) {
  if constexpr (std::is_same_v<T, bool>) {
    if constexpr (op == Op::sum || op == Op::max || op == Op::bit_or) return left || right;
    else if constexpr (op == Op::bit_xor) return left != right;
    else return left && right;
  } else if constexpr (is_complex<T>) {
    if constexpr (op == Op::sum) return left + right;
    // By the formula: C's operator, which treats infinities specially, takes 20 times as long.
    else
      return T(left.real() * right.real() - left.imag() * right.imag(),
               left.real() * right.imag() + left.imag() * right.real());
  } else if constexpr (std::is_floating_point_v<T>) {
    if constexpr (op == Op::sum) return left + right;
    else if constexpr (op == Op::prod) return left * right;
    // The result is NaN if an operand is, the left one first.
    else if constexpr (op == Op::min) return left < right || left != left ? left : right;
    else return left > right || left != left ? left : right;
  } else {
    using U = std::make_unsigned_t<T>;
    // Unsigned and wide enough: wrapping, also for 16-bit products that would be promoted to int.
    using Wide = std::conditional_t<(sizeof(T) < 4), std::uint32_t, U>;
    if constexpr (op == Op::sum) return static_cast<T>(static_cast<Wide>(left) + static_cast<Wide>(right));
    else if constexpr (op == Op::prod) return static_cast<T>(static_cast<Wide>(left) * static_cast<Wide>(right));
    else if constexpr (op == Op::min) return left < right ? left : right;
    else if constexpr (op == Op::max) return left > right ? left : right;
    else if constexpr (op == Op::bit_and) return static_cast<T>(left & right);
    else if constexpr (op == Op::bit_or) return static_cast<T>(left | right);
    else return static_cast<T>(left ^ right);
  }
}

template <class T, Op op>
HWY_ATTR void combine_all(void* into, const void* left, const void* right, std::size_t count, void*) {
  if constexpr (alignof(T) > 8) {
    // Mailbox cells align their payload to 8.
    for (std::size_t i = 0; i < count; ++i) {
      T one, other;
      std::memcpy(&one, static_cast<const std::byte*>(left) + i * sizeof(T), sizeof(T));
      std::memcpy(&other, static_cast<const std::byte*>(right) + i * sizeof(T), sizeof(T));
      one = combine_one<T, op>(one, other);
      std::memcpy(static_cast<std::byte*>(into) + i * sizeof(T), &one, sizeof(T));
    }
    return;
  }
  auto* out = static_cast<T*>(into);
  auto* a = static_cast<const T*>(left);
  auto* b = static_cast<const T*>(right);
  // Without the promise that nothing overlaps the compiler would test for it, and give up where into == left.
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) out[i] = combine_one<T, op>(a[i], b[i]);
}

template <class T, Op op>
constexpr bool is_defined = op == Op::sum || op == Op::prod ||
                            (!is_complex<T> && (op == Op::min || op == Op::max || !std::is_floating_point_v<T>));

template <class T>
constexpr std::array<Functor::Combine, op_count> combine_row() {
  std::array<Functor::Combine, op_count> row{};
  row[0] = combine_all<T, Op::sum>;
  row[1] = combine_all<T, Op::prod>;
  if constexpr (is_defined<T, Op::min>) {
    row[2] = combine_all<T, Op::min>;
    row[3] = combine_all<T, Op::max>;
  }
  if constexpr (is_defined<T, Op::bit_and>) {
    row[4] = combine_all<T, Op::bit_and>;
    row[5] = combine_all<T, Op::bit_or>;
    row[6] = combine_all<T, Op::bit_xor>;
  }
  return row;
}

constexpr CombineTable table{combine_row<bool>(),
                             combine_row<std::int8_t>(),
                             combine_row<std::int16_t>(),
                             combine_row<std::int32_t>(),
                             combine_row<std::int64_t>(),
                             combine_row<std::uint8_t>(),
                             combine_row<std::uint16_t>(),
                             combine_row<std::uint32_t>(),
                             combine_row<std::uint64_t>(),
                             combine_row<float>(),
                             combine_row<double>(),
                             combine_row<long double>(),
                             combine_row<std::complex<float>>(),
                             combine_row<std::complex<double>>()};

}  // namespace

const CombineTable& combines() { return table; }

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::coll::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::coll::detail {

// Does not use Highway's own dispatch, which is one choice for the process and needs a library that OpenSHMEM programs
// do not load.
const CombineTable& combine_table(SimdLevel level) {
#if defined(__x86_64__)
  if (level == SimdLevel::avx512) return N_AVX3::combines();
  if (level == SimdLevel::avx2) return N_AVX2::combines();
#endif
  return HWY_STATIC_DISPATCH(combines)();
}

const CombineTable& combine_table() {
  static const CombineTable& chosen = combine_table(simd_level());
  return chosen;
}

}  // namespace atl::coll::detail
#endif
