// SPDX-License-Identifier: Apache-2.0
// Looking operations up in the tables of their families.
#include "atoll/array/kernel/ops.hpp"

#include <vector>

#include "atoll/base/validate.hpp"
#include "kernel/ops/kernels.hpp"

namespace atl::array {
namespace {

// By OpFamily.
const Family* const families[] = {&arithmetic_ops, &compare_ops,  &select_ops,         &bits_ops,
                                  &round_ops,      &division_ops, &transcendental_ops, &cast_ops};

}  // namespace

std::span<const OpInfo> op_table() {
  static const std::vector<OpInfo> table = [] {
    std::vector<OpInfo> all;
    for (const Family* family : families) all.insert(all.end(), family->rows.begin(), family->rows.end());
    return all;
  }();
  return table;
}

const OpInfo& info(Op op) {
  const std::size_t code = static_cast<std::size_t>(op), family = code / op_family_size, row = code % op_family_size;
  ATOLL_VALIDATE(family < std::size(families) && row < families[family]->rows.size(), ValueError,
                 "unknown operation code {}", code);
  return families[family]->rows[row];
}

ElementKernel find_kernel(Op op, DType type) {
  const std::size_t code = static_cast<std::size_t>(op);
  return families[code / op_family_size]->find(static_cast<unsigned>(code % op_family_size), type);
}

std::optional<Op> find_op(std::string_view name) {
  for (const OpInfo& entry : op_table()) {
    if (entry.name == name) return entry.op;
  }
  return std::nullopt;
}

bool has_loop(Op op, DType type) {
  const std::uint8_t kinds = info(op).kinds;
  if (kinds == kind_u64) return type == DType::u64;
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
