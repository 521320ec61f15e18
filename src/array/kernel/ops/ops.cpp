// SPDX-License-Identifier: Apache-2.0
// The table of operations, and looking one up.
#include "atoll/array/kernel/ops.hpp"

#include <array>
#include <utility>

namespace atl::array {
namespace {

constexpr std::uint8_t BIUF = kind_b | kind_i | kind_u | kind_f;
constexpr std::uint8_t IUF = kind_i | kind_u | kind_f;
constexpr std::uint8_t BIU = kind_b | kind_i | kind_u;
constexpr std::uint8_t IU = kind_i | kind_u;
constexpr std::uint8_t F = kind_f;
constexpr std::uint8_t U64 = 16;  // uint64 alone

constexpr OpInfo table[] = {
#define ATOLL_OP_INFO(name, arity, kinds, result) OpInfo{Op::name, #name, arity, kinds, ResultRule::result},
    ATOLL_ARRAY_OPS(ATOLL_OP_INFO)
#undef ATOLL_OP_INFO
};

constexpr std::pair<std::string_view, Op> aliases[] = {
    {"true_divide", Op::divide},   {"mod", Op::remainder},      {"abs", Op::absolute},      {"fabs", Op::absolute},
    {"pow", Op::power},            {"conjugate", Op::positive}, {"bitwise_not", Op::invert}, {"degrees", Op::rad2deg},
    {"radians", Op::deg2rad},      {"fix", Op::trunc},          {"asin", Op::arcsin},       {"acos", Op::arccos},
    {"atan", Op::arctan},          {"atan2", Op::arctan2},      {"asinh", Op::arcsinh},     {"acosh", Op::arccosh},
    {"atanh", Op::arctanh},        {"bitwise_invert", Op::invert}, {"bitwise_left_shift", Op::left_shift},
    {"bitwise_right_shift", Op::right_shift},
};

}  // namespace

std::span<const OpInfo> op_table() { return table; }

const OpInfo& info(Op op) {
  ATOLL_VALIDATE(static_cast<std::size_t>(op) < op_count, ValueError, "unknown operation code {}",
                 static_cast<int>(op));
  return table[static_cast<std::size_t>(op)];
}

std::optional<Op> find_op(std::string_view name) {
  for (const OpInfo& entry : table) {
    if (entry.name == name) return entry.op;
  }
  for (const auto& [alias, op] : aliases) {
    if (alias == name) return op;
  }
  return std::nullopt;
}

bool has_loop(Op op, DType type) {
  const std::uint8_t kinds = info(op).kinds;
  if (kinds == U64) return type == DType::u64;
  if (type == DType::b1) return kinds & kind_b;
  if (is_signed(type)) return kinds & kind_i;
  if (is_unsigned(type)) return kinds & kind_u;
  return kinds & kind_f;
}

DType result_type(Op op, DType type) {
  switch (info(op).result) {
    case ResultRule::boolean: return DType::b1;
    case ResultRule::byte: return DType::u8;
    case ResultRule::real: return DType::f64;
    case ResultRule::same: break;
  }
  return type;
}

}  // namespace atl::array
