// SPDX-License-Identifier: Apache-2.0
// Building, checking and shipping a program.
//
// Wire form, little-endian: u16 leaves, u16 constants, u16 instructions, u16 results; then u8 per leaf; {u8 dtype,
// u64 bits} per constant; {u8 op, u8 dtype, u16 a, u16 b, u16 c} per instruction; u16 per result.
#include "atoll/array/kernel/program.hpp"

#include "atoll/base/validate.hpp"

namespace atl::array {
namespace {

/// The dtype operand number `operand` of `op` must have.
DType operand_type(Op op, DType loop, int operand) {
  if (op == Op::where && operand == 0) return DType::b1;
  if (op == Op::ldexp && operand == 1) return DType::i32;
  return loop;
}

void check(const Program& program, const Instruction& step, std::size_t defined) {
  const OpInfo& op = info(step.op);
  ATOLL_VALIDATE(static_cast<std::size_t>(step.type) < dtype_count && has_loop(step.op, step.type), TypeError,
                 "'{}' has no loop for {}", op.name,
                 static_cast<std::size_t>(step.type) < dtype_count ? name_of(step.type) : "an unknown dtype");
  const Register operands[3] = {step.a, step.b, step.c};
  for (int i = 0; i < 3; ++i) {
    const Register r = operands[i];
    if (i >= op.arity) {
      ATOLL_VALIDATE(r.kind() == Register::Kind::none, ValueError, "'{}' takes {} operands", op.name, op.arity);
      continue;
    }
    ATOLL_VALIDATE(r.kind() != Register::Kind::none, ValueError, "'{}' takes {} operands", op.name, op.arity);
    ATOLL_VALIDATE(r.kind() != Register::Kind::value || r.index() < defined, ValueError,
                   "operand {} of '{}' is used before it is defined", i, op.name);
    const DType type = program.type_of(r);
    if (step.op == Op::cast) continue;
    const DType wanted = operand_type(step.op, step.type, i);
    ATOLL_VALIDATE(type == wanted, TypeError, "operand {} of '{}' is {}, not {}. Insert a cast?", i, op.name,
                   name_of(type), name_of(wanted));
  }
}

template <class T>
void put(std::vector<std::byte>& out, T value) {
  const std::byte* bytes = reinterpret_cast<const std::byte*>(&value);
  out.insert(out.end(), bytes, bytes + sizeof value);
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class T>
  T get() {
    ATOLL_VALIDATE(bytes_.size() >= sizeof(T), ValueError, "program is cut off");
    T value;
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_ = bytes_.subspan(sizeof value);
    return value;
  }
  Register get_register() {
    const auto code = get<std::uint16_t>();
    return Register(static_cast<Register::Kind>(code >> 14), code & (Register::limit - 1));
  }

 private:
  std::span<const std::byte> bytes_;
};

std::uint16_t code_of(Register r) {
  return static_cast<std::uint16_t>(static_cast<unsigned>(r.kind()) << 14 | r.index());
}

}  // namespace

Register Program::add_leaf(DType type) {
  ATOLL_VALIDATE(leaves.size() < Register::limit, ValueError, "more than {} leaves in one expression", Register::limit);
  leaves.push_back(type);
  return Register(Register::Kind::leaf, leaves.size() - 1);
}

Register Program::add_constant(DType type, std::uint64_t bits) {
  for (std::size_t i = 0; i < constants.size(); ++i) {
    if (constants[i].type == type && constants[i].bits == bits) return Register(Register::Kind::constant, i);
  }
  ATOLL_VALIDATE(constants.size() < Register::limit, ValueError, "more than {} constants in one expression",
                 Register::limit);
  constants.push_back(Constant{type, bits});
  return Register(Register::Kind::constant, constants.size() - 1);
}

Register Program::add(Op op, DType loop, Register a, Register b, Register c) {
  const Instruction step{op, loop, a, b, c};
  check(*this, step, code.size());
  for (std::size_t i = 0; i < code.size(); ++i) {
    const Instruction& old = code[i];
    if (old.op == op && old.type == loop && old.a == a && old.b == b && old.c == c) {
      return Register(Register::Kind::value, i);
    }
  }
  ATOLL_VALIDATE(code.size() < Register::limit, ValueError, "more than {} operations in one expression",
                 Register::limit);
  code.push_back(step);
  return Register(Register::Kind::value, code.size() - 1);
}

Register Program::add_cast(DType to, Register a) { return type_of(a) == to ? a : add(Op::cast, to, a); }

DType Program::type_of(Register r) const {
  switch (r.kind()) {
    case Register::Kind::leaf:
      ATOLL_VALIDATE(r.index() < leaves.size(), ValueError, "no leaf {}", r.index());
      return leaves[r.index()];
    case Register::Kind::constant:
      ATOLL_VALIDATE(r.index() < constants.size(), ValueError, "no constant {}", r.index());
      return constants[r.index()].type;
    case Register::Kind::value: {
      ATOLL_VALIDATE(r.index() < code.size(), ValueError, "no instruction {}", r.index());
      const Instruction& step = code[r.index()];
      return result_type(step.op, step.type);
    }
    case Register::Kind::none: break;
  }
  raise<ValueError>("an operand is missing");
}

void Program::validate() const {
  for (DType type : leaves) {
    ATOLL_VALIDATE(static_cast<std::size_t>(type) < dtype_count, TypeError, "leaf of unknown dtype");
  }
  for (const Constant& constant : constants) {
    ATOLL_VALIDATE(static_cast<std::size_t>(constant.type) < dtype_count, TypeError, "constant of unknown dtype");
  }
  for (std::size_t i = 0; i < code.size(); ++i) check(*this, code[i], i);
  for (Register r : results) (void)type_of(r);
}

std::vector<std::byte> Program::to_bytes() const {
  std::vector<std::byte> out;
  out.reserve(8 + leaves.size() + 9 * constants.size() + 8 * code.size() + 2 * results.size());
  for (std::size_t count : {leaves.size(), constants.size(), code.size(), results.size()}) {
    put(out, static_cast<std::uint16_t>(count));
  }
  for (DType type : leaves) put(out, type);
  for (const Constant& constant : constants) {
    put(out, constant.type);
    put(out, constant.bits);
  }
  for (const Instruction& step : code) {
    put(out, step.op);
    put(out, step.type);
    for (Register r : {step.a, step.b, step.c}) put(out, code_of(r));
  }
  for (Register r : results) put(out, code_of(r));
  return out;
}

Program Program::from_bytes(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  Program program;
  program.leaves.resize(reader.get<std::uint16_t>());
  program.constants.resize(reader.get<std::uint16_t>());
  program.code.resize(reader.get<std::uint16_t>());
  program.results.resize(reader.get<std::uint16_t>());
  for (DType& type : program.leaves) type = reader.get<DType>();
  for (Constant& constant : program.constants) {
    constant.type = reader.get<DType>();
    constant.bits = reader.get<std::uint64_t>();
  }
  for (Instruction& step : program.code) {
    step.op = reader.get<Op>();
    step.type = reader.get<DType>();
    step.a = reader.get_register();
    step.b = reader.get_register();
    step.c = reader.get_register();
  }
  for (Register& r : program.results) r = reader.get_register();
  program.validate();
  return program;
}

}  // namespace atl::array
