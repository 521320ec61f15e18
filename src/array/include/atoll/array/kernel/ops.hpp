// SPDX-License-Identifier: Apache-2.0
// The elementwise operations: one table of code, NumPy name, number of operands, loop dtypes and result dtype.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "atoll/array/dtype.hpp"

namespace atl::array {

// Kinds of loop dtype an operation exists for.
enum DTypeKind : std::uint8_t { kind_b = 1, kind_i = 2, kind_u = 4, kind_f = 8 };

/// What dtype the result has: the loop's, bool, uint8 (bitwise_count), or float64 (unit_interval).
enum class ResultRule : std::uint8_t { same, boolean, byte, real };

// X(name, operands, loop dtypes, result). Codes cross wires: append only.
// Loop dtypes: the dtype of all operands, but `where` (first operand bool), `ldexp` (second int32) and `cast`
// (operand of any dtype; the loop dtype is the result's).
#define ATOLL_ARRAY_OPS(X)            \
  X(cast, 1, BIUF, same)              \
  X(where, 3, BIUF, same)             \
  X(add, 2, BIUF, same)               \
  X(subtract, 2, IUF, same)           \
  X(multiply, 2, BIUF, same)          \
  X(divide, 2, F, same)               \
  X(floor_divide, 2, IUF, same)       \
  X(remainder, 2, IUF, same)          \
  X(fmod, 2, IUF, same)               \
  X(power, 2, IUF, same)              \
  X(negative, 1, IUF, same)           \
  X(positive, 1, BIUF, same)          \
  X(absolute, 1, BIUF, same)          \
  X(sign, 1, IUF, same)               \
  X(rint, 1, F, same)                 \
  X(floor, 1, F, same)                \
  X(ceil, 1, F, same)                 \
  X(trunc, 1, F, same)                \
  X(square, 1, BIUF, same)            \
  X(reciprocal, 1, IUF, same)         \
  X(bitwise_and, 2, BIU, same)        \
  X(bitwise_or, 2, BIU, same)         \
  X(bitwise_xor, 2, BIU, same)        \
  X(invert, 1, BIU, same)             \
  X(left_shift, 2, IU, same)          \
  X(right_shift, 2, IU, same)         \
  X(equal, 2, BIUF, boolean)          \
  X(not_equal, 2, BIUF, boolean)      \
  X(less, 2, BIUF, boolean)           \
  X(less_equal, 2, BIUF, boolean)     \
  X(greater, 2, BIUF, boolean)        \
  X(greater_equal, 2, BIUF, boolean)  \
  X(logical_and, 2, BIUF, boolean)    \
  X(logical_or, 2, BIUF, boolean)     \
  X(logical_xor, 2, BIUF, boolean)    \
  X(logical_not, 1, BIUF, boolean)    \
  X(maximum, 2, BIUF, same)           \
  X(minimum, 2, BIUF, same)           \
  X(fmax, 2, BIUF, same)              \
  X(fmin, 2, BIUF, same)              \
  X(isnan, 1, BIUF, boolean)          \
  X(isinf, 1, BIUF, boolean)          \
  X(isfinite, 1, BIUF, boolean)       \
  X(signbit, 1, BIUF, boolean)        \
  X(sqrt, 1, F, same)                 \
  X(cbrt, 1, F, same)                 \
  X(exp, 1, F, same)                  \
  X(exp2, 1, F, same)                 \
  X(expm1, 1, F, same)                \
  X(log, 1, F, same)                  \
  X(log2, 1, F, same)                 \
  X(log10, 1, F, same)                \
  X(log1p, 1, F, same)                \
  X(sin, 1, F, same)                  \
  X(cos, 1, F, same)                  \
  X(tan, 1, F, same)                  \
  X(arcsin, 1, F, same)               \
  X(arccos, 1, F, same)               \
  X(arctan, 1, F, same)               \
  X(arctan2, 2, F, same)              \
  X(sinh, 1, F, same)                 \
  X(cosh, 1, F, same)                 \
  X(tanh, 1, F, same)                 \
  X(arcsinh, 1, F, same)              \
  X(arccosh, 1, F, same)              \
  X(arctanh, 1, F, same)              \
  X(hypot, 2, F, same)                \
  X(copysign, 2, F, same)             \
  X(nextafter, 2, F, same)            \
  X(deg2rad, 1, F, same)              \
  X(rad2deg, 1, F, same)              \
  X(heaviside, 2, F, same)            \
  X(ldexp, 2, F, same)                \
  X(logaddexp, 2, F, same)            \
  X(logaddexp2, 2, F, same)           \
  X(gcd, 2, IU, same)                 \
  X(lcm, 2, IU, same)                 \
  X(bitwise_count, 1, IU, byte)       \
  /* Random bits to numbers: (bits >> 11) * 2^-53, and the high word of a 128-bit product. Both uint64 loops. */ \
  X(unit_interval, 1, U64, real)      \
  X(multiply_high, 2, U64, same)

enum class Op : std::uint8_t {
#define ATOLL_OP_CODE(name, arity, kinds, result) name,
  ATOLL_ARRAY_OPS(ATOLL_OP_CODE)
#undef ATOLL_OP_CODE
      count_
};
inline constexpr std::size_t op_count = static_cast<std::size_t>(Op::count_);

struct OpInfo {
  Op op;
  std::string_view name;  ///< NumPy's ufunc name; "where" and "cast" as well
  std::uint8_t arity;
  std::uint8_t kinds;     ///< DTypeKind bits the loop may have
  ResultRule result;
};

std::span<const OpInfo> op_table();
const OpInfo& info(Op op);
/// By NumPy's name, aliases included ("true_divide", "mod", "abs", "degrees", …).
std::optional<Op> find_op(std::string_view name);
/// Whether a loop over `type` exists.
bool has_loop(Op op, DType type);
/// The dtype of the result of `op` with loop dtype `type`.
DType result_type(Op op, DType type);

}  // namespace atl::array
