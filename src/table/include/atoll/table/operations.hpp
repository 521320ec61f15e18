// SPDX-License-Identifier: Apache-2.0
// The operations of this layer, numbered behind those of arrays.
#pragma once

#include "atoll/array/operations.hpp"
#include "atoll/table/ops/group.hpp"
#include "atoll/table/ops/join.hpp"

namespace atl::table {

using Operations = array::Operations::Extended<&group_by, &key_bits, &join_rows>;

}  // namespace atl::table
