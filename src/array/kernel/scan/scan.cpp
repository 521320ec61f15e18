// SPDX-License-Identifier: Apache-2.0
// The scan of a flat array in one pass over memory.
//
// Threads take blocks in turn. A block is read once into the second-level cache to get its units' values; then its
// thread waits for the nodes of all blocks before it, adds its own, lets the next one go, and scans the block from the
// cache. This is Merrill and Garland's single-pass scan (2016) with the look-back replaced by a ticket: a wait is at
// most the time that the thread before needs for the first half of its work.
#include "atoll/array/kernel/scan.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/kernel/program.hpp"
#include "atoll/base/assertion.hpp"
#include "atoll/base/clock.hpp"
#include "atoll/base/topology.hpp"
#include "kernel/ops/kernels.hpp"
#include "kernel/reduce/combine.hpp"
#include "kernel/reduce/range_watch.hpp"
#include "kernel/reduce/unit.hpp"
#include "kernel/scan/unit_scan.hpp"

namespace atl::array {
namespace {

// Of one block: half of the smallest second-level caches, and the block's output goes past the cache.
constexpr std::size_t block_bytes = 256 * KiB;

/// The nodes of everything before a place, with the left-to-right combination of those below each of them, so that
/// one more unit costs one or two operations and not one for every node.
template <class T, template <class> class F>
class CarryStack {
 public:
  CarryStack() = default;
  /// Copies only what is there: once per block.
  CarryStack(const CarryStack& other) { *this = other; }
  CarryStack& operator=(const CarryStack& other) {
    count_ = other.count_;
    std::copy_n(other.nodes_, count_, nodes_);
    std::copy_n(other.sums_, count_, sums_);
    return *this;
  }
  void push(TreeNode node) {
    while (count_ > 0) {
      const TreeNode& left = nodes_[count_ - 1];
      if (left.level != node.level || (left.index & 1) != 0 || left.index + 1 != node.index) break;
      TreeNode merged = left;
      combine_values<T, F<T>>(merged, node);
      merged.index >>= 1;
      ++merged.level;
      node = merged;
      --count_;
    }
    TreeNode sum = node;
    if (count_ > 0) {
      sum = sums_[count_ - 1];
      combine_values<T, F<T>>(sum, node);
    }
    nodes_[count_] = node;
    sums_[count_++] = sum;
  }
  void pad_to(std::uint64_t end) {
    while (count_ > 0) {
      const std::uint64_t at = (nodes_[count_ - 1].index + 1) << nodes_[count_ - 1].level;
      if (at >= end) return;
      const unsigned level =
          std::min(static_cast<unsigned>(std::countr_zero(at)), static_cast<unsigned>(std::bit_width(end - at)) - 1);
      push(TreeNode{at >> level, 0, 0, level, 1});
    }
  }
  bool empty() const { return count_ == 0 || sums_[count_ - 1].empty != 0; }
  const TreeNode& sum() const { return sums_[count_ - 1]; }
  std::span<const TreeNode> nodes() const { return {nodes_, count_}; }

