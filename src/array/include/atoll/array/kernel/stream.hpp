// SPDX-License-Identifier: Apache-2.0
// Whole cache lines written past the caches, and where it pays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace atl::array {

inline constexpr std::size_t line_bytes = 64;

/// From this size on a result does not stay in L2 (2 MiB on the machine this was tuned on), and a streaming store
/// saves reading its line first: a third of a copy's traffic.
inline constexpr std::size_t stream_threshold = std::size_t{2} << 20;

inline bool line_aligned(const void* address) { return reinterpret_cast<std::uintptr_t>(address) % line_bytes == 0; }

/// Bytes from `address` to the next line border.
inline std::size_t to_line(const void* address) {
  return (line_bytes - reinterpret_cast<std::uintptr_t>(address) % line_bytes) % line_bytes;
}

/// Writes one line. `to` is line aligned. The processor joins the four parts.
inline void stream_line(void* to, const void* from) {
#if defined(__x86_64__)
  const auto* source = static_cast<const __m128i*>(from);
  auto* target = static_cast<__m128i*>(to);
  __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
  __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
  _mm_stream_si128(target, a);
  _mm_stream_si128(target + 1, b);
  _mm_stream_si128(target + 2, c);
  _mm_stream_si128(target + 3, d);
#else
  std::memcpy(to, from, line_bytes);
#endif
}

/// Streaming stores are weakly ordered: call this before another thread is told that the data is there.
inline void fence_streams() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

/// memcpy past the caches. No fence.
inline void stream_bytes(void* to, const void* from, std::size_t bytes) {
  auto* target = static_cast<unsigned char*>(to);
  const auto* source = static_cast<const unsigned char*>(from);
  std::size_t head = to_line(target);
  if (head > bytes) head = bytes;
  std::memcpy(target, source, head);
  std::size_t at = head;
  for (; at + line_bytes <= bytes; at += line_bytes) stream_line(target + at, source + at);
  std::memcpy(target + at, source + at, bytes - at);
}

}  // namespace atl::array
