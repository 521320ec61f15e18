// SPDX-License-Identifier: Apache-2.0
// Engines on every PE of a job, and arrays to and from vectors.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "../../support/run_pes.hpp"
#include "atoll/array/ops/transfer.hpp"

namespace atl::array::testing {

/// Small arrays are spread too.
inline constexpr std::int64_t grain = 4;

class OnPes : public ::testing::TestWithParam<std::tuple<std::uint32_t, atl::testing::Fabric, unsigned>> {
 protected:
  void SetUp() override {
    auto [npes, fabric, threads] = GetParam();
    if (std::string why = atl::testing::why_not(npes, fabric); !why.empty()) GTEST_SKIP() << why;
  }
  void run(const std::function<void(Engine&)>& body, std::int64_t rows_worth_spreading = grain) {
    auto [npes, fabric, threads] = GetParam();
    atl::testing::run_pes(npes, fabric,
                          [&, threads = threads, rows_worth_spreading](runtime::Context& context) {
                            Engine engine(std::shared_ptr<runtime::Context>(std::shared_ptr<void>(), &context), threads,
                                          rows_worth_spreading);
                            body(engine);
                          },
                          {.threads = threads});
  }
};

inline std::string name_of_param(const ::testing::TestParamInfo<OnPes::ParamType>& info) {
  auto [npes, fabric, threads] = info.param;
  return fmt::format("{}x{}_{}", npes, threads, atl::testing::name_of(fabric));
}

#ifdef ATOLL_EMULATED  // which takes ten times as long
#define ATOLL_PE_COUNTS 1u, 3u, 4u
#else
#define ATOLL_PE_COUNTS 1u, 2u, 3u, 4u, 5u, 8u
#endif
#undef ATOLL_ON_PES  // run_pes.hpp has one for tests without engines
#define ATOLL_ON_PES(suite) \
  INSTANTIATE_TEST_SUITE_P(Pes, suite, \
                           ::testing::Combine(::testing::Values(ATOLL_PE_COUNTS), \
                                              ::testing::Values(atl::testing::Fabric::loop, atl::testing::Fabric::shm, \
                                                                atl::testing::Fabric::nodes), \
                                              ::testing::Values(1u, 2u)), \
                           name_of_param); \
  ATOLL_ON_NETWORK(suite)
#define ATOLL_ON_NETWORK(suite) \
  INSTANTIATE_TEST_SUITE_P(Network, suite, \
                           ::testing::Combine(::testing::Values(2u, 4u), ::testing::Values(atl::testing::Fabric::ofi), \
                                              ::testing::Values(1u)), \
                           name_of_param)

template <class T>
Array to_array(Engine& engine, const std::vector<T>& values, Shape shape) {
  return from_buffer(engine, dtype_of<T>, shape, {values.data()});
}
template <class T>
Array to_array(Engine& engine, const std::vector<T>& values) {
  return to_array(engine, values, Shape{static_cast<std::int64_t>(values.size())});
}
template <class T>
std::vector<T> to_vector(Engine& engine, const Array& array) {
  EXPECT_EQ(array->dtype, dtype_of<T>);
  std::vector<T> values(static_cast<std::size_t>(array->shape.size()));
  to_buffer(engine, array, {values.data()});
  return values;
}

/// The same on every PE.
inline std::vector<std::int64_t> random_integers(std::size_t n, std::int64_t low, std::int64_t high, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_int_distribution<std::int64_t> distribution(low, high);
  std::vector<std::int64_t> values(n);
  for (auto& value : values) value = distribution(generator);
  return values;
}

}  // namespace atl::array::testing
