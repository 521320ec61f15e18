// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/graph.hpp"

#include <unordered_map>

#include "atoll/base/assertion.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"

namespace atl::array {
namespace {

NodePtr new_node(Node::Kind kind, DType dtype, const Shape& shape) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->dtype = dtype;
  node->shape = shape;
  return node;
}

/// Whether `node` computes something that is worth keeping when it is used twice.
bool computes(const Node& node) { return node.kind == Node::Kind::apply; }

/// The value of a constant after a cast, by the one definition of casts there is: a program run would give the same.
std::uint64_t convert_bits(std::uint64_t bits, DType from, DType to) {
  return dispatch(from, [&](auto source) {
    using From = typename decltype(source)::type;
    const From value = from_bits<From>(bits);
    return dispatch(to, [&](auto target) -> std::uint64_t {
      using To = typename decltype(target)::type;
      if constexpr (std::is_same_v<To, bool>) return to_bits<bool>(value != From{});
      else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        // In range by construction: the front passes integral constants as integers.
        if (!(value > -0x1.0p63f && value < 0x1.0p63f)) return to_bits<To>(static_cast<To>(std::int64_t{1} << 63));
        return to_bits<To>(static_cast<To>(static_cast<std::int64_t>(value)));
      } else return to_bits<To>(static_cast<To>(value));
    });
  });
}

class Lowering {
 public:
  Lowering(const NodePtr& root, StoreRoot store_root) : root_(root) {
    count(root);
    out_.shape = root->shape;
    Register result = visit(root, true);
    // What is stored must be computed by an instruction; a reduction reads a stored array where it lies.
    const bool read_in_place = store_root == StoreRoot::no && result.kind() == Register::Kind::leaf;
    if (result.kind() != Register::Kind::value && !read_in_place)
      result = out_.program.add(Op::positive, root->dtype, result);
    out_.program.results.push_back(result);
    if (store_root == StoreRoot::yes) out_.results.push_back(root);
    for (auto& [node, reg] : shared_) {
      out_.program.results.push_back(reg);
      out_.results.push_back(node);
    }
    bool can_fail = false;  // then the old values must survive
    for (const Instruction& step : out_.program.code)
      can_fail = can_fail || (step.op == Op::power && is_integer(step.type));
    if (store_root == StoreRoot::no || out_.results.size() > 1 || can_fail) out_.into = nullptr;
    for (Node* node : counted_) node->visits = 0;
  }
  Lowered take() { return std::move(out_); }

 private:
  void count(const NodePtr& node) {
    if (node->visits++ > 0) return;
    counted_.push_back(node.get());
    for (int i = 0; i < node->input_count; ++i) count(node->inputs[static_cast<std::size_t>(i)]);
  }

  // `exclusive`: only the evaluated root can reach this node.
  Register visit(const NodePtr& node, bool exclusive) {
    if (auto found = registers_.find(node.get()); found != registers_.end()) return found->second;
    if (node != root_) exclusive = exclusive && node.use_count() == 1;
    Register result;
    switch (node->kind) {
      case Node::Kind::stored: result = leaf(*node, exclusive); break;
      case Node::Kind::constant: result = out_.program.add_constant(node->dtype, node->bits); break;
      case Node::Kind::iota:
        result = out_.program.add_leaf(node->dtype);
        out_.leaves.push_back({nullptr, node->start_bits, node->step_bits});
        break;
      case Node::Kind::broadcast: result = visit(node->inputs[0], exclusive); break;
      case Node::Kind::transposed: throw Error("a transpose was not stored before it was lowered");
      case Node::Kind::apply: {
        std::array<Register, 3> operands;
        for (int i = 0; i < node->input_count; ++i) {
          auto at = static_cast<std::size_t>(i);
          operands[at] = visit(node->inputs[at], exclusive);
        }
        result = node->op == Op::cast
                     ? out_.program.add_cast(node->compute, operands[0])
                     : out_.program.add(node->op, node->compute, operands[0], operands[1], operands[2]);
        const bool held_elsewhere = node.use_count() > static_cast<long>(node->visits);
        if (node != root_ && held_elsewhere && node->shape == root_->shape) shared_.emplace_back(node, result);
        break;
      }
    }
    registers_.emplace(node.get(), result);
    return result;
  }

