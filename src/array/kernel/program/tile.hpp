// SPDX-License-Identifier: Apache-2.0
// Private to plans: one thread's tile registers, and how leaves get into them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "atoll/array/kernel/plan.hpp"
#include "kernel/ops/kernels.hpp"
#include "kernel/program/chain.hpp"

namespace atl::array {

/// Bytes that a tile uses of a register: the leaves' lines and the temporaries of a long expression together stay in a
/// first-level cache of 48 KiB. Fetching the next tile's lines by software beforehand cost more than it saved
/// (29 against 26 ms for six leaves of 10^7 doubles on two threads): the hardware follows the leaves by itself.
inline constexpr std::size_t tile_bytes = 4096;
/// Between registers: room for a reduction's unit of the widest dtype, and an offset, so that equal places do not fall
/// on equal cache sets.
inline constexpr std::size_t slot_stride = UnitGrid::max_unit * 8 + 256;

/// Reads `count` elements of a strided view from flat local index `begin` on.
class StridedReader {
 public:
  StridedReader() = default;
  /// Merges dimensions that lie behind one another in memory.
  StridedReader(const Domain& domain, const Leaf& leaf, std::size_t element_size);

  bool dense() const { return dims_ == 0 || (dims_ == 1 && strides_[0] == 1); }
  bool scalar() const { return scalar_; }
  void read(void* out, std::uint64_t begin, std::size_t count) const;

 private:
  template <class T>
  void read_as(T* out, std::uint64_t begin, std::size_t count) const;

  const std::byte* data_ = nullptr;
  std::int64_t shape_[max_dims] = {};
  std::int64_t strides_[max_dims] = {};
  int dims_ = 0;
  std::size_t size_ = 1;
  bool scalar_ = false;
};

/// Runs a plan tile by tile on the calling thread.
class TileRunner {
 public:
  TileRunner(const Plan& plan, const Domain& domain, std::span<const Leaf> leaves, std::size_t max_count);

  enum class Store {
    direct,    ///< the last kernel may write to the output itself
    copied,    ///< outputs are written after all kernels of the tile have read their operands
    streamed,  ///< the same, past the cache where alignment allows
    streamed_direct,  ///< past the cache, by the kernel that computes them where it can
  };
  /// Computes local elements [begin, begin + count), count at most tile_elements() or UnitGrid::max_unit, the
  /// greater; any when reads_memory_only() and the only result is written directly. Result r is written to outputs[r]
  /// (the place of element `begin`; nullptr skips; no outputs at all skips every one). Returns where result 0 lies.
  const void* run(std::uint64_t begin, std::size_t count, std::span<void* const> outputs, Store store);

  /// Result 0 of [begin, begin + count), count as for run(): where it lies in memory, or computed.
  const void* read(std::uint64_t begin, std::size_t count) {
    return is_plain() ? run_all(begin, count, nullptr) : run(begin, count, {}, Store::copied);
  }
  /// Result 0 of [begin, begin + count) for any count: in memory where it is a dense leaf, else computed into `scratch`
  /// (which then has room for `count` elements).
  const void* run_all(std::uint64_t begin, std::size_t count, void* scratch);
  /// Whether result 0 is a dense leaf, which needs no scratch.
  bool is_plain() const;

  /// Whether the plan is one chain over dense leaves, scalars and constants.
  bool reads_memory_only() const;
  /// Where reads_memory_only(): the sums of local elements [begin, begin + count), lane by lane, chain_sums_bytes for
  /// each `unit` elements. The rest of a unit's sum is that of its lanes.
  void sum_lanes(std::uint64_t begin, std::size_t count, std::size_t unit, void* sums);
  /// Elements per tile that fit for this plan.
  std::size_t tile_elements() const { return tile_elements_; }
  Outcome outcome;

 private:
  struct Source {
    enum class Kind : std::uint8_t { dense, scalar, strided, iota, random } kind;
    DType type;
    std::uint8_t size;
    const std::byte* data;
    StridedReader reader;
    std::uint64_t start, step;
  };
  ChainRun chain_run(const Chain& chain, std::size_t count) const;
  void load(std::size_t leaf, std::uint64_t begin, std::size_t count, std::size_t padded);

  const Plan& plan_;
  std::uint64_t first_, total_;
  std::size_t tile_elements_;
  std::byte* arena_;
  std::vector<Source> sources_;
  std::vector<void*> registers_;  // leaves, constants, slots
  std::vector<char> written_;  // per result: a kernel wrote this tile of it to its output
};

}  // namespace atl::array
