// SPDX-License-Identifier: Apache-2.0
#include "atoll/fabric/inbox.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <memory>
#include <thread>
#include <vector>

namespace atl::fabric {
namespace {

// A payload of so many bytes, all of one value, that counts when it is given back.
Inbox::Payload payload_of(std::size_t bytes, int value, int& given_back) {
  auto* data = new std::byte[bytes];
  std::memset(data, value, bytes);
  return {data, bytes,
          [](void* count, std::byte* at) {
            delete[] at;
            ++*static_cast<int*>(count);
          },
          &given_back};
}

TEST(InboxTest, DeliversInOrderAndWrapsAround) {
  auto inbox = std::make_unique<Inbox>();
  int given_back = 0;
  std::uint64_t next_in = 0, next_out = 0;
  for (int lap = 0; lap < 5; ++lap) {
    for (; !inbox->is_full(); ++next_in) {
      if (next_in % 3 == 0) inbox->push({PeId(1), 2, 3}, payload_of(1000, static_cast<int>(next_in % 100), given_back));
      else inbox->push({PeId(4), 5, 6}, std::as_bytes(std::span(&next_in, 1)));
    }
    EXPECT_EQ(next_in - next_out, Inbox::most);
    for (std::size_t k = 0; k < Inbox::most / 2 + static_cast<std::size_t>(lap); ++k, ++next_out) {
      ASSERT_FALSE(inbox->is_empty());
      const Inbox::Message& message = inbox->front();
      bool kept = next_out % 3 == 0;
      EXPECT_EQ(message.label.source, PeId(kept ? 1 : 4));
      EXPECT_EQ(message.label.handler, kept ? 2 : 5);
      EXPECT_EQ(message.label.kind, kept ? 3 : 6);
      ASSERT_EQ(message.payload.size(), kept ? 1000u : 8u);
      std::uint64_t number = 0;
      std::memcpy(&number, message.payload.data(), 8);
      EXPECT_EQ(number, kept ? next_out % 100 * 0x0101010101010101 : next_out);
      inbox->pop();
    }
    EXPECT_EQ(given_back, static_cast<int>((next_out + 2) / 3));
  }
  inbox.reset();  // with messages that were not taken
  EXPECT_EQ(given_back, static_cast<int>((next_in + 2) / 3));
}

TEST(InboxTest, TakesEmptyMessages) {
  auto inbox = std::make_unique<Inbox>();
  EXPECT_TRUE(inbox->is_empty());
  inbox->push({PeId(0), 1, 0}, std::span<const std::byte>());
  ASSERT_FALSE(inbox->is_empty());
  EXPECT_TRUE(inbox->front().payload.empty());
  inbox->pop();
  EXPECT_TRUE(inbox->is_empty());
}

TEST(InboxTest, OnePutsInWhileAnotherTakesOut) {
  constexpr std::uint64_t count = 20'000;
  auto inbox = std::make_unique<Inbox>();
  std::thread sender([&] {
    for (std::uint64_t i = 0; i < count; ++i) {
      while (inbox->is_full()) ::sched_yield();
      std::vector<std::uint64_t> words(1 + i % 30, i);
      inbox->push({PeId(static_cast<std::uint32_t>(i % 7)), 0, 0}, std::as_bytes(std::span(words)));
    }
  });
  for (std::uint64_t i = 0; i < count; ++i) {
    while (inbox->is_empty()) ::sched_yield();
    const Inbox::Message& message = inbox->front();
    std::vector<std::uint64_t> words(message.payload.size() / 8);
    std::memcpy(words.data(), message.payload.data(), message.payload.size());
    EXPECT_EQ(message.label.source, PeId(static_cast<std::uint32_t>(i % 7)));
    EXPECT_EQ(words, std::vector<std::uint64_t>(1 + i % 30, i));
    inbox->pop();
  }
  sender.join();
  EXPECT_TRUE(inbox->is_empty());
}

}  // namespace
}  // namespace atl::fabric