  Register leaf(const Node& node, bool exclusive) {
    const Storage& storage = node.array->storage;
    if (exclusive && out_.into == nullptr && node.shape == root_->shape && node.dtype == root_->dtype &&
        node.array.use_count() == 1 && storage.owner.use_count() == 1 && !storage.exported)
      out_.into = node.array;
    out_.leaves.push_back({node.array, 0, 0});
    return out_.program.add_leaf(node.dtype);
  }

  const NodePtr& root_;
  Lowered out_;
  std::vector<Node*> counted_;
  std::vector<std::pair<NodePtr, Register>> shared_;
  std::unordered_map<const Node*, Register> registers_;
};

}  // namespace

void Node::store(Array result) {
  array = std::move(result);
  kind = Kind::stored;
  input_count = 0;
  cost = 0;
  for (NodePtr& input : inputs) input.reset();
}

NodePtr make_stored(Array array) {
  NodePtr node = new_node(Node::Kind::stored, array->dtype, array->shape);
  node->array = std::move(array);
  return node;
}

NodePtr make_constant(DType dtype, const Shape& shape, std::uint64_t bits) {
  NodePtr node = new_node(Node::Kind::constant, dtype, shape);
  node->bits = bits;
  return node;
}

NodePtr make_iota(DType dtype, std::int64_t count, std::uint64_t start_bits, std::uint64_t step_bits) {
  NodePtr node = new_node(Node::Kind::iota, dtype, Shape{count});
  node->start_bits = start_bits;
  node->step_bits = step_bits;
  return node;
}

NodePtr make_apply(Op op, DType compute, DType result, std::span<const NodePtr> operands) {
  Shape shape = operands[0]->shape;
  for (std::size_t i = 1; i < operands.size(); ++i) shape = broadcast(shape, operands[i]->shape);
  (void)shape.size();  // too many elements is an error here, not later
  NodePtr node = new_node(Node::Kind::apply, result, shape);
  node->op = op;
  node->compute = compute;
  node->input_count = static_cast<std::uint8_t>(operands.size());
  node->cost = 1;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    node->inputs[i] = operands[i];
    node->cost += operands[i]->cost;
  }
  return node;
}

NodePtr make_cast(const NodePtr& node, DType dtype) {
  if (node->dtype == dtype) return node;
  if (node->kind == Node::Kind::constant)
    return make_constant(dtype, node->shape, convert_bits(node->bits, node->dtype, dtype));
  return make_apply(Op::cast, dtype, dtype, std::span(&node, 1));
}

NodePtr make_broadcast(const NodePtr& node, const Shape& shape) {
  if (node->shape == shape) return node;
  ATOLL_VALIDATE(broadcast(node->shape, shape) == shape, ValueError, "cannot broadcast shape {} to {}",
                 node->shape.to_string(), shape.to_string());
  if (node->kind == Node::Kind::constant) return make_constant(node->dtype, shape, node->bits);
  NodePtr result = new_node(Node::Kind::broadcast, node->dtype, shape);
  result->inputs[0] = node;
  result->input_count = 1;
  result->cost = node->cost + 1;
  return result;
}

NodePtr make_transposed(const NodePtr& node) {
  if (node->kind == Node::Kind::transposed) return node->inputs[0];
  ATOLL_EXPECT(node->stored() && node->shape.ndim() == 2);
  NodePtr result = new_node(Node::Kind::transposed, node->dtype, Shape{node->shape[1], node->shape[0]});
  result->inputs[0] = node;
  result->input_count = 1;
  return result;
}

Lowered lower(const NodePtr& root, StoreRoot store_root) { return Lowering(root, store_root).take(); }

std::vector<NodePtr> prerequisites(const NodePtr& root) {
  std::vector<NodePtr> found;
  auto search = [&](auto& self, const NodePtr& node) -> void {
    const bool smaller =
        node->shape.size() != root->shape.size() && (computes(*node) || node->kind == Node::Kind::iota);
    if (node != root && node->kind == Node::Kind::transposed) {
      found.push_back(node);
      return;
    }
    const bool sequence = node->kind == Node::Kind::iota && !(node->shape == root->shape);
    if (node != root && (smaller || sequence)) {
      found.push_back(node);
      return;
    }
    for (int i = 0; i < node->input_count; ++i) self(self, node->inputs[static_cast<std::size_t>(i)]);
  };
  search(search, root);
  return found;
}

}  // namespace atl::array
