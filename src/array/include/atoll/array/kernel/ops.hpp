// SPDX-License-Identifier: Apache-2.0
// The elementwise operations: code, NumPy name, number of operands, loop dtypes and result dtype of each.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "atoll/array/dtype.hpp"

namespace atl::array {

// Kinds of loop dtype an operation exists for.
enum DTypeKind : std::uint8_t { kind_b = 1, kind_i = 2, kind_u = 4, kind_f = 8, kind_u64 = 16 };

/// What dtype the result has: the loop's, bool, uint8 (bitwise_count), or float64 (unit_interval).
enum class ResultRule : std::uint8_t { same, boolean, byte, real };

/// An operation's code: its family times this, plus its row in the family's table. Codes cross wires.
inline constexpr unsigned op_family_size = 32;

/// Operations are defined by rows of the families, src/array/kernel/ops/<family>.cpp; those that C++ code calls by name
/// stand here too, in the order of their rows.
/// Loop dtypes: the dtype of all operands, but `where` (first operand bool), `ldexp` (second int32) and `cast`
/// (operand of any dtype; the loop dtype is the result's).
enum class Op : std::uint8_t {
  add = 0 * op_family_size,
  subtract,
  multiply,
  divide,
  negative,
  positive,
  absolute,
  sign,
  square,
  reciprocal,  // arithmetic
  equal = 1 * op_family_size,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  logical_and,
  logical_or,
  logical_xor,
  logical_not,
  isnan,
  isinf,
  isfinite,
  signbit,  // compare
  where = 2 * op_family_size,
  maximum,
  minimum,
  fmax,
  fmin,  // select
  bitwise_and = 3 * op_family_size,
  bitwise_or,
  bitwise_xor,
  invert,
  left_shift,
  right_shift,
  bitwise_count,
  unit_interval,
  multiply_high,  // bits
  rint = 4 * op_family_size,
  floor,
  ceil,
  trunc,
  sqrt,
  deg2rad,
  rad2deg,
  copysign,
  nextafter,
  heaviside,
  ldexp,  // round
  floor_divide = 5 * op_family_size,
  remainder,
  fmod,
  power,
  gcd,
  lcm,  // division
  cbrt = 6 * op_family_size,
  exp,
  exp2,
  expm1,
  log,
  log2,
  log10,
  log1p,
  sin,
  cos,
  tan,
  arcsin,
  arccos,
  arctan,
  sinh,
  cosh,
  tanh,
  arcsinh,
  arccosh,
  arctanh,
  arctan2,
  hypot,
  logaddexp,
  logaddexp2,  // transcendental
  cast = 7 * op_family_size,  // cast
};

struct OpInfo {
  Op op;
  std::string_view name;  ///< NumPy's ufunc name; "where" and "cast" as well
  std::uint8_t arity;
  std::uint8_t kinds;  ///< DTypeKind bits the loop may have
  ResultRule result;
};

/// All of them, by ascending code; codes have gaps.
std::span<const OpInfo> op_table();
/// ValueError for a code that no operation has.
const OpInfo& info(Op op);
std::optional<Op> find_op(std::string_view name);
/// Whether a loop over `type` exists.
bool has_loop(Op op, DType type);
/// The dtype of the result of `op` with loop dtype `type`.
DType result_type(Op op, DType type);

}  // namespace atl::array
