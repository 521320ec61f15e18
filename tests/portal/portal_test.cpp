// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "atoll/portal/portal.hpp"
#include "atoll/runtime/context.hpp"
#include "run_pes.hpp"

namespace atl::runtime {
namespace {

constexpr std::uint32_t uid = 1000;

// An interface of each PE with one portal, queues for both sides, and the peer on the right.
struct Side {
  explicit Side(Context& c, unsigned portal_options = 0, std::size_t events = 64, const PortalLimits& limits = {})
      : context(c), host(c), portals(host.open(0, uid, limits)), arrivals(events), answers(1024) {
    EXPECT_EQ(portals.open(portal_options, &arrivals, PortalInterface::any_portal, portal), Refusal::none);
    right = PeId((c.pe().value() + 1) % c.npes());
    left = PeId((c.pe().value() + c.npes() - 1) % c.npes());
    landed = c.allocate_counter();
    answered = c.allocate_counter();
  }

  std::uint32_t descriptor(void* memory, std::size_t bytes,
                           unsigned options = descriptor_option::count_ack | descriptor_option::count_reply) {
    std::uint32_t number = portals.descriptors().take();
    portals.descriptors()[number] = {Region(memory, bytes), options, &answers, answered};
    return number;
  }
  EntrySpec entry(void* memory, std::size_t bytes, std::uint64_t bits = 0, unsigned more = 0) {
    EntrySpec spec;
    spec.region = Region(memory, bytes);
    spec.pattern.tag = bits;
    spec.options =
        entry_option::allow_put | entry_option::allow_get | entry_option::count | entry_option::no_link_event | more;
    spec.counter = landed;
    spec.user = memory;
    return spec;
  }
  std::uint32_t append(EntrySpec spec, ListKind list = ListKind::priority) {
    std::uint32_t number = 0;
    EXPECT_EQ(portals.append(portal, std::move(spec), list, number), Refusal::none);
    return number;
  }
  Operation put(std::uint32_t from, std::uint64_t bytes, std::uint64_t bits = 0) const {
    Operation operation;
    operation.acknowledge = Acknowledge::full;
    operation.descriptor = from;
    operation.bytes = bytes;
    operation.pe = right;
    operation.portal = portal;
    operation.match_bits = bits;
    return operation;
  }
  void run(const Operation& operation) {
    ASSERT_TRUE(portals.check(operation));
    ASSERT_EQ(portals.start(operation), Refusal::none);
  }
  Event next(EventQueue& queue) {
    Event event;
    context.wait([&] { return queue.take(event) != EventQueue::Taken::nothing; });
    return event;
  }
  // The next but those that say that data have left.
  Event answer() {
    for (;;)
      if (Event event = next(answers); event.kind != EventKind::send) return event;
  }

