// SPDX-License-Identifier: Apache-2.0
#include "atoll/base/topology.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "atoll/base/error.hpp"

namespace atl {
namespace {

// As ATOLL_SIMD says.
SimdLevel level_for(const char* words) {
  ::setenv("ATOLL_SIMD", words, 1);
  struct Unset {
    ~Unset() { ::unsetenv("ATOLL_SIMD"); }
  } unset;
  return simd_level();
}

TEST(SimdLevel, IsNoBetterThanChosen) {
  EXPECT_EQ(level_for("auto"), processor_simd_level());
#if defined(__x86_64__)
  EXPECT_EQ(level_for("sse4"), SimdLevel::sse4);
  EXPECT_EQ(level_for("avx512"), processor_simd_level());
#elif defined(__aarch64__)
  EXPECT_EQ(level_for("neon"), SimdLevel::neon);
  EXPECT_EQ(name_of(processor_simd_level()), "neon");
#endif
}

TEST(SimdLevel, OfAnotherProcessorIsRefused) {
#if defined(__aarch64__)
  for (const char* other : {"sse4", "avx2", "avx512"}) EXPECT_THROW((void)level_for(other), ValueError) << other;
#else
  EXPECT_THROW((void)level_for("neon"), ValueError);
#endif
}

}  // namespace
}  // namespace atl
