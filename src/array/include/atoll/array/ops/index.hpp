// SPDX-License-Identifier: Apache-2.0
// Indexing by integer arrays along axis 0.
#pragma once

#include "atoll/array/engine.hpp"

namespace atl::array {

/// array[indices]: int64 of any shape, negative from the end. IndexError in NumPy's words.
Array take(Engine& engine, Array array, Array indices);

enum class AssignMode : std::uint8_t { set, add };
/// array[indices] = value, the last of repeated indices winning, or += with every repetition counted, in index order.
/// `value` has the shape of what `take` would give, or of one row. In place; unchanged when an index is out of range.
void assign_index(Engine& engine, Array array, Array indices, Array value, AssignMode mode);

}  // namespace atl::array
