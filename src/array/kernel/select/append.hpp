// SPDX-License-Identifier: Apache-2.0
// Collects a growing run of elements in L1 and writes it out in whole cache lines. Private to the select kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "atoll/array/kernel/stream.hpp"

namespace atl::array {

/// Room that a vector kernel may write past the elements it counts.
inline constexpr std::size_t append_slack_bytes = 64;
inline constexpr std::size_t append_block = 512;  // elements of input per step: 4 KiB of 8-byte elements in L1

/// Elements [from, to) of a line; a memcpy of unknown length here becomes `rep movs`, ten times the work of the line.
template <class T>
inline void copy_some(unsigned char* line, const T* buffer, std::size_t from, std::size_t to) {
  for (; from < to; ++from) std::memcpy(line + from * sizeof(T), buffer + from, sizeof(T));
}

/// Calls emit(first, last, at) over blocks of [begin, end); it writes at most last - first elements to `at` (and scrap
/// up to append_slack_bytes behind them) and returns where it stopped. They end up one after another at `to`, and
/// nothing else there is touched, so that neighbours can be written by other threads.
template <class T, class Emit>
inline __attribute__((always_inline)) void append_blocks(T* to, std::size_t begin, std::size_t end, bool stream,
                                                         Emit emit) {
  constexpr std::size_t lanes = line_bytes / sizeof(T);
  alignas(64) T buffer[lanes + append_block + append_slack_bytes / sizeof(T)];  // moved by whole lines
  std::size_t phase = 0;
  if (reinterpret_cast<std::uintptr_t>(to) % sizeof(T) != 0) stream = false;
  if (stream) phase = reinterpret_cast<std::uintptr_t>(to) % line_bytes / sizeof(T);
  // buffer[0] stands for the start of the line that `line` is in; the first `phase` elements are not ours.
  auto* line = reinterpret_cast<unsigned char*>(to) - phase * sizeof(T);
  std::size_t skip = phase, fill = phase;
  for (std::size_t first = begin; first < end; first += append_block) {
    std::size_t last = first + append_block < end ? first + append_block : end;
    fill = static_cast<std::size_t>(emit(first, last, buffer + fill) - buffer);
    std::size_t whole = fill / lanes * lanes, from = 0;
    if (whole == 0) continue;
    if (skip != 0) {
      copy_some(line, buffer, skip, lanes);
      skip = 0;
      from = lanes;
    }
    if (stream) {
      for (; from < whole; from += lanes) stream_line(line + from * sizeof(T), buffer + from);
    } else {
      for (; from < whole; from += lanes) std::memcpy(line + from * sizeof(T), buffer + from, line_bytes);
    }
    std::memcpy(buffer, buffer + whole, line_bytes);
    line += whole * sizeof(T);
    fill -= whole;
  }
  copy_some(line, buffer, skip, fill);
}

}  // namespace atl::array
