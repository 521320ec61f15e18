// SPDX-License-Identifier: Apache-2.0
// Which of the compiled SIMD levels the kernels of this process use.
#pragma once

#include "atoll/base/topology.hpp"

namespace atl::array {

/// Kernels use no better level from now on; a processor other than x86 has only one. Of the whole process, as a
/// processor is: call it while no kernel runs. Engines do so with simd_level(), once.
void limit_kernels(SimdLevel level);

}  // namespace atl::array
