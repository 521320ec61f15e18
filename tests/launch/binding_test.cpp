// SPDX-License-Identifier: Apache-2.0
// Which cores PEs get, on a machine of two sockets with two NUMA domains each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "processes.hpp"

namespace atl::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Cores = std::vector<unsigned>;

class BindingOfPes : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("HWLOC_SYNTHETIC", "package:2 numa:2 core:2 pu:2", 1);
    machine = read_topology();
    ::unsetenv("HWLOC_SYNTHETIC");
  }
  Cores cores(Binding binding, std::uint32_t index, std::uint32_t pes, unsigned threads = 1) const {
    return choose_cores(binding, index, pes, threads, machine);
  }
  Topology machine;
};

TEST_F(BindingOfPes, KnowsTheMachine) {
  EXPECT_THAT(machine.cores, ElementsAre(0, 2, 4, 6, 8, 10, 12, 14));  // one hardware thread each
  EXPECT_EQ(machine.numa.size(), 4u);
  EXPECT_THAT(machine.sockets, ElementsAre(Cores{0, 1, 2, 3, 4, 5, 6, 7}, Cores{8, 9, 10, 11, 12, 13, 14, 15}));
}

TEST_F(BindingOfPes, CountsParts) {
  EXPECT_EQ(count_parts(Binding::numa, machine), 4u);
  EXPECT_EQ(count_parts(Binding::socket, machine), 2u);
  EXPECT_EQ(count_parts(Binding::socket, Topology{}), 1u);
}

TEST_F(BindingOfPes, AMachineThatCannotBeReadHasItsCores) {
  ::setenv("HWLOC_XMLFILE", "/dev/null", 1);  // no XML
  Topology unread = read_topology();
  ::unsetenv("HWLOC_XMLFILE");
  EXPECT_EQ(count_parts(Binding::numa, unread), 1u);
  EXPECT_EQ(count_parts(Binding::socket, unread), 1u);
  EXPECT_FALSE(unread.cores.empty());
}

TEST_F(BindingOfPes, OnePePerPart) {
  for (std::uint32_t pe = 0; pe < 4; ++pe)
    EXPECT_EQ(cores(Binding::numa, pe, 4), (Cores{4 * pe, 4 * pe + 1, 4 * pe + 2, 4 * pe + 3}));
  EXPECT_EQ(cores(Binding::socket, 0, 2), machine.sockets[0]);
  EXPECT_EQ(cores(Binding::socket, 1, 2), machine.sockets[1]);
  EXPECT_THAT(cores(Binding::none, 1, 2), IsEmpty());
}

TEST_F(BindingOfPes, NeighboursShareAPart) {
  for (std::uint32_t pe = 0; pe < 8; ++pe) {
    EXPECT_EQ(cores(Binding::numa, pe, 8), machine.numa[pe / 2].cores);
    EXPECT_EQ(cores(Binding::socket, pe, 8), machine.sockets[pe / 4]);
  }
  // Fewer PEs than parts lie apart.
  EXPECT_EQ(cores(Binding::numa, 1, 2), machine.numa[2].cores);
  EXPECT_EQ(cores(Binding::socket, 0, 1), machine.sockets[0]);
}

TEST_F(BindingOfPes, AsManyThreadsAsCoresToRunOn) {
  EXPECT_EQ(choose_threads(0, 2, Binding::none, machine), 4u);
  EXPECT_EQ(choose_threads(0, 1, Binding::numa, machine), 2u);
  EXPECT_EQ(choose_threads(0, 4, Binding::numa, machine), 2u);
  EXPECT_EQ(choose_threads(0, 8, Binding::numa, machine), 1u);
  EXPECT_EQ(choose_threads(0, 1, Binding::socket, machine), 4u);
  EXPECT_EQ(choose_threads(3, 1, Binding::socket, machine), 3u);
}

TEST_F(BindingOfPes, CoresOfItsOwn) {
  EXPECT_THAT(cores(Binding::core, 1, 4, 2), ElementsAre(4, 6));
  EXPECT_THAT(cores(Binding::core, 9, 10), ElementsAre(2));  // more PEs than cores: again from the first
}

}  // namespace
}  // namespace atl::runtime
