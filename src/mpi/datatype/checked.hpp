// SPDX-License-Identifier: Apache-2.0
// Checked sums and products of counts and displacements: OverflowError when they exceed 64 bits.
#pragma once

#include "atoll/base/validate.hpp"
#include "datatype/node.hpp"

namespace atl::mpi::datatype {

inline Count checked_add(Count a, Count b) {
  Count sum;
  ATOLL_VALIDATE(!__builtin_add_overflow(a, b, &sum), OverflowError, "a datatype reaches further than 2^63 bytes");
  return sum;
}

inline Count checked_multiply(Count a, Count b) {
  Count product;
  ATOLL_VALIDATE(!__builtin_mul_overflow(a, b, &product), OverflowError, "a datatype reaches further than 2^63 bytes");
  return product;
}

}  // namespace atl::mpi::datatype
