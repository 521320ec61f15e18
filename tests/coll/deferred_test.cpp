// SPDX-License-Identifier: Apache-2.0
// Barriers that the network carries out by itself, with libfabric's provider `sockets`, which has triggered work as cards of Slingshot have.
#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <thread>

#include "atoll/fabric/deferred.hpp"
#include "oracle.hpp"
#include "run_pes.hpp"

namespace atl::coll {
namespace {

class Deferred : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("ATOLL_FABRIC_PROVIDER", "sockets", 1);
    if (std::string found = fabric::describe_network(); found.find("sockets") == std::string::npos) GTEST_SKIP() << found;
  }
  ~Deferred() override { ::unsetenv("ATOLL_FABRIC_PROVIDER"); }
};

TEST_F(Deferred, HoldsEverybodyAndNeedsNobody) {
  // Two nodes of one PE each: with several on a node, barriers go inside it first.
  atl::testing::run_pes(2, atl::testing::Fabric::ofi, [](runtime::Context& context) {
    ASSERT_TRUE(fabric::has_deferred_work(context.job()));
    Communicator all(context);
    const HeapOffset word = context.allocate_symmetric(8);
    *context.local_pointer<std::uint64_t>(word) = 0;
    all.barrier();
    const PeId other(1 - context.pe().value());
    for (std::uint64_t round = 1; round <= 20; ++round) {
      if (static_cast<std::uint64_t>(all.rank()) == round % 2) {
        // This one comes late, and says so before.
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
        context.put(other, word, &round, 8);
        context.quiet();
        all.ibarrier().wait();
      } else {
        Request request = all.ibarrier();
        request.wait();
        EXPECT_EQ(*context.local_pointer<volatile std::uint64_t>(word), round) << "it was complete before the other had come";
      }
      all.barrier();
    }
    // It is complete though nobody here has called anything since it began.
    Request unattended = all.ibarrier();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_TRUE(unattended.test());
    // In their order with others, waiting for them or not.
    std::vector<Request> many;
    std::int64_t value = all.rank() + 1, sum = 0;
    many.push_back(all.ibarrier());
    many.push_back(all.iallreduce(&value, &sum, 1, reduction_of<std::int64_t>(Op::sum)));
    many.push_back(all.ibarrier());
    many.push_back(all.ibarrier());
    all.barrier();
    for (Request& one : many) EXPECT_TRUE(one.test());
    EXPECT_EQ(sum, 3);
    Persistent again = all.barrier_init();
    for (int i = 0; i < 3; ++i) again.start().wait();
  });
}

TEST_F(Deferred, RoundsFollowOneAnother) {
  atl::testing::run_pes(2, atl::testing::Fabric::ofi, [](runtime::Context& context) {
    for (unsigned members : {3u, 5u}) {
      const unsigned rounds = static_cast<unsigned>(std::bit_width(members - 1));
      std::vector<std::unique_ptr<fabric::DeferredRounds>> all;
      std::vector<fabric::DeferredRounds::Card> cards;
      for (unsigned i = 0; i < members; ++i) {
        all.push_back(fabric::open_deferred_rounds(context.job(), context.pe(), rounds));
        cards.push_back(all.back()->card());
      }
      for (unsigned i = 0; i < members; ++i) {
        std::vector<fabric::DeferredRounds::Card> partners;
        for (unsigned round = 0; round < rounds; ++round) partners.push_back(cards[(i + (1u << round)) % members]);
        all[i]->connect(partners);
      }
      for (unsigned call = 0; call < 6; ++call) {
        const unsigned late = call % members;
        for (unsigned i = 0; i < members; ++i)
          if (i != late) all[i]->start();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        for (unsigned i = 0; i < members; ++i)
          if (i != late) { EXPECT_FALSE(all[i]->is_done()) << i << " of " << members << ", call " << call; }
        all[late]->start();
        const Deadline deadline = Deadline::after_seconds(20);
        for (auto& one : all)
          while (!one->is_done()) {
            ASSERT_FALSE(deadline.passed());
            std::this_thread::yield();
          }
      }
    }
    context.barrier();
  });
}

TEST_F(Deferred, WhoStaysAwayIsNamed) {
  atl::testing::run_pes(2, atl::testing::Fabric::ofi, [](runtime::Context& context) {
    Communicator all(context);
    all.set_timeout_seconds(0.3);
    if (all.rank() == 0) {
      std::string text;
      try {
        all.ibarrier().wait();
      } catch (const TimeoutError& error) {
        text = error.what();
      }
      EXPECT_NE(text.find("PE 1"), std::string::npos) << text;
    }
    context.barrier();
  });
}

}  // namespace
}  // namespace atl::coll
