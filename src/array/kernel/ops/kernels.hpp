// SPDX-License-Identifier: Apache-2.0
// Private to the kernels: how a loop over one tile is called, and where each family of them is looked up.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/array/kernel/plan.hpp"

namespace atl::array {

/// out[i] = op(a[i], b[i], c[i]) for i < n. n is a multiple of 64, so that every loop is whole vectors only and an
/// element has the same bits wherever it lies. out may be exactly one of the operands of the same element size.
using ElementKernel = void (*)(void* out, const void* a, const void* b, const void* c, std::size_t n,
                               Outcome& outcome);
inline constexpr std::size_t kernel_multiple = 64;

// Each returns nullptr when the family has no such loop. The processor's best SIMD level is chosen inside.
ElementKernel find_arithmetic(Op op, DType type);
ElementKernel find_division(Op op, DType type);
ElementKernel find_bits(Op op, DType type);
ElementKernel find_compare(Op op, DType type);
ElementKernel find_select(Op op, DType type);
ElementKernel find_round(Op op, DType type);
ElementKernel find_transcendental(Op op, DType type);
ElementKernel find_cast(DType to, DType from);

/// dst and bytes are multiples of 64: stores that do not read the line into the cache first.
void stream_copy(void* dst, const void* src, std::size_t bytes);
/// Orders the calling thread's streaming stores before what it signals next.
void stream_fence();

}  // namespace atl::array
