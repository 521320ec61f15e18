// SPDX-License-Identifier: Apache-2.0
// A PE per NUMA domain or socket of hosts that differ. They are all this one: what starts an agent "on" a host shows it
// the topology that the host is to have.
#include "host_parts.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "shell.hpp"

namespace atl::runtime {
namespace {

using testing::Outcome;
using testing::shell;
using Lines = std::vector<std::string>;

class PartsOfHosts : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "atoll-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    ASSERT_EQ(::mkfifo((folder_ + "/no-writer").c_str(), 0600), 0);
    std::ofstream(agent()) << "export ON=$1; shift\n"
                              "case $ON in\n"
                              "  four) export HWLOC_SYNTHETIC='package:2 numa:2 core:2 pu:1' ;;\n"
                              "  two) export HWLOC_SYNTHETIC='package:1 numa:2 core:3 pu:1' ;;\n"
                              "  one) export HWLOC_SYNTHETIC='package:1 core:5 pu:1' ;;\n"
                              "  unread) export HWLOC_XMLFILE=/dev/null ;;\n"
                              "  silent) export HWLOC_XMLFILE="
                           << folder_ << "/no-writer ;;\n"
                           << "  *) echo $ON is not in this network; exit 3 ;;\n"
                              "esac\n"
                              "exec \"$@\"\n";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string agent() const { return folder_ + "/agent"; }
  std::string run(const std::string& hosts) const {
    return fmt::format("@run --address lo --launch-agent 'sh {}' --hosts {} --bind none", agent(), hosts);
  }
  // Lines of the PEs, in their order.
  Lines pes(const std::string& hosts, const std::string& options) const {
    Outcome outcome = shell(
        fmt::format("{} {} sh -c 'echo $ATOLL_PE of $ATOLL_NPES on $ON, $ATOLL_THREADS threads'", run(hosts), options));
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    Lines lines = outcome.lines();
    std::sort(lines.begin(), lines.end());
    return lines;
  }
  std::string folder_;
};

TEST_F(PartsOfHosts, EachHostCountsItsOwn) {
  EXPECT_EQ(pes("four,one,two:5", "--pes-per-node numa"),
            (Lines{"0 of 7 on four, 2 threads", "1 of 7 on four, 2 threads", "2 of 7 on four, 2 threads",
                   "3 of 7 on four, 2 threads", "4 of 7 on one, 5 threads", "5 of 7 on two, 3 threads",
                   "6 of 7 on two, 3 threads"}));
  EXPECT_EQ(pes("two,four", "--pes-per-node socket"),
            (Lines{"0 of 3 on two, 6 threads", "1 of 3 on four, 4 threads", "2 of 3 on four, 4 threads"}));
  // The last option counts, and a number needs no detection.
  EXPECT_EQ(pes("four,one", "--pes-per-node numa --pes-per-node 1"),
            (Lines{"0 of 2 on four, 8 threads", "1 of 2 on one, 5 threads"}));
}

TEST_F(PartsOfHosts, HostsAreFilledInOrder) {
  EXPECT_EQ(pes("one,two,four", "--pes-per-node numa -n 4 -t 1"),
            (Lines{"0 of 4 on one, 1 threads", "1 of 4 on two, 1 threads", "2 of 4 on two, 1 threads",
                   "3 of 4 on four, 1 threads"}));
  // PEs meet when a host has none.
  Outcome outcome = shell(run("two,four,one") + " --pes-per-node numa -n 2 @pe hello");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_TRUE(outcome.has("hello from 0 of 2") && outcome.has("hello from 1 of 2")) << outcome.output;
}

TEST_F(PartsOfHosts, MorePesThanPartsIsAnError) {
  Outcome outcome = shell(run("four,one,two") + " --pes-per-node numa -n 8 echo started");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(
      outcome.output,
      "atoll-run: -n 8 is more than the 7 NUMA domains of the hosts (four 4, one 1, two 2). Lower it, leave it out for "
      "one PE on each, or give the number per host: --pes-per-node K\n");
}

TEST_F(PartsOfHosts, AHostThatCannotBeReadTakesOnePe) {
  EXPECT_EQ(pes("unread,two", "--pes-per-node numa -t 1"),
            (Lines{"0 of 3 on unread, 1 threads", "1 of 3 on two, 1 threads", "2 of 3 on two, 1 threads"}));
}

TEST_F(PartsOfHosts, PassedVariablesApplyToCountingToo) {
  EXPECT_EQ(pes("four,one", "--pes-per-node numa -x 'HWLOC_SYNTHETIC=numa:3 core:7 pu:1'"),
            (Lines{"0 of 6 on four, 7 threads", "1 of 6 on four, 7 threads", "2 of 6 on four, 7 threads",
                   "3 of 6 on one, 7 threads", "4 of 6 on one, 7 threads", "5 of 6 on one, 7 threads"}));
}

TEST_F(PartsOfHosts, AHostThatIsNotThereIsNamed) {
  Outcome outcome = shell(run("two,nowhere,one") + " --pes-per-node numa echo started");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(outcome.has("atoll-run: nowhere: nowhere is not in this network\n")) << outcome.output;
  EXPECT_TRUE(outcome.has("atoll-run: host nowhere: the command for its agent exited with status 3")) << outcome.output;
  EXPECT_FALSE(outcome.has("started")) << outcome.output;
}

TEST_F(PartsOfHosts, AHostThatDoesNotCountIsNamed) {
  Outcome outcome = shell("ATOLL_PEER_TIMEOUT=1 " + run("two,silent") + " --pes-per-node numa echo started");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(outcome.has("no count of NUMA domains and sockets has come within 1 s from: silent. ")) << outcome.output;
  EXPECT_FALSE(outcome.has("started")) << outcome.output;
}

TEST_F(PartsOfHosts, TheJobCanEndBeforeItHasBegun) {
  Outcome late = shell(run("two,silent") + " --pes-per-node numa --timeout 0.3 echo started");
  EXPECT_EQ(late.status, 124);
  EXPECT_EQ(late.output, "atoll-run: the job did not end within 0.3 s\n");
  Outcome ended = shell(run("two,silent") + " --pes-per-node numa echo started & sleep 0.3; kill -TERM $!; wait $!");
  EXPECT_EQ(ended.status, 128 + SIGTERM);
  EXPECT_EQ(ended.output, "");
}

TEST_F(PartsOfHosts, ThisHostNeedsNoCommand) {
  Outcome outcome =
      shell("HWLOC_SYNTHETIC='package:3 core:1 pu:1' @run --hosts localhost --pes-per-node socket --bind none echo up");
  EXPECT_EQ(outcome.output, "up\nup\nup\n");
}

}  // namespace
}  // namespace atl::runtime
