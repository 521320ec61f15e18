// SPDX-License-Identifier: Apache-2.0
// Lazy expressions: a graph of nodes that remembers what to compute until a value is needed. Building a node checks
// shapes at once, so that a mistake is reported at the line that made it; it touches no element and sends nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "atoll/array/array.hpp"
#include "atoll/array/kernel/program.hpp"
#include "atoll/array/ops/elementwise.hpp"

namespace atl::array {

struct Node;
using NodePtr = std::shared_ptr<Node>;

/// A value of some dtype and shape. Stored once evaluated; immutable but for that.
struct Node {
  enum class Kind : std::uint8_t {
    stored,    ///< `array` holds it
    constant,  ///< every element is `bits`
    iota,      ///< element i is start + i * step, in row-major order
    apply,     ///< op over inputs, computed in `compute`
    broadcast,  ///< the only input, repeated to `shape`
    transposed  ///< the only input, a stored matrix, with its axes exchanged
  };

  Kind kind = Kind::stored;
  DType dtype{};
  DType compute{};
  Op op{};
  std::uint8_t input_count = 0;
  /// Operations in the tree below: bounds the length of a program and the depth of recursion.
  std::uint32_t cost = 0;
  Shape shape;
  std::array<NodePtr, 3> inputs;
  std::uint64_t bits = 0;
  std::uint64_t start_bits = 0;  ///< iota: of the node's dtype
  std::uint64_t step_bits = 0;
  Array array;
  /// Set by lowering, to count references from inside the graph that is being evaluated.
  std::uint32_t visits = 0;

  bool stored() const { return kind == Kind::stored; }
  /// Becomes a stored node and lets its inputs go.
  void store(Array result);
};

/// A chain longer than this is evaluated before it grows: registers, recursion and lost work stay bounded.
inline constexpr std::uint32_t max_cost = 48;

NodePtr make_stored(Array array);
NodePtr make_constant(DType dtype, const Shape& shape, std::uint64_t bits);
NodePtr make_iota(DType dtype, std::int64_t count, std::uint64_t start_bits, std::uint64_t step_bits);
/// Operands must have the op's operand dtypes already (see `cast`). The result broadcasts them.
NodePtr make_apply(Op op, DType compute, DType result, std::span<const NodePtr> operands);
/// The node itself when it has that dtype; constants are converted at once.
NodePtr make_cast(const NodePtr& node, DType dtype);
/// The transpose of a stored matrix. The matrix itself when that is a transpose that has not been computed.
NodePtr make_transposed(const NodePtr& node);
NodePtr make_broadcast(const NodePtr& node, const Shape& shape);

/// A graph as the engine executes it.
struct Lowered {
  Program program;
  std::vector<LeafSource> leaves;  ///< one per program leaf
  Shape shape;                   ///< of the iteration
  std::vector<NodePtr>
      results;  ///< nodes that the program stores, in the order of its results; the root first when stored
  Array into;                    ///< storage of a dying leaf that the root may overwrite, or null
};

/// Flattens the graph under `root` (not stored). Nodes inside it that somebody else holds too become results of the
/// same pass, so that a chain used twice is computed once. `store_root`: the root's own value is wanted in memory.
enum class StoreRoot { no, yes };
Lowered lower(const NodePtr& root, StoreRoot store_root);

/// Nodes under `root` that must be stored before it can be lowered: computed operands of a smaller shape, which a fused
/// pass would compute once per row.
std::vector<NodePtr> prerequisites(const NodePtr& root);

}  // namespace atl::array
