// SPDX-License-Identifier: Apache-2.0
// Accumulating into memory of this process or mapped here: element by element, atomically.
#pragma once

#include "op/kernel.hpp"
#include "win/element.hpp"
#include "win/window.hpp"

namespace atl::mpi::win {

/// An accumulate operation on elements of one predefined type.
struct Combine {
  op::Code code;
  const datatype::Type* element;
  coll::Reduction reduction;  ///< on packed elements
  Atomic atomic;              ///< null: a lock is needed
};
/// Throws Failure when the operation does not exist for this type.
Combine make_combine(op::Code code, const datatype::Type& element);

/// The only predefined type in a datatype; null when it contains several.
const datatype::Type* element_of(const datatype::Type& type);

/// region = region op origin at `base`. The old values go to `fetched` unless it is null. `origin` and `fetched` are
/// packed; `origin` may be null for no_op. `control` is that of the rank that owns the memory; `in_segment` as in
/// Target.
void combine(const Combine& how, Control& control, bool in_segment, std::byte* base, const datatype::Region& region,
             const std::byte* origin, std::byte* fetched);

/// Sets the `bytes` at `base` to `value` if they equal `compare`; `result` gets the old value. `control`, `in_segment`
/// as above.
void compare_and_swap(Control& control, bool in_segment, std::byte* base, const void* compare, const void* value,
                      void* result, std::size_t bytes);

}  // namespace atl::mpi::win
