// SPDX-License-Identifier: Apache-2.0
// Contiguous blocks: copy, fill, reversal, tiling, repetition.
#include <algorithm>

#include "atoll/array/kernel/copy.hpp"
#include "atoll/array/kernel/fill.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/kernel/stream.hpp"

namespace atl::array {
namespace {

// Below this a second thread costs more than it brings (waking one takes microseconds).
constexpr std::size_t range_bytes = std::size_t{64} << 10;

std::size_t range_elements(std::size_t element_size) { return std::max<std::size_t>(1, range_bytes / element_size); }

void copy_range(unsigned char* to, const unsigned char* from, std::size_t bytes, bool stream) {
  if (stream) stream_bytes(to, from, bytes);
  else std::memcpy(to, from, bytes);
}

void fill_range(unsigned char* to, std::uint64_t pattern, std::size_t bytes, bool stream) {
  unsigned char line[line_bytes];
  for (std::size_t at = 0; at < line_bytes; at += 8) std::memcpy(line + at, &pattern, 8);
  std::size_t at = 0;
  if (stream && to_line(to) % 8 == 0) {
    for (std::size_t head = std::min(to_line(to), bytes); at < head; at += 8)
      std::memcpy(to + at, &pattern, std::min<std::size_t>(8, bytes - at));
    for (; at + line_bytes <= bytes; at += line_bytes) stream_line(to + at, line);
  } else {
    for (; at + line_bytes <= bytes; at += line_bytes) std::memcpy(to + at, line, line_bytes);
  }
  if (at < bytes) std::memcpy(to + at, line, bytes - at);
}

template <class T>
void reverse_range(T* to, const T* from, std::size_t begin, std::size_t end, std::size_t n) {
  for (std::size_t i = begin; i < end; ++i) to[i] = from[n - 1 - i];
}

template <class T>
void repeat_range(T* to, const T* from, std::size_t begin, std::size_t end, std::size_t times) {
  for (std::size_t i = begin; i < end; ++i) std::fill_n(to + i * times, times, from[i]);
}

}  // namespace

void copy_bytes(const Work& work, void* to, const void* from, std::size_t bytes) {
  auto* target = static_cast<unsigned char*>(to);
  const auto* source = static_cast<const unsigned char*>(from);
  bool stream = bytes >= stream_threshold;
  Polling(work).for_pieces(bytes, range_bytes, [&](std::size_t begin, std::size_t end, unsigned) {
    copy_range(target + begin, source + begin, end - begin, stream);
    fence_streams();
  });
}

void fill(const Work& work, std::size_t element_size, std::uint64_t bits, void* to, std::size_t n) {
  std::uint64_t pattern = element_size == 8   ? bits
                          : element_size == 4 ? (bits & 0xFFFFFFFFu) * 0x100000001u
                          : element_size == 2 ? (bits & 0xFFFFu) * 0x1000100010001u
                                              : (bits & 0xFFu) * 0x101010101010101u;
  auto* target = static_cast<unsigned char*>(to);
  std::size_t bytes = n * element_size;
  bool stream = bytes >= stream_threshold;
  Polling(work).for_pieces(bytes, range_bytes, [&](std::size_t begin, std::size_t end, unsigned) {
    fill_range(target + begin, pattern, end - begin, stream);
    fence_streams();
  });
}

void copy_reversed(const Work& work, std::size_t element_size, void* to, const void* from, std::size_t n) {
  Polling(work).for_pieces(n, range_elements(element_size), [&](std::size_t begin, std::size_t end, unsigned) {
    auto plain = [&]<class T>(Type<T>) {
      reverse_range(static_cast<T*>(to), static_cast<const T*>(from), begin, end, n);
    };
    if (element_size == 1 || element_size == 2 || element_size == 4 || element_size == 8)
      return dispatch_size(element_size, plain);
    for (std::size_t i = begin; i < end; ++i)
      std::memcpy(static_cast<unsigned char*>(to) + i * element_size,
                  static_cast<const unsigned char*>(from) + (n - 1 - i) * element_size, element_size);
  });
}

void tile(const Work& work, void* to, const void* from, std::size_t bytes, std::size_t times) {
  if (bytes == 0) return;
  auto* target = static_cast<unsigned char*>(to);
  const auto* source = static_cast<const unsigned char*>(from);
  // Small blocks are first doubled to some 4 KiB, so that each copy is worth its call.
  Buffer<unsigned char> wide;
  std::size_t group = 1;
  if (bytes < 2048 && times > 1) {
    group = std::min(times, 4096 / bytes);
    wide = Buffer<unsigned char>(work.memory, group * bytes);
    for (std::size_t i = 0; i < group; ++i) std::memcpy(wide.data() + i * bytes, source, bytes);
    source = wide.data();
  }
  std::size_t unit = group * bytes, total = bytes * times;
  bool stream = total >= stream_threshold;
  Polling(work).for_pieces(total, range_bytes, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t at = begin; at < end;) {
      std::size_t offset = at % unit, length = std::min(unit - offset, end - at);
      copy_range(target + at, source + offset, length, stream && length >= 1024);
      at += length;
    }
    fence_streams();
  });
}

void repeat(const Work& work, std::size_t element_size, void* to, const void* from, std::size_t n, std::size_t times) {
  if (times == 0) return;
  const bool is_word = element_size == 1 || element_size == 2 || element_size == 4 || element_size == 8;
  if (is_word && times <= 7) {  // interleaves the elements with themselves
    const auto size = static_cast<std::int64_t>(element_size), each = static_cast<std::int64_t>(times);
    const std::int64_t shape[] = {static_cast<std::int64_t>(n), each};
    const std::int64_t to_strides[] = {each * size, size}, from_strides[] = {size, 0};
    copy_strided(work, element_size, 2, shape, to, to_strides, from, from_strides);
    return;
  }
  Polling(work).for_pieces(n, range_elements(element_size * times), [&](std::size_t begin, std::size_t end, unsigned) {
    if (is_word) {
      return dispatch_size(element_size, [&]<class T>(Type<T>) {
        repeat_range(static_cast<T*>(to), static_cast<const T*>(from), begin, end, times);
      });
    }
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t k = 0; k < times; ++k)
        std::memcpy(static_cast<unsigned char*>(to) + (i * times + k) * element_size,
                    static_cast<const unsigned char*>(from) + i * element_size, element_size);
  });
}

}  // namespace atl::array
