// SPDX-License-Identifier: Apache-2.0
// Private to the kernels: how a loop over one tile is called, and where each family of them is looked up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "atoll/array/kernel/ops.hpp"
#include "atoll/array/kernel/plan.hpp"

namespace atl::array {

/// out[i] = op(a[i], b[i], c[i]) for i < n. n is a multiple of 64, so that every loop is whole vectors only and an
/// element has the same bits wherever it lies. out may be exactly one of the operands of the same element size.
using ElementKernel = void (*)(void* out, const void* a, const void* b, const void* c, std::size_t n, Outcome& outcome);
inline constexpr std::size_t kernel_multiple = 64;

/// Operations that are compiled together: a row each, and the loop of a row for a dtype (nullptr: there is none). The
/// processor's best SIMD level is chosen inside.
struct Family {
  std::span<const OpInfo> rows;
  ElementKernel (*find)(unsigned row, DType type);
};
enum class OpFamily : std::uint8_t { arithmetic, compare, select, bits, round, division, transcendental, cast };
extern const Family arithmetic_ops, compare_ops, select_ops, bits_ops, round_ops, division_ops, transcendental_ops,
    cast_ops;

/// Of any operation but `cast`; nullptr when it has no loop for the dtype.
ElementKernel find_kernel(Op op, DType type);
ElementKernel find_cast(DType to, DType from);
/// The loop of `power` for floats, which the family of division asks that of transcendentals for.
ElementKernel find_float_power(DType type);

// Loop dtypes, for the rows.
inline constexpr std::uint8_t BIUF = kind_b | kind_i | kind_u | kind_f, IUF = kind_i | kind_u | kind_f,
                              BIU = kind_b | kind_i | kind_u, IU = kind_i | kind_u, F = kind_f, U64 = kind_u64;
template <class T>
constexpr bool loops_over(std::uint8_t kinds) {
  if constexpr (std::is_same_v<T, bool>) return kinds & kind_b;
  else if constexpr (std::is_floating_point_v<T>) return kinds & kind_f;
  else if constexpr (std::is_signed_v<T>) return kinds & kind_i;
  else return (kinds & kind_u) || (std::is_same_v<T, std::uint64_t> && (kinds & kind_u64));
}

/// dst and bytes are multiples of 64: stores that do not read the line into the cache first.
void stream_copy(void* dst, const void* src, std::size_t bytes);
/// Orders the calling thread's streaming stores before what it signals next.
void stream_fence();

}  // namespace atl::array
