// SPDX-License-Identifier: Apache-2.0
// A fused elementwise expression: a flat, serialisable list of instructions over leaves and constants.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "atoll/array/kernel/ops.hpp"

namespace atl::array {

/// Names one operand: a leaf, a constant, or the result of an earlier instruction.
class Register {
 public:
  enum class Kind : std::uint8_t { leaf, constant, value, none };
  static constexpr std::size_t limit = 1u << 14;  // of each kind in one program

  constexpr Register() = default;
  constexpr Register(Kind kind, std::size_t index)
      : code_(static_cast<std::uint16_t>(static_cast<unsigned>(kind) << 14 | index)) {}
  constexpr Kind kind() const { return static_cast<Kind>(code_ >> 14); }
  constexpr std::size_t index() const { return code_ & (limit - 1); }
  friend constexpr bool operator==(Register, Register) = default;

 private:
  std::uint16_t code_ = 0xFFFF;  // none
};

struct Constant {
  DType type{};
  std::uint64_t bits = 0;  ///< the value's bytes, zero-extended
};

/// Bit pattern of a value, as constants and reduction results carry it.
template <class T>
std::uint64_t to_bits(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Operand registers beyond the operation's arity are `none`. Instruction k defines Register(value, k).
struct Instruction {
  Op op{};
  DType type{};  ///< the loop's; of `cast`, the result's
  Register a, b, c;
};
static_assert(sizeof(Instruction) == 8);

/// Built bottom-up; adding an equal constant or instruction again returns the old register (common subexpressions
/// are computed once). Operands must have the loop's dtype: insert casts.
struct Program {
  std::vector<DType> leaves;
  std::vector<Constant> constants;
  std::vector<Instruction> code;
  std::vector<Register> results;

  Register add_leaf(DType type);
  Register add_constant(DType type, std::uint64_t bits);
  template <class T>
  Register add_constant(T value) {
    return add_constant(dtype_of<T>, to_bits(value));
  }
  /// Throws TypeError when no such loop exists or an operand has another dtype.
  Register add(Op op, DType loop, Register a, Register b = {}, Register c = {});
  /// `a` itself when it has the dtype already.
  Register add_cast(DType to, Register a);

  DType type_of(Register r) const;
  /// Throws TypeError or ValueError unless every register is defined before use and dtypes agree.
  void validate() const;

  std::vector<std::byte> to_bytes() const;
  static Program from_bytes(std::span<const std::byte> bytes);
};

}  // namespace atl::array
