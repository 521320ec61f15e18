// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <thread>

#include "atoll/base/error.hpp"
#include "atoll/runtime/context.hpp"
#include "run_pes.hpp"

namespace atl::runtime {
namespace {

class Waiting : public testing::OnPes {};

double cpu_seconds_of_thread() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST_P(Waiting, ASleeperIsWokenByEveryKindOfChange) {
  run([](Context& context) {
    auto word = context.allocate_symmetric(8);
    auto* mine = context.local_pointer<std::uint64_t>(word);
    *mine = 0;
    context.barrier();
    PeId right((context.pe().value() + 1) % context.npes());
    std::uint32_t base = context.pe().value();
    for (std::uint64_t round = 1; round <= 60; ++round) {
      // A token goes round; its holder changes the neighbour's word in one of many ways.
      if (round > 1 || base != 0)
        context.wait_until<std::uint64_t>(mine, Compare::equal, base == 0 ? round - 1 : round);
      switch (round % 6) {
        case 0: context.put_value<std::uint64_t>(right, word, round); break;
        case 1: context.set<std::uint64_t>(right, word, round); break;
        case 2: context.add<std::uint64_t>(right, word, 1); break;
        case 3: context.compare_swap<std::uint64_t>(right, word, round - 1, round); break;
        case 4: context.swap<std::uint64_t>(right, word, round); break;
        default:
          if (auto* theirs = context.peer_pointer<std::uint64_t>(right, word))
            std::atomic_ref<std::uint64_t>(*theirs).store(round, std::memory_order_release);
          else context.put_signal(right, word, nullptr, 0, word, round);
          context.notify(right);
      }
    }
    if (base == 0) context.wait_until<std::uint64_t>(mine, Compare::equal, 60);
    context.barrier();
  });
}

TEST_P(Waiting, AnIdlePeBurnsNoCore) {
  run([](Context& context) {
    auto word = context.allocate_symmetric(8);
    auto* mine = context.local_pointer<std::uint64_t>(word);
    *mine = 0;
    context.barrier();
    double before = cpu_seconds_of_thread();
    std::int64_t begin = now_ns();
    if (context.pe().value() == 0) {
      EXPECT_EQ(context.wait_until<std::uint64_t>(mine, Compare::equal, 1, Deadline::after_seconds(0.2)),
                Status::timed_out);
      for (std::uint32_t pe = 0; pe < context.npes(); ++pe) context.put_value<std::uint64_t>(PeId(pe), word, 1);
    }
    context.wait_until<std::uint64_t>(mine, Compare::equal, 1);
    double wall = 1e-9 * static_cast<double>(now_ns() - begin);
    EXPECT_LT(cpu_seconds_of_thread() - before, 0.25 * wall) << "of " << wall << " s";
  });
}

TEST_P(Waiting, SeveralThreadsOfAPeSleepAtOnce) {
  ATOLL_NOT_SIMULATED();
  run([](Context& context) {
    auto word = context.allocate_symmetric(8);
    auto* mine = context.local_pointer<std::uint64_t>(word);
    *mine = 0;
    context.barrier();
    std::vector<std::thread> threads;
    for (std::uint64_t k = 1; k <= 3; ++k)
      threads.emplace_back([&, k] { context.wait_until<std::uint64_t>(mine, Compare::greater_equal, k); });
    PeId right((context.pe().value() + 1) % context.npes());
    for (int k = 0; k < 3; ++k) {
      for (int i = 0; i < 20; ++i) sched_yield();
      context.add<std::uint64_t>(right, word, 1);
    }
    for (auto& thread : threads) thread.join();
    context.barrier();
  });
}

TEST_P(Waiting, CompareHasAllItsMeanings) {
  EXPECT_TRUE(holds(1, Compare::equal, 1) && !holds(1, Compare::equal, 2));
  EXPECT_TRUE(holds(1, Compare::not_equal, 2) && !holds(1, Compare::not_equal, 1));
  EXPECT_TRUE(holds(2, Compare::greater, 1) && !holds(1, Compare::greater, 1));
  EXPECT_TRUE(holds(1, Compare::greater_equal, 1) && !holds(0, Compare::greater_equal, 1));
  EXPECT_TRUE(holds(0, Compare::less, 1) && !holds(1, Compare::less, 1));
  EXPECT_TRUE(holds(1, Compare::less_equal, 1) && !holds(2, Compare::less_equal, 1));
}

// One PE is declared dead: every wait of the others ends with an error that names it.
TEST_P(Waiting, ADeadPeEndsEveryWait) {
  if (npes() == 1) return;
  auto job = fabric::Job::create_loop({.npes = npes(), .segment_bytes = 16 << 20, .threads_per_pe = 1});
  std::vector<std::thread> threads;
  std::atomic<int> told{0};
  std::atomic<std::uint32_t> here{0};
  for (std::uint32_t pe = 0; pe < npes(); ++pe)
    threads.emplace_back([&, pe] {
      Context context(job, PeId(pe));
      ++here;
      if (pe == npes() - 1) {
        while (here != npes()) sched_yield();
        job->mark_failed(PeId(pe), 9, "was killed by signal 9 (Killed)");
        return;
      }
      try {
        context.wait([] { return false; });
      } catch (const PeFailedError& error) {
        EXPECT_NE(std::string(error.what()).find(fmt::format("PE {} was killed", npes() - 1)), std::string::npos)
            << error.what();
        ++told;
      }
      EXPECT_THROW(context.barrier(), PeFailedError);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(told, static_cast<int>(npes()) - 1);
}

ATOLL_ON_PES(Waiting);

}  // namespace
}  // namespace atl::runtime
