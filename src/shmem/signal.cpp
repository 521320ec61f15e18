// SPDX-License-Identifier: Apache-2.0
#include "signal.hpp"

#include "atoll/runtime/one_sided.hpp"

namespace atl::shmem {

void put_signal_by_offset(Call call, shmem_ctx_t ctx, void* dest, const void* source, std::size_t count,
                          std::size_t size, std::uint64_t* signal_address, std::uint64_t signal, int operation, int pe,
                          Completion completion) {
  if (operation != SHMEM_SIGNAL_SET && operation != SHMEM_SIGNAL_ADD)
    fail(call, "argument 'sig_op': {} is neither SHMEM_SIGNAL_SET nor SHMEM_SIGNAL_ADD", operation);
  auto how = operation == SHMEM_SIGNAL_SET ? fabric::AtomicOp::set : fabric::AtomicOp::add;
  Target word = atomic_target(call, ctx, "sig_addr", signal_address, pe);
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) fail(call, "argument 'nelems': {} elements are too many", count);
  if (bytes == 0) return word.one_sided.put_signal(word.pe, word.at, source, 0, word.at, signal, how);
  Target to = resolve(call, ctx, "dest", dest, bytes, pe);
  check_overlap(call, to, bytes, source, bytes);
  fabric::Queueing* path = completion == Completion::at_quiet ? queueing_path_to(to) : nullptr;
  if (path != nullptr) path->queue_put_signal(to.pe, to.at, source, bytes, word.at, signal, how);
  else to.one_sided.put_signal(to.pe, to.at, source, bytes, word.at, signal, how);
}

}  // namespace atl::shmem
