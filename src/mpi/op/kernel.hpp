// SPDX-License-Identifier: Apache-2.0
// Loops that apply the predefined operations to elements of the predefined types.
#pragma once

#include <optional>

#include "atoll/coll/collectives.hpp"
#include "datatype/type.hpp"

namespace atl::mpi::op {

/// Predefined operations, by their number in the ABI.
enum class Code : std::uint16_t {
  sum = 0x21,
  min = 0x22,
  max = 0x23,
  prod = 0x24,
  band = 0x28,
  bor = 0x29,
  bxor = 0x2a,
  land = 0x30,
  lor = 0x31,
  lxor = 0x32,
  minloc = 0x38,
  maxloc = 0x39,
  replace = 0x3c,
  no_op = 0x3d,
};
/// The name of the constant; null for an unknown number.
const char* name_of(Code code);

/// Layout of elements: one per extent, or packed without gaps (the same for most types).
enum class Spacing { extent, packed };

/// The reduction for a predefined type; none where the standard does not allow the operation. Operations and types that
/// coll has use coll's loops; replace gives the right operand, no_op the left one, of any type.
std::optional<coll::Reduction> reduction(Code code, const datatype::Type& type, Spacing spacing);

}  // namespace atl::mpi::op
