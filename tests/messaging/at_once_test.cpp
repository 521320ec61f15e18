// SPDX-License-Identifier: Apache-2.0
// Messages that a waiting receive takes directly from the ring.
#include <gtest/gtest.h>

#include "atoll/runtime/context.hpp"
#include "messages.hpp"
#include "run_pes.hpp"

namespace atl::runtime {
namespace {

class AtOnce : public testing::OnPes {};

// Straight from the ring where it can be; where it cannot, nothing has been done, and an ordinary receive gets the
// message.
TEST_P(AtOnce, ReceivesAnArrivingMessageWithoutAnOperation) {
  run([](Context& context) {
    Matcher matcher(context);
    constexpr std::uint64_t rounds = 200;
    for (std::uint64_t i = 0; i < rounds; ++i) {
      const std::size_t sizes[] = {0, 8, 33, 300, 5000, 16'384, 16'385, 70'000};
      auto data = noise(sizes[i % std::size(sizes)], i);
      const bool sent = data.size() <= 16'384;
      Request send;
      ASSERT_EQ(matcher.send_now(right_of(context), i, data), sent);
      if (!sent) send = matcher.send(right_of(context), i, data);
      // Too short by a third now and then.
      const bool cut = i % 5 == 4;
      std::vector<std::byte> got(cut ? data.size() * 2 / 3 : data.size());
      Pattern pattern{i % 3 == 0 ? std::nullopt : std::optional(left_of(context)), i, 0};
      auto outcome = matcher.receive_now(pattern, got);
      if (!outcome) outcome = receive_now(matcher, pattern, got);
      ASSERT_EQ(outcome->status, got.size() < data.size() ? Status::truncated : Status::ok);
      ASSERT_EQ(outcome->envelope.source, left_of(context));
      ASSERT_EQ(outcome->envelope.bytes, data.size());
      ASSERT_TRUE(std::equal(got.begin(), got.end(), data.begin())) << i;
      EXPECT_EQ(matcher.wait(send).status, Status::ok);
    }
    context.barrier();
    EXPECT_EQ(matcher.stats().received_messages, rounds);
    EXPECT_EQ(matcher.stats().sent_messages, rounds);
  });
}

TEST_P(AtOnce, ReceivesDirectlyFromTheRing) {
  ATOLL_NOT_SIMULATED();
  if (npes() == 1) GTEST_SKIP() << "what one sends to oneself has been taken in when one looks";
  // With a network a thread that makes progress may have it in its hands just now.
  const bool is_alone = fabric() != testing::Fabric::ofi;
  run([is_alone](Context& context) {
    Matcher matcher(context);
    HeapOffset sent = context.allocate_symmetric(8);
    *context.local_pointer<std::uint64_t>(sent) = 0;
    context.barrier();
    if (context.pe() == PeId(0)) {
      std::uint64_t value = 77;
      ASSERT_TRUE(matcher.send_now(PeId(1), 5, out(value)));
      context.set<std::uint64_t>(PeId(1), sent, 1);
    } else if (context.pe() == PeId(1)) {
      while (context.fetch<std::uint64_t>(PeId(1), sent) == 0) ::sched_yield();  // without progress
      std::uint64_t value = 0;
      auto outcome = matcher.receive_if_here({PeId(0), 5}, in(value));
      EXPECT_TRUE(outcome.has_value() || !is_alone || context.peer_pointer(PeId(0), HeapOffset(0)) == nullptr);
      if (!outcome) outcome = receive_now(matcher, {PeId(0), 5}, in(value));
      EXPECT_EQ(outcome->envelope.bytes, 8u);
      EXPECT_EQ(value, 77u);
    }
    context.barrier();
    context.release_symmetric(sent);
  });
}

// A waiting receive gets its message, also when that is not the next one in the ring.
TEST_P(AtOnce, KeepsTheMatchingOrder) {
  run([](Context& context) {
    Matcher matcher(context);
    std::uint64_t first = 0, second = 0, third = 0;
    Request waiting = matcher.receive({left_of(context), 0, ~std::uint64_t{0}}, in(first));
    context.barrier();
    for (std::uint64_t tag : {7, 8, 9}) ASSERT_TRUE(matcher.send_now(right_of(context), tag, out(tag)));
    auto take = [&](const Pattern& pattern, std::uint64_t& value) {
      if (!matcher.receive_now(pattern, in(value))) (void)receive_now(matcher, pattern, in(value));
    };
    take({left_of(context), 9}, third);
    take({left_of(context), 0, ~std::uint64_t{0}}, second);
    EXPECT_EQ(matcher.wait(waiting).envelope.tag, 7u);
    EXPECT_EQ(first, 7u);
    EXPECT_EQ(second, 8u);
    EXPECT_EQ(third, 9u);
    context.barrier();
  });
}

// Many that wait, and one that is waited for first, last or in between; others' messages lie among them.
TEST_P(AtOnce, AWaitReceivesMessagesOfOtherReceives) {
  run([](Context& context) {
    Matcher matcher(context);
    constexpr std::uint64_t many = 64;
    for (std::uint64_t round = 0; round < 30; ++round) {
      std::vector<std::uint64_t> values(many);
      std::vector<Request> receives;
      for (std::uint64_t i = 0; i < many; ++i)
        receives.push_back(matcher.receive({left_of(context), i}, in(values[i])));
      for (std::uint64_t i = 0; i < many; ++i) {
        const std::uint64_t tag = round % 2 == 0 ? i : many - 1 - i;
        if (i % 16 == 5) send_now(matcher, right_of(context), many + i, out(tag));  // no receive is posted yet
        send_now(matcher, right_of(context), tag, out(tag));
      }
      for (std::uint64_t i = 0; i < many; ++i) {
        const std::uint64_t at = (i + round) % many;
        EXPECT_EQ(matcher.wait(receives[at]).envelope.tag, at);
        EXPECT_EQ(values[at], at);
      }
      for (std::uint64_t i = 5; i < many; i += 16) {
        std::uint64_t value = 0;
        (void)receive_now(matcher, {left_of(context), many + i}, in(value));
      }
    }
    context.barrier();
    EXPECT_EQ(matcher.stats().posted_receives, 0u);
    EXPECT_EQ(matcher.stats().unexpected_messages, 0u);
  });
}

ATOLL_ON_PES(AtOnce);

}  // namespace
}  // namespace atl::runtime
