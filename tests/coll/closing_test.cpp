// SPDX-License-Identifier: Apache-2.0
// Communicators that each member closes when it likes, and whose memory is given back when all have.
#include <gtest/gtest.h>

#include "atoll/base/error.hpp"
#include "atoll/coll/collectives.hpp"
#include "atoll/runtime/context.hpp"
#include "run_pes.hpp"

namespace atl::coll {
namespace {

class Closing : public atl::testing::OnPes {};

// PE 0 closes at once; the others wait for its word, which comes behind that.
TEST_P(Closing, DoesNotWaitForMembers) {
  run([](runtime::Context& context) {
    Communicator all(context);
    for (int round = 0; round < 20; ++round) {
      Communicator part(all, 0);
      std::vector<std::int64_t> in(1000, part.rank() + round), out(1000);
      part.allreduce(in.data(), out.data(), in.size(), Reduction(Type::i64, Op::sum));
      EXPECT_EQ(out.back(), std::int64_t{all.size()} * (all.size() - 1) / 2 + std::int64_t{round} * all.size());
      if (all.rank() == 0) {
        part.close();
        EXPECT_EQ(part.all_closed(), all.size() == 1);
      }
      EXPECT_EQ(all.broadcast_value(round, 0), round);
      if (all.rank() != 0) {
        EXPECT_FALSE(part.all_closed());
        part.close();
      }
      context.wait([&] { return part.all_closed(); });
    }
  });
}

// What is started behind the last operation of one finds the others still reading: all kinds of messages, in any order
// of closing.
TEST_P(Closing, WhileOthersAreBehind) {
  run([](runtime::Context& context) {
    Communicator all(context);
    std::vector<Communicator> closed;
    auto rounds = [&](int count) {
      for (int round = 0; round < count; ++round) {
        Communicator part(all, all.rank() % 2, -all.rank());
        const std::size_t bytes = round % 3 == 0 ? 8 : round % 3 == 1 ? 3000 : 200000;
        std::vector<unsigned char> data(bytes,
                                        static_cast<unsigned char>(part.rank() == round % part.size() ? round : 255));
        part.broadcast(data.data(), bytes, round % part.size());
        EXPECT_EQ(data.front(), round);
        EXPECT_EQ(data.back(), round);
        part.close();
        closed.push_back(std::move(part));
        std::erase_if(closed, [](Communicator& one) { return one.all_closed(); });
      }
      context.wait([&] {
        std::erase_if(closed, [](Communicator& one) { return one.all_closed(); });
        return closed.empty();
      });
      return context.heap().stats().in_use_bytes;
    };
    const std::uint64_t before = rounds(3);  // what `all` itself needs is there
    EXPECT_EQ(rounds(30), before);
    all.barrier();
  });
}

TEST_P(Closing, EndsPersistentOperations) {
  run([](runtime::Context& context) {
    Communicator all(context);
    Communicator part(all, 0);
    Persistent barrier = part.barrier_init();
    barrier.start().wait();
    part.close();
    EXPECT_THROW((void)barrier.start(), ValueError);
    all.barrier();
  });
}

ATOLL_ON_PES(Closing);

}  // namespace
}  // namespace atl::coll
