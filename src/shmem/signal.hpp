// SPDX-License-Identifier: Apache-2.0
// Signals: words whose values announce the arrival of data.
#pragma once

#include "atomic.hpp"
#include "library.hpp"
#include "rma.hpp"

namespace atl::shmem {

void put_signal_by_offset(Call call, shmem_ctx_t ctx, void* dest, const void* source, std::size_t count,
                          std::size_t size, std::uint64_t* signal_address, std::uint64_t signal, int operation, int pe,
                          Completion completion = Completion::on_return);

inline void put_signal(Call call, shmem_ctx_t ctx, void* dest, const void* source, std::size_t count, std::size_t size,
                       std::uint64_t* signal_address, std::uint64_t signal, int operation, int pe) {
  SHMEMX_PUT_SIGNAL_(size, ctx, dest, source, count, signal_address, signal, operation, pe)
  put_signal_by_offset(call, ctx, dest, source, count, size, signal_address, signal, operation, pe);
}

inline void put_signal_nbi(Call call, shmem_ctx_t ctx, void* dest, const void* source, std::size_t count,
                           std::size_t size, std::uint64_t* signal_address, std::uint64_t signal, int operation,
                           int pe) {
  SHMEMX_PUT_SIGNAL_(size, ctx, dest, source, count, signal_address, signal, operation, pe)
  put_signal_by_offset(call, ctx, dest, source, count, size, signal_address, signal, operation, pe,
                       Completion::at_quiet);
}

inline void signal_add(Call call, shmem_ctx_t ctx, std::uint64_t* address, std::uint64_t signal, int pe) {
  atomic_add(call, ctx, address, signal, pe);
}

inline void signal_set(Call call, shmem_ctx_t ctx, std::uint64_t* address, std::uint64_t signal, int pe) {
  atomic_set(call, ctx, address, signal, pe);
}

inline std::uint64_t signal_fetch(Call call, const std::uint64_t* address) {
  check_own(call, "sig_addr", address, sizeof(*address));
  return __atomic_load_n(address, __ATOMIC_ACQUIRE);  // partner: the release of the signalling PE
}

}  // namespace atl::shmem
