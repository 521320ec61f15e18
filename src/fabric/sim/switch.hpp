// SPDX-License-Identifier: Apache-2.0
// Switching stacks in a few instructions. (swapcontext() makes a system call for the signal mask each time.)
#pragma once

#include <cstddef>

namespace atl::fabric::sim {

/// Saves the callee-saved registers on this stack, stores the stack position in `from`, and continues at position `to`.
extern "C" void atoll_switch_stacks(void** from, void* to) noexcept;

/// Prepares a new stack and returns its position for atoll_switch_stacks(). It starts with `enter(argument)`, which
/// must not return.
void* begin_stack(std::byte* stack, std::size_t bytes, void (*enter)(void*), void* argument) noexcept;

}  // namespace atl::fabric::sim
