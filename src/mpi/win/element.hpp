// SPDX-License-Identifier: Apache-2.0
// Operations on single elements of memory that others change at the same time.
#pragma once

#include <cstddef>

#include "op/kernel.hpp"

namespace atl::mpi::win {

/// target[i] = target[i] op origin[i] for i below count, each atomically; what was there before goes to fetched[i],
/// unless that is null. `origin` may be null for no_op.
using Atomic = void (*)(std::byte* target, const std::byte* origin, std::byte* fetched, std::size_t count,
                        const coll::Reduction* reduction);

/// Null: the processor has none for elements of that size, and a lock is needed. By the processor's own atomics, so
/// that they also are atomic against OpenSHMEM's. Targets must be aligned to their size.
Atomic atomic_of(op::Code code, const datatype::Predefined& element);

/// The same under a lock that the caller holds. `extent` bytes an element.
void combine_locked(op::Code code, const coll::Reduction& reduction, std::byte* target, const std::byte* origin,
                    std::byte* fetched, std::size_t count);

/// Sets it to `value` if it is `compare`; `result` gets what it was. Atomically: elements of 1, 2, 4 and 8 bytes,
/// aligned to their size.
void compare_and_swap(std::byte* target, const void* compare, const void* value, void* result, std::size_t bytes);

}  // namespace atl::mpi::win
