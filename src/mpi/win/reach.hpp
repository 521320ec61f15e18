// SPDX-License-Identifier: Apache-2.0
// Locates the target memory of an RMA operation and how to reach it.
#pragma once

#include <thread>

#include "atoll/runtime/one_sided.hpp"
#include "core/library.hpp"
#include "core/staging.hpp"
#include "win/window.hpp"

namespace atl::mpi::win {

/// Target memory of a rank, located and checked.
struct Spot {
  Target* target;
  int rank;
  std::uint64_t address;     ///< in the target's own address space
  std::byte* pointer;        ///< in this process; null when it is not mapped here
  bool in_segment;           ///< whether it lies in the target's segment
  std::uint64_t begin = 0, end = 0;  ///< of a dynamic window: what is accessed
  bool near() const { return target->pid != 0; }
  HeapOffset offset() const { return HeapOffset(address - target->segment); }
};

/// Whether a rank's addresses from `begin` to `end` lie in its segment.
inline bool lies_in_segment(const Target& target, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t offset = begin - target.segment, bytes = library().one_sided().endpoint().segment_bytes();
  return offset < bytes && end - begin <= bytes - offset;
}

/// Locates displacement `disp` of a rank, for a region that spans bytes `low` to `high` relative to it. Throws Failure
/// when a part of it is outside the window.
inline Spot find_spot(Window& window, Target& target, int rank, MPI_Aint disp, const datatype::Region& region,
                      Count low, Count high) {
  if (window.flavor() != Window::Flavor::dynamic) [[likely]] {
    Count at, begin, end;
    if (__builtin_mul_overflow(disp, target.unit, &at) || __builtin_add_overflow(at, low, &begin) ||
        __builtin_add_overflow(at, high, &end)) [[unlikely]]
      fail(MPI_ERR_RMA_RANGE, "displacement {} of {} bytes each, of a window whose rank {} has {} bytes", disp,
           target.unit, rank, target.size);
    if (begin < 0 || end > target.size) [[unlikely]]
      if (low < high)
        fail(MPI_ERR_RMA_RANGE, "bytes {} to {} of a window whose rank {} has {}", begin, end, rank, target.size);
    return {&target, rank, target.base + static_cast<std::uint64_t>(at),
            target.mapped == nullptr ? nullptr : target.mapped + at, target.in_segment};
  }
  auto address = static_cast<std::uint64_t>(disp);
  const std::uint64_t first = address + static_cast<std::uint64_t>(low),
                      last = address + static_cast<std::uint64_t>(high);
  if (target.here != nullptr && !target.covers(address, region, first, last)) [[unlikely]]
    fail(MPI_ERR_RMA_RANGE, "{} bytes at {:#x}, where rank {} has attached no memory to the window", high - low, first,
         rank);
  const bool in_segment = lies_in_segment(target, first, last);
  std::byte* pointer = nullptr;
  if (window.is_me(rank)) {
    if (!staging::is_on_device(reinterpret_cast<void*>(first))) pointer = reinterpret_cast<std::byte*>(address);
  } else if (in_segment) {  // maps the first byte: with types at absolute addresses the base address itself may be
  // anywhere
    pointer = library().one_sided().peer_pointer(window.comm().pe_of(rank), HeapOffset(first - target.segment));
    if (pointer != nullptr) pointer -= low;
  }
  return {&target, rank, address, pointer, in_segment, first, last};
}

/// Held around accumulates that are not a single atomic instruction, for one rank's part of the window.
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
