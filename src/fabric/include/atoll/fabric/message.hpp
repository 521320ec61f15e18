// SPDX-License-Identifier: Apache-2.0
// Active messages as the fabric transports them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "atoll/base/ids.hpp"

namespace atl::fabric {

/// Source, handler and kind of a message; passed in one register.
struct MessageLabel {
  PeId source{0};
  std::uint16_t handler = 0;
  std::uint16_t kind = 0;  ///< format of the payload; defined by the runtime
};

/// memcpy() that is inlined for short messages: a call takes as long as the rest of sending one.
inline void copy_few(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t word = sizeof(std::uint64_t);
  struct Vector {
    std::byte bytes[2 * word];
  };
  if (bytes > 4 * sizeof(Vector)) [[unlikely]] {
    std::memcpy(to, from, bytes);
  } else if (bytes > 2 * sizeof(Vector)) {  // two vectors at each end, which may overlap
    Vector first, second, third, last;
    std::memcpy(&first, from, sizeof(Vector));
    std::memcpy(&second, from + sizeof(Vector), sizeof(Vector));
    std::memcpy(&third, from + bytes - 2 * sizeof(Vector), sizeof(Vector));
    std::memcpy(&last, from + bytes - sizeof(Vector), sizeof(Vector));
    std::memcpy(to, &first, sizeof(Vector));
    std::memcpy(to + sizeof(Vector), &second, sizeof(Vector));
    std::memcpy(to + bytes - 2 * sizeof(Vector), &third, sizeof(Vector));
    std::memcpy(to + bytes - sizeof(Vector), &last, sizeof(Vector));
  } else if (bytes > 2 * word) {
    Vector first, last;
    std::memcpy(&first, from, sizeof(Vector));
    std::memcpy(&last, from + bytes - sizeof(Vector), sizeof(Vector));
    std::memcpy(to, &first, sizeof(Vector));
    std::memcpy(to + bytes - sizeof(Vector), &last, sizeof(Vector));
  } else if (bytes >= word) {  // two words, which may overlap
    std::uint64_t first, last;
    std::memcpy(&first, from, word);
    std::memcpy(&last, from + bytes - word, word);
    std::memcpy(to, &first, word);
    std::memcpy(to + bytes - word, &last, word);
  } else if (bytes >= word / 2) {
    std::uint32_t first, last;
    std::memcpy(&first, from, word / 2);
    std::memcpy(&last, from + bytes - word / 2, word / 2);
    std::memcpy(to, &first, word / 2);
    std::memcpy(to + bytes - word / 2, &last, word / 2);
  } else if (bytes != 0) {
    to[0] = from[0];
    to[bytes / 2] = from[bytes / 2];
    to[bytes - 1] = from[bytes - 1];
  }
}

/// A payload of two parts, which are sent joined. Passed by reference through all layers.
struct MessageParts {
  std::span<const std::byte> first, second = {};

  std::size_t size() const { return first.size() + second.size(); }
  void copy_to(std::byte* room) const {
    copy_few(room, first.data(), first.size());
    copy_few(room + first.size(), second.data(), second.size());
  }
};

}  // namespace atl::fabric
