// SPDX-License-Identifier: Apache-2.0
// Runs one body on every PE of a job, as threads (`loop`), as threads that make as if they were on several nodes
// (`nodes`), as forked processes (`shm`), as fibers under a simulated clock (`sim`), or as forked processes that make
// as if they were on several nodes and use the network between them (`ofi`), and fails the test when a PE fails, dies
// or hangs. Every test of communication uses it, so that each runs on all fabrics.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "atoll/base/ids.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/fabric/simulated.hpp"
#include "linked_jobs.hpp"
#include "stacks.hpp"

namespace atl::runtime {
class Context;
}

namespace atl::testing {

struct RunOptions {
  std::uint64_t segment_bytes = std::uint64_t{64} << 20;
  unsigned threads = 1;
  double timeout_seconds = ATOLL_TEST_SECONDS / 2.0;
  std::uint64_t memory_limit_bytes = 0;
  std::uint64_t symmetric_bytes = 0;
  std::uint64_t static_bytes = 0;
  fabric::Faults faults = {};  ///< sim
};

enum class Fabric { loop, nodes, shm, ofi, sim };

inline const char* name_of(Fabric fabric) {
  constexpr const char* names[] = {"loop", "nodes", "shm", "ofi", "sim"};
  return names[static_cast<std::size_t>(fabric)];
}

/// The node of each PE: blocks of PEs when their number is even, else alternating.
std::vector<std::uint32_t> spread_over_nodes(std::uint32_t npes);

using Body = std::function<void(runtime::Context&)>;

fabric::JobOptions job_options(std::uint32_t npes, const RunOptions& options);
/// Runs the body in a thread per PE.
void run_threads(const LinkedJobs& jobs, const Body& body, const RunOptions& options);
/// Why so many PEs cannot be tested on this fabric; empty: they can.
std::string why_not(std::uint32_t npes, Fabric fabric);
void run_pes(std::uint32_t npes, Fabric fabric, const Body& body, const RunOptions& options = {});

/// A test suite whose tests run on all fabrics and on 1, 2, 3, 4, 5 and 8 PEs (over the network on 2 and 4, simulated
/// on 2 and 5):
///     class Barrier : public atl::testing::OnPes {};
///     TEST_P(Barrier, Holds) { run([](runtime::Context& context) { … }); }
///     ATOLL_ON_PES(Barrier);
class OnPes : public ::testing::TestWithParam<std::tuple<Fabric, std::uint32_t>> {
 protected:
  void SetUp() override {
    if (std::string why = why_not(npes(), fabric()); !why.empty()) GTEST_SKIP() << why;
  }
  Fabric fabric() const { return std::get<0>(GetParam()); }
  std::uint32_t npes() const { return std::get<1>(GetParam()); }
  void run(const Body& body, const RunOptions& options = {}) { run_pes(npes(), fabric(), body, options); }
};

/// Begins a test whose bodies start threads, or wait in a way of their own: simulated PEs have one thread, and wait for
/// the clock.
#define ATOLL_NOT_SIMULATED() \
  if (fabric() == ::atl::testing::Fabric::sim) \
  GTEST_SKIP() << "a simulated PE has one thread, and a clock that others move"

inline std::string pes_name(const ::testing::TestParamInfo<std::tuple<Fabric, std::uint32_t>>& info) {
  return fmt::format("{}{}", name_of(std::get<0>(info.param)), std::get<1>(info.param));
}

#define ATOLL_ON_PES(Suite) \
  INSTANTIATE_TEST_SUITE_P( \
      Pes, Suite, \
      ::testing::Combine( \
          ::testing::Values(::atl::testing::Fabric::loop, ::atl::testing::Fabric::shm, ::atl::testing::Fabric::nodes), \
          ::testing::Values(1u, 2u, 3u, 4u, 5u, 8u)), \
      ::atl::testing::pes_name); \
  INSTANTIATE_TEST_SUITE_P( \
      Simulated, Suite, ::testing::Combine(::testing::Values(::atl::testing::Fabric::sim), ::testing::Values(2u, 5u)), \
      ::atl::testing::pes_name); \
  INSTANTIATE_TEST_SUITE_P( \
      Network, Suite, ::testing::Combine(::testing::Values(::atl::testing::Fabric::ofi), ::testing::Values(2u, 4u)), \
      ::atl::testing::pes_name)

}  // namespace atl::testing
