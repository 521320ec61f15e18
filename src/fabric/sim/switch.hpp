// SPDX-License-Identifier: Apache-2.0
// From one stack to another, in a few instructions. (swapcontext() asks the kernel each time for the signals that are
// blocked.)
#pragma once

#include <cstddef>

namespace atl::fabric::sim {

/// Leaves what calls preserve on this stack, notes in `from` where, and goes on where `to` was noted, or begun.
extern "C" void atoll_switch_stacks(void** from, void* to) noexcept;

/// A place for atoll_switch_stacks(), at the end of a new stack, where `enter(argument)` begins; it must not return.
void* begin_stack(std::byte* stack, std::size_t bytes, void (*enter)(void*), void* argument) noexcept;

}  // namespace atl::fabric::sim
