// SPDX-License-Identifier: Apache-2.0
// Unused buffers as a stack, so that the buffer used last, which is still in the cache, is used next.
#pragma once

#include <atomic>
#include <cstddef>
#include <new>

namespace atl::fabric::ofi {

/// Any thread may give back. Takers exclude one another, so that the element that a taker reads cannot be taken
/// meanwhile.
class Spares {
 public:
  /// A buffer, or null when there is none.
  std::byte* take() {
    // Acquire: the link, and what the last user did with it. Partner: give_back().
    Link* top = top_.load(std::memory_order_acquire);
    while (top != nullptr && !top_.compare_exchange_weak(top, top->next, std::memory_order_acquire)) {}
    return reinterpret_cast<std::byte*>(top);
  }
  void give_back(std::byte* buffer) {
    auto* link = new (buffer) Link{top_.load(std::memory_order_relaxed)};
    // Release: partner: take().
    while (!top_.compare_exchange_weak(link->next, link, std::memory_order_release, std::memory_order_relaxed)) {}
  }

 private:
  struct Link {
    Link* next;
  };
  std::atomic<Link*> top_{nullptr};
};

}  // namespace atl::fabric::ofi
