// SPDX-License-Identifier: Apache-2.0
// What the simulator is made of, each against the plainest form of the same.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <queue>

#include "atoll/base/radix_heap.hpp"
#include "atoll/sim/noise.hpp"
#include "atoll/sim/programs.hpp"
#include "atoll/sim/topology.hpp"
#include "mail.hpp"

namespace atl::sim {
namespace {

struct Event {
  std::uint64_t time;
  std::uint64_t number;
};

TEST(RadixHeapTest, GivesEventsByTimeAndThenByTurn) {
  SequentialRandom random(1);
  RadixHeap<Event> heap;
  auto later = [](const Event& a, const Event& b) { return std::tie(a.time, a.number) > std::tie(b.time, b.number); };
  std::priority_queue<Event, std::vector<Event>, decltype(later)> oracle(later);
  std::uint64_t number = 0;
  for (int turn = 0; turn < 20000; ++turn) {
    if (turn < 10000 && random.below(5) < 3) {
      Event event{heap.now() + random.below(random.below(3) == 0 ? 4 : std::uint64_t{1} << random.below(45)), number++};
      heap.push(event);
      oracle.push(event);
    } else if (!oracle.empty()) {
      ASSERT_FALSE(heap.empty());
      Event event = heap.pop();
      ASSERT_EQ(event.number, oracle.top().number);
      ASSERT_EQ(event.time, oracle.top().time);
      oracle.pop();
    }
    ASSERT_EQ(heap.empty(), oracle.empty());
  }
}

TEST(MailTest, IsFirstInFirstOutForEachPair) {
  SequentialRandom random(2);
  Mail mail;
  std::map<std::uint64_t, std::deque<std::uint64_t>> oracle;
  for (std::uint64_t turn = 0; turn < 50000; ++turn) {
    auto key = Mail::key(static_cast<std::uint32_t>(random.below(40)), static_cast<std::uint32_t>(random.below(40)),
                         Mail::Kind::small);
    if (random.below(2) == 0) {
      mail.put(key, {turn, turn});
      oracle[key].push_back(turn);
    } else {
      Mail::Letter letter{};
      ASSERT_EQ(mail.take(key, letter), !oracle[key].empty());
      if (oracle[key].empty()) continue;
      ASSERT_EQ(letter.note, oracle[key].front());
      oracle[key].pop_front();
    }
  }
}

Machine noisy(NoiseKind kind) {
  Machine machine;
  machine.noise = kind;
  machine.noise_period_ps = 1000;
  machine.noise_duration_ps = 25;
  machine.noise_trace = {{3, 10}, {13, 1}, {500, 14}};
  return machine;
}

TEST(NoiseTest, PeriodicNoiseTakesItsTime) {
  Machine machine = noisy(NoiseKind::periodic);
  Noise noise(machine, 4, 7);
  // Step by step: whether a picosecond is free is asked with work of 1.
  for (std::uint32_t pe = 0; pe < 4; ++pe) {
    std::vector<bool> free;
    std::uint64_t taken = 0;
    for (Time at = 0; at < 5000; ++at) {
      free.push_back(noise.finish(pe, at, 1) == at + 1);
      taken += free.back() ? 0 : 1;
    }
    EXPECT_EQ(taken, 125u);
    for (Time start = 0; start < 2000; start += 37)
      for (Time work : {1u, 2u, 100u, 974u, 975u, 976u, 1950u, 2500u}) {
        Time at = start, left = work;
        for (; left > 0; ++at) left -= free[at] ? 1 : 0;
        ASSERT_EQ(noise.finish(pe, start, work), at) << "start " << start << " work " << work;
      }
  }
}

TEST(NoiseTest, RandomAndRecordedNoiseTakeTheirShare) {
  for (NoiseKind kind : {NoiseKind::random, NoiseKind::trace}) {
    Machine machine = noisy(kind);
    Noise noise(machine, 3, 11);
    for (std::uint32_t pe = 0; pe < 3; ++pe) {
      Time at = 0;
      for (int i = 0; i < 200000; ++i) at = noise.finish(pe, at, 10);
      EXPECT_NEAR(2e6 / static_cast<double>(at), 0.975, 0.002);
    }
  }
}

std::vector<Machine> networks() {
  std::vector<Machine> all(5);
  all[1].topology = TopologyKind::torus;
  all[1].torus_x = 5, all[1].torus_y = 4, all[1].torus_z = 3;
  all[2].topology = TopologyKind::fat_tree;
  all[2].arity = 4;
  all[3] = all[2];
  all[3].oversubscription = 2;
  all[4].topology = TopologyKind::dragonfly;
  all[4].nodes_per_router = 2, all[4].routers_per_group = 4, all[4].global_links = 2;
  return all;
}

TEST(TopologyTest, WaysAreAsLongAsTheirRoutersAndUseLinksOnce) {
  for (const Machine& machine : networks()) {
    Topology topology(machine, 60);
    Route route;
    for (std::uint32_t from = 0; from < 60; ++from)
      for (std::uint32_t to = 0; to < 60; ++to) {
        topology.route(from, to, {}, 0, route);
        ASSERT_EQ(route.size() + 1, topology.routers(from, to)) << from << " to " << to;
        std::vector<std::uint32_t> links(route.begin(), route.end());
        std::sort(links.begin(), links.end());
        ASSERT_EQ(std::adjacent_find(links.begin(), links.end()), links.end());
        for (std::uint32_t link : links) ASSERT_LT(link, topology.links());
      }
  }
}

TEST(TopologyTest, DistancesOfATorusAreThoseOfItsRings) {
  const Machine machine = networks()[1];
  Topology topology(machine, 60);
  EXPECT_EQ(topology.routers(0, 0), 1u);
  EXPECT_EQ(topology.routers(0, 4), 2u);                 // round the ring of 5
  EXPECT_EQ(topology.routers(0, 2 + 5 * 2 + 20), 6u);    // 2 + 2 + 1 steps
  EXPECT_EQ(topology.bisection_links(), 60u / 5 * 2 * 2);
}

TEST(TopologyTest, AdaptiveWaysAvoidBusyLinks) {
  for (Machine machine : {networks()[1], networks()[2]}) {
    machine.routing = Routing::adaptive;
    Topology topology(machine, 60);
    Route direct, other;
    topology.route(0, 58, {}, 0, direct);
    Load load(topology.links());
    load[*direct.begin()] = 1000;
    topology.route(0, 58, load, 0, other);
    EXPECT_NE(*other.begin(), *direct.begin());
    EXPECT_EQ(other.size(), direct.size());
  }
}

TEST(ProgramsTest, SharedStepsAreThePlannersOwn) {
  for (std::uint32_t pes : {1u, 2u, 7u, 16u, 33u})
    for (const auto& [collective, algorithms] : coll::Planner::known())
      for (std::string_view algorithm : algorithms) {
        std::vector<std::uint32_t> nodes(pes);
        for (std::uint32_t pe = 0; pe < pes; ++pe) nodes[pe] = pe / 4;
        const coll::Placement placement(nodes);
        coll::Planner planner({std::string(collective), std::string(algorithm), 4096, 8, 0}, placement);
        Programs programs([&](int pe, auto& steps) { planner.write(pe, steps); }, pes, 1 << 26);
        std::vector<coll::PlanStep> plan;
        for (std::uint32_t pe = 0; pe < pes; ++pe) {
          planner.write(static_cast<int>(pe), plan);
          auto [first, by_bits] = programs.of(pe);
          const Programs::Step* step = programs.steps() + first;
          for (const coll::PlanStep& expected : plan) {
            ASSERT_EQ(step->kind, static_cast<std::uint64_t>(expected.kind)) << algorithm;
            ASSERT_EQ(step->bytes, expected.bytes);
            if (expected.kind < Programs::Kind::join) {
              ASSERT_EQ(Programs::peer(*step, by_bits, pe, pes), expected.peer);
            }
            ++step;
          }
          ASSERT_EQ(static_cast<Programs::Kind>(step->kind), Programs::end);
        }
      }
}

TEST(ProgramsTest, ABarrierOfManyPesIsKeptOnce) {
  std::vector<std::uint32_t> nodes(4096);
  for (std::uint32_t pe = 0; pe < 4096; ++pe) nodes[pe] = pe;
  const coll::Placement placement(nodes);
  coll::Planner barrier({"barrier", "dissemination"}, placement);
  EXPECT_LT(Programs([&](int pe, auto& steps) { barrier.write(pe, steps); }, 4096, 1 << 20).bytes(),
            4096 * sizeof(Programs::Program) + 2000);
  coll::Planner allreduce({"allreduce", "recursive_doubling", 8}, placement);
  EXPECT_LT(Programs([&](int pe, auto& steps) { allreduce.write(pe, steps); }, 4096, 1 << 20).bytes(),
            4096 * sizeof(Programs::Program) + 20000);
}

}  // namespace
}  // namespace atl::sim
