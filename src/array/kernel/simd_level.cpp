// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/kernel/simd_level.hpp"

#include <hwy/highway.h>
#include "atoll/array/kernel/simd.hpp"

namespace atl::array {

void limit_kernels([[maybe_unused]] SimdLevel level) {
#if HWY_ARCH_X86
  // A better target has a lower bit.
  switch (level) {
    case SimdLevel::sse4: return hwy::DisableTargets(HWY_SSE4 - 1);
    case SimdLevel::avx2: return hwy::DisableTargets(HWY_AVX2 - 1);
    default: return hwy::DisableTargets(0);
  }
#endif
}

}  // namespace atl::array
