// SPDX-License-Identifier: Apache-2.0
// An active message, on its way out or in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "atoll/base/ids.hpp"

namespace atl::fabric {

/// Passed in one register.
struct MessageLabel {
  PeId source{0};
  std::uint16_t handler = 0;
  std::uint16_t kind = 0;  ///< runtime's: how to read the payload
};

/// A payload to be sent, joined. Passed by reference, once made, through all layers.
struct MessageParts {
  std::span<const std::byte> first, second = {};

  std::size_t size() const { return first.size() + second.size(); }
  void copy_to(std::byte* room) const {
    if (!first.empty()) std::memcpy(room, first.data(), first.size());
    if (!second.empty()) std::memcpy(room + first.size(), second.data(), second.size());
  }
};

}  // namespace atl::fabric
