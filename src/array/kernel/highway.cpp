// SPDX-License-Identifier: Apache-2.0
// What we use of Highway beyond its headers: which levels the processor has, which of them may be used, and which was
// chosen. Its shared library measures the clock for 3 ms whenever a process loads it.
#include "atoll/array/kernel/simd.hpp"

#include <hwy/highway.h>

#include <atomic>

namespace hwy {
namespace {
std::atomic<std::int64_t> disabled{0};
}

std::int64_t SupportedTargets() {
  std::int64_t found = 0;
#if HWY_ARCH_X86
  // The options that Highway's headers give the compiler for each level.
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("pclmul") &&
                    __builtin_cpu_supports("aes") && __builtin_cpu_supports("f16c");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  if (avx2) found |= HWY_AVX2;
  if (avx512) found |= HWY_AVX3;
#endif
  return (found & ~disabled.load(std::memory_order_relaxed)) | HWY_ENABLED_BASELINE;
}

void DisableTargets(std::int64_t targets) {
  disabled.store(targets, std::memory_order_relaxed);
  GetChosenTarget().DeInit();  // so that the next call chooses again
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

}  // namespace hwy
