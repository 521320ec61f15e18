// SPDX-License-Identifier: Apache-2.0
// Human-readable byte counts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace atl {

inline constexpr std::uint64_t KiB = 1ull << 10;
inline constexpr std::uint64_t MiB = 1ull << 20;
inline constexpr std::uint64_t GiB = 1ull << 30;

/// `1536` → "1.5 KiB".
std::string format_bytes(std::uint64_t bytes);

/// "64M", "1.5 GiB", "4096" → bytes. Throws ValueError that names `what` when it is none.
std::uint64_t parse_bytes(std::string_view text, std::string_view what);

template <class T>
constexpr T round_up(T value, T multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace atl
