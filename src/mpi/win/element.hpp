// SPDX-License-Identifier: Apache-2.0
// Atomic operations on elements in memory that other ranks change at the same time.
#pragma once

#include <cstddef>

#include "op/kernel.hpp"

namespace atl::mpi::win {

/// target[i] = target[i] op origin[i] for i below count, each atomically. The old value goes to fetched[i] unless
/// `fetched` is null. `origin` may be null for no_op.
using Atomic = void (*)(std::byte* target, const std::byte* origin, std::byte* fetched, std::size_t count,
                        const coll::Reduction* reduction);

/// An implementation by the processor's atomic instructions, which is atomic also against OpenSHMEM's atomics. Null
/// when the processor has none for this size: then a lock is needed. Targets must be aligned to their size.
Atomic atomic_of(op::Code code, const datatype::Predefined& element);

/// The same under a lock that the caller holds.
void combine_locked(op::Code code, const coll::Reduction& reduction, std::byte* target, const std::byte* origin,
                    std::byte* fetched, std::size_t count);

/// Atomically sets the target to `value` if it equals `compare`; `result` gets the old value. `bytes` is 1, 2, 4 or 8,
/// and the target is aligned to it.
void compare_and_swap(std::byte* target, const void* compare, const void* value, void* result, std::size_t bytes);

}  // namespace atl::mpi::win