  Context& context;
  PortalHost host;
  PortalInterface& portals;
  EventQueue arrivals, answers;
  std::uint32_t portal = 0;
  PeId right, left;
  CounterId landed, answered;
};

class Portals : public testing::OnPes {};

TEST_P(Portals, APutWritesTheMatchingEntryAndPostsEventsOnBothSides) {
  run([](Context& context) {
    Side side(context);
    std::array<std::uint64_t, 4> into{}, from{10 + context.pe().value(), 11, 12, 13};
    side.append(side.entry(into.data(), sizeof(into), 7));
    context.barrier();
    Operation put = side.put(side.descriptor(from.data(), sizeof(from)), 16, 7);
    put.remote_offset = 8;
    put.header = 99;
    put.user = &side;
    side.run(put);
    Event event = side.next(side.arrivals);
    EXPECT_EQ(event.kind, EventKind::put);
    EXPECT_EQ(event.initiator, side.left);
    EXPECT_EQ(event.start, &into[1]);
    EXPECT_EQ(event.user, into.data());
    EXPECT_EQ((std::array{event.header, event.match_bits, event.requested, event.moved, event.offset}),
              (std::array<std::uint64_t, 5>{99, 7, 16, 16, 8}));
    EXPECT_EQ(event.uid, uid);
    EXPECT_EQ(context.wait_count(side.landed, 1), (Count{1, 0}));
    EXPECT_EQ(into[1], 10 + side.left.value());
    Event sent = side.next(side.answers), ack = side.next(side.answers);
    EXPECT_EQ(sent.kind, EventKind::send);
    EXPECT_EQ(ack.kind, EventKind::ack);
    EXPECT_EQ(ack.user, &side);
    EXPECT_EQ(ack.moved, 16u);
    EXPECT_EQ(ack.offset, 8u);
    EXPECT_EQ(context.wait_count(side.answered, 1), (Count{1, 0}));
    context.barrier();
  });
}

TEST_P(Portals, LongDataInPiecesAreFetchedAndTruncatedAtTheEntrysEnd) {
  run([](Context& context) {
    Side side(context);
    std::vector<std::uint32_t> theirs(20000), mine(30000, 7);
    std::iota(theirs.begin(), theirs.end(), context.pe().value());
    std::array<Region::Piece, 3> pieces = {{{theirs.data(), 4}, {theirs.data() + 1, 0}, {theirs.data() + 1, 79996}}};
    EntrySpec spec = side.entry(nullptr, 0);
    spec.region = Region(pieces);
    side.append(spec);
    context.barrier();
    Operation get = side.put(side.descriptor(mine.data(), mine.size() * 4), 100000);
    get.acknowledge = Acknowledge::none;
    get.kind = OperationKind::get;
    get.remote_offset = 4;
    side.run(get);
    Event reply = side.next(side.answers);
    EXPECT_EQ(reply.kind, EventKind::reply);
    EXPECT_EQ(reply.moved, 79996u);
    EXPECT_EQ(mine[0], 1 + side.right.value());
    EXPECT_EQ(mine[19998], 19999 + side.right.value());
    EXPECT_EQ(mine[19999], 7u);
    context.barrier();
  });
}

TEST_P(Portals, AtomicsOfAllPesAddUpAndFetchesSeeEachValueOnce) {
  run([](Context& context) {
    Side side(context);
    std::array<double, 3> sums{};
    std::uint32_t ticket = 0;
    side.append(side.entry(sums.data(), sizeof(sums), 1));
    side.append(side.entry(&ticket, 4, 2));
    context.barrier();
    std::array<double, 3> add{1, 2, 0.5};
    std::uint32_t one = 1, drawn = 99;
    Operation sum = side.put(side.descriptor(add.data(), sizeof(add)), sizeof(add), 1);
    sum.kind = OperationKind::atomic;
    sum.arithmetic = Arithmetic::sum;
    sum.type = Scalar::float64;
    sum.pe = PeId(0);
    for (int i = 0; i < 10; ++i) side.run(sum);
    context.wait_count(side.answered, 10);
    Operation draw = side.put(side.descriptor(&one, 4), 4, 2);
    draw.acknowledge = Acknowledge::none;
    draw.kind = OperationKind::fetch_atomic;
    draw.get_descriptor = side.descriptor(&drawn, 4);
    draw.arithmetic = Arithmetic::sum;
    draw.type = Scalar::uint32;
    draw.pe = PeId(0);
    side.run(draw);
    context.wait_count(side.answered, 11);
    context.barrier();
    auto tickets = context.exchange(drawn);
    std::sort(tickets.begin(), tickets.end());
    for (std::uint64_t i = 0; i < tickets.size(); ++i) EXPECT_EQ(tickets[i], i);
    if (context.pe().value() == 0) {
      EXPECT_EQ(sums, (std::array<double, 3>{10.0 * context.npes(), 20.0 * context.npes(), 5.0 * context.npes()}));
    }
    // Only a PE that knows the value may change it.
    std::uint32_t put = 1000 + context.pe().value(), old = 0, wanted = context.npes();
    Operation swap = draw;
    swap.kind = OperationKind::swap;
    swap.arithmetic = Arithmetic::compare_swap;
    swap.descriptor = side.descriptor(&put, 4);
    swap.get_descriptor = side.descriptor(&old, 4);
    std::memcpy(swap.operand.data(), &wanted, 4);
    side.run(swap);
    context.wait_count(side.answered, 12);
    auto olds = context.exchange(old);
    EXPECT_EQ(std::count(olds.begin(), olds.end(), context.npes()), 1);
    context.barrier();
  });
}

TEST_P(Portals, EntriesMatchInOrderAndUseOnceOnesOnce) {
  run([](Context& context) {
    Side side(context);
    std::array<std::uint64_t, 4> into{};
    using namespace entry_option;
    std::uint32_t once = side.append(side.entry(&into[0], 8, 5, use_once));
    EntrySpec tight = side.entry(&into[1], 4, 5, no_truncate);
    side.append(tight);
    EntrySpec other = side.entry(&into[2], 8, 4);
    other.pattern.ignore = 1;  // 5 fits, too
    other.pattern.source = PeId(context.npes() + 1);
    side.append(other);
    side.append(side.entry(&into[3], 8, 5));
    context.barrier();
    std::uint64_t value = 1 + context.pe().value();
    std::uint32_t from = side.descriptor(&value, 8);
    for (int i = 0; i < 2; ++i) {
      side.run(side.put(from, 8, 5));
      EXPECT_EQ(side.answer().failure, Failure::none);
    }
    context.wait_count(side.landed, 2);
    EXPECT_EQ(into, (std::array<std::uint64_t, 4>{1 + side.left.value(), 0, 0, 1 + side.left.value()}));
    EXPECT_EQ(side.next(side.arrivals).kind, EventKind::put);
    EXPECT_EQ(side.next(side.arrivals).kind, EventKind::auto_unlink);
    EXPECT_EQ(side.portals.unlink(once), Refusal::invalid);
    context.barrier();
  });
}

TEST_P(Portals, ALocallyManagedEntryFillsUpAndEndsWhenTooLittleIsFree) {
  run([](Context& context) {
    Side side(context);
    std::array<char, 10> into{};
    EntrySpec spec = side.entry(into.data(), into.size(), 0, entry_option::local_offset);
    spec.min_free = 4;
    side.append(spec);
    context.barrier();
    char text[] = "abcd";
    std::uint32_t from = side.descriptor(text, 4);
    for (std::uint64_t offset : {0, 3}) {
      side.run(side.put(from, offset == 0 ? 3 : 4));
      EXPECT_EQ(side.answer().offset, offset);
    }
    side.run(side.put(from, 4));
    EXPECT_EQ(side.answer().failure, Failure::dropped);
    context.wait_count(side.landed, 2);
    EXPECT_EQ(std::string(into.data(), 7), "abcabcd");
    for (EventKind kind : {EventKind::put, EventKind::put, EventKind::auto_unlink})
      EXPECT_EQ(side.next(side.arrivals).kind, kind);
    context.barrier();
    EXPECT_EQ(side.portals.violations().dropped.load(), 1u);
  });
}

TEST_P(Portals, AnUnexpectedMessageWaitsInTheOverflowListForItsEntry) {
  run([](Context& context) {
    Side side(context);
    std::array<std::uint64_t, 4> room{};
    std::uint64_t unused = 0;
    using namespace entry_option;
    EntrySpec catcher = side.entry(room.data(), sizeof(room), 0, local_offset | no_event);
    catcher.pattern.ignore = UINT64_MAX;
    catcher.min_free = 1;
    catcher.options &= ~count;
    std::uint32_t overflow = side.append(catcher, ListKind::overflow);
    context.barrier();
    std::uint64_t value = 40 + context.pe().value();
    std::uint32_t from = side.descriptor(&value, 8);
    for (std::uint64_t bits : {3, 4, 3}) {
      side.run(side.put(from, 8, bits));
      EXPECT_EQ(side.answer().list, ListKind::overflow);
    }
    context.barrier();
    EXPECT_EQ(side.portals.unlink(overflow), Refusal::in_use);
    // A search that leaves all where it is; its failure says that there are no more.
    EntrySpec wanted = side.entry(&unused, 8, 3, count_overflow);
    EXPECT_EQ(side.portals.search(side.portal, wanted, PortalInterface::Search::look), Refusal::none);
    EXPECT_EQ(context.count(side.landed), (Count{2, 1}));
    for (int i = 0; i < 2; ++i) EXPECT_EQ(side.next(side.arrivals).kind, EventKind::search);
    context.reset_counter(side.landed);
    // A use-once entry takes one and is not linked.
    std::uint32_t once = side.append(side.entry(&unused, 8, 3, use_once | count_overflow));
    Event event = side.next(side.arrivals);
    EXPECT_EQ(event.kind, EventKind::put_overflow);
    EXPECT_EQ(event.start, &room[0]);
    EXPECT_EQ(room[0], 40 + side.left.value());
    EXPECT_EQ(context.count(side.landed), (Count{1, 0}));
    EXPECT_EQ(side.next(side.arrivals).kind, EventKind::auto_unlink);
    EXPECT_EQ(side.portals.unlink(once), Refusal::invalid);
    context.barrier();
    // Full: the overflow entry ends by itself, and is free when the last header is taken.
    side.run(side.put(from, 8, 5));
    (void)side.answer();
    EXPECT_EQ(side.next(side.arrivals).kind, EventKind::auto_unlink);
    wanted.pattern.ignore = UINT64_MAX;
    wanted.options &= ~count_overflow;
    EXPECT_EQ(side.portals.search(side.portal, wanted, PortalInterface::Search::take), Refusal::none);
    for (void* start : {&room[1], &room[2], &room[3]}) {
      event = side.next(side.arrivals);
      EXPECT_EQ(event.kind, EventKind::put_overflow);
      EXPECT_EQ(event.start, start);
    }
    EXPECT_EQ(side.next(side.arrivals).kind, EventKind::auto_free);
    EXPECT_EQ(side.portals.search(side.portal, wanted, PortalInterface::Search::take), Refusal::none);
    event = side.next(side.arrivals);
    EXPECT_EQ(event.failure, Failure::no_match);
    context.barrier();
  });
}

// A queue that is not emptied disables the portal; refused initiators send again when it is enabled, and nothing is
// lost.
TEST_P(Portals, AnOverrunDisablesThePortalAndNothingIsLost) {
  run([](Context& context) {
    constexpr int messages = 40;
    Side side(context, portal_option::flow_control, 8);
    std::uint64_t sum = 0;
    side.append(side.entry(nullptr, 0));
    context.barrier();
    std::uint32_t from = side.descriptor(nullptr, 0);
    int sent = 0, accepted = 0, arrived = 0, stopped = 0;
    std::vector<std::uint64_t> again;
    std::uint64_t next = 1;
    while (accepted < messages || arrived < messages) {
      if (sent == accepted && accepted < messages) {  // a burst of what is left
        for (std::uint64_t header : std::exchange(again, {})) {
          Operation put = side.put(from, 0);
          put.header = header;
          put.user = reinterpret_cast<void*>(header);
          side.run(put);
          ++sent;
        }
        for (; sent - accepted < 20 && next <= messages; ++next, ++sent) {
          Operation put = side.put(from, 0);
          put.header = next;
          put.user = reinterpret_cast<void*>(next);
          side.run(put);
        }
      }
      context.progress();
      Event event;
      while (side.answers.take(event) != EventQueue::Taken::nothing) {
        if (event.kind != EventKind::ack) continue;
        if (event.failure == Failure::none) ++accepted;
        else {
          ASSERT_EQ(event.failure, Failure::portal_disabled);
          again.push_back(reinterpret_cast<std::uint64_t>(event.user));
          --sent;
        }
      }
      while (side.arrivals.take(event) != EventQueue::Taken::nothing) {
        if (event.kind == EventKind::portal_disabled) {
          ++stopped;
          EXPECT_EQ(side.portals.enable(side.portal), Refusal::none);
        } else {
          ++arrived;
          sum += event.header;
        }
      }
    }
    EXPECT_EQ(sum, std::uint64_t{messages} * (messages + 1) / 2);
    EXPECT_GE(stopped, context.npes() == 1 ? 1 : 0);
    context.barrier();
  });
}

TEST_P(Portals, RefusesAndCountsForbiddenOrUnmatchedOperations) {
  run([](Context& context) {
    Side side(context);
    std::uint64_t word = 5, value = 1;
    EntrySpec foreign = side.entry(&word, 8, 1);
    foreign.uid = uid + 1;
    side.append(foreign);
    EntrySpec readable = side.entry(&word, 8, 2);
    readable.options &= ~entry_option::allow_put;
    side.append(readable);
    context.barrier();
    std::uint32_t from = side.descriptor(&value, 8);
    auto failure_of = [&](std::uint64_t bits, std::uint32_t portal) {
      Operation put = side.put(from, 8, bits);
      put.portal = portal;
      side.run(put);
      return side.answer().failure;
    };
    EXPECT_EQ(failure_of(1, side.portal), Failure::permission);
    EXPECT_EQ(failure_of(2, side.portal), Failure::operation);
    EXPECT_EQ(failure_of(3, side.portal), Failure::dropped);
    EXPECT_EQ(failure_of(1, 9), Failure::dropped);
    context.barrier();
    EXPECT_EQ(side.portals.disable(side.portal), Refusal::none);
    context.barrier();
    EXPECT_EQ(failure_of(2, side.portal), Failure::portal_disabled);
    EXPECT_EQ(context.wait_count(side.answered, 99), (Count{0, 5}));
    context.barrier();
    const auto& violations = side.portals.violations();
    EXPECT_EQ((std::array{violations.permission.load(), violations.operation.load(), violations.dropped.load()}),
              (std::array<std::uint32_t, 3>{1, 1, 3}));
    EXPECT_EQ(word, 5u);
    // Operations that are wrong in themselves.
    Operation wrong = side.put(from, 9);
    EXPECT_FALSE(side.portals.check(wrong));
    wrong = side.put(from, 8);
    wrong.kind = OperationKind::atomic;
    wrong.arithmetic = Arithmetic::bit_and;
    wrong.type = Scalar::float64;
    EXPECT_FALSE(side.portals.check(wrong));
    side.portals.descriptors().give_back(from);
    EXPECT_FALSE(side.portals.check(side.put(from, 8)));
    EXPECT_EQ(side.portals.close(side.portal), Refusal::in_use);
    context.barrier();
  });
}

TEST_P(Portals, AnInterfaceThatIsNotOpenIsUndeliverable) {
  run([](Context& context) {
    Side side(context);
    context.barrier();
    side.host.close(0);
    PortalInterface& other = side.host.open(static_cast<std::uint8_t>(1 + context.pe().value() % 2), uid, {});
    context.barrier();
    EventQueue answers(8);
    std::uint32_t from = other.descriptors().take();
    other.descriptors()[from] = {Region(nullptr, 0), 0, &answers, no_counter};
    Operation put = side.put(from, 0);
    ASSERT_EQ(other.start(put), Refusal::none);
    Event event;
    do event = side.next(answers);
    while (event.kind == EventKind::send);
    bool same = side.right.value() % 2 == context.pe().value() % 2;
    EXPECT_EQ(event.failure, same ? Failure::dropped : Failure::undeliverable);
    context.barrier();
  });
}

TEST_P(Portals, TriggeredPutsChainFromPeToPeAndReadTheirDataThen) {
  run([](Context& context) {
    constexpr std::uint64_t laps = 5;
    Side side(context);
    std::uint64_t here = 0;
    side.append(side.entry(&here, 8, 0, entry_option::no_event));
    Operation put = side.put(side.descriptor(&here, 8), 8);
    put.acknowledge = Acknowledge::none;
    bool first = context.pe().value() == 0;
    for (std::uint64_t lap = 1; lap <= laps; ++lap)  // the first PE's last put would begin another lap
      if (!first || lap < laps) { ASSERT_EQ(side.portals.trigger(side.landed, lap, put), Refusal::none); }
    context.barrier();
    if (first) {
      std::uint64_t start = 77;
      Operation begin = side.put(side.descriptor(&start, 8), 8);
      begin.acknowledge = Acknowledge::none;
      side.run(begin);
    }
    context.wait_counter(side.landed, laps);
    EXPECT_EQ(here, 77u);
    context.barrier();
  });
}

TEST_P(Portals, TriggeredOperationsKeepTheirOrderHaveALimitAndCanBeCancelled) {
  run([](Context& context) {
    PortalLimits limits;
    limits.triggered = 8;
    Side side(context, 0, 64, limits);
    std::string order;
    CounterId a = side.landed, b = side.answered;
    auto note = [&](char what) { return [&order, what] { order += what; }; };
    ASSERT_EQ(side.portals.trigger_call(b, 1, note('d')), Refusal::none);
    ASSERT_EQ(side.portals.trigger_call(a, 2, note('c')), Refusal::none);
    ASSERT_EQ(side.portals.trigger_call(a, 1, note('x')), Refusal::none);
    ASSERT_EQ(side.portals.trigger_count(a, 1, b, {1, 0}), Refusal::none);
    ASSERT_EQ(side.portals.trigger_call(a, 1, note('y')), Refusal::none);
    ASSERT_EQ(side.portals.trigger_set(a, 2, a, {0, 0}), Refusal::none);
    context.bump({context.pe(), a});
    context.wait([&] { return order.size() == 3; });
    EXPECT_EQ(order, "xyd");
    context.count({context.pe(), a}, {0, 1});  // failures count, too
    context.wait([&] { return order.size() == 4; });
    EXPECT_EQ(context.count(a), (Count{0, 0}));
    int queued = 0;
    while (side.portals.trigger_call(a, 1, note('z')) == Refusal::none) ++queued;
    EXPECT_EQ(queued, 8);
    side.portals.cancel(a);
    context.bump({context.pe(), a});
    context.progress();
    EXPECT_EQ(order, "xydc");
    EXPECT_EQ(side.portals.trigger_call(a, 1, note('!')), Refusal::none);  // there is room again, and it is due
    EXPECT_EQ(order.back(), '!');
    side.portals.finish_triggered();
  });
}

ATOLL_ON_PES(Portals);

TEST(PortalFailures, OperationsOnAPeThatHasFinalizedAreUndeliverable) {
  auto job = fabric::Job::create_loop({.npes = 2, .segment_bytes = std::uint64_t{16} << 20});
  std::thread other([&] { Context context(job, PeId(1)); });
  Context context(job, PeId(0));
  Side side(context);
  other.join();
  EXPECT_TRUE(context.endpoint().has_left(PeId(1)));
  const Operation put = side.put(side.descriptor(nullptr, 0), 0);
  for (std::uint64_t round = 1; round <= 3 * fabric::ring_slots; ++round) {
    side.run(put);
    EXPECT_EQ(side.next(side.answers).kind, EventKind::send);
    side.portals.settle_departures();
    Event event;
    ASSERT_EQ(side.answers.take(event), EventQueue::Taken::event);
    EXPECT_EQ(event.failure, Failure::undeliverable);
    EXPECT_EQ(context.count(side.answered), (Count{0, round}));
  }
}

TEST(PortalFailures, LongPutsToAPeThatHasFinalizedGiveTheirMemoryBack) {
  auto job = fabric::Job::create_loop({.npes = 2, .segment_bytes = std::uint64_t{64} << 20});
  std::atomic<bool> sent{false};
  std::thread other([&] {
    Context context(job, PeId(1));
    while (!sent) std::this_thread::yield();  // takes no message
  });
  Context context(job, PeId(0));
  Side side(context);
  std::vector<std::byte> data(std::size_t{1} << 20);
  const std::uint64_t before = context.heap().stats().in_use_bytes;
  Operation put = side.put(side.descriptor(data.data(), data.size()), data.size());
  put.acknowledge = Acknowledge::counted;
  for (int i = 0; i < 8; ++i) side.run(put);
  EXPECT_GE(context.heap().stats().in_use_bytes, before + 8 * data.size());
  sent = true;
  other.join();
  side.portals.settle_departures();
  EXPECT_EQ(context.count(side.answered), (Count{0, 8}));
  EXPECT_EQ(context.heap().stats().in_use_bytes, before);
}

TEST(PortalFailures, OperationsOnAPeThatDiedAreUndeliverable) {
  auto job = fabric::Job::create_loop({.npes = 2, .segment_bytes = std::uint64_t{16} << 20});
  std::thread other([&] { Context context(job, PeId(1)); });  // joins, and never looks at what comes
  Context context(job, PeId(0));
  Side side(context);
  other.join();
  Operation put = side.put(side.descriptor(nullptr, 0), 0);
  side.run(put);
  EXPECT_EQ(side.next(side.answers).kind, EventKind::send);
  job->record(PeId(1)).state.store(static_cast<std::uint32_t>(fabric::PeState::joined));
  job->mark_failed(PeId(1), 9, "was killed by signal 9");
  side.portals.fail_lost();
  Event event;
  ASSERT_EQ(side.answers.take(event), EventQueue::Taken::event);
  EXPECT_EQ(event.failure, Failure::undeliverable);
  EXPECT_EQ(context.count(side.answered), (Count{0, 1}));
}

}  // namespace
}  // namespace atl::runtime
