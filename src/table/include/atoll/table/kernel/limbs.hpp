// SPDX-License-Identifier: Apache-2.0
// Whole numbers of any width: limbs of 64 bits in two's complement, a column for each limb.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "atoll/array/kernel/work.hpp"

namespace atl::table {

/// Quotients are rounded down and remainders have the divisor's sign, as Python has them; both are 0 where the divisor
/// is. Shifts to the right keep the sign. What is shifted by, and exponents, are not negative.
enum class LimbOperation : std::uint8_t { add, subtract, multiply, divide, remainder, power, shift_left, shift_right };

/// By its name in Python's `operator`; ValueError for others.
LimbOperation to_limb_operation(std::string_view name);

/// Limb j of row i is limbs[j][i], the least significant one first; the last limb has the sign.
using LimbRows = std::span<const std::uint64_t* const>;

/// out = a operation b, row by row, modulo 2 ^ (64 · limbs of out). Each has a limb at least.
void apply_limbs(const array::Work& work, LimbOperation operation, LimbRows a, LimbRows b,
                 std::span<std::uint64_t* const> out, std::size_t count);

}  // namespace atl::table
