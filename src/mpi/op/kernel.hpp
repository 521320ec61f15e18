// SPDX-License-Identifier: Apache-2.0
// How elements of the predefined types are combined by the predefined operations.
#pragma once

#include <optional>

#include "atoll/coll/collectives.hpp"
#include "datatype/type.hpp"

namespace atl::mpi::op {

/// As numbered in the ABI.
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
/// The constant's name; null for a number that is none.
const char* name_of(Code code);

/// How elements lie: one per extent, or without gaps (both alike for most).
enum class Spacing { extent, packed };

/// For a predefined type. Nothing where the standard has no such operation. Operations and types of coll
/// are combined there; replace gives the right operand, no_op the left one, of any type.
std::optional<coll::Reduction> reduction(Code code, const datatype::Type& type, Spacing spacing);

}  // namespace atl::mpi::op
