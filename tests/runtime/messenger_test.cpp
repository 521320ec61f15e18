// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <thread>

#include "atoll/base/error.hpp"
#include "atoll/base/random.hpp"
#include "atoll/base/scheduler.hpp"
#include "atoll/runtime/context.hpp"
#include "run_pes.hpp"

namespace atl::runtime {
namespace {

class Messages : public testing::OnPes {};

template <class T>
std::span<const std::byte> as_payload(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

template <class T>
T from_payload(std::span<const std::byte> payload) {
  T value{};
  EXPECT_EQ(payload.size(), sizeof(T));
  std::memcpy(&value, payload.data(), sizeof(T));
  return value;
}

// Far more messages than rings hold, every PE to every PE at once, and an answer to each.
TEST_P(Messages, FloodWithFullRingsAndRepliesArrivesOnceAndInOrder) {
  run([](Context& context) {
    constexpr std::uint64_t each = 3000;
    struct Note {
      std::uint64_t number;
      std::uint64_t from;
    };
    std::vector<std::uint64_t> next(context.npes(), 0);
    std::uint64_t answers = 0, answer_sum = 0;
    HandlerId answer = context.register_handler([&](Context&, PeId, std::span<const std::byte> payload) {
      ++answers;
      answer_sum += from_payload<std::uint64_t>(payload);
    });
    HandlerId note = context.register_handler([&](Context& here, PeId source, std::span<const std::byte> payload) {
      auto got = from_payload<Note>(payload);
      EXPECT_EQ(got.from, source.value());
      EXPECT_EQ(got.number, next[source.value()]++);
      here.send(source, answer, as_payload(got.number));
    });
    context.barrier();
    for (std::uint64_t i = 0; i < each; ++i)
      for (std::uint32_t pe = 0; pe < context.npes(); ++pe)
        context.send(PeId(pe), note, as_payload(Note{i, context.pe().value()}));
    context.wait([&] { return answers == each * context.npes(); });
    EXPECT_EQ(answer_sum, context.npes() * (each * (each - 1) / 2));
    context.wait([&] { return std::accumulate(next.begin(), next.end(), std::uint64_t{0}) == each * context.npes(); });
    context.barrier();
  });
}

TEST_P(Messages, EverySizeArrivesWholeAlsoThoseLongerThanASlot) {
  run([](Context& context) {
    std::size_t sizes[] = {0, 1, 8, 255, 256, 257, 296, 297, 5000, 65536, 1'000'001};
    std::vector<std::vector<std::byte>> got;
    HandlerId take = context.register_handler(
        [&](Context&, PeId, std::span<const std::byte> payload) { got.emplace_back(payload.begin(), payload.end()); });
    context.barrier();
    PeId right((context.pe().value() + 1) % context.npes());
    for (std::size_t size : sizes) {
      std::vector<std::byte> out(size);
      for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(random_bits(size, i));
      // In two parts, cut anywhere.
      std::span<const std::byte> all(out);
      context.send(right, take, all.first(size / 3), all.subspan(size / 3));
    }
    context.wait([&] { return got.size() == std::size(sizes); });
    for (std::size_t k = 0; k < std::size(sizes); ++k) {
      ASSERT_EQ(got[k].size(), sizes[k]);
      for (std::size_t i = 0; i < sizes[k]; ++i) ASSERT_EQ(got[k][i], static_cast<std::byte>(random_bits(sizes[k], i)));
    }
    context.barrier();
    // Long payloads have gone back to the heap.
    context.wait([&] { return context.heap().stats().blocks == 0; });
    context.barrier();
  });
}

// Message `number` of a PE: every third is short.
std::vector<std::byte> make_long(PeId from, std::uint32_t number) {
  constexpr std::size_t sizes[] = {262'145, 8, 1'000'003, 300'000, 2'500'000, 64};
  std::vector<std::byte> message(sizes[number % std::size(sizes)]);
  std::vector<std::uint64_t> words(message.size() / 8 + 1);
  std::iota(words.begin(), words.end(), std::uint64_t{number} << 40 | std::uint64_t{from.value()} << 32);
  std::memcpy(message.data(), words.data(), message.size());
  return message;
}

// Counts what has come from each PE, and that it is what make_long() says, in this order.
class InOrder {
 public:
  explicit InOrder(Context& context) : next_(context.npes(), 0) {
    take = context.register_handler([this](Context&, PeId source, std::span<const std::byte> payload) {
      std::uint32_t number = next_[source.value()]++;
      auto expected = make_long(source, number);
      EXPECT_TRUE(payload.size() == expected.size() &&
                  std::memcmp(payload.data(), expected.data(), payload.size()) == 0)
          << "message " << number << " of PE " << source.value() << ", " << payload.size() << " bytes";
      ++count;
    });
  }
  std::uint32_t count = 0;
  HandlerId take;

 private:
  std::vector<std::uint32_t> next_;
};

TEST_P(Messages, LongOnesOfAllToOneAreWholeAndInOrder) {
  run([](Context& context) {
    constexpr std::uint32_t each = 18;  // 12 MB of each: more than lands at a time
    InOrder arrived(context);
    context.barrier();
    for (std::uint32_t number = 0; number < each; ++number) {
      auto message = make_long(context.pe(), number);
      // In two parts, cut anywhere.
      std::size_t cut = message.size() / (number % 3 + 1);
      context.send(PeId(0), arrived.take, std::span(message).first(cut), std::span(message).subspan(cut));
    }
    if (context.pe() == PeId(0)) context.wait([&] { return arrived.count == each * context.npes(); });
    context.barrier();
    context.wait([&] { return context.heap().stats().blocks == 0; });
    context.barrier();
  });
}

// For a moment, in which this PE makes no progress.
void stay_away(Context& context) {
  fabric::Sleeper sleeper(context.job().record(context.pe()));
  sleeper.announce();
  sleeper.block(1'000'000);
}

// PE 0 looks at none of its messages until each other PE has sent more of them than any ring or network keeps, and has
// said so.
TEST_P(Messages, SendingIsLocalWhileTheReceiverIsAway) {
  if (npes() == 1) GTEST_SKIP() << "takes a sender while the receiver is away";
  run([](Context& context) {
    constexpr std::uint64_t each = 1500;
    const std::uint32_t senders = context.npes() - 1;
    std::vector<std::uint64_t> next(context.npes(), 0);
    HandlerId take = context.register_handler([&](Context&, PeId source, std::span<const std::byte> payload) {
      std::uint64_t number = 0;
      std::memcpy(&number, payload.data(), sizeof(number));
      EXPECT_EQ(number, next[source.value()]++);
      EXPECT_EQ(payload.size(), number % 100 == 50 ? 9000u : number % 100 == 70 ? 300'000u : 8u);
    });
    HeapOffset sent = context.allocate_symmetric(8), away = context.allocate_symmetric(8);
    *context.local_pointer<std::uint64_t>(sent) = 0;
    *context.local_pointer<std::uint64_t>(away) = 0;
    context.barrier();
    if (context.pe() == PeId(0)) {
      for (std::uint32_t pe = 1; pe < context.npes(); ++pe) context.set<std::uint64_t>(PeId(pe), away, 1);
      std::atomic_ref<std::uint64_t> all(*context.local_pointer<std::uint64_t>(sent));
      while (all.load(std::memory_order_acquire) != senders) {
        context.check();
        stay_away(context);
      }
      context.wait([&] { return std::accumulate(next.begin(), next.end(), std::uint64_t{0}) == each * senders; });
    } else {
      context.wait_until<std::uint64_t>(away, Compare::equal, 1);
      std::vector<std::byte> message(300'000);
      for (std::uint64_t number = 0; number < each; ++number) {
        std::memcpy(message.data(), &number, sizeof(number));
        context.send(PeId(0), take,
                     std::span(message).first(number % 100 == 50   ? 9000
                                              : number % 100 == 70 ? 300'000
                                                                   : 8));
      }
      context.add<std::uint64_t>(PeId(0), sent, 1);
    }
    context.barrier();
    context.wait([&] { return !context.sends_wait() && context.heap().stats().blocks == 0; });
    context.barrier();
    context.release_symmetric(away);
    context.release_symmetric(sent);
  });
}

// One receiver that does not read blocks only its own messages.
TEST_P(Messages, AReceiverThatIsAwayDelaysNoMessagesToOthers) {
  if (npes() < 3) GTEST_SKIP() << "takes a sender and two receivers";
  run([](Context& context) {
    constexpr std::uint64_t each = 1500;
    std::uint64_t came = 0;
    HandlerId take = context.register_handler([&](Context&, PeId, std::span<const std::byte>) { ++came; });
    HeapOffset done = context.allocate_symmetric(8);
    *context.local_pointer<std::uint64_t>(done) = 0;
    context.barrier();
    if (context.pe() == PeId(0)) {
      std::atomic_ref<std::uint64_t> flag(*context.local_pointer<std::uint64_t>(done));
      while (flag.load(std::memory_order_acquire) == 0) {
        context.check();
        stay_away(context);
      }
      context.wait([&] { return came == each; });
    } else if (context.pe() == PeId(1)) {
      for (std::uint64_t i = 0; i < each; ++i) context.send(PeId(0), take, as_payload(i));
      // A simulated network takes any number of messages.
      if (Scheduler::current() == nullptr || context.endpoint().maps(PeId(0))) { EXPECT_TRUE(context.sends_wait()); }
      for (std::uint64_t i = 0; i < each; ++i) context.send(PeId(2), take, as_payload(i));
      context.wait_until<std::uint64_t>(done, Compare::equal, 1);
    } else if (context.pe() == PeId(2)) {
      context.wait([&] { return came == each; });
      context.set<std::uint64_t>(PeId(0), done, 1);
      context.set<std::uint64_t>(PeId(1), done, 1);
    }
    context.barrier();
    context.release_symmetric(done);
  });
}

// What waits in a PE may not grow past its limit of memory: the sender waits then, and all arrives in order.
TEST_P(Messages, SendersWaitAtTheirMemoryLimit) {
  if (npes() == 1) GTEST_SKIP() << "takes a sender while the receiver is away";
  run(
      [](Context& context) {
        constexpr std::uint64_t each = 120'000;  // 13 MB of messages that wait
        std::uint64_t came = 0;
        HandlerId take = context.register_handler([&](Context&, PeId, std::span<const std::byte> payload) {
          EXPECT_EQ(from_payload<std::uint64_t>(payload), came++);
        });
        HeapOffset done = context.allocate_symmetric(8);
        *context.local_pointer<std::uint64_t>(done) = 0;
        context.barrier();
        if (context.pe() == PeId(0)) {
          for (int moments = 0; moments < 300; ++moments) stay_away(context);
          EXPECT_EQ(*context.local_pointer<volatile std::uint64_t>(done), 0u);
          context.wait([&] { return came == each; });
        } else if (context.pe() == PeId(1)) {
          for (std::uint64_t i = 0; i < each; ++i) context.send(PeId(0), take, as_payload(i));
          context.set<std::uint64_t>(PeId(0), done, 1);
        }
        context.barrier();
        context.release_symmetric(done);
      },
      {.memory_limit_bytes = std::uint64_t{8} << 20});
}

// PE 0 looks at none of its messages until its ring, and the inbox for those of a network, are full of short ones, with
// a long one of every other PE behind them.
TEST_P(Messages, LongOnesGetThroughToAFullRing) {
  ATOLL_NOT_SIMULATED();
  if (npes() == 1) GTEST_SKIP() << "needs a PE that sends while the receiver is away";
  run([](Context& context) {
    constexpr std::uint32_t each = 6;
    std::uint32_t senders = context.npes() - 1;
    const fabric::Inbox* inbox = context.endpoint().inbox();
    auto comes_by_network = [&](std::uint32_t pe) {
      return inbox != nullptr && context.job().node_of(PeId(pe)) != context.job().node_of(PeId(0));
    };
    std::uint64_t by_network = 0, notes = 0;
    for (std::uint32_t pe = 1; pe < context.npes(); ++pe) by_network += comes_by_network(pe) ? 1 : 0;
    std::uint64_t by_ring = senders - by_network;
    std::uint64_t all = (by_ring != 0 ? fabric::ring_slots : 0) + (by_network != 0 ? fabric::Inbox::most : 0);
    HandlerId note = context.register_handler([&](Context&, PeId, std::span<const std::byte>) { ++notes; });
    InOrder arrived(context);
    HeapOffset filled = context.allocate_symmetric(8), away = context.allocate_symmetric(8);
    *context.local_pointer<std::uint64_t>(filled) = 0;
    *context.local_pointer<std::uint64_t>(away) = 0;
    context.barrier();
    if (context.pe() == PeId(0)) {
      // Not before it is out of the barrier, which runs handlers.
      for (std::uint32_t pe = 1; pe < context.npes(); ++pe) context.set<std::uint64_t>(PeId(pe), away, 1);
      const auto& ring = context.job().ring(context.pe());
      auto is_full = [&] {
        bool full_ring =
            by_ring == 0 || fabric::RingCount{ring.tail.load()}.slots_since({ring.head.load()}) == fabric::ring_slots;
        return full_ring && (by_network == 0 || inbox->is_full());
      };
      std::uint64_t far = 0, own = context.heap().stats().blocks;
      for (std::uint32_t pe = 1; pe < context.npes(); ++pe)
        if (context.peer_pointer(PeId(pe), HeapOffset(0)) == nullptr) ++far;
      // Payloads of other nodes land here, those of this one stay with their senders.
      for (; !is_full() || context.heap().stats().blocks < own + far; context.check()) sched_yield();
      EXPECT_EQ(notes + arrived.count, 0u);
      context.wait([&] { return notes == all && arrived.count == each * senders; });
    } else {
      context.wait_until<std::uint64_t>(away, Compare::equal, 1);
      bool far = comes_by_network(context.pe().value());
      std::uint64_t room = far ? fabric::Inbox::most : fabric::ring_slots, sharers = far ? by_network : by_ring,
                    lowest = 1;
      while (comes_by_network(static_cast<std::uint32_t>(lowest)) != far) ++lowest;
      std::uint64_t share = room / sharers + (context.pe().value() == lowest ? room % sharers : 0);
      for (std::uint64_t i = 0; i < share; ++i) context.send(PeId(0), note, as_payload(i));
      context.add<std::uint64_t>(PeId(0), filled, 1);
      while (context.fetch<std::uint64_t>(PeId(0), filled) != senders) context.progress();
      for (std::uint32_t number = 0; number < each; ++number)
        context.send(PeId(0), arrived.take, make_long(context.pe(), number), {});
    }
    context.barrier();
    context.release_symmetric(away);
    context.release_symmetric(filled);
  });
}

// As of several that were killed while they wrote messages of several slots, one of them over the ring's end, with one
// that lives between them: one wait covers all of them. Later senders have their own time limit.
TEST_P(Messages, SkipsUnfinishedSlotsOfDeadSenders) {
  ATOLL_NOT_SIMULATED();
  if (npes() > 2) GTEST_SKIP() << "PE 0 alone takes part";
  run([](Context& context) {
    constexpr std::uint64_t second = 1'000'000'000;
    std::uint64_t notes = 0, sent = 0;
    HandlerId note = context.register_handler([&](Context&, PeId, std::span<const std::byte>) { ++notes; });
    context.barrier();
    if (context.pe() == PeId(0)) {
      fabric::MessageRing& ring = context.job().ring(context.pe());
      // The first slot of one with so many slots, of which the last `stamped` that follow are.
      auto abandon = [&](std::uint64_t slots, std::uint64_t stamped) {
        const std::uint64_t first =
            fabric::RingCount{ring.tail.fetch_add(fabric::RingCount::of(slots, 0).bits)}.slots();
        fabric::MessageSlot* slot = &ring.slots[first % fabric::ring_slots];
        for (std::uint64_t k = slots - stamped; k < slots; ++k)
          slot[k].stamp.store(fabric::MessageSlot::following_stamp_of(first + k));
        return first;
      };
      auto send_note = [&] {
        context.send(PeId(0), note, {});
        ++sent;
      };
      while (fabric::RingCount{ring.tail.load()}.slots() % fabric::ring_slots != fabric::ring_slots - 7) send_note();
      context.wait([&] { return notes == sent; });
      context.answer_news([] {});
      context.note_news();
      abandon(fabric::most_slots, 0);
      abandon(fabric::most_slots, 2);
      send_note();
      abandon(fabric::most_slots, fabric::most_slots - 1);
      send_note();
      const std::int64_t begin = now_ns();
      context.wait([&] { return notes == sent; });
      const std::int64_t taken = now_ns() - begin;
      EXPECT_GT(taken, second * 9 / 10);
      EXPECT_LT(taken, second * 4);  // a second for each message, or slot, would be more

      const std::uint64_t late = abandon(1, 0);
      send_note();
      EXPECT_EQ(context.wait([&] { return notes == sent; }, Deadline::after_ns(second / 4)), Status::timed_out);
      EXPECT_EQ(notes, sent - 1);
      fabric::MessageSlot& slot = ring.slots[late % fabric::ring_slots];
      slot.source = 0;
      slot.handler = note.value();
      slot.kind = 0;
      slot.stamp.store(fabric::MessageSlot::stamp_of(late, {}));
      ++sent;
      context.wait([&] { return notes == sent; });
      context.answer_news(nullptr);
    }
    context.barrier();
  });
}

TEST_P(Messages, WaitForAHandlerThatIsRegisteredLater) {
  run([](Context& context) {
    HandlerId first = context.register_handler([](Context&, PeId, std::span<const std::byte>) {});
    PeId right((context.pe().value() + 1) % context.npes());
    for (std::uint64_t i = 0; i < 10; ++i) context.send(right, HandlerId(1), as_payload(i));
    context.send(right, first, {});
    context.barrier();
    while (context.progress()) {}
    std::uint64_t expected = 0;
    HandlerId late = context.register_handler([&](Context&, PeId, std::span<const std::byte> payload) {
      EXPECT_EQ(from_payload<std::uint64_t>(payload), expected++);
    });
    EXPECT_EQ(late, HandlerId(1));
    context.wait([&] { return expected == 10; });
    context.barrier();
  });
}

// A message that a handler forwards, hop by hop, until it has been everywhere many times.
TEST_P(Messages, HandlersMayForward) {
  run([](Context& context) {
    constexpr std::uint64_t hops = 500;
    std::uint64_t finished = 0;
    HandlerId hop = context.register_handler([&](Context& here, PeId, std::span<const std::byte> payload) {
      auto left = from_payload<std::uint64_t>(payload);
      if (left == 0) {
        ++finished;
        return;
      }
      here.send(PeId((here.pe().value() + 1) % here.npes()), HandlerId(0), as_payload(left - 1));
    });
    context.barrier();
    for (int token = 0; token < 20; ++token)
      context.send(context.pe(), hop, as_payload<std::uint64_t>(hops * context.npes()));
    context.wait([&] { return finished == 20; });
    context.barrier();
  });
}

TEST_P(Messages, SeveralThreadsOfAPeSend) {
  ATOLL_NOT_SIMULATED();
  run(
      [](Context& context) {
        constexpr int each = 2000;
        std::atomic<int> got{0};
        HandlerId take = context.register_handler([&](Context&, PeId, std::span<const std::byte>) { ++got; });
        context.barrier();
        auto flood = [&] {
          for (int i = 0; i < each; ++i)
            context.send(PeId(static_cast<std::uint32_t>(i) % context.npes()), take, as_payload(i));
        };
        std::thread second(flood);
        flood();
        second.join();
        int expected = 0;
        for (int i = 0; i < each; ++i)
          if (static_cast<std::uint32_t>(i) % context.npes() == context.pe().value()) ++expected;
        context.wait([&] { return got == 2 * expected * static_cast<int>(context.npes()); });
        context.barrier();
      },
      {.threads = 2});
}

TEST_P(Messages, AProgressThreadRunsHandlersWhileTheCallerDoesNot) {
  ATOLL_NOT_SIMULATED();
  run([](Context& context) {
    std::atomic<std::uint32_t> got{0};
    HandlerId take = context.register_handler([&](Context&, PeId, std::span<const std::byte>) { ++got; });
    context.start_progress_thread();
    context.barrier();
    for (std::uint32_t pe = 0; pe < context.npes(); ++pe) context.send(PeId(pe), take, {});
    while (got != context.npes()) sched_yield();  // no progress of our own
    context.stop_progress_thread();
    context.barrier();
  });
}

TEST_P(Messages, HooksRunUntilTheyAreRemoved) {
  run([](Context& context) {
    int left = 100;
    auto key = context.add_hook([&](Context&) { return left > 0 && left-- > 0; });
    context.wait([&] { return left == 0; });
    context.remove_hook(key);
    left = 5;
    while (context.progress()) {}
    EXPECT_EQ(left, 5);
  });
}

ATOLL_ON_PES(Messages);

// The blocks of messages that PE 1 has not read when it leaves the job, or dies.
TEST(UnreadMessages, GiveTheirMemoryBackWhenTheirReceiverIsGone) {
  for (bool dies : {false, true}) {
    auto job = fabric::Job::create_loop({.npes = 2, .segment_bytes = std::uint64_t{64} << 20});
    std::atomic<bool> sent{false};
    std::thread other([&] {
      Context context(job, PeId(1));
      while (!sent) std::this_thread::yield();  // takes no message
      if (dies) job->mark_failed(PeId(1), 9, "was killed by signal 9");
    });
    Context context(job, PeId(0));
    HandlerId take = context.register_handler([](Context&, PeId, std::span<const std::byte>) {});
    std::vector<std::byte> data(std::size_t{1} << 20);
    const std::uint64_t before = context.heap().stats().in_use_bytes;
    for (int i = 0; i < 8; ++i) context.send(PeId(1), take, data);
    EXPECT_GE(context.heap().stats().in_use_bytes, before + 8 * data.size());
    sent = true;
    other.join();
    if (dies) {
      EXPECT_THROW(context.wait([] { return false; }), PeFailedError);
    } else {
      EXPECT_EQ(
          context.wait([&] { return context.heap().stats().in_use_bytes == before; }, Deadline::after_seconds(20)),
          Status::ok);
    }
    EXPECT_EQ(context.heap().stats().in_use_bytes, before);
    if (!dies) context.send(PeId(1), take, data);  // takes no memory any more
    EXPECT_EQ(context.heap().stats().in_use_bytes, before);
  }
}

}  // namespace
}  // namespace atl::runtime
