// SPDX-License-Identifier: Apache-2.0
// A test that hangs says where its PEs are, and fails.
#include <gtest/gtest-spi.h>

#include "atoll/runtime/context.hpp"
#include "run_pes.hpp"

namespace atl::testing {
namespace {

class Hang : public ::testing::TestWithParam<Fabric> {};

TEST_P(Hang, PrintsTheStacksOfEveryPeAndFails) {
  ::testing::TestPartResultArray failures;
  ::testing::internal::CaptureStderr();
  {
    ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &failures);
    run_pes(2, GetParam(), [](runtime::Context& context) { context.wait([] { return false; }); },
            {.timeout_seconds = 0.2});
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_GE(failures.size(), 1);
  // Once for this process, which holds the PEs as threads, or has them below it.
  std::size_t processes = 0, threads = 0;
  for (std::size_t at = 0; (at = said.find("== process ", at)) != std::string::npos; ++at) ++processes;
  for (std::size_t at = 0; (at = said.find("hread ", at)) != std::string::npos; ++at) ++threads;
  EXPECT_EQ(processes, GetParam() == Fabric::shm ? 3u : 1u) << said;
  EXPECT_GE(threads, 3u) << said;
}
INSTANTIATE_TEST_SUITE_P(Fabrics, Hang, ::testing::Values(Fabric::loop, Fabric::shm));

}  // namespace
}  // namespace atl::testing
