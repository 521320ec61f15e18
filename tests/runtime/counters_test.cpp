// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/runtime/context.hpp"
#include "run_pes.hpp"

namespace atl::runtime {
namespace {

class Counters : public testing::OnPes {};

TEST_P(Counters, CountPutsAtTheTargetAndGetsAtTheOrigin) {
  run([](Context& context) {
    auto block = context.allocate_symmetric(context.npes() * 8);
    CounterId arrived = context.allocate_counter();
    CounterId fetched = context.allocate_counter();
    context.barrier();
    for (std::uint32_t pe = 0; pe < context.npes(); ++pe) {
      std::uint64_t value = 100 * pe + context.pe().value();
      context.put_counted(PeId(pe), HeapOffset(block.value() + 8 * context.pe().value()), &value, 8,
                          {PeId(pe), arrived});
    }
    context.wait_counter(arrived, context.npes());
    for (std::uint32_t pe = 0; pe < context.npes(); ++pe)
      EXPECT_EQ(context.local_pointer<std::uint64_t>(block)[pe], 100 * context.pe().value() + pe);
    context.barrier();
    std::uint64_t value = 0;
    context.get_counted(&value, PeId(0), HeapOffset(block.value()), 8, {context.pe(), fetched});
    EXPECT_EQ(context.counter(fetched), 1u);
    EXPECT_EQ(value, 0u);
    EXPECT_EQ(context.wait_counter(fetched, 2, Deadline::after_ns(1000)), Status::timed_out);
    context.release_counter(arrived);
    context.release_counter(fetched);
    EXPECT_EQ(context.allocate_counter(), arrived);  // the lowest free one
  });
}

TEST_P(Counters, TriggersStartInOrderOfTheirThresholds) {
  run([](Context& context) {
    CounterId counter = context.allocate_counter();
    std::vector<int> ran;
    for (int k : {5, 1, 3, 4, 2})
      context.trigger(counter, static_cast<std::uint64_t>(k),
                      TriggeredOp::make_call([&ran, k](Context&) { ran.push_back(k); }));
    context.progress();
    EXPECT_TRUE(ran.empty());
    context.bump({context.pe(), counter}, 2);
    context.wait([&] { return ran.size() == 2; });
    context.bump({context.pe(), counter}, 3);
    context.wait([&] { return ran.size() == 5; });
    EXPECT_EQ(ran, (std::vector<int>{1, 2, 3, 4, 5}));
    // Late ones start at once.
    context.trigger(counter, 4, TriggeredOp::make_call([&](Context&) { ran.push_back(9); }));
    context.wait([&] { return ran.size() == 6; });
  });
}

// A ring of triggered puts: each PE's put starts when the one before has arrived, without any help but the
// first PE's bump, and goes round many times.
TEST_P(Counters, ChainOfTriggeredPutsGoesRoundByItself) {
  run([](Context& context) {
    constexpr std::uint64_t laps = 20;
    auto cell = context.allocate_symmetric(8);
    auto own = context.allocate_symmetric(8);
    *context.local_pointer<std::uint64_t>(own) = 7;
    *context.local_pointer<std::uint64_t>(cell) = 0;
    CounterId arrived = context.allocate_counter();
    PeId right((context.pe().value() + 1) % context.npes());
    for (std::uint64_t lap = 1; lap <= laps; ++lap)
      context.trigger(arrived, lap, TriggeredOp::make_put(right, cell, own, 8, {right, arrived}));
    context.barrier();
    if (context.pe().value() == 0) context.bump({PeId(0), arrived});
    context.wait_counter(arrived, laps);
    EXPECT_EQ(*context.local_pointer<std::uint64_t>(cell), 7u);
    context.barrier();
  });
}

// As long a chain as there are triggers, carried out by one bump: its length must not show on the stack.
TEST_P(Counters, AChainOfAllTriggersIsCarriedOutByOneBump) {
  run([](Context& context) {
    CounterId own = context.allocate_counter();
    PeId right((context.pe().value() + 1) % context.npes());
    for (std::uint64_t lap = 1; lap <= triggers_per_pe; ++lap)
      context.trigger(own, lap, TriggeredOp::make_bump({right, own}));
    context.barrier();
    if (context.pe().value() == 0) context.bump({PeId(0), own});
    context.wait_counter(own, triggers_per_pe);
    context.barrier();
    EXPECT_EQ(context.counter(own), triggers_per_pe + (context.pe().value() == 0 ? 1 : 0));
  });
}

TEST_P(Counters, InlinePutsAddsSetsAndBumpsAreTriggered) {
  run([](Context& context) {
    auto words = context.allocate_symmetric(32);
    std::memset(context.local_pointer(words), 0, 32);
    CounterId start = context.allocate_counter();
    CounterId done = context.allocate_counter();
    context.barrier();
    std::uint64_t pair[2] = {11, 22};
    PeId right((context.pe().value() + 1) % context.npes());
    context.trigger(start, 1, TriggeredOp::make_put_inline(right, words, pair, 16, {right, done}));
    for (std::uint32_t pe = 0; pe < context.npes(); ++pe) {
      CounterRef theirs{PeId(pe), done};
      context.trigger(start, 1, TriggeredOp::make_add(PeId(pe), HeapOffset(words.value() + 16), 5, theirs));
      context.trigger(start, 1, TriggeredOp::make_set(PeId(pe), HeapOffset(words.value() + 24), 6, theirs));
      context.trigger(start, 1, TriggeredOp::make_bump(theirs));
    }
    context.barrier();
    // Everybody starts its right neighbour's.
    context.bump({right, start});
    context.wait_counter(done, 3 * context.npes() + 1);
    auto* got = context.local_pointer<std::uint64_t>(words);
    EXPECT_EQ(got[0], 11u);
    EXPECT_EQ(got[1], 22u);
    EXPECT_EQ(got[2], 5u * context.npes());
    EXPECT_EQ(got[3], 6u);
    context.barrier();
  });
}

// Each PE gets from its left neighbour what that has got from its own, as soon as it is told that it is there: into
// private memory, and from there on to the next.
TEST_P(Counters, GetsAreTriggeredIntoAnyMemory) {
  run([](Context& context) {
    for (std::size_t words : {std::size_t{1}, std::size_t{3000}, std::size_t{50'000}}) {
      auto shown = context.allocate_symmetric(words * 8);
      CounterId start = context.allocate_counter();
      CounterId done = context.allocate_counter();
      auto* own = context.local_pointer<std::uint64_t>(shown);
      std::fill(own, own + words, 100 + context.pe().value());
      std::vector<std::uint64_t> got(words, 0);
      PeId left((context.pe().value() + context.npes() - 1) % context.npes());
      PeId right((context.pe().value() + 1) % context.npes());
      context.trigger(start, 1, TriggeredOp::make_get(got.data(), left, shown, words * 8, {context.pe(), done}));
      bool followed = false;
      context.trigger(done, 1, TriggeredOp::make_call([&](Context&) { followed = got.back() == 100 + left.value(); }));
      EXPECT_EQ(got[0], 0u);
      context.barrier();
      context.bump({right, start});
      context.wait_counter(done, 1);
      EXPECT_EQ(std::count(got.begin(), got.end(), 100 + left.value()), static_cast<std::ptrdiff_t>(words));
      context.wait([&] { return followed; });
      context.barrier();
      context.release_counter(start);
      context.release_counter(done);
    }
    EXPECT_THROW(context.trigger(context.allocate_counter(), 1,
                                 TriggeredOp::make_get(nullptr, PeId(0), HeapOffset(context.job().segment_bytes()), 8)),
                 Error);
  });
}

// All PEs bump one PE's counter while it queues: no trigger is lost, none runs twice.
TEST_P(Counters, BumpsRacingWithQueuingLoseNothing) {
  run([](Context& context) {
    constexpr std::uint64_t each = 1000;
    auto word = context.allocate_symmetric(8);
    *context.local_pointer<std::uint64_t>(word) = 0;
    CounterId counter = context.allocate_counter();
    context.barrier();
    std::uint64_t total = each * context.npes();
    if (context.pe().value() == 0) {
      std::uint64_t queued = 0;
      for (std::uint64_t i = 0; i < each; ++i) {
        for (std::uint64_t k = 0; k < context.npes() && queued < total; ++k, ++queued) {
          context.wait([&] { return context.fetch<std::uint64_t>(PeId(0), word) + 1000 > queued; });
          context.trigger(counter, queued + 1, TriggeredOp::make_add(PeId(0), word, 1));
        }
        context.bump({PeId(0), counter});
      }
      context.wait_until<std::uint64_t>(word, Compare::equal, total);
    } else {
      for (std::uint64_t i = 0; i < each; ++i) context.bump({PeId(0), counter});
    }
    context.barrier();
    EXPECT_EQ(context.fetch<std::uint64_t>(PeId(0), word), total);
  });
}

TEST_P(Counters, MoreTriggersThanHaveAPlaceLieInTheHeapAndCancelledOnesNeverRun) {
  run([](Context& context) {
    CounterId counter = context.allocate_counter();
    auto word = context.allocate_symmetric(8);
    *context.local_pointer<std::uint64_t>(word) = 0;
    constexpr std::size_t many = 4 * triggers_per_pe;  // two further blocks
    for (std::size_t i = 0; i < many; ++i) context.trigger(counter, 1, TriggeredOp::make_add(context.pe(), word, 1));
    EXPECT_EQ(context.cancel_triggers(counter), many);
    context.bump({context.pe(), counter});
    EXPECT_EQ(*context.local_pointer<std::uint64_t>(word), 0u);
    for (std::size_t i = 0; i < many; ++i) context.trigger(counter, 2, TriggeredOp::make_add(context.pe(), word, 1));
    context.bump({context.pe(), counter});
    EXPECT_EQ(*context.local_pointer<std::uint64_t>(word), many);
    EXPECT_THROW(context.trigger(counter, 0, TriggeredOp::make_bump({context.pe(), counter})), ValueError);
    EXPECT_THROW(context.trigger(counter, 1, TriggeredOp::make_put(PeId(99), word, word, 8)), IndexError);
    EXPECT_THROW(context.trigger(counter, 9, TriggeredOp::make_add(context.pe(), HeapOffset(word.value() + 1), 8)),
                 ValueError);
  });
}

TEST_P(Counters, TriggersBeyondTheMemoryAreRefusedAndThoseQueuedStillRun) {
  run(
      [](Context& context) {
        if (context.pe().value() != 0) return;
        CounterId counter = context.allocate_counter();
        CounterId ran = context.allocate_counter();
        std::uint64_t queued = 0;
        EXPECT_THROW(for (; queued < most_triggers; ++queued)
                         context.trigger(counter, 1, TriggeredOp::make_bump({PeId(0), ran})),
                     MemoryError);
        EXPECT_GT(queued, triggers_per_pe);
        context.bump({PeId(0), counter});
        EXPECT_EQ(context.counter(ran), queued);
      },
      {.segment_bytes = std::uint64_t{8} << 20});
}

TEST_P(Counters, UnreachedThresholdsNeverStartAndEndWithTheirCounter) {
  run([](Context& context) {
    const CounterId counter = context.allocate_counter();
    const HeapOffset word = context.allocate_symmetric(8);
    *context.local_pointer<std::uint64_t>(word) = 0;
    auto held = std::make_shared<int>(1);
    context.trigger(counter, 5, TriggeredOp::make_add(context.pe(), word, 1));
    context.trigger(counter, 6, TriggeredOp::make_call([held](Context&) {}));
    context.bump({context.pe(), counter}, 4);
    const CounterId ids[] = {counter};
    const std::uint64_t thresholds[] = {5};
    EXPECT_FALSE(context.wait_any(ids, thresholds, Deadline::after_ns(2'000'000)));
    EXPECT_EQ(held.use_count(), 2);
    // Freed while operations are queued: they never start, and their resources are freed. The next counter with its
    // number starts at 0.
    context.release_counter(counter);
    EXPECT_EQ(held.use_count(), 1);
    const CounterId next = context.allocate_counter();
    EXPECT_EQ(next, counter);
    EXPECT_EQ(context.count(next), (Count{0, 0}));
    context.bump({context.pe(), next}, 9);
    EXPECT_EQ(*context.local_pointer<std::uint64_t>(word), 0u);
    // Operations that are still queued when the PE ends do not block it.
    context.trigger(next, 99, TriggeredOp::make_add(context.pe(), word, 1));
    context.barrier();
  });
}

TEST_P(Counters, FailuresAreCountedApartAndMakeTriggersDue) {
  run([](Context& context) {
    CounterId counter = context.allocate_counter();
    CounterId after = context.allocate_counter();
    context.barrier();
    PeId right((context.pe().value() + 1) % context.npes());
    context.trigger(counter, 5, TriggeredOp::make_bump({context.pe(), after}));
    context.count({right, counter}, {3, 0});
    context.wait_counter(counter, 3);
    EXPECT_EQ(context.counter(after), 0u);
    context.barrier();
    context.count({right, counter}, {0, 2});
    EXPECT_EQ(context.wait_count(counter, 99), (Count{3, 2}));  // a failure ends the wait
    context.wait_counter(after, 1);
    context.barrier();
    context.set_counter({right, counter}, {7, 0});
    context.wait([&] { return context.count(counter) == Count{7, 0}; });
    context.barrier();
    context.reset_counter(counter);
    EXPECT_EQ(context.count(counter), (Count{0, 0}));
  });
}

TEST_P(Counters, TheFirstOfSeveralThatIsThereIsFound) {
  run([](Context& context) {
    std::array<CounterId, 3> ids = {context.allocate_counter(), context.allocate_counter(), context.allocate_counter()};
    std::array<std::uint64_t, 3> at_least = {2, 2, 2};
    EXPECT_EQ(context.wait_any(ids, at_least, Deadline::after_ns(1000)), std::nullopt);
    context.bump({context.pe(), ids[2]}, 2);
    EXPECT_EQ(context.wait_any(ids, at_least, Deadline::never()), 2u);
    context.count({context.pe(), ids[1]}, {0, 1});
    EXPECT_EQ(context.wait_any(ids, at_least, Deadline::never()), 1u);
  });
}

TEST_P(Counters, CountsAndResetsAreTriggeredAndEqualThresholdsKeepTheirOrder) {
  run([](Context& context) {
    CounterRef a{context.pe(), context.allocate_counter()}, b{context.pe(), context.allocate_counter()};
    std::string order;
    auto note = [&order](char what) { return TriggeredOp::make_call([&order, what](Context&) { order += what; }); };
    context.trigger(b.id, 2, note('z'));  // only when a has counted b up
    context.trigger(a.id, 1, note('x'));
    context.trigger(a.id, 1, TriggeredOp::make_count(b, {1, 1}));
    context.trigger(a.id, 1, note('y'));
    context.trigger(a.id, 2, TriggeredOp::make_reset(a, {0, 0}));
    context.bump(a);
    context.wait([&] { return order.size() == 3; });
    EXPECT_EQ(order[0], 'x');
    EXPECT_LT(order.find('x'), order.find('y'));
    EXPECT_EQ(context.count(b.id), (Count{1, 1}));
    context.bump(a);
    EXPECT_EQ(context.counter(a.id), 0u);
  });
}

TEST_P(Counters, SwapsFetchesAndMessagesAreTriggeredWithTheDataOfThen) {
  run([](Context& context) {
    auto word = context.allocate_symmetric(8);
    *context.local_pointer<std::uint64_t>(word) = 10 + context.pe().value();
    std::uint64_t heard = 0;
    HandlerId handler = context.register_handler(
        [&](Context&, PeId, std::span<const std::byte> payload) { std::memcpy(&heard, payload.data(), 8); });
    CounterId start = context.allocate_counter(), done = context.allocate_counter();
    CounterRef then{context.pe(), done};
    context.barrier();
    std::uint32_t right = (context.pe().value() + 1) % context.npes();
    std::uint64_t old = 0, added = 0, text = 1;
    context.trigger(start, 1, TriggeredOp::make_swap(&old, PeId(right), word, 50, then));
    context.trigger(start, 1, TriggeredOp::make_fetch(&added, PeId(right), word, fabric::AtomicOp::add, 5, 0, then));
    context.trigger_send(start, 1, PeId(right), handler, std::as_bytes(std::span(&text, 1)), then);
    text = 99;  // what is read when it starts
    context.bump({context.pe(), start});
    context.wait_counter(done, 3);
    EXPECT_EQ(old, 10 + right);
    EXPECT_EQ(added, 50u);
    context.wait([&] { return heard == 99; });
    context.barrier();
    EXPECT_EQ(*context.local_pointer<std::uint64_t>(word), 55u);
  });
}

TEST_P(Counters, CancellingPlainCallsReturnsTheirArguments) {
  run([](Context& context) {
    CounterId counter = context.allocate_counter();
    int ran = 0;
    auto add = [](Context&, void* argument) { ++*static_cast<int*>(argument); };
    context.trigger(counter, 1, TriggeredOp::make_run(add, &ran));
    context.trigger(counter, 3, TriggeredOp::make_run(add, &ran));
    context.bump({context.pe(), counter});
    context.wait([&] { return ran == 1; });
    std::vector<void*> back;
    EXPECT_EQ(context.cancel_triggers(counter, [&](void* argument) { back.push_back(argument); }), 1u);
    EXPECT_EQ(back, std::vector<void*>{&ran});
    context.bump({context.pe(), counter}, 5);
    context.progress();
    EXPECT_EQ(ran, 1);
  });
}

ATOLL_ON_PES(Counters);

}  // namespace
}  // namespace atl::runtime
