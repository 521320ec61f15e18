// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/text.hpp"

namespace atl::table {

array::Distribution distribution_of(Engine& engine, std::int64_t rows) {
  return {array::Shape{rows}, engine.npes(), engine.grain()};
}

Text make_text(Engine& engine, std::int64_t rows, std::int64_t local_bytes) {
  const std::int64_t local = distribution_of(engine, rows).count(engine.pe());
  auto arrays = engine.make_uneven({{DType::i64, local + 1}, {DType::u8, local_bytes}});
  arrays[0]->data<std::int64_t>()[0] = 0;
  return {std::move(arrays[0]), std::move(arrays[1])};
}

}  // namespace atl::table
