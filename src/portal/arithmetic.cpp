// SPDX-License-Identifier: Apache-2.0
// Elementwise operations of atomics. All that reach a PE's memory through its portals are carried out in its progress,
// one at a time: that is what makes them atomic.
#include <algorithm>
#include <complex>
#include <cstring>
#include <type_traits>

#include "state.hpp"

namespace atl::runtime {
namespace {

// Calls with a value of the type.
template <class Use>
decltype(auto) with_type(Scalar type, Use&& use) {
  switch (type) {
    case Scalar::int8: return use(std::int8_t{});
    case Scalar::uint8: return use(std::uint8_t{});
    case Scalar::int16: return use(std::int16_t{});
    case Scalar::uint16: return use(std::uint16_t{});
    case Scalar::int32: return use(std::int32_t{});
    case Scalar::uint32: return use(std::uint32_t{});
    case Scalar::float32: return use(float{});
    case Scalar::int64: return use(std::int64_t{});
    case Scalar::uint64: return use(std::uint64_t{});
    case Scalar::float64: return use(double{});
    case Scalar::complex64: return use(std::complex<float>{});
    case Scalar::complex128: return use(std::complex<double>{});
    case Scalar::long_double: return use(static_cast<long double>(0));
    case Scalar::complex_long_double: break;
  }
  return use(std::complex<long double>{});
}

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

bool compares(Arithmetic operation) {
  return operation == Arithmetic::min || operation == Arithmetic::max ||
         (operation >= Arithmetic::swap_less_equal && operation <= Arithmetic::swap_greater);
}
bool of_bits(Arithmetic operation) {
  return operation == Arithmetic::bit_or || operation == Arithmetic::bit_and || operation == Arithmetic::bit_xor ||
         operation == Arithmetic::masked_swap;
}
bool of_truths(Arithmetic operation) {
  return operation == Arithmetic::logical_or || operation == Arithmetic::logical_and ||
         operation == Arithmetic::logical_xor;
}

template <class T, class Change>
void each(std::byte* target, const std::byte* source, std::size_t bytes, Change&& change) {
  for (std::size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
    T mine, theirs;
    std::memcpy(&mine, target + at, sizeof(T));
    std::memcpy(&theirs, source + at, sizeof(T));
    mine = static_cast<T>(change(mine, theirs));
    std::memcpy(target + at, &mine, sizeof(T));
  }
}

template <class T>
void apply_as(Arithmetic operation, std::byte* target, const std::byte* source, std::size_t bytes) {
  auto run = [&](auto change) { each<T>(target, source, bytes, change); };
  switch (operation) {
    case Arithmetic::sum: return run([](T a, T b) { return a + b; });
    case Arithmetic::product: return run([](T a, T b) { return a * b; });
    default: break;
  }
  if constexpr (!is_complex<T>) {
    switch (operation) {
      case Arithmetic::min: return run([](T a, T b) { return std::min(a, b); });
      case Arithmetic::max: return run([](T a, T b) { return std::max(a, b); });
      default: break;
    }
  }
  if constexpr (std::is_integral_v<T>) {
    switch (operation) {
      case Arithmetic::logical_or: return run([](T a, T b) { return a || b; });
      case Arithmetic::logical_and: return run([](T a, T b) { return a && b; });
      case Arithmetic::logical_xor: return run([](T a, T b) { return !a != !b; });
      case Arithmetic::bit_or: return run([](T a, T b) { return a | b; });
      case Arithmetic::bit_and: return run([](T a, T b) { return a & b; });
      case Arithmetic::bit_xor: return run([](T a, T b) { return a ^ b; });
      default: break;
    }
  }
}

// What a conditional swap leaves in the target.
template <class T>
T swapped(Arithmetic operation, T target, T source, T operand) {
  if (operation == Arithmetic::compare_swap) return operand == target ? source : target;
  if (operation == Arithmetic::swap_unequal) return operand != target ? source : target;
  if constexpr (!is_complex<T>) {
    switch (operation) {
      case Arithmetic::swap_less_equal: return operand <= target ? source : target;
      case Arithmetic::swap_less: return operand < target ? source : target;
      case Arithmetic::swap_greater_equal: return operand >= target ? source : target;
      case Arithmetic::swap_greater: return operand > target ? source : target;
      default: break;
    }
  }
  if constexpr (std::is_integral_v<T>) return static_cast<T>((operand & source) | (~operand & target));
  return target;
}

}  // namespace

std::size_t bytes_of(Scalar type) {
  return with_type(type, [](auto value) { return sizeof(value); });
}

bool is_defined(Arithmetic operation, Scalar type) {
  if (operation > Arithmetic::masked_swap || type > Scalar::complex_long_double) return false;
  return with_type(type, [&](auto value) {
    using T = decltype(value);
    if (of_bits(operation) || of_truths(operation)) return std::is_integral_v<T>;
    return !is_complex<T> || !compares(operation);
  });
}

namespace portal {

void apply(Arithmetic operation, Scalar type, std::byte* target, const std::byte* source, std::size_t bytes) {
  with_type(type, [&](auto value) { apply_as<decltype(value)>(operation, target, source, bytes); });
}

void apply_swap(Arithmetic operation, Scalar type, std::byte* target, const std::byte* source, const std::byte* operand,
                std::size_t bytes) {
  if (operation == Arithmetic::swap) {
    if (bytes != 0) std::memcpy(target, source, bytes);
    return;
  }
  with_type(type, [&](auto value) {
    using T = decltype(value);
    if (bytes < sizeof(T)) return;
    T mine, theirs, compared;
    std::memcpy(&mine, target, sizeof(T));
    std::memcpy(&theirs, source, sizeof(T));
    std::memcpy(&compared, operand, sizeof(T));
    mine = swapped(operation, mine, theirs, compared);
    std::memcpy(target, &mine, sizeof(T));
  });
}

}  // namespace portal
}  // namespace atl::runtime
