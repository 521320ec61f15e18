// SPDX-License-Identifier: Apache-2.0
// Private to scans: one unit scanned from its carry, in a fixed order of operations.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/array/kernel/scan.hpp"

namespace atl::array {

/// out[i] = carry ⊕ (x[0] ⊕ … ⊕ x[i]); `carry` as TreeNode::bits, or has_carry false. out may be x.
using UnitScan = void (*)(void* out, const void* x, std::size_t count, std::uint64_t carry, bool has_carry);
UnitScan find_unit_scan(Scan kind, DType type);

}  // namespace atl::array
