// SPDX-License-Identifier: Apache-2.0
// The whole runtime on simulated machines, and under faults that a seed chooses.
#include "atoll/sim/runtime.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "atoll/base/error.hpp"
#include "atoll/base/random.hpp"
#include "atoll/base/topology.hpp"

namespace atl::sim {
namespace {

Machine plain() {
  Machine machine;
  machine.send_overhead_ps = machine.recv_overhead_ps = 100'000;
  machine.miss_ps = 50'000;
  machine.latency_ps = 1'000'000;
  machine.interface_gap_ps = 16'000;
  machine.injection_fs_per_byte = machine.link_fs_per_byte = 80'000;
  machine.memory_latency_ps = 60'000;
  return machine;
}

TEST(RuntimeTest, EveryProgramRunsOnManyPes) {
  for (const std::string& program : runtime_programs()) {
    RuntimeWork work{.program = program, .nodes = 16, .pes_per_node = 4, .repeats = 2, .items = 200, .bytes = 4096};
    RuntimeResult result = simulate_runtime(plain(), work);
    EXPECT_GT(result.start, 0u);
    EXPECT_EQ(result.time > 0, program != "start");
    EXPECT_EQ(result.digest, simulate_runtime(plain(), work).digest) << program;
  }
}

TEST(RuntimeTest, ABarrierOfSixtyFourNodesTakesSixRounds) {
  RuntimeResult result = simulate_runtime(plain(), {.program = "barrier", .nodes = 64, .repeats = 10});
  EXPECT_GT(result.time, 6 * 1'000'000u);
  EXPECT_LT(result.time, 6 * 2'500'000u);
}

TEST(RuntimeTest, RefusesInvalidSettings) {
  try {
    simulate_runtime(plain(), {.program = "sort"});
    ADD_FAILURE();
  } catch (const ValueError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("'sort' is not a program. Accepted: start, barrier"));
  }
  EXPECT_THROW(check_runtime(plain(), {.program = "start", .nodes = 64, .pes_per_node = 4000}), ValueError);
  if (available_memory_bytes() < std::uint64_t{600} << 30) {
    EXPECT_THROW(check_runtime(plain(), {.program = "start", .nodes = 65536}), MemoryError);
  }
}

// What a seed makes of the machine: PEs, nodes, delays, order, and in one of three a PE that is lost, in another a
// link.
RuntimeWork work_of(std::uint64_t seed) {
  SequentialRandom random(seed);
  const auto programs = runtime_programs();
  RuntimeWork work;
  work.program = programs[1 + random.below(programs.size() - 1)];
  work.nodes = static_cast<std::uint32_t>(2 + random.below(5));
  work.pes_per_node = static_cast<std::uint32_t>(1 + random.below(3));
  work.repeats = static_cast<std::uint32_t>(1 + random.below(4));
  work.items = 1 + random.below(300);
  work.bytes = std::uint64_t{8} << random.below(15);
  work.seed = seed;
  work.faults = {.seed = seed, .most_delay_ps = std::uint64_t{1} << random.below(30), .reorder = random.below(2) == 0};
  const std::uint64_t fate = random.below(3);
  if (fate == 0) {
    work.faults.lost = PeId(static_cast<std::uint32_t>(random.below(work.nodes * work.pes_per_node)));
    work.faults.lost_at_ps = random.below(400'000'000);
  }
  if (fate == 1) {
    const auto first = static_cast<std::uint32_t>(random.below(work.nodes - 1));
    work.faults.cut = {first, static_cast<std::uint32_t>(first + 1 + random.below(work.nodes - 1 - first))};
    work.faults.cut_at_ps = random.below(400'000'000);
  }
  return work;
}

// Results are right, or every remaining PE is notified of the loss.
void try_seed(std::uint64_t seed) {
  const RuntimeWork work = work_of(seed);
  SCOPED_TRACE(
      fmt::format("seed {}: {} on {} x {} PEs; again by --gtest_filter=FaultsTest.OneSeed --gtest_random_seed={}", seed,
                  work.program, work.nodes, work.pes_per_node, seed));
  try {
    (void)simulate_runtime(plain(), work);
  } catch (const PeFailedError& error) {
    EXPECT_TRUE(work.faults.lost || work.faults.cut) << error.what();
    EXPECT_THAT(error.what(), ::testing::HasSubstr(
                                  work.faults.lost ? "was lost" : "cannot be reached: the link to its node is down"));
  } catch (const std::exception& error) { ADD_FAILURE() << error.what(); }
}

TEST(FaultsTest, ALinkThatIsDownEndsTheJobWithTheReason) {
  RuntimeWork work{.program = "barrier", .nodes = 4, .repeats = 1000};
  work.faults.cut = {2, 1};
  work.faults.cut_at_ps = 50'000'000;
  EXPECT_THROW(simulate_runtime(plain(), work), PeFailedError);
  // When all have ended it is not missed.
  work.faults.cut_at_ps = 1'000'000'000'000'000;
  EXPECT_GT(simulate_runtime(plain(), work).time, 0u);
}

TEST(FaultsTest, SomeSeeds) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) try_seed(seed);
}

// A PE that is notified of a loss gives up and frees offered memory, before another PE of its node reads that memory.
TEST(FaultsTest, WithdrawnMemoryIsNotRead) {
  for (std::uint64_t seed : {1536u, 1972u, 2728u}) try_seed(seed);
}

TEST(FaultsTest, OneSeed) { try_seed(static_cast<std::uint64_t>(::testing::UnitTest::GetInstance()->random_seed())); }

TEST(FaultsSlow, ThousandsOfSeeds) {
  for (std::uint64_t seed = 1000; seed < 4000; ++seed) try_seed(seed);
}

}  // namespace
}  // namespace atl::sim
