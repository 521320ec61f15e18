// SPDX-License-Identifier: Apache-2.0
// Private to plans: a tree of add, subtract, multiply and divide that runs as one pass over its operands. Temporaries
// stay in vector registers, every operand is fetched ahead, and the result may go past the cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "atoll/array/kernel/program.hpp"

namespace atl::array {

/// Registers are banks of a few vectors each; three of them are enough for any tree of up to eleven operands, and for
/// longer ones that lean to a side.
inline constexpr unsigned chain_banks = 3;
inline constexpr std::size_t chain_max_operands = 16;

/// How one step gets its operands, for destination bank k. Memory operands are x and y.
enum class ChainForm : std::uint8_t {
  memory_memory,  ///< k = x op y
  bank_memory,    ///< k = k op x
  memory_bank,    ///< k = x op k
  bank_next,      ///< k = k op (k + 1)
  next_bank,      ///< k = (k + 1) op k
  bank_bank,      ///< k = k op k
};
inline constexpr unsigned chain_forms = 6;
enum class ChainOp : std::uint8_t { add, subtract, multiply, divide };

/// Two operations in one step, bank 0: a decoded step takes as long as three vector operations.
enum class ChainPair : std::uint8_t {
  pair_memory,  ///< 0 = (x first y) second z
  memory_pair,  ///< 0 = z second (x first y)
  bank_pair,    ///< 0 = 0 second (x first y)
  pair_bank,    ///< 0 = (x first y) second 0
  bank_twice,   ///< 0 = (0 first x) second y
};

struct ChainStep {
  std::uint16_t code;    ///< see chain_code and chain_pair_code
  std::uint8_t x, y, z;  ///< numbers of memory operands
};
constexpr std::uint16_t chain_code(ChainOp op, ChainForm form, unsigned bank) {
  return static_cast<std::uint16_t>((bank * chain_forms + static_cast<unsigned>(form)) * 4 + static_cast<unsigned>(op));
}
inline constexpr unsigned chain_codes = chain_banks * chain_forms * 4;
constexpr std::uint16_t chain_pair_code(ChainOp first, ChainOp second, ChainPair form) {
  return static_cast<std::uint16_t>(chain_codes + static_cast<unsigned>(form) * 16 + static_cast<unsigned>(first) * 4 +
                                    static_cast<unsigned>(second));
}

/// Where the operands of one run lie.
inline constexpr std::size_t chain_sums_bytes = 256;
struct ChainRun {
  void* out;
  std::array<const void*, chain_max_operands> operands;
  std::array<std::size_t, chain_max_operands> masks;  ///< 0: every element is the same, of which a block lies there
  std::size_t operand_count;
  std::size_t count;  ///< elements, a multiple of kernel_multiple
  bool stream;        ///< past the cache: out is a multiple of 64
  /// Not null: nothing is written to `out`; element i of each `unit` elements is added to lane i % (chain_sums_bytes /
  /// size) of the unit's chain_sums_bytes here, which is the order of a reduction's unit.
  void* sums = nullptr;
  std::size_t unit = 0;  ///< a multiple of kernel_multiple
};
using ChainKernel = void (*)(const ChainStep* steps, std::size_t step_count, const ChainRun& run);
/// nullptr when there is none for this dtype.
ChainKernel find_chain_kernel(DType type);

struct Chain {
  ChainKernel kernel = nullptr;
  std::vector<ChainStep> steps;
  std::vector<Register> operands;
  std::vector<std::uint16_t> places;  ///< of the operands, in the plan's table
};

/// Which instructions of a program become parts of which chains.
class ChainBuilder {
 public:
  explicit ChainBuilder(const Program& program);

  /// Whether another instruction's chain computes this one.
  bool is_inner(std::size_t instruction) const { return nodes_[instruction].inner; }
  /// Whether it is the root of a chain (maybe of itself alone).
  bool is_root(std::size_t instruction) const { return nodes_[instruction].fusable && !nodes_[instruction].inner; }
  /// The chain of a root; places are yet to be filled in.
  Chain build(std::size_t root) const;

 private:
  struct Node {
    bool fusable = false;
    bool inner = false;
    std::uint8_t banks = 0;  // needed to compute it
    std::uint8_t operands = 0;  // memory operands below it
  };
  bool is_inner(Register r) const { return r.kind() == Register::Kind::value && nodes_[r.index()].inner; }
  void emit(Chain& chain, std::size_t instruction, unsigned bank) const;

  const Program& program_;
  std::vector<Node> nodes_;
};

}  // namespace atl::array
