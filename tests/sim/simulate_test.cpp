// SPDX-License-Identifier: Apache-2.0
#include "atoll/sim/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <tuple>

#include "atoll/base/error.hpp"
#include "atoll/sim/network.hpp"

namespace atl::sim {
namespace {

Machine plain() {
  Machine machine;
  machine.send_overhead_ps = 100'000;
  machine.recv_overhead_ps = 70'000;
  machine.host_gap_ps = 100'000;
  machine.miss_ps = 30'000;
  machine.latency_ps = 500'000;
  machine.router_ps = 50'000;
  machine.interface_gap_ps = 16'000;
  machine.setup_ps = 200'000;
  machine.link_fs_per_byte = machine.injection_fs_per_byte = 40'000;
  machine.memory_overhead_ps = 20'000;
  machine.memory_latency_ps = 60'000;
  machine.memory_fs_per_byte = 100'000;
  machine.copy_fs_per_byte = machine.reduce_fs_per_byte = machine.interface_reduce_fs_per_byte = 100'000;
  return machine;
}

Workload of(std::string collective, std::string algorithm, std::uint64_t bytes, std::uint32_t nodes) {
  Workload work;
  work.collective = {std::move(collective), std::move(algorithm), bytes, 8, 0};
  work.nodes = nodes;
  return work;
}

TEST(SimulateTest, ABarrierTakesTheTimeOfItsRounds) {
  for (std::uint32_t nodes : {2u, 4u, 16u, 256u}) {
    Result result = simulate(plain(), of("barrier", "dissemination", 0, nodes));
    auto rounds = static_cast<Time>(std::bit_width(nodes - 1));
    EXPECT_EQ(result.times.front(), rounds * (100'000 + 500'000 + 50'000 + 70'000 + 30'000)) << nodes;
    EXPECT_EQ(result.messages, rounds * nodes);
  }
  EXPECT_EQ(simulate(plain(), of("barrier", "dissemination", 0, 1)).times.front(), 0u);
}

TEST(SimulateTest, AnInterfaceTakesSetUpOnceAndNoOverheads) {
  Workload work = of("barrier", "dissemination", 0, 64);
  work.executor = Executor::interface;
  EXPECT_EQ(simulate(plain(), work).times.front(), 200'000 + 6 * (500'000 + 50'000) + 30'000u);
}

TEST(SimulateTest, ALongMessageTakesARequestAndItsBytes) {
  Machine machine = plain();
  machine.eager_bytes = 8192;
  const std::uint64_t bytes = 1 << 20;
  const Time way = 500'000 + 50'000, receive = 70'000 + 30'000, send = 100'000;
  // Offer, request, data; the root hears that it was read while the other is done.
  Time expected = send + way + receive + send + way + (way + bytes * 40) + receive;
  const Time read = send + way + receive + send + way + (way + bytes * 40) + way;
  EXPECT_EQ(simulate(machine, of("broadcast", "binomial", bytes, 2)).times.front(), std::max(expected, read));
  machine.eager_bytes = bytes;
  expected = send + bytes * 100 + way + bytes * 40 + receive + bytes * 100;
  EXPECT_EQ(simulate(machine, of("broadcast", "binomial", bytes, 2)).times.front(), expected);
}

TEST(SimulateTest, PesOfANodeUseItsMemory) {
  Workload work = of("barrier", "dissemination", 0, 1);
  work.pes_per_node = 4;
  EXPECT_EQ(simulate(plain(), work).times.front(), 2 * (20'000 + 60'000 + 20'000 + 30'000u));
}

// Every algorithm ends, on every machine, and delivers the same number of messages on every executor.
TEST(SimulateTest, EveryAlgorithmEndsEverywhere) {
  std::vector<Machine> machines(4, plain());
  machines[1].topology = TopologyKind::fat_tree, machines[1].arity = 4, machines[1].contention = 1;
  machines[1].rendezvous = Rendezvous::put;
  machines[2].topology = TopologyKind::dragonfly;
  machines[2].nodes_per_router = 2, machines[2].routers_per_group = 2, machines[2].global_links = 4;
  machines[2].contention = 1, machines[2].routing = Routing::adaptive, machines[2].eager_bytes = 0;
  machines[3].noise = NoiseKind::random;
  machines[3].noise_period_ps = 10'000'000, machines[3].noise_duration_ps = 250'000;
  for (const Machine& machine : machines)
    for (const auto& [collective, algorithms] : coll::Planner::known())
      for (std::string_view algorithm : algorithms)
        for (std::uint32_t nodes : {1u, 2u, 5u, 8u})
          for (std::uint32_t each : {1u, 3u})
            for (std::uint64_t bytes : {std::uint64_t{8}, std::uint64_t{1} << 16}) {
              SCOPED_TRACE(fmt::format("{} {} of {} bytes on {} x {}", collective, algorithm, bytes, nodes, each));
              std::uint64_t messages = 0;
              for (Executor executor : {Executor::host, Executor::core, Executor::interface}) {
                Workload work = of(std::string(collective), std::string(algorithm), bytes, nodes);
                work.pes_per_node = each;
                work.executor = executor;
                work.repeats = 2;
                Result result = simulate(machine, work);
                if (executor == Executor::host) messages = result.messages;
                ASSERT_EQ(result.messages, messages);
                ASSERT_TRUE(result.times.front() > 0 || nodes * each == 1);
                work.pace = Pace::back_to_back;
                ASSERT_EQ(simulate(machine, work).messages, messages);
              }
            }
}

TEST(SimulateTest, EveryPatternEndsAndTakesItsComputing) {
  for (const auto& [name, forms] : known_patterns())
    for (std::string_view form : forms)
      for (std::uint32_t nodes : {1u, 2u, 6u, 16u, 27u})
        for (Executor executor : {Executor::host, Executor::interface}) {
          SCOPED_TRACE(fmt::format("{} {} on {}", name, form, nodes));
          Workload work = of(std::string(name), std::string(form), 1 << 16, nodes);
          work.items = 4;
          work.executor = executor;
          const Time quick = simulate(plain(), work).times.front();
          work.compute_ps = 50'000'000;
          const Time slow = simulate(plain(), work).times.front();
          if (nodes == 1 && name == "indexgather") continue;
          EXPECT_GE(slow, 50'000'000u);
          EXPECT_LE(slow, quick + 50'000'000u);
        }
  EXPECT_THROW(simulate(plain(), of("halo", "diagonal", 8, 4)), ValueError);
}

TEST(SimulateTest, ASortWorksForEachPeerOfEachExchange) {
  for (std::uint32_t nodes : {2u, 6u, 40u})
    for (std::uint64_t exchanges : {1u, 3u}) {
      Machine machine = plain();
      Workload work = of("sort", "exchange", 1 << 20, nodes);
      work.items = exchanges;
      const Result before = simulate(machine, work);
      machine.peer_ps = 7'000'000'000;
      const Result after = simulate(machine, work);
      EXPECT_EQ(after.messages, before.messages);
      const Time peers = exchanges * (nodes - 1) * machine.peer_ps;
      EXPECT_GE(after.times.front(), peers) << nodes << " nodes";
      EXPECT_LE(after.times.front(), before.times.front() + peers + 1'000'000) << nodes << " nodes";
      work.items = exchanges + 1;
      EXPECT_GE(simulate(machine, work).times.front(), after.times.front() + (nodes - 1) * machine.peer_ps);
    }
}

TEST(SimulateTest, InterfacesAnnounceShortBroadcastsWhereAsked) {
  Machine machine = plain();
  Workload work = of("broadcast", "binomial", 8, 2);
  work.executor = Executor::interface;
  const Time way = 500'000 + 50'000, data = way + 8 * 40;
  EXPECT_EQ(simulate(machine, work).times.front(), 200'000 + data + 30'000);
  machine.trigger_ps = 40'000;
  machine.fetch_broadcasts = 1;
  // An announcement, a request, and the data; each begins when what triggers it has come.
  EXPECT_EQ(simulate(machine, work).times.front(), 200'000 + 3 * 40'000 + 2 * way + data + 30'000);
  for (const char* algorithm : {"binomial", "knomial4", "knomial16"})
    for (std::uint32_t pes : {1u, 2u}) {
      work = of("broadcast", algorithm, 8, 50);
      work.pes_per_node = pes;
      work.repeats = 3;
      work.executor = Executor::host;
      const Result by_hosts = simulate(machine, work);
      work.executor = Executor::interface;
      const std::uint64_t more = simulate(machine, work).messages - by_hosts.messages;
      if (pes == 1) {
        EXPECT_EQ(more, 3 * 2 * 49u) << algorithm;
      } else EXPECT_TRUE(more >= 3 * 2 * 49u && more < 3 * 2 * 99u) << algorithm << ": " << more;  // none inside a node
    }
  // Other collectives send at once.
  work = of("barrier", "dissemination", 0, 64);
  work.executor = Executor::interface;
  const Time barrier = simulate(machine, work).times.front();
  machine.fetch_broadcasts = 0;
  EXPECT_EQ(simulate(machine, work).times.front(), barrier);
}

// Six faces each, of which those along an axis of two PEs go to the same one.
TEST(SimulateTest, AHaloHasSixFacesAndLooksAtItsList) {
  Machine machine = plain();
  Workload work = of("halo", "neighbours", 1024, 64);
  EXPECT_EQ(simulate(machine, work).messages, 64 * 6u);
  const Time empty = simulate(machine, work).times.front();
  machine.list_entries = 100, machine.match_ps = 10'000;
  EXPECT_GE(simulate(machine, work).times.front(), empty + 100 * 10'000);
}

TEST(SimulateTest, ASeedIsAResult) {
  Machine machine = plain();
  machine.noise = NoiseKind::random;
  machine.noise_period_ps = 10'000'000, machine.noise_duration_ps = 250'000;
  Workload work = of("allreduce", "recursive_doubling", 8, 128);
  work.repeats = 20;
  work.trace_events = 100000;
  Result first = simulate(machine, work), again = simulate(machine, work);
  EXPECT_EQ(first.times, again.times);
  ASSERT_EQ(first.spans.size(), again.spans.size());
  for (std::size_t i = 0; i < first.spans.size(); ++i) ASSERT_EQ(first.spans[i].end, again.spans[i].end);
  work.seed = 2;
  EXPECT_NE(first.times, simulate(machine, work).times);
}

TEST(SimulateTest, NoiseStopsHostsAndNotInterfaces) {
  Machine quiet = plain(), noisy = plain();
  noisy.noise = NoiseKind::periodic;
  noisy.noise_period_ps = 1'000'000'000, noisy.noise_duration_ps = 25'000'000;
  Workload work = of("allreduce", "recursive_doubling", 8, 1024);
  auto slowdown = [&] {
    return static_cast<double>(simulate(noisy, work).times.front()) /
           static_cast<double>(simulate(quiet, work).times.front());
  };
  EXPECT_GT(slowdown(), 3);  // 25 us of one host hold all up
  work.executor = Executor::core;
  work.compute_ps = 0;
  // Set-up and the last look are the host's still; between them nothing is held up.
  Result core = simulate(noisy, work);
  EXPECT_LT(core.times.front(), simulate(quiet, work).times.front() + 2 * 25'000'000);
}

TEST(SimulateTest, LinksThatAreSharedTakeLonger) {
  Machine machine = plain();
  machine.topology = TopologyKind::torus;
  machine.torus_x = 16, machine.torus_y = 4, machine.torus_z = 1;
  machine.eager_bytes = 1 << 20;
  Workload work = of("alltoall", "pairwise", 16384, 64);
  Time alone = simulate(machine, work).times.front();
  machine.contention = 1;
  EXPECT_GT(simulate(machine, work).times.front(), alone + alone / 20);
}

// What all nodes send at once is bounded by the links between two halves of the machine, and comes near that.
TEST(SimulateTest, ATorusReachesItsBisectionBandwidth) {
  Machine machine = plain();
  machine.topology = TopologyKind::torus;
  machine.torus_x = machine.torus_y = machine.torus_z = 8;
  machine.routing = Routing::adaptive;
  machine.contention = 1;
  machine.injection_fs_per_byte = machine.link_fs_per_byte / 6;
  machine.copy_fs_per_byte = 0;
  const std::uint64_t block = 64 << 10;
  const Time bound = time_for(256 * 256 * block, machine.link_fs_per_byte) / (2 * 64);
  for (std::uint64_t eager : {std::uint64_t{1} << 30, std::uint64_t{1} << 10}) {
    machine.eager_bytes = eager;
    const Time taken = simulate(machine, of("alltoall", "flat", block, 512)).times.front();
    EXPECT_GT(taken, bound);
    EXPECT_LT(taken, bound + bound / 2);
  }
}

TEST(SimulateTest, PesThatShareACoreTakeTurns) {
  Machine machine = plain();
  machine.recv_overhead_ps = machine.miss_ps = 0;
  Workload work = of("barrier", "dissemination", 0, 1);
  work.pes_per_node = 4;
  const Time alone = simulate(machine, work).times.front();
  machine.cores = 4;
  EXPECT_EQ(simulate(machine, work).times.front(), alone);
  machine.cores = 2;
  machine.switch_ps = 500'000;
  // Each core has two PEs, and each PE two rounds: four turns at least, of which the first needs no switch.
  EXPECT_GE(simulate(machine, work).times.front(), alone + 3 * 500'000);
  EXPECT_LE(simulate(machine, work).times.front(), alone + 8 * 600'000);
  // A PE that need not wait continues: a hundred broadcasts take some turns of each PE, not hundreds.
  work = of("broadcast", "binomial", 8, 1);
  work.pes_per_node = 4;
  work.repeats = 100;
  work.pace = Pace::back_to_back;
  EXPECT_LE(simulate(machine, work).times.front() * 100, 100 * 1'000'000 + 10 * 500'000u);
}

TEST(SimulateTest, LongBlocksAreWrittenDirectly) {
  // Two PEs of a node and blocks that are too long for a mailbox: each writes one block directly, and no receiver
  // copies.
  Machine machine = plain();
  machine.memory_overhead_ps = 10'000, machine.memory_latency_ps = 50'000, machine.memory_fs_per_byte = 100'000;
  machine.copy_fs_per_byte = 0;
  Workload work = of("alltoall", "flat", 4096, 1);
  work.pes_per_node = 2;
  // Written, told, seen.
  EXPECT_EQ(simulate(machine, work).times.front(), 4096u * 100 + 10'000 + 50'000 + 10'000 + machine.miss_ps);
}

TEST(SimulateTest, EnergyIsTimeByPower) {
  Machine machine = plain();
  machine.active_mw = 2000, machine.waiting_mw = 1000, machine.interface_mw = 500;
  Result result = simulate(machine, of("barrier", "dissemination", 0, 2));
  const double active = 2 * (100e-9 + 100e-9), elapsed = 750e-9;
  EXPECT_NEAR(result.energy_joules, active * 2 + (2 * elapsed - active) * 1 + 2 * elapsed * 0.5, 1e-15);
}

TEST(SimulateTest, RefusesInvalidSettings) {
  auto refused = [](const Machine& machine, const Workload& work, const char* says) {
    try {
      simulate(machine, work);
      ADD_FAILURE() << "accepted: " << says;
    } catch (const std::exception& error) { EXPECT_THAT(error.what(), ::testing::HasSubstr(says)); }
  };
  Machine machine = plain();
  Workload work = of("barrier", "dissemination", 0, 60);
  machine.topology = TopologyKind::torus;
  machine.torus_x = 4, machine.torus_y = 4, machine.torus_z = 4;
  refused(machine, work, "has 64 nodes, not 60");
  machine = plain();
  machine.latency_ps = 0;
  refused(machine, work, "latency of 0");
  machine = plain();
  machine.topology = TopologyKind::dragonfly;
  machine.nodes_per_router = 1, machine.routers_per_group = 2, machine.global_links = 1;
  refused(machine, work, "has 30 groups");
  machine = plain();
  machine.noise = NoiseKind::periodic;
  machine.noise_period_ps = machine.noise_duration_ps = 5;
  refused(machine, work, "not all");
  refused(plain(), of("barrer", "auto", 0, 4), "'barrer' is not a collective. Accepted: barrier, broadcast");
  refused(plain(), of("barrier", "quick", 0, 4), "barrier=dissemination");
  work.most_memory_bytes = 1000;
  refused(plain(), work, "are allowed");
  work = of("gather", "flat", 8, 4096);
  work.most_memory_bytes = 4096 * 256 + 10000;
  refused(plain(), work, "schedules of 4096 PEs");
}

// The same trace for any number of threads: ties are resolved by PE numbers, not by the order in which threads run.
TEST(SimulateTest, ThreadsChangeNothing) {
  auto expect_same = [](const Machine& machine, Workload work, const std::string& what) {
    work.repeats = 2;
    const Result one = simulate(machine, work);
    for (std::uint32_t threads : {2u, 3u}) {
      work.threads = threads;
      const Result many = simulate(machine, work);
      EXPECT_EQ(many.times, one.times) << what << " by " << threads;
      EXPECT_EQ(many.end, one.end) << what << " by " << threads;
      EXPECT_EQ(many.messages, one.messages) << what << " by " << threads;
      EXPECT_EQ(many.message_bytes, one.message_bytes) << what << " by " << threads;
      EXPECT_EQ(many.events, one.events) << what << " by " << threads;
      EXPECT_EQ(many.host_active, one.host_active) << what << " by " << threads;
      EXPECT_EQ(many.energy_joules, one.energy_joules) << what << " by " << threads;
    }
  };
  for (NoiseKind noise : {NoiseKind::none, NoiseKind::periodic, NoiseKind::random})
    for (std::uint32_t pes_per_node : {1u, 3u})
      for (Executor executor : {Executor::host, Executor::core, Executor::interface})
        for (Pace pace : {Pace::together, Pace::back_to_back})
          for (const auto& [collective, algorithm, bytes] :
               {std::tuple("barrier", "dissemination", 0u), std::tuple("allreduce", "recursive_doubling", 8u),
                std::tuple("allreduce", "halving_doubling", 1u << 20), std::tuple("broadcast", "knomial4", 64u),
                std::tuple("alltoall", "flat", 2048u), std::tuple("alltoall", "pairwise", 1u << 16)}) {
            Machine machine = plain();
            machine.noise = noise;
            machine.noise_period_ps = 10'000'000;
            machine.noise_duration_ps = noise == NoiseKind::none ? 0 : 250'000;
            Workload work = of(collective, algorithm, bytes, 11);
            work.pes_per_node = pes_per_node;
            work.executor = executor;
            work.pace = pace;
            expect_same(machine, work,
                        fmt::format("{} {} {} noise {} ppn {} executor {}", collective, algorithm, bytes,
                                    static_cast<int>(noise), pes_per_node, static_cast<int>(executor)));
          }
  // Two nodes, more threads than nodes; links that are shared, where one thread does it all.
  expect_same(plain(), of("barrier", "dissemination", 0, 2), "two nodes");
  Machine shared = plain();
  shared.contention = 1;
  expect_same(shared, of("alltoall", "flat", 4096, 12), "contention");
}

}  // namespace
}  // namespace atl::sim
