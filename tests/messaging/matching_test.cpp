// SPDX-License-Identifier: Apache-2.0
#include "atoll/messaging/matching.hpp"
#include "atoll/base/error.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "atoll/base/scheduler.hpp"
#include "atoll/runtime/context.hpp"
#include "messages.hpp"
#include "run_pes.hpp"

namespace atl::runtime {
namespace {

class Matching : public testing::OnPes {};

// Around the limits of a slot, of eager messages and of a piece; buffers in the segment and outside, both ways; the
// receive posted before and after the message.
TEST_P(Matching, EverySizeArrivesFromAndIntoAnyMemory) {
  run([](Context& context) {
    Matcher matcher(context);
    std::size_t sizes[] = {0, 1, 31, 32, 33, 255, 256, 257, 16'383, 16'384, 16'385, 131072, 262144, 262145, 1'000'003};
    std::uint64_t tag = 0;
    for (bool early : {false, true})
      for (bool source_shared : {false, true})
        for (bool target_shared : {false, true})
          for (SendMode mode : {SendMode::standard, SendMode::synchronous})
            for (std::size_t size : sizes) {
              ++tag;
              auto data = noise(size, tag + 1000 * context.pe().value());
              std::vector<std::byte> plain(size + 1);
              std::span<std::byte> target(plain.data(), size);
              std::span<const std::byte> source(data);
              void* shared_source = source_shared ? context.heap().allocate(size + 1) : nullptr;
              void* shared_target = target_shared ? context.heap().allocate(size + 1) : nullptr;
              if (shared_source != nullptr) {
                std::copy(data.begin(), data.end(), static_cast<std::byte*>(shared_source));
                source = {static_cast<std::byte*>(shared_source), size};
              }
              if (shared_target != nullptr) target = {static_cast<std::byte*>(shared_target), size};
              Request send, receive;
              if (early) receive = matcher.receive({left_of(context), tag}, target);
              if (early && tag % 7 == 0) context.barrier();
              send = matcher.send(right_of(context), tag, source, mode);
              if (!early) {
                while (!matcher.probe({left_of(context), tag})) ::sched_yield();
                receive = matcher.receive({left_of(context), tag}, target);
              }
              Outcome got = matcher.wait(receive);
              ASSERT_EQ(got.status, Status::ok);
              EXPECT_EQ(got.envelope.source, left_of(context));
              EXPECT_EQ(got.envelope.tag, tag);
              ASSERT_EQ(got.envelope.bytes, size);
              auto expected = noise(size, tag + 1000 * left_of(context).value());
              ASSERT_TRUE(std::equal(expected.begin(), expected.end(), target.begin())) << "size " << size;
              EXPECT_EQ(matcher.wait(send).status, Status::ok);
              if (shared_source != nullptr) context.heap().release(shared_source);
              if (shared_target != nullptr) context.heap().release(shared_target);
            }
    context.barrier();
    EXPECT_EQ(matcher.stats().unexpected_messages, 0u);
    EXPECT_EQ(matcher.stats().posted_receives, 0u);
  });
}

// From wherever it comes, and by whatever way; of some messages the end is cut off.
TEST_P(Matching, ScattersAMessage) {
  run([](Context& context) {
    Matcher matcher(context);
    std::uint64_t tag = 0;
    for (bool early : {false, true})
      for (bool shared : {false, true})
        for (bool cut : {false, true})
          for (std::size_t size : {0, 1, 33, 257, 16'384, 16'385, 40'000, 300'001}) {
            ++tag;
            auto data = noise(size, tag);
            std::span<const std::byte> source(data);
            void* block = shared ? context.heap().allocate(size + 1) : nullptr;
            if (shared) {
              std::copy(data.begin(), data.end(), static_cast<std::byte*>(block));
              source = {static_cast<std::byte*>(block), size};
            }
            const std::size_t room = cut ? size * 2 / 3 : size;
            EverySecond places(room);
            Request receive;
            if (early) receive = matcher.receive({left_of(context), tag}, {places, room});
            if (early && tag % 3 == 0) context.barrier();
            Request send = matcher.send(right_of(context), tag, source, SendMode::standard, 3 * tag);
            std::optional<Outcome> got;
            if (!early && tag % 2 == 0) got = matcher.receive_now({left_of(context), tag}, {places, room});
            if (!early && !got) receive = matcher.receive({left_of(context), tag}, {places, room});
            if (!got) got = matcher.wait(receive);
            ASSERT_EQ(got->status, room < size ? Status::truncated : Status::ok);
            ASSERT_EQ(got->envelope.bytes, size);
            ASSERT_EQ(got->envelope.label, 3 * tag);
            for (std::size_t i = 0; i < room; ++i) {
              ASSERT_EQ(places.bytes[2 * i], data[i]) << "byte " << i << " of " << size;
              ASSERT_EQ(places.bytes[2 * i + 1], std::byte{0});
            }
            EXPECT_EQ(matcher.wait(send).status, Status::ok);
            if (shared) context.heap().release(block);
          }
    context.barrier();
  });
}

// Messages of one pair that fit the same receives are taken in the order they were sent, small and large ones mixed.
TEST_P(Matching, OrderHoldsPerPairAcrossSizes) {
  run([](Context& context) {
    constexpr std::size_t count = 400;
    Matcher matcher(context, {.eager_bytes = 500, .unexpected_bytes = 4096 * context.npes()});
    auto size_of = [](std::size_t i) { return 8 + random_bits(3, i) % 4 * 300; };
    std::vector<std::vector<std::byte>> data(count);
    std::vector<Request> sends;
    for (std::size_t i = 0; i < count; ++i) {
      data[i] = noise(size_of(i), i);
      std::memcpy(data[i].data(), &i, sizeof(i));
      sends.push_back(matcher.send(right_of(context), 5, data[i]));
    }
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<std::byte> got(1000);
      Outcome outcome = receive_now(matcher, {left_of(context), 5}, got);
      std::size_t number;
      std::memcpy(&number, got.data(), sizeof(number));
      ASSERT_EQ(number, i);
      ASSERT_EQ(outcome.envelope.bytes, size_of(i));
    }
    for (Request& send : sends) matcher.wait(send);
    context.barrier();
  });
}

// Every PE sends to every PE, with tags; receives are posted in another order, some before and some after.
TEST_P(Matching, ThousandsOfMessagesFindTheirReceives) {
  run([](Context& context) {
    constexpr std::uint64_t each = 1500;
    Matcher matcher(context);
    std::uint32_t npes = context.npes();
    std::vector<std::uint64_t> values(each * npes, 0);
    std::vector<Request> receives;
    auto post = [&](std::uint64_t first) {
      for (std::uint64_t i = first; i < each; i += 2)
        for (std::uint32_t pe = 0; pe < npes; ++pe) {
          std::uint64_t tag = (i * 7) % each;  // 7 and 1500 have no common divisor
          receives.push_back(matcher.receive({PeId(pe), tag}, in(values[pe * each + tag])));
        }
    };
    post(0);
    for (std::uint64_t i = 0; i < each; ++i)
      for (std::uint32_t pe = 0; pe < npes; ++pe)
        send_now(matcher, PeId(pe), i, out(std::uint64_t{context.pe().value() * 100'000 + i}));
    post(1);
    for (Request& receive : receives) ASSERT_EQ(matcher.wait(receive).status, Status::ok);
    for (std::uint32_t pe = 0; pe < npes; ++pe)
      for (std::uint64_t i = 0; i < each; ++i) ASSERT_EQ(values[pe * each + i], pe * 100'000 + i);
    context.barrier();
  });
}

TEST_P(Matching, WildcardsTakeInOrderOfArrivalAndOfPosting) {
  run([](Context& context) {
    Matcher matcher(context);
    std::uint32_t npes = context.npes();
    // Any source, any low byte.
    for (std::uint64_t i = 0; i < 50; ++i) send_now(matcher, right_of(context), 0xAB00 | i, out(i));
    for (std::uint64_t i = 0; i < 50; ++i) {
      std::uint64_t got = 99;
      Outcome outcome = receive_now(matcher, {std::nullopt, 0xAB00, 0xFF}, in(got));
      ASSERT_EQ(got, i);
      ASSERT_EQ(outcome.envelope.tag, 0xAB00 | i);
      ASSERT_EQ(outcome.envelope.source, left_of(context));
    }
    context.barrier();
    // Receives posted before the messages: exact and wild ones compete, the earlier posted wins.
    std::uint64_t values[4] = {};
    Request receives[4] = {matcher.receive({std::nullopt, 7}, in(values[0])),
                           matcher.receive({left_of(context), 7}, in(values[1])),
                           matcher.receive({left_of(context), 0, ~std::uint64_t{0}}, in(values[2])),
                           matcher.receive({left_of(context), 7}, in(values[3]))};
    context.barrier();
    for (std::uint64_t i = 1; i <= 4; ++i) send_now(matcher, right_of(context), 7, out(i));
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(matcher.wait(receives[i]).status, Status::ok);
      EXPECT_EQ(values[i], i + 1);
    }
    context.barrier();
    // One message of each PE, also PE 0's own, received from anybody.
    send_now(matcher, PeId(0), 1, out(context.pe().value()));
    if (context.pe().value() == 0) {
      std::vector<int> seen(npes, 0);
      for (std::uint32_t i = 0; i < npes; ++i) {
        std::uint32_t source = 99;
        Outcome outcome = receive_now(matcher, {std::nullopt, 1}, in(source));
        EXPECT_EQ(outcome.envelope.source.value(), source);
        ++seen.at(source);
      }
      EXPECT_EQ(seen, std::vector<int>(npes, 1));
    }
    context.barrier();
  });
}

TEST_P(Matching, ATooShortBufferIsFilledAndReportsTruncation) {
  run([](Context& context) {
    Matcher matcher(context);
    std::uint64_t tag = 0;
    for (std::size_t size : {std::size_t{100}, std::size_t{5000}, std::size_t{400'000}})
      for (std::size_t room : {std::size_t{0}, std::size_t{17}, size - 1})
        for (bool shared : {false, true}) {
          auto data = noise(size, size);
          std::vector<std::byte> got(room + 8, std::byte{0xEE});
          std::byte* block = shared ? static_cast<std::byte*>(context.heap().allocate(size)) : nullptr;
          if (shared) std::copy(data.begin(), data.end(), block);
          Request send =
              matcher.send(right_of(context), ++tag, shared ? std::span<const std::byte>(block, size) : data);
          Outcome outcome = receive_now(matcher, {left_of(context), tag}, std::span(got).first(room));
          EXPECT_EQ(outcome.status, Status::truncated);
          EXPECT_EQ(outcome.envelope.bytes, size);
          EXPECT_TRUE(std::equal(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(room), data.begin()));
          for (std::size_t i = room; i < got.size(); ++i) EXPECT_EQ(got[i], std::byte{0xEE});
          EXPECT_EQ(matcher.wait(send).status, Status::ok);
          if (shared) context.heap().release(block);
        }
    context.barrier();
  });
}

// More is sent than may wait anywhere: memory at the receiver stays within its bound, nothing is lost, order holds.
TEST_P(Matching, UnexpectedMessagesStayWithinTheirBound) {
  run([](Context& context) {
    constexpr std::uint64_t count = 1000;
    constexpr std::uint64_t bound_bytes = 8192, bound_messages = 64;
    Matcher matcher(context, {.unexpected_bytes = bound_bytes, .unexpected_messages = bound_messages});
    std::vector<std::uint64_t> data(count * 25);
    std::vector<Request> sends;
    for (std::uint64_t i = 0; i < count; ++i) {
      data[i * 25] = i;
      sends.push_back(matcher.send(right_of(context), 1, std::as_bytes(std::span(data).subspan(i * 25, 1 + i % 25))));
    }
    context.barrier();
    while (context.progress()) {}
    EXPECT_LE(matcher.stats().unexpected_bytes, bound_bytes);
    EXPECT_LE(matcher.stats().unexpected_messages, bound_messages);
    EXPECT_GE(matcher.stats().withheld_sends, count - bound_messages);
    context.barrier();
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint64_t got[25] = {};
      Outcome outcome = receive_now(matcher, {left_of(context), 1}, std::as_writable_bytes(std::span(got)));
      ASSERT_EQ(got[0], i);
      ASSERT_EQ(outcome.envelope.bytes, 8 * (1 + i % 25));
      ASSERT_LE(matcher.stats().unexpected_bytes, bound_bytes);
    }
    for (Request& send : sends) EXPECT_EQ(matcher.wait(send).status, Status::ok);
    EXPECT_EQ(matcher.stats().withheld_sends, 0u);
    context.barrier();
  });
}

// More messages than a header's credit counts: they wait at the receiver, which is in a collective, and senders go on.
TEST_P(Matching, ManyUnexpectedMessagesWaitAtTheirReceiver) {
  run([](Context& context) {
    const std::uint64_t count = context.npes() == 2 && Scheduler::current() == nullptr ? 150'000 : 10'000;
    Matcher matcher(context, {.unexpected_bytes = std::uint64_t{64} << 20,
                              .unexpected_messages = static_cast<std::uint32_t>(count * context.npes())});
    for (int round = 0; round < 2; ++round) {
      for (std::uint64_t i = 0; i < count; ++i) send_now(matcher, right_of(context), 1, out(i));
      context.barrier();
      EXPECT_EQ(matcher.stats().withheld_sends, 0u);
      for (std::uint64_t i = 0; i < count; ++i) {
        std::uint64_t got = 0;
        receive_now(matcher, {left_of(context), 1}, in(got));
        ASSERT_EQ(got, i);
      }
      context.barrier();
    }
  });
}

// The message that the receiver wants was sent last, behind more than its PE may have waiting there.
TEST_P(Matching, AReceiveIsServedPastAFullListOfOthers) {
  run([](Context& context) {
    constexpr std::uint64_t count = 700;
    Matcher matcher(context, {.unexpected_bytes = 4096, .unexpected_messages = 16});
    std::vector<std::uint64_t> numbers(count);
    std::vector<Request> sends;
    std::uint64_t wanted = 0;
    Request early = matcher.receive({left_of(context), 2}, in(wanted));
    for (std::uint64_t i = 0; i < count; ++i) {
      numbers[i] = i;
      sends.push_back(matcher.send(right_of(context), 1, out(numbers[i])));
    }
    std::uint64_t last = 4242;
    sends.push_back(matcher.send(right_of(context), 2, out(last)));
    sends.push_back(matcher.send(right_of(context), 3, out(last)));
    EXPECT_EQ(matcher.wait(early).status, Status::ok);
    EXPECT_EQ(wanted, last);
    while (!matcher.probe({std::nullopt, 3})) ::sched_yield();
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint64_t got = 0;
      receive_now(matcher, {left_of(context), 1}, in(got));
      ASSERT_EQ(got, i);
    }
    receive_now(matcher, {left_of(context), 3}, in(wanted));
    for (Request& send : sends) EXPECT_EQ(matcher.wait(send).status, Status::ok);
    context.barrier();
  });
}

TEST_P(Matching, CancelTakesBackAnUnmatchedSend) {
  run([](Context& context) {
    Matcher matcher(context, {.unexpected_bytes = 4096, .unexpected_messages = 2});
    std::uint64_t value = 0;
    Request receive = matcher.receive({left_of(context), 9}, in(value));
    EXPECT_FALSE(matcher.test(receive));
    EXPECT_TRUE(matcher.cancel(receive));
    EXPECT_FALSE(matcher.cancel(receive));
    EXPECT_EQ(matcher.wait(receive).status, Status::cancelled);
    EXPECT_TRUE(receive.empty());
    // A cancelled receive takes nothing: this message waits for the next one.
    context.barrier();
    std::uint64_t number = 5;
    send_now(matcher, right_of(context), 9, out(number));
    while (!matcher.probe({left_of(context), 9})) ::sched_yield();
    EXPECT_EQ(value, 0u);
    receive = matcher.receive({left_of(context), 9}, in(value));
    EXPECT_FALSE(matcher.cancel(receive));
    EXPECT_EQ(matcher.wait(receive).status, Status::ok);
    EXPECT_EQ(value, 5u);
    context.barrier();
    // Sends above the share have not left yet.
    std::vector<Request> sends;
    for (int i = 0; i < 6; ++i) sends.push_back(matcher.send(right_of(context), 10, out(number)));
    context.barrier();
    Request last = matcher.send(right_of(context), 11, out(number));
    EXPECT_TRUE(matcher.cancel(last));
    EXPECT_EQ(matcher.wait(last).status, Status::cancelled);
    // No PE receives before that: free memory at the peer would let the last message go.
    context.barrier();
    for (int i = 0; i < 6; ++i) receive_now(matcher, {left_of(context), 10}, in(value));
    for (Request& send : sends) EXPECT_EQ(matcher.wait(send).status, Status::ok);
    EXPECT_FALSE(matcher.probe({left_of(context), 11}));
    context.barrier();
  });
}

TEST_P(Matching, AClaimedMessageIsForItsClaimantAlone) {
  run([](Context& context) {
    Matcher matcher(context);
    for (std::size_t size : {std::size_t{8}, std::size_t{300'000}}) {
      auto first = noise(size, 1), second = noise(size, 2);
      Request sends[2] = {matcher.send(right_of(context), 3, first), matcher.send(right_of(context), 3, second)};
      std::optional<Claim> claim;
      while (!(claim = matcher.claim({left_of(context), 0, ~std::uint64_t{0}}))) ::sched_yield();
      EXPECT_EQ(claim->envelope().bytes, size);
      std::vector<std::byte> got(size);
      EXPECT_EQ(receive_now(matcher, {left_of(context), 3}, got).status, Status::ok);
      EXPECT_EQ(got, second);
      Request receive = matcher.receive(*claim, got);
      EXPECT_EQ(matcher.wait(receive).status, Status::ok);
      EXPECT_EQ(got, first);
      for (Request& send : sends) matcher.wait(send);
    }
    context.barrier();
  });
}

TEST_P(Matching, ASynchronousSendWaitsForItsReceive) {
  run([](Context& context) {
    Matcher matcher(context);
    std::uint64_t number = 1, value = 0;
    Request send = matcher.send(right_of(context), 1, out(number), SendMode::synchronous);
    while (!matcher.probe({left_of(context), 1})) ::sched_yield();
    context.barrier();  // no PE has received
    EXPECT_EQ(matcher.wait(send, Deadline::after_ns(2'000'000)).status, Status::timed_out);
    context.barrier();
    receive_now(matcher, {left_of(context), 1}, in(value));
    EXPECT_EQ(matcher.wait(send).status, Status::ok);
    context.barrier();
  });
}

// More transfers at once than there are lanes and staging blocks, to and from everybody.
TEST_P(Matching, ManyLargeMessagesMoveAtOnce) {
  run([](Context& context) {
    constexpr std::size_t size = 300'001, rounds = 12;
    Matcher matcher(context);
    std::uint32_t npes = context.npes();
    std::vector<std::vector<std::byte>> data, got(npes * rounds, std::vector<std::byte>(size));
    std::vector<Request> requests;
    for (std::size_t round = 0; round < rounds; ++round)
      data.push_back(noise(size, round * 100 + context.pe().value()));
    for (std::size_t round = 0; round < rounds; ++round)
      for (std::uint32_t pe = 0; pe < npes; ++pe)
        requests.push_back(matcher.receive({PeId(pe), round}, got[round * npes + pe]));
    for (std::size_t round = 0; round < rounds; ++round)
      for (std::uint32_t pe = 0; pe < npes; ++pe) requests.push_back(matcher.send(PeId(pe), round, data[round]));
    for (Request& request : requests) ASSERT_EQ(matcher.wait(request).status, Status::ok);
    for (std::size_t round = 0; round < rounds; round += 5)
      for (std::uint32_t pe = 0; pe < npes; ++pe) ASSERT_EQ(got[round * npes + pe], noise(size, round * 100 + pe));
    context.barrier();
  });
}

TEST_P(Matching, ThreadsOfAPeSendAndReceive) {
  ATOLL_NOT_SIMULATED();
  run(
      [](Context& context) {
        constexpr std::uint64_t each = 800;
        Matcher matcher(context, {.unexpected_messages = 64});
        auto talk = [&](std::uint64_t thread) {
          for (std::uint64_t i = 0; i < each; ++i) {
            std::vector<std::byte> large = noise(i % 100 == 0 ? 20'000 : 16, i), got(20'000);
            Request receive = matcher.receive({left_of(context), thread}, got);
            Request send = matcher.send(right_of(context), thread, large);
            ASSERT_EQ(matcher.wait(send).status, Status::ok);
            Outcome outcome = matcher.wait(receive);
            ASSERT_EQ(outcome.envelope.bytes, large.size());
            got.resize(large.size());
            ASSERT_EQ(got, large);
          }
        };
        std::thread second([&] { talk(2); });
        talk(1);
        second.join();
        context.barrier();
      },
      {.threads = 2});
}

// Threads whose tags are apart, as those of communicators are; what is asked of all parts is asked of all.
TEST_P(Matching, TagsApartAreMatchedByThemselves) {
  ATOLL_NOT_SIMULATED();
  run(
      [](Context& context) {
        constexpr std::uint64_t each = 500, threads = 3, apart = 20;
        Matcher matcher(context, {.apart_from_bit = apart});
        auto talk = [&](std::uint64_t thread) {
          for (std::uint64_t i = 0; i < each; ++i) {
            const std::uint64_t tag = (thread * 5 + i / 100) << apart | i % 7, sent = thread * each + i;
            std::uint64_t value = 0;
            Request send = matcher.send(right_of(context), tag, out(sent));
            Pattern pattern{left_of(context), tag, i % 2 == 0 ? 0 : (1u << apart) - 1};
            auto outcome = matcher.receive_now(pattern, in(value));
            if (!outcome) outcome = receive_now(matcher, pattern, in(value));
            ASSERT_EQ(outcome->envelope.tag, tag);
            ASSERT_EQ(value, sent);
            ASSERT_EQ(matcher.wait(send).status, Status::ok);
          }
        };
        std::vector<std::thread> others;
        for (std::uint64_t thread = 1; thread < threads; ++thread) others.emplace_back(talk, thread);
        talk(0);
        for (std::thread& other : others) other.join();
        context.barrier();
        EXPECT_EQ(matcher.stats().received_messages, each * threads);
        std::uint64_t none = 0;
        Request left[2] = {matcher.receive({left_of(context), 1u << apart}, in(none)),
                           matcher.receive({left_of(context), 2u << apart}, in(none))};
        matcher.fail(Status::cancelled, [](PeId, std::uint64_t) { return true; });
        for (Request& request : left) EXPECT_EQ(matcher.wait(request).status, Status::cancelled);
        context.barrier();
      },
      {.threads = 3});
}

TEST_P(Matching, TwoMatchersDoNotMix) {
  run([](Context& context) {
    Matcher first(context), second(context);
    std::uint64_t one = 1, two = 2, value = 0;
    send_now(first, right_of(context), 1, out(one));
    send_now(second, right_of(context), 1, out(two));
    receive_now(second, {left_of(context), 1}, in(value));
    EXPECT_EQ(value, 2u);
    receive_now(first, {left_of(context), 1}, in(value));
    EXPECT_EQ(value, 1u);
    context.barrier();
  });
}

TEST_P(Matching, WrongPesAreNamed) {
  run([](Context& context) {
    Matcher matcher(context);
    std::uint64_t value = 0;
    EXPECT_THROW((void)matcher.send(PeId(context.npes()), 1, out(value)), IndexError);
    EXPECT_THROW((void)matcher.receive({PeId(context.npes()), 1}, in(value)), IndexError);
  });
}

ATOLL_ON_PES(Matching);

}  // namespace
}  // namespace atl::runtime
