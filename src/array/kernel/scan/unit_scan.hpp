// SPDX-License-Identifier: Apache-2.0
// Private to scans: one unit scanned from its carry, in a fixed order of operations.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/array/kernel/scan.hpp"

namespace atl::array {

inline constexpr std::size_t scan_vector_bytes = 64;  ///< what scans itself in log2(lanes) steps

/// out[i] = carry ⊕ (x[0] ⊕ … ⊕ x[i]); `carry` as TreeNode::bits, or has_carry false. out may be x. `stream`: past the
/// cache, for whole vectors and where `out` is a multiple of 64. As many bytes from `next` on are fetched into the
/// second-level cache meanwhile. `lanes` is null, or (sums and products) gets scan_lanes_bytes of which the unit's
/// value is that of a reduction.
using UnitScan = void (*)(void* out, const void* x, std::size_t count, std::uint64_t carry, bool has_carry, bool stream,
                          const void* next, void* lanes);
inline constexpr std::size_t scan_lanes_bytes = 256;
UnitScan find_unit_scan(Scan kind, DType type);

/// The same with exponents apart; `carry` may be null. out may be x.
using ScaledScan = void (*)(void* out, const void* x, std::size_t count, const TreeNode* carry);
/// Null for kinds and types that cannot leave the range.
ScaledScan find_scaled_scan(Scan kind, DType type);

}  // namespace atl::array
