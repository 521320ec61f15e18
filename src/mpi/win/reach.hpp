// SPDX-License-Identifier: Apache-2.0
// Where an operation's target lies, and which way leads there.
#pragma once

#include <thread>

#include "core/library.hpp"
#include "win/window.hpp"

namespace atl::mpi::win {

/// Memory of a rank, found and checked.
struct Spot {
  Target* target;
  int rank;
  std::uint64_t address;     ///< in the target's own address space
  std::byte* pointer;        ///< here; null where it is not mapped
  bool in_segment;           ///< of the target
  std::uint64_t begin = 0, end = 0;  ///< of a dynamic window: what is accessed
  bool near() const { return target->pid != 0; }
  HeapOffset offset() const { return HeapOffset(address - target->segment); }
};

/// Displacement `disp` of a rank, for what reaches from `low` to `high` bytes around it. Failure when that is no part of the window.
inline Spot find_spot(Window& window, Target& target, int rank, MPI_Aint disp, Count low, Count high) {
  if (window.flavor() != Window::Flavor::dynamic) [[likely]] {
    Count at = disp * target.unit;
    if (at + low < 0 || at + high > target.size) [[unlikely]]
      if (low < high) fail(MPI_ERR_RMA_RANGE, "bytes {} to {} of a window whose rank {} has {}", at + low, at + high, rank, target.size);
    return {&target, rank, target.base + static_cast<std::uint64_t>(at), target.mapped == nullptr ? nullptr : target.mapped + at,
            target.in_segment};
  }
  auto address = static_cast<std::uint64_t>(disp);
  const std::uint64_t first = address + static_cast<std::uint64_t>(low), last = address + static_cast<std::uint64_t>(high);
  if (target.here != nullptr && !target.attached()->covers(first, last)) [[unlikely]]
    fail(MPI_ERR_RMA_RANGE, "{} bytes at {:#x}, where rank {} has attached no memory to the window", high - low, first, rank);
  std::uint64_t begin = first - target.segment;
  runtime::Context& context = library().context();
  bool in_segment = begin <= context.endpoint().segment_bytes() &&
                    static_cast<std::uint64_t>(high - low) <= context.endpoint().segment_bytes() - begin;
  std::byte* pointer = window.is_me(rank) ? reinterpret_cast<std::byte*>(address)
                       : in_segment       ? context.peer_pointer(window.comm().pe_of(rank), HeapOffset(address - target.segment))
                                          : nullptr;
  return {&target, rank, address, pointer, in_segment, first, last};
}

/// Held around what is no single instruction of the processor, in the window's part of one rank.
class CombineLock {
 public:
  explicit CombineLock(Control& control) : word_(control.combine) {
    // Acquire: sees what the holder before did; partner: the release below.
    while (word_.exchange(1, std::memory_order_acquire) != 0) {
      for (int i = 0; i < 64 && word_.load(std::memory_order_relaxed) != 0; ++i) pause();
      if (word_.load(std::memory_order_relaxed) != 0) std::this_thread::yield();
    }
  }
  ~CombineLock() { word_.store(0, std::memory_order_release); }
  CombineLock(const CombineLock&) = delete;
  CombineLock& operator=(const CombineLock&) = delete;

 private:
  static void pause() { std::atomic_signal_fence(std::memory_order_seq_cst); }
  std::atomic<std::uint64_t>& word_;
};

}  // namespace atl::mpi::win
