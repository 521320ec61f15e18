// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/progress_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "atoll/runtime/context.hpp"
#include "run_pes.hpp"

namespace atl::runtime {
namespace {

class ProgressThreads : public testing::OnPes {};

TEST_P(ProgressThreads, RunsUntilItIsStoppedAsOftenAsItWasStarted) {
  ATOLL_NOT_SIMULATED();
  run([](Context& context) {
    Progress& progress = context;
    std::atomic<int> of_thread{0}, of_caller{0};
    auto hook = progress.add_hook([&](Context&) {
      ++(progress.is_progress_thread() ? of_thread : of_caller);
      return false;
    });
    context.barrier();
    of_caller = 0;
    EXPECT_FALSE(progress.has_progress_thread());
    progress.start_progress_thread();
    progress.start_progress_thread();
    EXPECT_TRUE(progress.has_progress_thread());
    while (of_thread == 0) std::this_thread::yield();  // this thread makes no progress
    EXPECT_EQ(of_caller, 0);
    EXPECT_FALSE(progress.is_progress_thread());
    progress.stop_progress_thread();
    EXPECT_TRUE(progress.has_progress_thread());
    progress.stop_progress_thread();
    EXPECT_FALSE(progress.has_progress_thread());
    const int before = of_thread;
    while (of_caller == 0) (void)progress.progress();
    EXPECT_EQ(of_thread, before);
    progress.remove_hook(hook);
    context.barrier();
  });
}

ATOLL_ON_PES(ProgressThreads);

}  // namespace
}  // namespace atl::runtime
