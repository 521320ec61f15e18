// SPDX-License-Identifier: Apache-2.0
// Data in private memory of members of one node, which the kernel reads or the sender lends: what decides, and that the
// data arrive by either method.
#include "reading.hpp"
#include "atoll/runtime/foreign_memory.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/parts.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "oracle.hpp"
#include "run_pes.hpp"

namespace atl::coll {
namespace {

using detail::Readings;

// One message, between members of whom each is member 0 to the other. Returns whether it was read.
bool pass(Readings& sender, Readings& receiver, std::uint64_t bytes, std::int64_t kernel_ns, std::int64_t lent_ns) {
  const Readings::Sending how = sender.sending(0, bytes);
  const bool offered = how == Readings::Sending::offered;
  if (offered && receiver.method(0, bytes) == Readings::Method::by_kernel) {
    receiver.note(0, bytes, Readings::Method::by_kernel, receiver.measures(0, bytes) ? kernel_ns : 0);
    return true;
  }
  if (offered) sender.learn_unasked(0, bytes, receiver.unasked(0, bytes));
  if (how != Readings::Sending::lent) receiver.note(0, bytes, Readings::Method::lent, lent_ns);
  return false;
}

struct Pair {
  Readings sender, receiver;
  std::uint64_t read = 0, lent = 0;  // messages
  void exchange(std::uint64_t bytes, std::int64_t kernel_ns, std::int64_t lent_ns) {
    ++(pass(sender, receiver, bytes, kernel_ns, lent_ns) ? read : lent);
  }
};

TEST(Readings, ShortOnesAreNotOffered) {
  Readings readings;
  EXPECT_EQ(readings.sending(0, Readings::least_bytes - 1), Readings::Sending::lent);
  EXPECT_EQ(readings.sending(0, Readings::least_bytes), Readings::Sending::offered);
}

TEST(Readings, ChoosesTheFasterMethod) {
  Pair near, far;
  for (int i = 0; i < 10'000; ++i) {
    // Every few something else takes a while.
    const std::int64_t late = i % 3 == 0 ? 50'000 : 0;
    near.exchange(32768, 3000 + late, 1500);
    far.exchange(32768, 2000 + late, 5000);
  }
  EXPECT_GT(near.lent, 9'700u);
  EXPECT_GT(near.read, 100u);  // tried again and again
  EXPECT_GT(far.read, 9'700u);
  EXPECT_GT(far.lent, 100u);
}

TEST(Readings, NoticeChangedTimes) {
  Pair pair;
  for (int i = 0; i < 3'000; ++i) pair.exchange(16384, 2000, 1000);
  EXPECT_GT(pair.lent, 2'900u);
  pair.read = pair.lent = 0;
  for (int i = 0; i < 3'000; ++i) pair.exchange(16384, 2000, 4000);
  EXPECT_GT(pair.read, 2'400u);
  pair.read = pair.lent = 0;
  for (int i = 0; i < 3'000; ++i) pair.exchange(16384, 2000, 1000);
  EXPECT_GT(pair.lent, 2'400u);
}

TEST(Readings, LengthsAndMembersAreDecidedApart) {
  Readings receiver;
  auto settle = [&](std::uint32_t member, std::uint64_t bytes, std::int64_t kernel_ns, std::int64_t lent_ns) {
    for (std::uint32_t i = 0; i < 2 * Readings::tried; ++i) {
      const auto method = receiver.method(member, bytes);
      receiver.note(member, bytes, method, method == Readings::Method::by_kernel ? kernel_ns : lent_ns);
    }
    return receiver.method(member, bytes);
  };
  EXPECT_EQ(settle(3, 16384, 2, 1), Readings::Method::lent);
  EXPECT_EQ(settle(3, 32768, 1, 2), Readings::Method::by_kernel);
  EXPECT_EQ(settle(0, 16384, 1, 2), Readings::Method::by_kernel);
  EXPECT_EQ(settle(7, std::uint64_t{1} << 40, 1, 2), Readings::Method::by_kernel);
  EXPECT_EQ(receiver.method(3, 16384), Readings::Method::lent);
}

// Of those that are one length to it.
TEST(Readings, ShorterOnesInTurnDoNotMislead) {
  for (std::uint64_t other : {20'000u, 32'000u})
    for (int in_a_row : {1, 4, 8, 100}) {
      Pair pair;
      for (int i = 0; i < 8'000; ++i) {
        const std::uint64_t bytes = i / in_a_row % 2 == 0 ? 16'384 : other;
        const auto kernel_ns = static_cast<std::int64_t>(bytes) / 10;
        pair.exchange(bytes, kernel_ns, kernel_ns * 14 / 10);
      }
      EXPECT_GT(pair.read, 7'000u) << other << ", " << in_a_row << " in a row";
    }
}

TEST(Readings, SkipMembersThatCannotRead) {
  Readings sender;
  ASSERT_EQ(sender.sending(1, 65536), Readings::Sending::offered);
  sender.learn_unasked(1, 65536, Readings::for_ever);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(sender.sending(1, 65536), Readings::Sending::lent);
  EXPECT_EQ(sender.sending(2, 65536), Readings::Sending::offered);
}

// What each sends to the other, of whom one would be lent and one would read.
TEST(Readings, TwoReadBothOrNeither) {
  Readings one, other;
  std::uint64_t mixed = 0, read = 0;
  for (int i = 0; i < 5'000; ++i) {
    const bool first = pass(one, other, 65536, 890, 1000), second = pass(other, one, 65536, 910, 1000);
    mixed += first != second ? 1 : 0;
    read += first && second ? 1 : 0;
  }
  EXPECT_LT(mixed, 300u);
  EXPECT_LT(read, 300u);
}

class PrivateMemory : public atl::testing::OnPes {
 protected:
  ~PrivateMemory() override { ::unsetenv("ATOLL_KERNEL_COPY"); }
};

// Inputs and outputs lie in private memory, or in the heap; senders overwrite the data that they have just sent.
void exchange_all(runtime::Context& context, std::size_t bytes, int rounds) {
  Communicator all(context);
  const int n = all.size(), me = all.rank();
  const auto members = static_cast<std::size_t>(n);
  const testing::Bytes own(context, bytes * members, false), got(context, bytes * members, false),
      in_heap(context, bytes * members, true);
  auto mark = [](int round, int from, int to) {
    return static_cast<std::uint64_t>(round) << 32 | static_cast<std::uint64_t>(from) << 16 |
           static_cast<std::uint64_t>(to);
  };
  auto give = [&](std::byte* at, std::uint64_t value) {
    std::memcpy(at, &value, 8);
    std::memcpy(at + bytes / 2, &value, 8);
    std::memcpy(at + bytes - 8, &value, 8);
  };
  auto holds = [&](const std::byte* at, std::uint64_t value) {
    return std::memcmp(at, &value, 8) == 0 && std::memcmp(at + bytes / 2, &value, 8) == 0 &&
           std::memcmp(at + bytes - 8, &value, 8) == 0;
  };
  for (int round = 0; round < rounds; ++round) {
    std::byte* const into = round % 5 == 4 ? in_heap.data() : got.data();
    const int root = round % n;
    if (me == root) give(own.data(), mark(round, root, 0));
    all.broadcast(me == root ? own.data() : into, bytes, root);
    if (me == root) give(own.data(), 99);
    else ASSERT_TRUE(holds(into, mark(round, root, 0))) << bytes << " broadcast " << round;

    give(own.data(), mark(round, me, 1));
    all.allgather(own.data(), bytes, into);
    give(own.data(), 99);
    for (int from = 0; from < n; ++from)
      ASSERT_TRUE(holds(into + bytes * static_cast<std::size_t>(from), mark(round, from, 1)))
          << bytes << " allgather " << round;

    for (int to = 0; to < n; ++to) give(own.data() + bytes * static_cast<std::size_t>(to), mark(round, me, to));
    all.alltoall(own.data(), bytes, into);
    for (int to = 0; to < n; ++to) give(own.data() + bytes * static_cast<std::size_t>(to), 99);
    for (int from = 0; from < n; ++from)
      ASSERT_TRUE(holds(into + bytes * static_cast<std::size_t>(from), mark(round, from, me)))
          << bytes << " alltoall " << round;

    const std::size_t words = bytes / 8;
    auto* numbers = own.as<std::uint64_t>();
    std::fill_n(numbers, words, static_cast<std::uint64_t>(me + round));
    auto* sums = reinterpret_cast<std::uint64_t*>(into);
    all.allreduce(numbers, sums, words, Reduction(Type::u64, Op::sum));
    std::fill_n(numbers, words, 99u);
    const auto sum = static_cast<std::uint64_t>(n * (n - 1) / 2 + n * round);
    ASSERT_EQ(sums[0], sum);
    ASSERT_EQ(sums[words / 2], sum);
    ASSERT_EQ(sums[words - 1], sum);
  }
}

TEST_P(PrivateMemory, ArrivesByEveryMethod) {
  run(
      [](runtime::Context& context) {
        for (std::size_t bytes : {16376u, 16384u, 20000u, 65536u, 65544u, 300000u}) exchange_all(context, bytes, 12);
        exchange_all(context, 3u << 20, 3);
      },
      {.segment_bytes = std::uint64_t{256} << 20});
}

TEST_P(PrivateMemory, ArrivesWhereTheKernelIsNotAsked) {
  ::setenv("ATOLL_KERNEL_COPY", "off", 1);
  run(
      [](runtime::Context& context) {
        for (std::size_t bytes : {16384u, 65536u, 300000u}) exchange_all(context, bytes, 5);
      },
      {.segment_bytes = std::uint64_t{256} << 20});
}

// Of two members, each has its own opinion.
TEST_P(PrivateMemory, ArrivesWhereOneIsRefused) {
  run(
      [](runtime::Context& context) {
        if (runtime::Parts(context).one_sided.pe().value() % 2 == 1) runtime::Parts(context).foreign_memory.give_up(1);
        for (std::size_t bytes : {16384u, 65536u, 300000u}) exchange_all(context, bytes, 12);
      },
      {.segment_bytes = std::uint64_t{256} << 20});
}

// Through several trials of both methods.
TEST_P(PrivateMemory, ArrivesThroughChangesOfMind) {
  if (npes() > 2) GTEST_SKIP() << "two decide as many do";
  run([](runtime::Context& context) { exchange_all(context, 17000, 1200); });
}

ATOLL_ON_PES(PrivateMemory);

}  // namespace
}  // namespace atl::coll
