// SPDX-License-Identifier: Apache-2.0
// What tests of messages say and ask.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "atoll/base/random.hpp"
#include "atoll/messaging/matching.hpp"
#include "atoll/runtime/context.hpp"

namespace atl::runtime {

inline PeId right_of(const Context& context) { return PeId((context.pe().value() + 1) % context.npes()); }
inline PeId left_of(const Context& context) {
  return PeId((context.pe().value() + context.npes() - 1) % context.npes());
}

template <class T>
std::span<const std::byte> out(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}
template <class T>
std::span<std::byte> in(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

inline std::vector<std::byte> noise(std::size_t bytes, std::uint64_t key) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; i += 8) {
    std::uint64_t word = random_bits(key, i);
    std::memcpy(data.data() + i, &word, std::min<std::size_t>(8, bytes - i));
  }
  return data;
}

inline void send_now(Matcher& matcher, PeId to, std::uint64_t tag, std::span<const std::byte> data) {
  Request request = matcher.send(to, tag, data);
  EXPECT_EQ(matcher.wait(request).status, Status::ok);
}

inline Outcome receive_now(Matcher& matcher, const Pattern& pattern, std::span<std::byte> into) {
  Request request = matcher.receive(pattern, into);
  return matcher.wait(request);
}

/// Into every second byte.
class EverySecond : public Scatter {
 public:
  explicit EverySecond(std::size_t most) : bytes(2 * most) {}
  void put(std::uint64_t from, std::uint64_t to, const std::byte* data) const override {
    for (std::uint64_t i = from; i < to; ++i) bytes[2 * i] = data[i - from];
  }
  mutable std::vector<std::byte> bytes;
};

}  // namespace atl::runtime
