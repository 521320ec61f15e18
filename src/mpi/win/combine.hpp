// SPDX-License-Identifier: Apache-2.0
// Accumulating into memory of this process or mapped here: element by element, atomically.
#pragma once

#include "op/kernel.hpp"
#include "win/element.hpp"
#include "win/window.hpp"

namespace atl::mpi::win {

/// An operation on elements of one predefined type.
struct Combine {
  op::Code code;
  const datatype::Type* element;
  coll::Reduction reduction;  ///< on packed elements
  Atomic atomic;              ///< null: a lock is needed
};
/// Failure when there is none.
Combine make_combine(op::Code code, const datatype::Type& element);

/// The predefined type of which a datatype is made alone; null when there are several.
const datatype::Type* element_of(const datatype::Type& type);

/// `region` at `base` = itself op `origin`; what it was goes to `fetched`, unless that is null. These are packed;
/// `origin` may be null for no_op. `control`: of the rank whose memory it is; `in_segment` as in Target.
void combine(const Combine& how, Control& control, bool in_segment, std::byte* base, const datatype::Region& region,
             const std::byte* origin, std::byte* fetched);

/// Sets the `bytes` at `base` to `value` if they are `compare`; `result` gets what they were. `control`, `in_segment`:
/// as above.
void compare_and_swap(Control& control, bool in_segment, std::byte* base, const void* compare, const void* value,
                      void* result, std::size_t bytes);

}  // namespace atl::mpi::win
