// SPDX-License-Identifier: Apache-2.0
#include "ops/keys.hpp"

#include "atoll/base/validate.hpp"

namespace atl::table {

using array::Array;
using array::CompositeKey;
using array::Engine;
using array::KeyRange;

std::vector<KeyRange> ranges_of(Engine& engine, const std::vector<Array>& keys) {
  std::vector<KeyRange> mine;
  engine.interruptibly(keys[0]->shape.size(), [&] {
    for (const Array& key : keys)
      mine.push_back(
          array::key_range(engine.work(), {key->dtype, key->bytes()}, static_cast<std::size_t>(key->local_rows())));
  });
  std::vector<KeyRange> all(keys.size());
  for (const auto& part : engine.allgather_vector(mine))
    for (std::size_t i = 0; i < part.size(); ++i) all[i].merge(part[i]);
  return all;
}

CompositeKey composite(const std::vector<Array>& keys, std::span<const KeyRange> ranges) {
  unsigned bits = 0;
  for (const KeyRange& range : ranges) bits += range.width();
  ATOLL_VALIDATE(bits <= 64, ValueError,
                 "the keys together span {} bits (at most 64 fit). Number the values of the widest key first", bits);
  std::vector<array::Key> columns;
  for (const Array& key : keys) columns.push_back({key->dtype, key->bytes()});
  return {columns, ranges, static_cast<std::size_t>(keys[0]->local_rows()),
          static_cast<std::uint64_t>(keys[0]->first_row())};
}

}  // namespace atl::table
