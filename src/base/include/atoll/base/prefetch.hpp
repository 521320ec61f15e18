// SPDX-License-Identifier: Apache-2.0
// Hints to fetch a cache line before it is needed.
#pragma once

namespace atl {

/// To be read soon.
inline void prefetch_for_read(const void* address) { __builtin_prefetch(address, 0); }

/// To be written soon: taken from other cores at once.
inline void prefetch_for_write(const void* address) {
#if defined(__x86_64__)
  // The compiler turns its own builtin into a fetch for reading, as the baseline does not promise this instruction;
  // processors without it take it as a no-op.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1);
#endif
}

}  // namespace atl
