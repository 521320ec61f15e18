// SPDX-License-Identifier: Apache-2.0
// The SIMD levels that kernels are compiled for. Include it before any header of Highway.
//
// x86-64: SSE4 is the baseline, AVX2 and AVX-512 are chosen at run time; fewer levels keep compile times down.
// Use, in a .cpp:
//   #include "atoll/array/kernel/simd.hpp"
//   #undef HWY_TARGET_INCLUDE
//   #define HWY_TARGET_INCLUDE "kernel/select/compress.cpp"   // relative to src/array
//   #include <hwy/foreach_target.h>
//   #include <hwy/highway.h>
#pragma once

#define HWY_WANT_SSE4 1
