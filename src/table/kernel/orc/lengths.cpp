// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/orc/lengths.hpp"

#include <algorithm>
#include <array>

#include "atoll/base/validate.hpp"

namespace atl::table {
namespace {

/// Bits of a value by the five bits that tell them.
constexpr std::array<unsigned, 32> widths{1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
                                          17, 18, 19, 20, 21, 22, 23, 24, 26, 28, 30, 32, 40, 48, 56, 64};

/// The least of those widths that has so many bits.
unsigned closest(unsigned bits) {
  return *std::find_if(widths.begin(), widths.end() - 1, [&](unsigned width) { return width >= bits; });
}

class Lengths {
 public:
  Lengths(std::span<const std::byte> stream, std::uint64_t count) : bytes_(stream), left_(count) {}

  std::uint64_t of_v1() {
    while (more()) {
      const unsigned control = byte();
      if (control < 128) {
        const auto step = static_cast<std::int8_t>(byte());
        run(varint(), step, control + 3);
      } else {
        for (unsigned i = control; i < 256; ++i) add(varint());
      }
    }
    return sum_;
  }

  std::uint64_t of_v2() {
    while (more()) {
      const unsigned head = byte();
      if (head >> 6 == 0) {
        const std::uint64_t value = big((head >> 3 & 7) + 1);
        for (unsigned i = (head & 7) + 3; i > 0; --i) add(value);
        continue;
      }
      const unsigned code = head >> 1 & 31;
      const std::uint64_t length = ((head & 1) << 8 | byte()) + 1;
      switch (head >> 6) {
        case 1: packed(widths[code], length, [&](std::uint64_t value) { add(value); }); break;
        case 2: patched(widths[code], length); break;
        default: deltas(code == 0 ? 0 : widths[code], length);
      }
    }
    return sum_;
  }

 private:
  bool more() const { return at_ < bytes_.size() && left_ > 0 && sum_ < most_of_orc; }

  unsigned byte() {
    ATOLL_VALIDATE(at_ < bytes_.size(), ValueError, "its lengths end within a run");
    return static_cast<unsigned>(bytes_[at_++]);
  }
  std::uint64_t big(unsigned count) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < count; ++i) value = value << 8 | byte();
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const unsigned next = byte();
      value |= static_cast<std::uint64_t>(next & 0x7f) << shift;
      if (next < 0x80) return value;
    }
    raise<ValueError>("a length of it is too long");
  }

  void add(std::uint64_t value) {
    if (left_ == 0) return;
    --left_;
    sum_ = value >= most_of_orc - sum_ ? most_of_orc : sum_ + value;
  }
  /// Values from a first one on, each so much more than the one before.
  void run(std::uint64_t value, std::int64_t step, std::uint64_t count) {
    for (; count > 0; --count, value += static_cast<std::uint64_t>(step)) add(value);  // one below 0 is a large one
  }

  /// Calls `take(value)` for values of so many bits each, the most significant first; they end with a byte.
  template <class Take>
  void packed(unsigned width, std::uint64_t count, Take&& take) {
    std::uint64_t bits = 0;
    unsigned have = 0;
    for (; count > 0; --count) {
      std::uint64_t value = 0;
      for (unsigned want = width; want > 0;) {
        if (have == 0) {
          bits = byte();
          have = 8;
        }
        const unsigned some = std::min(want, have);
        value = value << some | (bits >> (have - some) & ((1U << some) - 1));
        have -= some;
        want -= some;
      }
      take(value);
    }
  }

  /// Values over a base, of which some have more bits: these follow, and where they belong does not matter to a sum.
  void patched(unsigned width, std::uint64_t length) {
    const unsigned third = byte(), fourth = byte();
    const unsigned base_bytes = (third >> 5) + 1, patch = widths[third & 31], gap = (fourth >> 5) + 1;
    const std::uint64_t base = big(base_bytes);
    if (base >> (8 * base_bytes - 1) != 0) sum_ = most_of_orc;  // below 0
    packed(width, length, [&](std::uint64_t value) {
      add(base);
      ++left_;
      add(value);
    });
    packed(closest(patch + gap), fourth & 31, [&](std::uint64_t value) {
      const std::uint64_t bits = patch >= 64 ? value : value & ((std::uint64_t{1} << patch) - 1);
      ++left_;
      add(bits == 0 ? 0 : width >= 63 || bits >> (63 - width) != 0 ? most_of_orc : bits << width);
    });
  }

  void deltas(unsigned width, std::uint64_t length) {
    std::uint64_t value = varint();
    const std::uint64_t told = varint();
    const auto first = static_cast<std::int64_t>(told >> 1) ^ -static_cast<std::int64_t>(told & 1);
    if (width == 0) return run(value, first, length);
    add(value);
    if (length < 2) return;
    add(value += static_cast<std::uint64_t>(first));
    packed(width, length - 2, [&](std::uint64_t delta) { add(value = first < 0 ? value - delta : value + delta); });
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  std::uint64_t left_, sum_ = 0;
};

}  // namespace

std::uint64_t sum_orc_lengths(std::span<const std::byte> stream, OrcRuns runs, std::uint64_t count) {
  Lengths lengths(stream, count);
  return runs == OrcRuns::v1 ? lengths.of_v1() : lengths.of_v2();
}

}  // namespace atl::table
