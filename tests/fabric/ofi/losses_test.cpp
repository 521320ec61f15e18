// SPDX-License-Identifier: Apache-2.0
// Losses of PEs are reported to the launcher before the job notes them, because a process may end as soon as it does.
#ifdef ATOLL_HAS_LIBFABRIC
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "atoll/base/clock.hpp"
#include "atoll/base/config.hpp"
#include "atoll/fabric/network.hpp"
#include "test_deadline.hpp"

namespace atl::fabric::ofi {
namespace {

// PE 1 on shoal, and PE 0 on reef, each with what its launcher has been told.
class Losses : public ::testing::Test {
 protected:
  struct Host {
    std::atomic<bool> told{false};
    bool noted_before = false;
    std::string said = {};
    std::shared_ptr<Job> job;  // ends before what it has told
    std::unique_ptr<NetworkEnd> end;
  };

  void SetUp() override {
    if (describe_network().starts_with("none")) GTEST_SKIP() << describe_network();
    for (std::uint32_t node : {0u, 1u}) {
      Host& host = hosts_[node];
      host.job = Job::create_loop({.npes = 2, .segment_bytes = 4 << 20, .node_of_pe = {0, 1}, .node = node});
      host.job->set_loss_listener([&host](PeId pe, const std::string& how) {
        if (host.told) return true;
        host.noted_before = host.job->has_died(pe);
        host.said = fmt::format("PE {} {}", pe.value(), how);
        host.told = true;
        return true;
      });
      host.end = open_network(*host.job, PeId(node));
      cards_.push_back(host.end->card());
    }
  }
  // A host that does not connect says nothing.
  void connect(Host& host) {
    host.job->set_hosts({"reef", "shoal"});
    host.end->connect(cards_);
  }
  void TearDown() override { config::set(config::Variable::peer_timeout, "60"); }

  static void await_report(const Host& host) {
    for (Deadline deadline = test_deadline(); !host.told; std::this_thread::yield()) ASSERT_FALSE(deadline.passed());
  }

  Host hosts_[2];
  std::vector<std::string> cards_;
};

TEST_F(Losses, AreReportedBeforeTheyAreNoted) {
  config::set(config::Variable::peer_timeout, "0.5");
  connect(hosts_[0]);
  await_report(hosts_[0]);
  EXPECT_FALSE(hosts_[0].noted_before);
  EXPECT_TRUE(hosts_[0].said.starts_with("PE 1 on shoal is lost: PE 0 on reef ")) << hosts_[0].said;
}

TEST_F(Losses, AreReportedByTheLostHostToo) {
  for (Host& host : hosts_) connect(host);
  hosts_[0].job->mark_failed(PeId(1), 0, "on shoal is lost: PE 0 on reef has heard nothing of it");
  await_report(hosts_[1]);
  EXPECT_FALSE(hosts_[1].noted_before);
  EXPECT_EQ(hosts_[1].said, "PE 1 on shoal is lost: PE 0 on reef has heard nothing of it");
}

TEST_F(Losses, AreNotReportedByTheLostHostOfAProgramThatSurvivesThem) {
  for (Host& host : hosts_) connect(host);
  hosts_[1].job->note_survival(Survival::goes_on);
  hosts_[0].job->mark_failed(PeId(1), 0, "is lost");
  for (Deadline deadline = test_deadline(); !hosts_[1].job->has_died(PeId(1)); std::this_thread::yield())
    ASSERT_FALSE(deadline.passed());
  EXPECT_FALSE(hosts_[1].told);
}

}  // namespace
}  // namespace atl::fabric::ofi
#endif
