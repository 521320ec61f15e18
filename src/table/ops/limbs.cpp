// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/ops/limbs.hpp"

#include "atoll/table/kernel/limbs.hpp"

namespace atl::table {

using array::Array;
using array::DType;

std::vector<Array> limb_apply(array::Engine& engine, std::string operation, std::vector<Array> a, std::vector<Array> b,
                              std::int64_t limbs) {
  engine.begin_operation("limbs");
  std::vector<Array> result = engine.make(
      std::vector<std::pair<DType, array::Shape>>(static_cast<std::size_t>(limbs), {DType::u64, a[0]->shape}));
  auto rows = [](const std::vector<Array>& arrays) {
    std::vector<std::uint64_t*> pointers;
    for (const Array& one : arrays) pointers.push_back(one->data<std::uint64_t>());
    return pointers;
  };
  const auto left = rows(a), right = rows(b), out = rows(result);
  const std::vector<const std::uint64_t*> from(left.begin(), left.end()), by(right.begin(), right.end());
  engine.together([&] {
    apply_limbs(engine.work(), to_limb_operation(operation), from, by, out,
                static_cast<std::size_t>(a[0]->local_rows()));
  });
  return result;
}

}  // namespace atl::table
