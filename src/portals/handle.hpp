// SPDX-License-Identifier: Apache-2.0
// Handles encode the kind of object, its interface, and its number there.
//
// | bits    | field     |
// |---------|-----------|
// | 29 … 31 | Kind      |
// | 27, 28  | interface |
// |  0 … 26 | number of a runtime::Pool: index and generation |
#pragma once

#include <cstdint>

#include "portals4.h"

namespace atl::portals {

enum class Kind : std::uint32_t { queue = 1, counter = 2, interface = 3, descriptor = 4, entry = 5 };

constexpr std::uint32_t number_bits = 27;

constexpr std::uint32_t handle_of(Kind kind, std::uint32_t interface, std::uint32_t number) {
  return static_cast<std::uint32_t>(kind) << 29 | interface << number_bits | number;
}
constexpr bool is_of(std::uint32_t handle, Kind kind) { return handle >> 29 == static_cast<std::uint32_t>(kind); }
constexpr std::uint32_t interface_in(std::uint32_t handle) { return handle >> number_bits & 3; }
constexpr std::uint32_t number_in(std::uint32_t handle) { return handle & ((std::uint32_t{1} << number_bits) - 1); }

// No queue or counter has these handles, whose number would be 2^20 - 1.
static_assert(is_of(PTL_EQ_NONE, Kind::queue) && is_of(PTL_CT_NONE, Kind::counter));

}  // namespace atl::portals
