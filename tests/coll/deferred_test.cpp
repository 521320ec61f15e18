// SPDX-License-Identifier: Apache-2.0
// What the network carries out by itself, with libfabric's provider `sockets`, which has triggered work as cards of
// Slingshot have.
#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <thread>

#include "atoll/base/error.hpp"
#include "atoll/fabric/network.hpp"
#include "atoll/runtime/context.hpp"
#include "deferred.hpp"
#include "oracle.hpp"
#include "run_pes.hpp"

namespace atl::coll {
namespace {

class Deferred : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("ATOLL_FABRIC_PROVIDER", "sockets", 1);
    if (std::string found = fabric::describe_network(); found.find("sockets") == std::string::npos)
      GTEST_SKIP() << found;
  }
  ~Deferred() override { ::unsetenv("ATOLL_FABRIC_PROVIDER"); }
};

TEST_F(Deferred, BarrierSynchronisesWithoutProcessors) {
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
        EXPECT_EQ(*context.local_pointer<volatile std::uint64_t>(word), round)
            << "it was complete before the other had come";
      }
      all.barrier();
    }
    // The network has completed it: this process has called nothing since it began.
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

// Members of a communicator without their PEs: each has a way into the network of its own.
struct Members {
  Members(runtime::Context& context, int size) {
    for (int rank = 0; rank < size; ++rank)
      all.push_back(std::make_unique<detail::Deferred>(
          fabric::open_deferred_work(context.job(), context.pe(), detail::Deferred::channels(size)), rank, size));
    for (auto& one : all) {
      std::vector<fabric::DeferredWork::Card> cards;
      for (int partner : one->partners()) cards.push_back(all[static_cast<std::size_t>(partner)]->card());
      one->connect(cards);
    }
  }
  // All members but one begin; none that depends on it completes before that member begins.
  template <class Start>
  void run(std::size_t late, Start&& start) {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i != late) start(i, *all[i]);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i != late && waits) { EXPECT_FALSE(all[i]->is_done()) << i << " of " << all.size() << " without " << late; }
    }
    start(late, *all[late]);
    const Deadline deadline = Deadline::after_seconds(20);
    for (auto& one : all)
      while (!one->is_done()) {
        ASSERT_FALSE(deadline.passed());
        std::this_thread::yield();
      }
  }
  std::vector<std::unique_ptr<detail::Deferred>> all;
  bool waits = true;  // for members that are late
};

TEST_F(Deferred, EverythingAmongSeveralMembers) {
  atl::testing::run_pes(2, atl::testing::Fabric::ofi, [](runtime::Context& context) {
    for (int size : {2, 3, 5, 8}) {
      Members members(context, size);
      const auto n = static_cast<std::size_t>(size);
      for (std::size_t call = 0; call < 6; ++call) {
        const std::size_t late = call % n, count = call % 2 == 0 ? 1 : 512;
        members.waits = true;
        members.run(late, [](std::size_t, detail::Deferred& one) {
          one.start(detail::Kind::barrier, 0, 0, nullptr, nullptr, nullptr);
        });
        // Sums of floating point in the tree that is documented, bit by bit.
        std::vector<std::vector<double>> in(n, std::vector<double>(count)), out(n, std::vector<double>(count));
        for (std::size_t i = 0; i < n; ++i)
          testing::fill_values(in[i].data(), testing::stream(call, static_cast<int>(i)), count);
        const Reduction sum(Type::f64, Op::sum);
        ASSERT_TRUE(members.all[0]->suits(detail::Kind::allreduce, count * 8, &sum));
        members.run(late, [&](std::size_t i, detail::Deferred& one) {
          one.start(detail::Kind::allreduce, count * 8, 0, in[i].data(), out[i].data(), &sum);
        });
        for (std::size_t element = 0; element < count; ++element) {
          std::vector<double> values;
          for (std::size_t i = 0; i < n; ++i) values.push_back(in[i][element]);
          const double wanted = testing::evaluate_tree(values, [](double a, double b) { return a + b; });
          for (std::size_t i = 0; i < n; ++i)
            ASSERT_EQ(out[i][element], wanted) << "member " << i << " of " << size << ", call " << call;
        }
        const int root = static_cast<int>((call + 1) % n);
        members.waits = static_cast<std::size_t>(root) == late;  // others wait for their parents alone
        members.run(late, [&](std::size_t i, detail::Deferred& one) {
          one.start(detail::Kind::broadcast, count * 8, root, in[i].data(), in[i].data(), nullptr);
        });
        for (std::size_t i = 0; i < n; ++i)
          ASSERT_EQ(in[i], in[static_cast<std::size_t>(root)]) << "member " << i << " of " << size << ", call " << call;
      }
    }
    context.barrier();
  });
}

// Complete though this PE only asks now and then: nothing of it has gone through its mailboxes.
void wait_without_work(Communicator& all, Request request) {
  const std::uint64_t moved = all.moved_bytes();
  const Deadline deadline = Deadline::after_seconds(20);
  while (!request.test()) {
    ASSERT_FALSE(deadline.passed());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(all.moved_bytes(), moved);
}

TEST_F(Deferred, ReductionsAndBroadcastsRunWithoutProcessors) {
  atl::testing::run_pes(2, atl::testing::Fabric::ofi, [](runtime::Context& context) {
    Communicator all(context);
    const auto rank = static_cast<std::int32_t>(all.rank());
    for (Op op : {Op::sum, Op::prod, Op::min, Op::max, Op::bit_and, Op::bit_or, Op::bit_xor}) {
      std::vector<std::int32_t> in(100, 3 + 2 * rank), out(100);
      wait_without_work(all, all.iallreduce(in.data(), out.data(), in.size(), Reduction(Type::i32, op)));
      const std::int32_t wanted[] = {8, 15, 3, 5, 1, 7, 6};
      EXPECT_EQ(out[99], wanted[static_cast<int>(op)]) << static_cast<int>(op);
    }
    std::vector<std::int32_t> data(1000, rank);
    Persistent again = all.broadcast_init(data.data(), data.size() * 4, 1);
    for (int i = 0; i < 3; ++i) {
      std::fill(data.begin(), data.end(), rank * (i + 1));
      wait_without_work(all, again.start());
      EXPECT_EQ(data[999], i + 1);
    }
    // What the network does not do is done as ever, in its order.
    double small = rank == 0 ? -0.0 : 0.0, least = 1;
    std::vector<double> many(10000, 1.0), sums(10000);
    std::vector<Request> requests;
    requests.push_back(all.iallreduce(&small, &least, 1, Reduction(Type::f64, Op::min)));
    requests.push_back(all.iallreduce(many.data(), sums.data(), many.size(), Reduction(Type::f64, Op::sum)));
    requests.push_back(all.ibroadcast(data.data(), 4, 0));
    all.barrier();
    for (Request& one : requests) EXPECT_TRUE(one.test());
    EXPECT_EQ(sums[9999], 2.0);
    EXPECT_EQ(least, 0.0);
  });
}

TEST_F(Deferred, NamesAnAbsentMember) {
  atl::testing::run_pes(2, atl::testing::Fabric::ofi, [](runtime::Context& context) {
    Communicator all(context);
    all.set_timeout_seconds(0.3);
    if (all.rank() == 0) {
      std::string text;
      try {
        all.ibarrier().wait();
      } catch (const TimeoutError& error) { text = error.what(); }
      EXPECT_NE(text.find("PE 1"), std::string::npos) << text;
    }
    context.barrier();
  });
}

}  // namespace
}  // namespace atl::coll
