// SPDX-License-Identifier: Apache-2.0
// Element types, and the one place that turns a run-time type into a compile-time one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "atoll/base/raise.hpp"

namespace atl::array {

/// Values cross wires and the Python boundary; append only. 11 and 12 are kept for complex64 and complex128.
enum class DType : std::uint8_t { b1 = 0, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64 };
inline constexpr std::size_t dtype_count = 11;

constexpr std::size_t size_of(DType type) {
  constexpr std::array<std::size_t, dtype_count> sizes{1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

/// NumPy's name: "bool", "int64", …
constexpr std::string_view name_of(DType type) {
  constexpr std::array<std::string_view, dtype_count> names{"bool",   "int8",   "int16",  "int32",   "int64",  "uint8",
                                                            "uint16", "uint32", "uint64", "float32", "float64"};
  return names[static_cast<std::size_t>(type)];
}

constexpr bool is_float(DType type) { return type == DType::f32 || type == DType::f64; }
constexpr bool is_signed(DType type) { return type >= DType::i8 && type <= DType::i64; }
constexpr bool is_unsigned(DType type) { return type >= DType::u8 && type <= DType::u64; }
constexpr bool is_integer(DType type) { return is_signed(type) || is_unsigned(type); }

template <class T>
struct Type {
  using type = T;
};

/// dtype_of<double> == DType::f64.
template <class T>
inline constexpr DType dtype_of = [] {
  if constexpr (std::is_same_v<T, bool>) return DType::b1;
  else if constexpr (std::is_same_v<T, float>) return DType::f32;
  else if constexpr (std::is_same_v<T, double>) return DType::f64;
  else {
    static_assert(std::is_integral_v<T>);
    constexpr int log2 = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<DType>((std::is_signed_v<T> ? 1 : 5) + log2);
  }
}();

/// Calls `body(Type<T>{})` with the C++ type of `type`; bool arrays hold 0 or 1 in one byte (C++ bool).
template <class Body>
decltype(auto) dispatch(DType type, Body&& body) {
  switch (type) {
    case DType::b1: return body(Type<bool>{});
    case DType::i8: return body(Type<std::int8_t>{});
    case DType::i16: return body(Type<std::int16_t>{});
    case DType::i32: return body(Type<std::int32_t>{});
    case DType::i64: return body(Type<std::int64_t>{});
    case DType::u8: return body(Type<std::uint8_t>{});
    case DType::u16: return body(Type<std::uint16_t>{});
    case DType::u32: return body(Type<std::uint32_t>{});
    case DType::u64: return body(Type<std::uint64_t>{});
    case DType::f32: return body(Type<float>{});
    case DType::f64: return body(Type<double>{});
  }
  raise<TypeError>("unknown dtype code " + std::to_string(static_cast<int>(type)));
}

/// Calls `body(Type<U>{})` with the unsigned integer of that element size (1, 2, 4, 8): for moving data.
template <class Body>
decltype(auto) dispatch_size(std::size_t size, Body&& body) {
  switch (size) {
    case 1: return body(Type<std::uint8_t>{});
    case 2: return body(Type<std::uint16_t>{});
    case 4: return body(Type<std::uint32_t>{});
    default: return body(Type<std::uint64_t>{});
  }
}

}  // namespace atl::array
