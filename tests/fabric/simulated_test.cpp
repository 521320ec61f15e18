// SPDX-License-Identifier: Apache-2.0
// The simulated fabric: time, order, faults. That it keeps the contract is tested with the other fabrics.
#include "atoll/fabric/simulated.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "atoll/base/clock.hpp"
#include "atoll/base/error.hpp"
#include "atoll/fabric/endpoint.hpp"

namespace atl::fabric {
namespace {

constexpr std::uint64_t latency_ps = 1'000'000, overhead_ps = 100'000;

SimulatedOptions of(std::uint32_t npes) {
  SimulatedOptions options;
  options.job = {.npes = npes, .segment_bytes = std::uint64_t{4} << 20};
  for (std::uint32_t pe = 0; pe < npes; ++pe) options.job.node_of_pe.push_back(pe);
  return options;
}

std::unique_ptr<Wire> wire() { return std::make_unique<UniformWire>(overhead_ps, latency_ps, 1000); }

TEST(SimulatedTest, TimeFollowsTheWire) {
  Simulated simulated(of(2), wire());
  simulated.run([&](const std::shared_ptr<Job>& job, PeId pe) {
    Endpoint endpoint(job, pe);
    if (pe == PeId(1)) return;
    std::int64_t begin = now_ns();
    (void)endpoint.get_value<std::uint64_t>(PeId(1), HeapOffset(0));
    EXPECT_NEAR(static_cast<double>(now_ns() - begin), 100 + 2 * 1000, 1);
    begin = now_ns();
    simulated.compute(5'000'000);
    EXPECT_EQ(now_ns() - begin, 5000);
    EXPECT_FALSE(Deadline::after_ns(1).passed());
  });
  EXPECT_EQ(Scheduler::current(), nullptr);
}

// PE 1 sleeps until a put comes, or no longer than it said.
TEST(SimulatedTest, ArrivingMessagesWakeSleepers) {
  Simulated simulated(of(2), wire());
  simulated.run([&](const std::shared_ptr<Job>& job, PeId pe) {
    Endpoint endpoint(job, pe);
    if (pe == PeId(0)) {
      simulated.compute(3'000'000);
      endpoint.put_value<std::uint64_t>(PeId(1), HeapOffset(64), 5);
      return;
    }
    Sleeper sleeper(job->record(pe));
    sleeper.announce();
    sleeper.block(1'000'000);
    EXPECT_EQ(endpoint.get_value<std::uint64_t>(pe, HeapOffset(64)), 5u);
    EXPECT_EQ(now_ns(), 3000 + 100 + 1000);
    sleeper.announce();
    sleeper.block(2000);
    EXPECT_EQ(now_ns(), 4100 + 2000);
  });
}

// Which of 50 puts was overtaken, and whether one overtook the fence in their middle.
struct Seen {
  bool reordered = false, fence_broken = false;
  std::uint64_t digest = 0;
};
Seen puts_with(std::uint64_t seed, bool reorder) {
  SimulatedOptions options = of(2);
  options.faults = {.seed = seed, .most_delay_ps = 50'000'000, .reorder = reorder};
  Simulated simulated(options, wire());
  Seen seen;
  simulated.run([&](const std::shared_ptr<Job>& job, PeId pe) {
    Endpoint endpoint(job, pe);
    if (pe == PeId(1)) {
      const auto* words = reinterpret_cast<const std::uint64_t*>(job->segment(pe));
      bool here[50] = {};
      for (int found = 0; found < 50;) {
        simulated.compute(50'000);
        for (int i = 0; i < 50; ++i) {
          if (here[i] || words[i] == 0) continue;
          here[i] = true;
          ++found;
          for (int j = 0; j < i; ++j) {
            if (words[j] != 0) continue;
            seen.reordered = true;
            seen.fence_broken = seen.fence_broken || (j < 25 && i >= 25);
          }
        }
      }
      return;
    }
    for (std::uint64_t i = 0; i < 50; ++i) {
      if (i == 25) endpoint.fence();
      endpoint.put_value<std::uint64_t>(PeId(1), HeapOffset(8 * i), i + 1);
    }
    endpoint.quiet();
  });
  seen.digest = simulated.digest();
  return seen;
}

TEST(SimulatedTest, PutsAreReorderedBetweenFencesAndAsTheSeedSays) {
  bool reordered = false;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Seen seen = puts_with(seed, true);
    EXPECT_FALSE(seen.fence_broken) << "seed " << seed;
    reordered = reordered || seen.reordered;
    EXPECT_EQ(seen.digest, puts_with(seed, true).digest);
    EXPECT_NE(seen.digest, puts_with(seed + 100, true).digest);
    EXPECT_FALSE(puts_with(seed, false).reordered);
  }
  EXPECT_TRUE(reordered);
}

TEST(SimulatedTest, APutThatIsNotFinishedIsReadLate) {
  SimulatedOptions options = of(2);
  options.faults.seed = 3;
  Simulated simulated(options, wire());
  simulated.run([&](const std::shared_ptr<Job>& job, PeId pe) {
    if (pe == PeId(1)) return;
    Endpoint endpoint(job, pe);
    std::uint64_t data[4] = {1, 2, 3, 4};
    endpoint.put_nbi(PeId(1), HeapOffset(0), data, sizeof(data));
    data[2] = 7;  // too early
    endpoint.quiet();
    EXPECT_EQ(endpoint.get_value<std::uint64_t>(PeId(1), HeapOffset(16)), 7u);
  });
}

TEST(SimulatedTest, WaitsForALostPeFail) {
  SimulatedOptions options = of(3);
  options.faults = {.lost = PeId(1), .lost_at_ps = 5'000'000};
  Simulated simulated(options, wire());
  int failed = 0, after = 0;
  EXPECT_THROW(simulated.run([&](const std::shared_ptr<Job>& job, PeId pe) {
    Endpoint endpoint(job, pe);
    simulated.compute(10'000'000);
    if (pe == PeId(1)) ++after;  // only at its end, when all others have gone
    try {
      (void)endpoint.get_value<std::uint64_t>(PeId(1), HeapOffset(0));
    } catch (const PeFailedError& error) {
      ++failed;
      EXPECT_THAT(error.what(), ::testing::HasSubstr("PE 1 was lost"));
      throw;
    }
  }),
               PeFailedError);
  EXPECT_EQ(failed, 2);
  EXPECT_LT(simulated.now_ps(), 2'000'000'000u);
}

TEST(SimulatedTest, PesThatHangAreNamedWithTheSeed) {
  SimulatedOptions options = of(2);
  options.limit_seconds = 0.01;
  options.faults.seed = 77;
  Simulated simulated(options, wire());
  try {
    simulated.run([&](const std::shared_ptr<Job>& job, PeId pe) {
      while (pe == PeId(1)) {
        job->check();
        simulated.compute(1'000'000'000);
      }
    });
    ADD_FAILURE();
  } catch (const PeFailedError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("PE 1 has not ended after 0.01 s"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("seed 77"));
  }
}

}  // namespace
}  // namespace atl::fabric
