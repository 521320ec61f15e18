// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/lock.hpp"
#include "atoll/runtime/context.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "run_pes.hpp"

namespace atl::runtime {
namespace {

class Locks : public atl::testing::OnPes {
 protected:
  // Zeroed words: some locks, and what they protect.
  static HeapOffset make(Context& context, std::size_t words) {
    HeapOffset block = context.allocate_symmetric(words * 8);
    std::memset(context.local_pointer(block), 0, words * 8);
    context.barrier();
    return block;
  }
  static HeapOffset word(HeapOffset block, std::size_t index) { return HeapOffset(block.value() + 8 * index); }
};

TEST_P(Locks, ProtectCriticalSections) {
  run([](Context& context) {
    constexpr int rounds = 300, locks = 3;
    HeapOffset block = make(context, 2 * locks);
    for (int round = 0; round < rounds; ++round)
      for (std::size_t l = 0; l < locks; ++l) {
        Lock lock(context, context, word(block, l));
        if (round % 3 == 2) {
          while (!lock.test()) context.progress();
        } else {
          lock.set();
        }
        // Not atomic: two at once would lose one.
        PeId where(static_cast<std::uint32_t>(l) % context.npes());
        auto seen = context.get_value<std::uint64_t>(where, word(block, locks + l));
        context.put_value<std::uint64_t>(where, word(block, locks + l), seen + 1);
        lock.clear();
      }
    context.barrier();
    for (std::size_t l = 0; l < locks; ++l) {
      EXPECT_EQ(*context.local_pointer<std::uint64_t>(word(block, l)), 0u);
      EXPECT_EQ(context.get_value<std::uint64_t>(PeId(static_cast<std::uint32_t>(l) % context.npes()),
                                                 word(block, locks + l)),
                std::uint64_t{rounds} * context.npes());
    }
    context.barrier();
  });
}

TEST_P(Locks, TestTakesAFreeOneOnly) {
  run([](Context& context) {
    HeapOffset block = make(context, 1);
    Lock lock(context, context, block);
    bool last = context.pe().value() + 1 == context.npes();
    if (last) { EXPECT_TRUE(lock.test()); }
    context.barrier();
    if (!last) { EXPECT_FALSE(lock.test()); }
    context.barrier();
    if (last) lock.clear();
    context.barrier();
    if (context.pe().value() == 0) {
      EXPECT_TRUE(lock.test());
      lock.clear();
    }
    context.barrier();
  });
}

// Each says when it comes, and comes after the one before has queued up.
TEST_P(Locks, AreGivenInTheOrderOfArrival) {
  run([](Context& context) {
    HeapOffset block = make(context, 2);
    HeapOffset order = word(block, 1);
    Lock lock(context, context, block);
    std::uint32_t me = context.pe().value();
    PeId home(static_cast<std::uint32_t>(block.value() / 8 % context.npes()));
    if (me == 0) {
      lock.set();
      context.barrier();
    } else {
      context.barrier();
      // The tail of the queue is the PE that queued last.
      context.wait([&] { return context.fetch<std::uint32_t>(home, block) == me; });
      lock.set();
      EXPECT_EQ(context.fetch_add<std::uint64_t>(PeId(0), order, 1), me - 1);
    }
    if (me == 0) context.wait([&] { return context.fetch<std::uint32_t>(home, block) == context.npes(); });
    lock.clear();
    context.barrier();
    EXPECT_EQ(*context.local_pointer<std::uint64_t>(block), 0u);
    context.barrier();
  });
}

ATOLL_ON_PES(Locks);

}  // namespace
}  // namespace atl::runtime
