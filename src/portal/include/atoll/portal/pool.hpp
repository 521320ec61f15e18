// SPDX-License-Identifier: Apache-2.0
// Objects that are known by numbers: looked up without a lock, at addresses that stay, and a number that has been given
// back is noticed when it is used once more.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "atoll/base/spin_lock.hpp"

namespace atl::runtime {

/// A number is an index (index_bits) and above it how often its place has been given back (generation_bits).
template <class T>
class Pool {
 public:
  static constexpr unsigned index_bits = 20, generation_bits = 7;
  static constexpr std::uint32_t most = std::uint32_t{1} << index_bits;
  static constexpr std::uint32_t nothing = UINT32_MAX;

  explicit Pool(std::size_t limit = most) : limit_(limit < most ? limit : most) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    for (auto& block : blocks_) delete[] block.load(std::memory_order_relaxed);
  }

  /// A place, with whatever its last owner left in it. `nothing`: all are taken.
  std::uint32_t take() {
    SpinGuard guard(lock_);
    std::uint32_t index;
    if (!free_.empty()) {
      index = free_.back();
      free_.pop_back();
    } else {
      if (touched_ >= limit_) return nothing;
      index = touched_;
      auto& block = blocks_[block_of(index)];
      if (block.load(std::memory_order_relaxed) == nullptr)
        block.store(new Place[first_block << block_of(index)], std::memory_order_release);  // partner: place()
      ++touched_;
    }
    Place& here = place(index);
    std::uint32_t state = here.state.load(std::memory_order_relaxed) | taken;
    here.state.store(state, std::memory_order_release);  // partner: find()
    used_.store(used_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return index | (state & generation_mask) << index_bits;
  }
  void give_back(std::uint32_t number) {
    SpinGuard guard(lock_);
    Place& here = place(number & index_mask);
    here.state.store((here.state.load(std::memory_order_relaxed) + 1) & generation_mask, std::memory_order_release);
    free_.push_back(number & index_mask);
    used_.store(used_.load(std::memory_order_relaxed) - 1, std::memory_order_release);  // partner: used()
  }
  /// Null: no such number, or not any more.
  T* find(std::uint32_t number) const {
    std::uint32_t index = number & index_mask;
    Place* block = blocks_[block_of(index)].load(std::memory_order_acquire);  // partner: take()
    if (block == nullptr) return nullptr;
    Place& here = block[index - first_of(block_of(index))];
    std::uint32_t state = here.state.load(std::memory_order_acquire);  // partner: take()
    if (state != (taken | (number >> index_bits))) return nullptr;
    return &here.object;
  }
  /// Of a number that is known to be taken.
  T& operator[](std::uint32_t number) const { return place(number & index_mask).object; }
  std::size_t used() const { return used_.load(std::memory_order_acquire); }
  /// Visits every object in use; no thread may take or give back objects meanwhile.
  template <class Visit>
  void visit(Visit&& visit) const {
    for (std::uint32_t index = 0; index < touched_; ++index) {
      std::uint32_t state = place(index).state.load(std::memory_order_relaxed);
      if ((state & taken) != 0) visit(index | (state & generation_mask) << index_bits, place(index).object);
    }
  }

 private:
  static constexpr std::uint32_t index_mask = most - 1;
  static constexpr std::uint32_t generation_mask = (std::uint32_t{1} << generation_bits) - 1;
  static constexpr std::uint32_t taken = std::uint32_t{1} << generation_bits;
  static constexpr std::size_t first_block = 64;

  struct Place {
    std::atomic<std::uint32_t> state{0};
    T object{};
  };
  // Blocks of 64, 128, 256, …
  static unsigned block_of(std::uint32_t index) {
    return static_cast<unsigned>(std::bit_width(index / first_block + 1)) - 1;
  }
  static std::uint32_t first_of(unsigned block) {
    return static_cast<std::uint32_t>(first_block * ((std::size_t{1} << block) - 1));
  }
  Place& place(std::uint32_t index) const {
    unsigned block = block_of(index);
    return blocks_[block].load(std::memory_order_acquire)[index - first_of(block)];
  }

  SpinLock lock_;
  std::size_t limit_;
  std::uint32_t touched_ = 0;
  std::atomic<std::size_t> used_{0};
  std::vector<std::uint32_t> free_;
  std::array<std::atomic<Place*>, 16> blocks_{};
};

}  // namespace atl::runtime
