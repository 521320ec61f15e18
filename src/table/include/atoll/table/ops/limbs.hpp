// SPDX-License-Identifier: Apache-2.0
// Columns of whole numbers of any width.
#pragma once

#include <string>
#include <vector>

#include "atoll/array/engine.hpp"

namespace atl::table {

/// a operation b, row by row, in `limbs` limbs: arrays of uint64, of one length, the least significant limb first
/// (kernel/limbs.hpp).
std::vector<array::Array> limb_apply(array::Engine& engine, std::string operation, std::vector<array::Array> a,
                                     std::vector<array::Array> b, std::int64_t limbs);

}  // namespace atl::table
