// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>

#include "atoll/base/error.hpp"
#include "atoll/runtime/context.hpp"
#include "run_pes.hpp"

namespace atl::runtime {
namespace {

class OneSided : public testing::OnPes {};

TEST_P(OneSided, PutReachesEveryPe) {
  run([](Context& context) {
    auto block = context.allocate_symmetric(context.npes() * 8);
    for (std::uint32_t pe = 0; pe < context.npes(); ++pe)
      context.put_value<std::uint64_t>(PeId(pe), HeapOffset(block.value() + 8 * context.pe().value()),
                                       1000 * pe + context.pe().value());
    context.quiet();
    context.barrier();
    auto* mine = context.local_pointer<std::uint64_t>(block);
    for (std::uint32_t pe = 0; pe < context.npes(); ++pe) EXPECT_EQ(mine[pe], 1000 * context.pe().value() + pe);
    context.release_symmetric(block);
  });
}

TEST_P(OneSided, BlocksOfEverySizeArriveWhole) {
  run([](Context& context) {
    std::size_t sizes[] = {0, 1, 2, 3, 4, 7, 8, 9, 63, 64, 65, 255, 4096, 100'003};
    auto block = context.allocate_symmetric(200'000);
    PeId right((context.pe().value() + 1) % context.npes());
    PeId left((context.pe().value() + context.npes() - 1) % context.npes());
    for (std::size_t size : sizes) {
      for (std::size_t shift : {0, 1, 3}) {
        std::vector<unsigned char> out(size);
        for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<unsigned char>(i * 7 + context.pe().value() + size);
        HeapOffset at(block.value() + shift);
        context.put(right, at, out.data(), size);
        context.quiet();
        context.barrier();
        auto* got = context.local_pointer<unsigned char>(at);
        for (std::size_t i = 0; i < size; ++i)
          ASSERT_EQ(got[i], static_cast<unsigned char>(i * 7 + left.value() + size)) << "size " << size << " at " << i;
        std::vector<unsigned char> back(size);
        context.get(back.data(), right, at, size);
        EXPECT_EQ(back, out);
        context.barrier();
      }
    }
  });
}

template <class T>
void atomics_add_up(Context& context) {
  auto block = context.allocate_symmetric(64);
  if (context.pe().value() == 0) std::memset(context.local_pointer(block), 0, 64);
  context.barrier();
  constexpr int rounds = 1000;
  T last = 0;
  for (int i = 0; i < rounds; ++i) {
    T now = context.fetch_add<T>(PeId(0), block, T(2));
    EXPECT_TRUE(i == 0 || now > last);
    last = now;
    HeapOffset second(block.value() + sizeof(T));
    for (T seen = context.fetch<T>(PeId(0), second);;) {
      T old = context.compare_swap<T>(PeId(0), second, seen, T(seen + 3));
      if (old == seen) break;
      seen = old;
    }
  }
  HeapOffset bits(block.value() + 2 * sizeof(T));
  context.fetch_or<T>(PeId(0), bits, T(1) << context.pe().value());
  context.fetch_xor<T>(PeId(0), HeapOffset(block.value() + 3 * sizeof(T)), T(1) << context.pe().value());
  context.barrier();
  EXPECT_EQ(context.fetch<T>(PeId(0), block), T(2 * rounds) * T(context.npes()));
  EXPECT_EQ(context.fetch<T>(PeId(0), HeapOffset(block.value() + sizeof(T))), T(3 * rounds) * T(context.npes()));
  EXPECT_EQ(context.fetch<T>(PeId(0), bits), (T(1) << context.npes()) - 1);
  EXPECT_EQ(context.fetch<T>(PeId(0), HeapOffset(block.value() + 3 * sizeof(T))), (T(1) << context.npes()) - 1);
  context.barrier();
  context.fetch_and<T>(PeId(0), bits, T(~(T(1) << context.pe().value())));
  context.barrier();
  EXPECT_EQ(context.fetch<T>(PeId(0), bits), T(0));
}

TEST_P(OneSided, AtomicsAddUp) {
  run([](Context& context) {
    atomics_add_up<std::uint64_t>(context);
    atomics_add_up<std::int64_t>(context);
    atomics_add_up<std::uint32_t>(context);
    atomics_add_up<std::int32_t>(context);
  });
}

TEST_P(OneSided, FloatsAreSetSwappedAndFetched) {
  run([](Context& context) {
    auto block = context.allocate_symmetric(16);
    PeId right((context.pe().value() + 1) % context.npes());
    context.set<double>(right, block, 1.5 + context.pe().value());
    context.set<float>(right, HeapOffset(block.value() + 8), 2.5f);
    context.barrier();
    EXPECT_EQ(context.swap<double>(right, block, -0.5), 1.5 + context.pe().value());
    EXPECT_EQ(context.fetch<double>(right, block), -0.5);
    EXPECT_EQ(context.swap<float>(right, HeapOffset(block.value() + 8), 3.5f), 2.5f);
  });
}

// Message passing: data put before a signal is visible to a PE that has seen the signal.
TEST_P(OneSided, SignalComesAfterItsData) {
  run([](Context& context) {
    constexpr std::size_t words = 100;
    auto data = context.allocate_symmetric(words * 8);
    auto signal = context.allocate_symmetric(8);
    *context.local_pointer<std::uint64_t>(signal) = 0;
    auto credit = context.allocate_symmetric(8);
    *context.local_pointer<std::uint64_t>(credit) = 0;
    context.barrier();
    PeId right((context.pe().value() + 1) % context.npes());
    PeId left((context.pe().value() + context.npes() - 1) % context.npes());
    std::vector<std::uint64_t> out(words);
    for (std::uint64_t round = 1; round <= 300; ++round) {
      std::fill(out.begin(), out.end(), round);
      if (round % 2 == 0) {
        context.put_signal(right, data, out.data(), words * 8, signal, round);
      } else {
        context.put(right, data, out.data(), words * 8);
        context.fence();
        context.put_value(right, signal, round);
      }
      context.wait_until<std::uint64_t>(signal, Compare::greater_equal, round);
      auto* got = context.local_pointer<std::uint64_t>(data);
      for (std::size_t i = 0; i < words; ++i) ASSERT_EQ(got[i], round);
      context.set<std::uint64_t>(left, credit, round);
      context.wait_until<std::uint64_t>(credit, Compare::equal, round);
    }
  });
}

// Store buffering (Dekker): with quiet() between put and get, two PEs cannot both miss the other's put.
TEST_P(OneSided, QuietOrdersAPutBeforeALaterGet) {
  run([](Context& context) {
    constexpr std::uint64_t rounds = 2000;
    auto flags = context.allocate_symmetric(2 * 64);
    auto turn = context.allocate_symmetric(8);
    auto saw = context.allocate_symmetric(rounds * 8);
    std::memset(context.local_pointer(flags), 0, 128);
    std::memset(context.local_pointer(turn), 0, 8);
    std::memset(context.local_pointer(saw), 0, rounds * 8);
    context.barrier();
    if (context.npes() < 2 || context.pe().value() > 1) return;
    std::uint32_t me = context.pe().value();
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      context.put_value(PeId(0), HeapOffset(flags.value() + 64 * me), round);
      context.quiet();
      auto other = context.get_value<std::uint64_t>(PeId(0), HeapOffset(flags.value() + 64 * (1 - me)));
      context.add<std::uint64_t>(PeId(0), HeapOffset(saw.value() + 8 * (round - 1)), other >= round ? 1 : 0);
      // Both meet before the next round.
      context.add<std::uint64_t>(PeId(0), turn, 1);
      context.add<std::uint64_t>(PeId(1), turn, 1);
      context.wait_until<std::uint64_t>(turn, Compare::greater_equal, 2 * round);
      ASSERT_GE(context.fetch<std::uint64_t>(PeId(0), HeapOffset(saw.value() + 8 * (round - 1))), 1u) << round;
    }
  });
}

TEST_P(OneSided, OutsideTheSegmentThrowsAndChangesNothing) {
  run([](Context& context) {
    std::uint64_t end = context.endpoint().segment_bytes();
    std::uint64_t value = 0;
    EXPECT_THROW(context.put_value<std::uint64_t>(PeId(context.npes()), HeapOffset(0), 1), IndexError);
    EXPECT_THROW(context.put_value<std::uint64_t>(PeId(0), HeapOffset(end - 7), 1), IndexError);
    EXPECT_THROW(context.get(&value, PeId(0), HeapOffset(UINT64_MAX), 8), IndexError);
    EXPECT_THROW(context.get(&value, PeId(0), HeapOffset(8), UINT64_MAX - 4), IndexError);
    EXPECT_THROW(context.fetch_add<std::uint64_t>(PeId(0), HeapOffset(Context::system_bytes + 4), 1), ValueError);
    EXPECT_THROW(context.fetch<std::uint32_t>(PeId(UINT32_MAX), HeapOffset(0)), IndexError);
  });
}

TEST_P(OneSided, TrafficIsCounted) {
  run([](Context& context) {
    auto block = context.allocate_symmetric(1000);
    auto endpoint = context.make_endpoint();
    std::vector<std::byte> data(1000);
    PeId right((context.pe().value() + 1) % context.npes());
    endpoint->put(right, block, data.data(), 1000);
    endpoint->get(data.data(), right, block, 500);
    endpoint->get(data.data(), right, block, 8);
    endpoint->fetch<std::uint64_t>(right, block);
    auto traffic = endpoint->traffic();
    EXPECT_EQ(traffic.put_bytes, 1000u);
    EXPECT_EQ(traffic.put_messages, 1u);
    EXPECT_EQ(traffic.get_bytes, 508u);
    EXPECT_EQ(traffic.get_messages, 2u);
    EXPECT_EQ(traffic.atomic_messages, 1u);
  });
}

TEST_P(OneSided, DifferentSizesOfOneBlockAreRefusedOnAllPes) {
  run([](Context& context) {
    if (context.npes() == 1) return;
    EXPECT_THROW(context.allocate_symmetric(100 + context.pe().value()), ValueError);
    auto block = context.allocate_symmetric(100);  // and the job goes on
    context.release_symmetric(block);
  });
}

ATOLL_ON_PES(OneSided);

}  // namespace
}  // namespace atl::runtime
