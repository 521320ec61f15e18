// SPDX-License-Identifier: Apache-2.0
// A note: the header of a long write in the 64 bits of its completion data, where a provider has that many. Fields that
// are not in it are as in the previous signal of that source, because programs signal the same word repeatedly. So a
// write has one target, which tcp reads from its socket in one go, and which is all that some networks support (cxi).
#pragma once

#include <cstdint>

#include "wire.hpp"

namespace atl::fabric::ofi {

// | bits    | field       | valid when                                                        |
// |---------|-------------|-------------------------------------------------------------------|
// | 0 … 27  | operand     | put_signal: see MessageType                                       |
// | 28 … 39 | place       | always: the header's, mod 2^12                                    |
// | 40 … 59 | source      | always: PE of the sender                                          |
// | 60 … 61 | acknowledge | always: Acknowledge                                               |
// | 62      | flush       | always: 1 flush, 0 put_signal on the word of the source's last    |
// | 63      | note        | 1. 0: the rest is the number of a slot + 1, or 0 for no header    |
struct Note {
  static constexpr std::uint64_t most_operand = (std::uint64_t{1} << 28) - 1;
  static constexpr std::uint32_t most_source = (1u << 20) - 1;

  std::uint32_t operand = 0;
  std::uint32_t place = 0;
  std::uint32_t source = 0;
  Acknowledge acknowledge = Acknowledge::never;
  bool flush = false;

  static constexpr bool is_in(std::uint64_t data) { return data >> 63 != 0; }
  static constexpr Note from(std::uint64_t data) {
    return {.operand = static_cast<std::uint32_t>(data & most_operand),
            .place = static_cast<std::uint32_t>(data >> 28) & 0xFFF,
            .source = static_cast<std::uint32_t>(data >> 40) & most_source,
            .acknowledge = static_cast<Acknowledge>(data >> 60 & 3),
            .flush = (data >> 62 & 1) != 0};
  }
  constexpr std::uint64_t data() const {
    return std::uint64_t{1} << 63 | std::uint64_t{flush} << 62 | std::uint64_t(acknowledge) << 60 |
           std::uint64_t{source} << 40 | std::uint64_t{place & 0xFFF} << 28 | operand;
  }
  /// The full position, which is near `handled`.
  constexpr std::uint32_t place_near(std::uint32_t handled) const {
    auto ahead = static_cast<std::int32_t>((place - handled) << 20) >> 20;
    return handled + static_cast<std::uint32_t>(ahead);
  }
};
static_assert(Note::from(Note{Note::most_operand, 0xFFF, Note::most_source, Acknowledge::at_once, true}.data())
                  .operand == Note::most_operand);
static_assert(Note{0, 0x002, 0, Acknowledge::never, false}.place_near(0x1FFE) == 0x2002);
static_assert(Note{0, 0xFFE, 0, Acknowledge::never, false}.place_near(0x2002) == 0x1FFE);

}  // namespace atl::fabric::ofi
