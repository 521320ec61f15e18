// SPDX-License-Identifier: Apache-2.0
// Finds chains in a program: trees whose inner values have one reader, evaluated with as few banks as possible
// (Sethi and Ullman: the side that needs more goes first).
#include "kernel/program/chain.hpp"

#include <algorithm>

namespace atl::array {
namespace {

bool in_family(Op op, DType type) {
  if (type == DType::b1 || size_of(type) < 4) return false;
  switch (op) {
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::square: return true;
    case Op::divide: return type == DType::f32 || type == DType::f64;
    default: return false;
  }
}

ChainOp chain_op(Op op) {
  switch (op) {
    case Op::add: return ChainOp::add;
    case Op::subtract: return ChainOp::subtract;
    case Op::divide: return ChainOp::divide;
    default: return ChainOp::multiply;
  }
}

/// The two steps as one, or false when there is no such form.
bool join(const ChainStep& a, const ChainStep& b, ChainStep& joined) {
  struct Parts {
    ChainOp op;
    ChainForm form;
    unsigned bank;
  };
  auto parts = [](const ChainStep& step) {
    const unsigned form = step.code / 4;
    return Parts{static_cast<ChainOp>(step.code % 4), static_cast<ChainForm>(form % chain_forms), form / chain_forms};
  };
  const Parts p = parts(a), q = parts(b);
  if (q.bank != 0) return false;
  auto make = [&](ChainPair form, std::uint8_t x, std::uint8_t y, std::uint8_t z = 0) {
    joined = ChainStep{chain_pair_code(p.op, q.op, form), x, y, z};
    return true;
  };
  if (p.form == ChainForm::memory_memory && p.bank == 0) {
    if (q.form == ChainForm::bank_memory) return make(ChainPair::pair_memory, a.x, a.y, b.x);
    if (q.form == ChainForm::memory_bank) return make(ChainPair::memory_pair, a.x, a.y, b.x);
  }
  if (p.form == ChainForm::memory_memory && p.bank == 1) {
    if (q.form == ChainForm::bank_next) return make(ChainPair::bank_pair, a.x, a.y);
    if (q.form == ChainForm::next_bank) return make(ChainPair::pair_bank, a.x, a.y);
  }
  if (p.form == ChainForm::bank_memory && p.bank == 0 && q.form == ChainForm::bank_memory) {
    return make(ChainPair::bank_twice, a.x, b.x);
  }
  return false;
}

void join_neighbours(std::vector<ChainStep>& steps) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    ChainStep joined{};
    if (i + 1 < steps.size() && join(steps[i], steps[i + 1], joined)) {
      ++i;
      steps[kept++] = joined;
    } else {
      steps[kept++] = steps[i];
    }
  }
  steps.resize(kept);
}

}  // namespace

ChainBuilder::ChainBuilder(const Program& program) : program_(program), nodes_(program.code.size()) {
  std::vector<std::uint32_t> uses(program.code.size(), 0);
  auto count_use = [&](Register r) {
    if (r.kind() == Register::Kind::value) ++uses[r.index()];
  };
  for (const Instruction& code : program.code) {
    count_use(code.a);
    count_use(code.b);
    count_use(code.c);
  }
  for (Register r : program.results) count_use(r);

  for (std::size_t i = 0; i < program.code.size(); ++i) {
    const Instruction& code = program.code[i];
    Node& node = nodes_[i];
    node.fusable = in_family(code.op, code.type);
    if (!node.fusable) continue;
    // A child joins when this is its only reader and works on the same dtype.
    auto child = [&](Register r) -> Node* {
      if (r.kind() != Register::Kind::value) return nullptr;
      Node& c = nodes_[r.index()];
      return c.fusable && uses[r.index()] == 1 && program.code[r.index()].type == code.type ? &c : nullptr;
    };
    Node* left = child(code.a);
    if (code.op == Op::square) {
      node.banks = left != nullptr ? left->banks : 1;
      node.operands = left != nullptr ? left->operands : 1;
    } else {
      Node* right = child(code.b);
      auto banks = [&] {
        if (left != nullptr && right != nullptr) {
          return left->banks == right->banks ? left->banks + 1 : std::max(left->banks, right->banks);
        }
        return left != nullptr ? int{left->banks} : right != nullptr ? int{right->banks} : 1;
      };
      auto operands = [&] { return (left != nullptr ? left->operands : 1) + (right != nullptr ? right->operands : 1); };
      while (banks() > static_cast<int>(chain_banks) || operands() > static_cast<int>(chain_max_operands)) {
        Node*& dropped = left == nullptr || (right != nullptr && right->operands > left->operands) ? right : left;
        dropped = nullptr;
      }
      node.banks = static_cast<std::uint8_t>(banks());
      node.operands = static_cast<std::uint8_t>(operands());
      if (right != nullptr) right->inner = true;
    }
    if (left != nullptr) left->inner = true;
  }
}

Chain ChainBuilder::build(std::size_t root) const {
  Chain chain;
  chain.kernel = find_chain_kernel(program_.code[root].type);
  chain.operands.reserve(nodes_[root].operands);
  emit(chain, root, 0);
  join_neighbours(chain.steps);
  return chain;
}

void ChainBuilder::emit(Chain& chain, std::size_t instruction, unsigned bank) const {
  const Instruction& code = program_.code[instruction];
  const ChainOp op = chain_op(code.op);
  auto number_of = [&](Register r) {
    const auto found = std::find(chain.operands.begin(), chain.operands.end(), r);
    const auto number = static_cast<std::uint8_t>(found - chain.operands.begin());
    if (found == chain.operands.end()) chain.operands.push_back(r);
    return number;
  };
  auto step = [&](ChainForm form, std::uint8_t x = 0, std::uint8_t y = 0) {
    chain.steps.push_back(ChainStep{chain_code(op, form, bank), x, y, 0});
  };
  if (code.op == Op::square) {
    if (!is_inner(code.a)) {
      const std::uint8_t x = number_of(code.a);
      step(ChainForm::memory_memory, x, x);
    } else {
      emit(chain, code.a.index(), bank);
      step(ChainForm::bank_bank);
    }
    return;
  }
  const bool left = is_inner(code.a), right = is_inner(code.b);
  if (!left && !right) {
    const std::uint8_t x = number_of(code.a);
    step(ChainForm::memory_memory, x, number_of(code.b));
  } else if (!right) {
    emit(chain, code.a.index(), bank);
    step(ChainForm::bank_memory, number_of(code.b));
  } else if (!left) {
    emit(chain, code.b.index(), bank);
    step(ChainForm::memory_bank, number_of(code.a));
  } else if (nodes_[code.a.index()].banks >= nodes_[code.b.index()].banks) {
    emit(chain, code.a.index(), bank);
    emit(chain, code.b.index(), bank + 1);
    step(ChainForm::bank_next);
  } else {
    emit(chain, code.b.index(), bank);
    emit(chain, code.a.index(), bank + 1);
    step(ChainForm::next_bank);
  }
}

}  // namespace atl::array
