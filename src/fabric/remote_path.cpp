// SPDX-License-Identifier: Apache-2.0
#include "atoll/fabric/remote_path.hpp"

#include <atomic>

namespace atl::fabric {
namespace {

template <class T>
T apply(AtomicOp op, std::byte* at, T operand, T expected) {
  std::atomic_ref<T> word(*reinterpret_cast<T*>(at));
  // Acquire-release, as in Endpoint: partners are each other, and the acquire loads of waits.
  switch (op) {
    case AtomicOp::fetch: return word.load(std::memory_order_acquire);
    case AtomicOp::set: word.store(operand, std::memory_order_release); return 0;
    case AtomicOp::add: return word.fetch_add(operand, std::memory_order_acq_rel);
    case AtomicOp::bit_and: return word.fetch_and(operand, std::memory_order_acq_rel);
    case AtomicOp::bit_or: return word.fetch_or(operand, std::memory_order_acq_rel);
    case AtomicOp::bit_xor: return word.fetch_xor(operand, std::memory_order_acq_rel);
    case AtomicOp::swap: return word.exchange(operand, std::memory_order_acq_rel);
    case AtomicOp::compare_swap:
      word.compare_exchange_strong(expected, operand, std::memory_order_acq_rel, std::memory_order_acquire);
      return expected;
  }
  return 0;
}

}  // namespace

std::uint64_t apply_atomic(AtomicOp op, unsigned width, std::byte* word, std::uint64_t operand,
                           std::uint64_t expected) {
  if (width == 8) return apply<std::uint64_t>(op, word, operand, expected);
  return apply<std::uint32_t>(op, word, static_cast<std::uint32_t>(operand), static_cast<std::uint32_t>(expected));
}

}  // namespace atl::fabric