 private:
  // Levels fall from left to right within one granule's past, but for lists that begin in the middle: two per level.
  TreeNode nodes_[128];
  TreeNode sums_[128];
  std::size_t count_ = 0;
};

template <class T, template <class> class F>
void run_scan(Work& work, Scan kind, DType type, const T* in, T* out, std::uint64_t count, std::uint64_t first,
              std::uint64_t total, const UnitGrid& grid, std::span<const TreeNode> before) {
  const UnitReduction value_of(reduction_of(kind), type);
  const ScaledScan scan_scaled = find_scaled_scan(kind, type);
  const UnitScan scan_unit = find_unit_scan(kind, type);
  const std::uint64_t unit_begin = grid.units_before(first), unit_end = grid.units_before(first + count);
  const std::uint64_t units = unit_end - unit_begin;
  const std::uint64_t block_units = std::max<std::uint64_t>(1, block_bytes / (grid.unit() * sizeof(T)));
  const std::uint64_t blocks = (units + block_units - 1) / block_units;
  const bool stream = count * sizeof(T) > std::max<std::uint64_t>(topology().l2_bytes, 256 * KiB);

  using Stack = CarryStack<T, F>;
  Stack shared;
  for (const TreeNode& node : before) shared.push(node);
  std::atomic<std::uint64_t> next{0};  // block to take
  std::atomic<std::uint64_t> turn{0};  // block that may use `shared` (release when passed on, acquire by the next)

  auto goes_past = [&](const T* to, std::size_t n) {
    return stream && n * sizeof(T) % 64 == 0 && reinterpret_cast<std::uintptr_t>(to) % 64 == 0;
  };

  // A thread alone reads a unit once: its value is wanted for the next one only. False, and `shared` as it was, where
  // that left the range.
  const bool alone = (blocks <= 1 || work.threads.size() == 1) && grid.unit() == UnitGrid::max_unit &&
                     (kind == Scan::cumsum || kind == Scan::cumprod);
  auto scan_once = [&](std::uint64_t begin, std::uint64_t end) {
    constexpr std::size_t ahead = 32 * KiB / sizeof(T);
    alignas(64) T lanes[scan_lanes_bytes / sizeof(T)];
    const Stack before_block = shared;
    const RangeWatch watch;
    for (std::uint64_t u = begin; u < end; ++u) {
      const UnitGrid::Unit unit = grid.at(u, total);
      const std::uint64_t at = unit.begin - first;
      const std::size_t n = unit.end - unit.begin;
      const TreeNode* const sum = shared.empty() ? nullptr : &shared.sum();
      scan_unit(out + at, in + at, n, sum == nullptr ? 0 : sum->bits, sum != nullptr, goes_past(out + at, n),
                in + at + ahead, lanes);
      TreeNode node;
      node.index = unit.tree_index;
      node.bits = value_of.plain().one(lanes, scan_lanes_bytes / sizeof(T));
      shared.push(node);
      if (unit.end % grid.granule() == 0) shared.pad_to(grid.tree_end(unit));
    }
    if (scan_scaled == nullptr || !watch.left()) return true;
    shared = before_block;
    if (stream) stream_fence();  // the same places are written again
    return false;
  };

  Polling polling(work);
  auto run_blocks = [&](unsigned thread) {
    Pace pace(polling, thread);
    const std::size_t block_elements = block_units * grid.unit();
    std::vector<TreeNode> nodes(block_units);
    // The block after the one at hand is taken already, so that it is fetched while this one is scanned: memory is read
    // and written at the same time.
    std::uint64_t block = next.fetch_add(1, std::memory_order_relaxed), following;
    for (; block < blocks; block = following) {
      following = next.fetch_add(1, std::memory_order_relaxed);
      const std::uint64_t begin = unit_begin + block * block_units, end = std::min(begin + block_units, unit_end);
      if (alone && (scan_scaled == nullptr || shared.empty() || shared.sum().position == 0) && scan_once(begin, end)) {
        pace.done(block_elements);
        continue;
      }
      auto take_values = [&](auto&& value) {
        const RangeWatch watch;
        for (std::uint64_t u = begin; u < end; ++u) {
          const UnitGrid::Unit unit = grid.at(u, total);
          TreeNode& node = nodes[u - begin];
          node = TreeNode{};
          node.index = unit.tree_index;
          value(in + (unit.begin - first), unit.end - unit.begin, node);
        }
        return scan_scaled == nullptr || !watch.left();
      };
      if (!take_values([&](const T* x, std::size_t n, TreeNode& node) { node.bits = value_of.plain().one(x, n); }))
          [[unlikely]]
        take_values([&](const T* x, std::size_t n, TreeNode& node) { value_of.one(x, n, node); });
      for (unsigned spins = 0; turn.load(std::memory_order_acquire) != block; ++spins) {
        if (spins < 4096) {
          cpu_relax();
        } else {
          std::this_thread::yield();
          polling.poll(thread);  // the thread whose turn it is may have failed
        }
      }
      const Stack carry = shared;
      for (std::uint64_t u = begin; u < end; ++u) {
        const UnitGrid::Unit unit = grid.at(u, total);
        shared.push(nodes[u - begin]);
        if (unit.end % grid.granule() == 0) shared.pad_to(grid.tree_end(unit));
      }
      turn.store(block + 1, std::memory_order_release);
      const T* const fetched =
          following < blocks ? in + (grid.at(unit_begin + following * block_units, total).begin - first) : nullptr;
      const std::uint64_t block_begin = grid.at(begin, total).begin;
      // Plain, until a carry or a result leaves the range; then with exponents apart.
      auto scan_block = [&](Stack before_unit, bool plain) {
        const RangeWatch watch;
        for (std::uint64_t u = begin; u < end; ++u) {
          const UnitGrid::Unit unit = grid.at(u, total);
          const std::uint64_t at = unit.begin - first;
          const std::size_t n = unit.end - unit.begin;
          const TreeNode* const sum = before_unit.empty() ? nullptr : &before_unit.sum();
          if (!plain) {
            scan_scaled(out + at, in + at, n, sum);
          } else if (scan_scaled != nullptr && sum != nullptr && sum->position != 0) {
            return false;
          } else {
            scan_unit(out + at, in + at, n, sum == nullptr ? 0 : sum->bits, sum != nullptr, goes_past(out + at, n),
                      fetched == nullptr ? in + at : fetched + (unit.begin - block_begin), nullptr);
          }
          before_unit.push(nodes[u - begin]);
          if (unit.end % grid.granule() == 0) before_unit.pad_to(grid.tree_end(unit));
        }
        return scan_scaled == nullptr || !watch.left();
      };
      if (!scan_block(carry, true)) [[unlikely]] {
        if (stream) stream_fence();  // the same places are written again
        scan_block(carry, false);
      }
      pace.done(block_elements);
    }
    if (stream) stream_fence();
  };
  if (blocks <= 1) run_blocks(0);
  else polling.on_each(run_blocks);
}

}  // namespace

Reduction reduction_of(Scan kind) {
  switch (kind) {
    case Scan::cumsum: return Reduction::sum;
    case Scan::cumprod: return Reduction::prod;
    case Scan::cummax: return Reduction::max;
    case Scan::cummin: break;
  }
  return Reduction::min;
}

void scan(Work& work, Scan kind, DType type, const void* in, void* out, std::uint64_t count, std::uint64_t first,
          std::uint64_t total, const UnitGrid& grid, std::span<const TreeNode> before) {
  if (count == 0) return;  // wherever it lies: PEs that have no elements of a short array
  ATOLL_EXPECT(grid.is_border(first) && (grid.is_border(first + count) || first + count == total));
  dispatch(type, [&](auto t) {
    using Stored = typename decltype(t)::type;
    using T = std::conditional_t<std::is_same_v<Stored, bool>, std::uint8_t, Stored>;
    const T* x = static_cast<const T*>(in);
    T* y = static_cast<T*>(out);
    switch (kind) {
      case Scan::cumsum: return run_scan<T, Sum>(work, kind, type, x, y, count, first, total, grid, before);
      case Scan::cumprod: return run_scan<T, Product>(work, kind, type, x, y, count, first, total, grid, before);
      case Scan::cummax: return run_scan<T, Max>(work, kind, type, x, y, count, first, total, grid, before);
      case Scan::cummin: return run_scan<T, Min>(work, kind, type, x, y, count, first, total, grid, before);
    }
  });
}

}  // namespace atl::array
