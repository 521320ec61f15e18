// SPDX-License-Identifier: Apache-2.0
// Reduction loops for every type and operation, which the compiler vectorises for each SIMD
// level.
#pragma once

#include <array>

#include "atoll/base/topology.hpp"
#include "atoll/coll/collectives.hpp"

namespace atl::coll::detail {

/// [type][operation]; null where there is none.
using CombineTable = std::array<std::array<Functor::Combine, op_count>, type_count>;
/// The processor must have that level.
const CombineTable& combine_table(SimdLevel level);
/// Of simd_level().
const CombineTable& combine_table();

}  // namespace atl::coll::detail
