// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/parquet/snappy.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "atoll/base/raise.hpp"

namespace atl::table {
namespace {

[[noreturn]] void refuse() { raise<ValueError>("corrupt Snappy data"); }
inline void check(bool good) {
  if (!good) [[unlikely]]
    refuse();
}

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

/// Of each tag of a copy: its length, the second byte of its distance, and how many bytes follow that say the rest.
/// Programs that compress numbers mix tags of two kinds as it comes, so that branches would be guessed wrong every
/// other time.
constexpr std::array<std::uint32_t, 256> copies = [] {
  std::array<std::uint32_t, 256> made{};
  for (std::uint32_t tag = 0; tag < 256; ++tag) {
    const std::uint32_t kind = tag & 3;
    if (kind == 1) made[tag] = ((tag >> 2 & 7) + 4) | (tag >> 5) << 8 | 1u << 16;
    else made[tag] = ((tag >> 2) + 1) | (kind == 2 ? 2u : 4u) << 16;
  }
  return made;
}();
constexpr std::array<std::uint32_t, 5> masks{0, 0xff, 0xffff, 0xffffff, 0xffffffff};

/// Elements while both ends are far: nothing but distances has to be checked.
void unpack_middle(std::span<const std::byte> packed, std::span<std::byte> to, std::size_t& read,
                   std::size_t& written) {
  const std::byte *from = packed.data() + read, *from_end = packed.data() + packed.size();
  std::byte *target = to.data() + written, *target_end = to.data() + to.size();
  while (from_end - from >= static_cast<std::ptrdiff_t>(slack) &&
         target_end - target >= static_cast<std::ptrdiff_t>(slack)) {
    const auto tag = static_cast<std::size_t>(*from);
    std::size_t length = (tag >> 2) + 1;
    if ((tag & 3) == 0) {
      if (length > 60) break;  // long ones are rare, and worth a call
      std::memcpy(target, from + 1, 16);
      if (length > 16) std::memcpy(target + 16, from + 17, 48);
      from += 1 + length;
      target += length;
      continue;
    }
    const std::uint32_t copy = copies[tag];
    std::uint32_t word = 0;
    std::memcpy(&word, from + 1, 4);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap32(word);
    length = copy & 0xff;
    const std::size_t distance = (copy >> 8 & 0xff) << 8 | (word & masks[copy >> 16]);
    from += 1 + (copy >> 16);
    check(distance > 0 && distance <= static_cast<std::size_t>(target - to.data()));
    const std::byte* source = target - distance;
    if (distance >= 8 && length <= 8) {
      std::memcpy(target, source, 8);
    } else if (distance >= 16) {
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
