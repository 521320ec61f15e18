// SPDX-License-Identifier: Apache-2.0
// What Bootstrap itself does, over a launcher that is a table in this process.
#include "atoll/bootstrap/bootstrap.hpp"
#include "atoll/base/error.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "thread_bootstrap.hpp"

namespace atl::runtime {
namespace {

TEST(BootstrapTest, EverybodyLearnsEverybodysBytes) {
  constexpr std::uint32_t processes = 5;
  testing::Rendezvous rendezvous(processes);
  std::vector<std::vector<std::string>> found(processes);
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < processes; ++rank)
    threads.emplace_back([&, rank] {
      testing::ThreadBootstrap bootstrap(rendezvous, rank, "node");
      for (int round = 0; round < 3; ++round)
        found[rank] =
            bootstrap.allgather("round", std::string(rank, '\0') + std::to_string(round), Deadline::after_seconds(10));
    });
  for (auto& thread : threads) thread.join();
  for (auto& all : found) {
    ASSERT_EQ(all.size(), processes);
    for (std::uint32_t rank = 0; rank < processes; ++rank) EXPECT_EQ(all[rank], std::string(rank, '\0') + "2");
  }
}

TEST(BootstrapTest, ReportsATimeout) {
  testing::Rendezvous rendezvous(2);
  testing::ThreadBootstrap bootstrap(rendezvous, 0, "node");
  EXPECT_THROW(bootstrap.exchange(Deadline::after_seconds(0.05)), TimeoutError);
  EXPECT_THROW(bootstrap.lookup(1, "nothing"), SetupError);
}

TEST(BootstrapTest, ProcessesOfOneMachineCallTheirNodeAlike) {
  struct Plain final : testing::ThreadBootstrap {
    using ThreadBootstrap::ThreadBootstrap;
    std::string node_name() const override { return Bootstrap::node_name(); }
  };
  testing::Rendezvous rendezvous(2);
  Plain one(rendezvous, 0, ""), other(rendezvous, 1, "");
  EXPECT_EQ(one.node_name(), other.node_name());
  EXPECT_GT(one.node_name().size(), 40u);
  EXPECT_FALSE(one.host_name().empty());
}

}  // namespace
}  // namespace atl::runtime
