// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/parquet/snappy.hpp"

#include <cstdint>
#include <cstring>

#include "atoll/base/error.hpp"

namespace atl::table {
namespace {

void check(bool good) { ATOLL_VALIDATE(good, ValueError, "corrupt Snappy data"); }

/// A whole number of seven bits to a byte, low ones first.
std::size_t read_size(std::span<const std::byte> packed, std::size_t& at) {
  std::size_t size = 0;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    check(at < packed.size());
    const auto byte = static_cast<std::size_t>(packed[at++]);
    size |= (byte & 0x7f) << shift;
    if (byte < 0x80) return size;
  }
  check(false);
  return 0;
}

std::size_t little(const std::byte* from, std::size_t bytes) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value |= static_cast<std::size_t>(from[i]) << (8 * i);
  return value;
}

constexpr std::size_t slack = 80;  // an element of 64 bytes at most, copied 16 at a time

/// Elements while both ends are far: nothing but distances has to be checked.
void unpack_middle(std::span<const std::byte> packed, std::span<std::byte> to, std::size_t& read, std::size_t& written) {
  const std::byte *from = packed.data() + read, *from_end = packed.data() + packed.size();
  std::byte *target = to.data() + written, *target_end = to.data() + to.size();
  while (from_end - from >= static_cast<std::ptrdiff_t>(slack) && target_end - target >= static_cast<std::ptrdiff_t>(slack)) {
    const auto tag = static_cast<std::size_t>(*from);
    std::size_t length = (tag >> 2) + 1, distance = 0;
    if ((tag & 3) == 0) {
      if (length > 60) break;  // long ones are rare, and worth a call
      std::memcpy(target, from + 1, 16);
      if (length > 16) std::memcpy(target + 16, from + 17, 48);
      from += 1 + length;
      target += length;
      continue;
    }
    if ((tag & 3) == 1) {
      length = (tag >> 2 & 7) + 4;
      distance = (tag >> 5) << 8 | static_cast<std::size_t>(from[1]);
      from += 2;
    } else if ((tag & 3) == 2) {
      distance = static_cast<std::size_t>(from[1]) | static_cast<std::size_t>(from[2]) << 8;
      from += 3;
    } else {
      distance = little(from + 1, 4);
      from += 5;
    }
    check(distance > 0 && distance <= static_cast<std::size_t>(target - to.data()));
    const std::byte* source = target - distance;
    if (distance >= 16) {
      std::memcpy(target, source, 16);
      for (std::size_t i = 16; i < length; i += 16) std::memcpy(target + i, source + i, 16);
    } else if (distance >= 8) {
      for (std::size_t i = 0; i < length; i += 8) std::memcpy(target + i, source + i, 8);
    } else {
      for (std::size_t i = 0; i < length; ++i) target[i] = source[i];
    }
    target += length;
  }
  read = static_cast<std::size_t>(from - packed.data());
  written = static_cast<std::size_t>(target - to.data());
}

}  // namespace

std::size_t snappy_size(std::span<const std::byte> packed) {
  std::size_t at = 0;
  return read_size(packed, at);
}

void unpack_snappy(std::span<const std::byte> packed, std::span<std::byte> to) {
  std::size_t at = 0, done = 0;
  check(read_size(packed, at) == to.size());
  while (at < packed.size()) {
    unpack_middle(packed, to, at, done);
    if (at == packed.size()) break;
    const auto tag = static_cast<std::size_t>(packed[at++]);
    if ((tag & 3) == 0) {  // bytes as they are
      std::size_t length = (tag >> 2) + 1;
      if (length > 60) {
        const std::size_t bytes = length - 60;
        check(packed.size() - at >= bytes);
        length = little(packed.data() + at, bytes) + 1;
        at += bytes;
      }
      check(packed.size() - at >= length && to.size() - done >= length);
      std::memcpy(to.data() + done, packed.data() + at, length);
      at += length;
      done += length;
      continue;
    }
    std::size_t length = 0, distance = 0;  // bytes that have been before
    if ((tag & 3) == 1) {
      check(at < packed.size());
      length = (tag >> 2 & 7) + 4;
      distance = (tag >> 5) << 8 | static_cast<std::size_t>(packed[at++]);
    } else {
      const std::size_t bytes = (tag & 3) == 2 ? 2 : 4;
      check(packed.size() - at >= bytes);
      length = (tag >> 2) + 1;
      distance = little(packed.data() + at, bytes);
      at += bytes;
    }
    check(distance > 0 && distance <= done && to.size() - done >= length);
    std::byte* target = to.data() + done;
    const std::byte* source = target - distance;
    for (std::size_t i = 0; i < length; ++i) target[i] = source[i];
    done += length;
  }
  check(done == to.size());
}

}  // namespace atl::table
