// SPDX-License-Identifier: Apache-2.0
// Runs a Program over local data, tile by tile: temporaries live in the first-level cache, memory is read and
// written once. Results are stored, or reduced on the way, or both.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "atoll/array/kernel/program.hpp"
#include "atoll/array/kernel/tree.hpp"
#include "atoll/array/kernel/work.hpp"

namespace atl::array {

inline constexpr std::size_t max_dims = 8;

/// The local iteration space: `dims` dimensions, row-major, which starts at global element `first`.
struct Domain {
  std::array<std::int64_t, max_dims> shape{};
  int dims = 0;
  std::uint64_t first = 0;  ///< global row-major index of the first local element

  static Domain flat(std::uint64_t count, std::uint64_t first = 0) {
    Domain d;
    d.shape[0] = static_cast<std::int64_t>(count);
    d.dims = 1;
    d.first = first;
    return d;
  }
  std::uint64_t size() const {
    std::uint64_t n = 1;
    for (int i = 0; i < dims; ++i) n *= static_cast<std::uint64_t>(shape[i]);
    return n;
  }
};

/// Where a leaf's elements come from.
struct Leaf {
  enum class Kind : std::uint8_t {
    view,    ///< memory: element at data + sum(index[d] * strides[d])
    iota,    ///< start + step * global index, in the leaf's dtype (float: rounded after each of the two)
    random,  ///< random_bits(key, counter + global index); dtype uint64
  };
  Kind kind = Kind::view;
  const void* data = nullptr;                     ///< element at index 0 of every dimension
  std::array<std::int64_t, max_dims> strides{};   ///< in elements; 0 broadcasts, negative goes backwards
  std::uint64_t start = 0;                        ///< iota: bits of the start. random: the key
  std::uint64_t step = 0;                         ///< iota: bits of the step. random: the counter

  /// Row-major and dense over `domain`.
  static Leaf dense(const void* data, const Domain& domain);
  static Leaf iota(std::uint64_t start_bits, std::uint64_t step_bits) {
    return Leaf{Kind::iota, nullptr, {}, start_bits, step_bits};
  }
  static Leaf random(std::uint64_t key, std::uint64_t counter) { return Leaf{Kind::random, nullptr, {}, key, counter}; }
};

/// What element values brought about; the engine turns it into an exception once all PEs agree.
struct Outcome {
  bool negative_power = false;  ///< an integer to a negative integer power: that element is 0
  Outcome& operator|=(const Outcome& other) {
    negative_power |= other.negative_power;
    return *this;
  }
};

struct Chain;  // private: several instructions that run as one pass

/// A program made ready to run: kernels looked up for this processor, tile registers assigned. Immutable and
/// shareable; making one costs about a microsecond, so keep it when the same program runs again.
class Plan {
 public:
  /// Validates the program.
  explicit Plan(Program program);

  const Program& program() const { return program_; }

  /// Stores result r into outputs[r], dense and row-major over `domain`; nullptr skips it. An output may be exactly
  /// the memory of a dense leaf of the same element size (in place); any other overlap is undefined.
  /// Multi-threaded above some ten thousand elements; the bits do not depend on that.
  Outcome evaluate(Work& work, const Domain& domain, std::span<const Leaf> leaves,
                   std::span<void* const> outputs) const;

  /// Reduces results[0] over the local elements into `fold` (pushed at its end), and also stores every result that
  /// has a non-null output. `grid` fixes the tree; domain.first must be a granule's border, and `total` is the
  /// number of elements on all PEs. Elements of argmin and argmax are numbered by the global index.
  Outcome reduce(Work& work, const Domain& domain, std::span<const Leaf> leaves, std::span<void* const> outputs,
                 Reduction kind, const UnitGrid& grid, std::uint64_t total, TreeFold& fold) const;

 private:
  friend class TileRunner;
  using Kernel = void (*)(void* out, const void* a, const void* b, const void* c, std::size_t n, Outcome& outcome);
  // Operands and result are places in a table of pointers: leaves, then constants, then tile registers.
  struct Step {
    Kernel kernel;  // or a chain
    std::uint16_t a, b, c, out;
    std::int16_t result;  // >= 0: only result `result` reads this, so it may be written straight to its output
    std::shared_ptr<const Chain> chain;
  };
  Program program_;
  std::vector<Step> steps_;
  std::vector<std::uint16_t> result_places_;
  std::vector<char> direct_;  // per result: its Step says so
  std::uint16_t slots_ = 0;    // tile registers for instruction results
  std::uint8_t max_size_ = 1;  // of any element
};

}  // namespace atl::array
