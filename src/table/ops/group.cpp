// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/ops/group.hpp"

#include "atoll/array/ops/index.hpp"
#include "atoll/array/ops/transfer.hpp"
#include "atoll/coll/collectives.hpp"
#include "ops/exchange.hpp"
#include "ops/plan.hpp"

namespace atl::table {
namespace {

using array::CompositeKey;
using array::Interruptible;
using array::KeyRange;
using array::Shape;

/// The keys' ranges over all rows of all PEs.
std::vector<KeyRange> ranges_of(Engine& engine, const std::vector<Array>& keys) {
  std::vector<KeyRange> mine;
  for (const Array& key : keys)
    mine.push_back(array::key_range(engine.work(), {key->dtype, key->bytes()}, static_cast<std::size_t>(key->local_rows())));
  std::vector<KeyRange> all(keys.size());
  for (const auto& part : engine.allgather_vector(mine))
    for (std::size_t i = 0; i < part.size(); ++i) all[i].merge(part[i]);
  return all;
}

/// The values of key column `column` that the composite keys were made of.
template <class T>
void decode(std::span<const KeyRange> ranges, std::size_t column, const std::uint64_t* keys, std::size_t n, T* out) {
  unsigned behind = 0;
  for (std::size_t i = column + 1; i < ranges.size(); ++i) behind += ranges[i].width();
  const unsigned width = ranges[column].width();
  const std::uint64_t mask = width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = width == 0 ? 0 : (keys[i] >> behind) & mask;
    out[i] = array::from_ordered_bits<T>(ranges[column].min + bits);
  }
}

Aggregated aggregate_all(Engine& engine, const CompositeKey& key, const std::vector<Array>& values, const Plan& plan) {
  std::vector<Column> columns;
  for (const Array& array : values) columns.push_back({array->dtype, array->bytes()});
  Aggregated mine;
  engine.together([&] {
    mine = aggregate(engine.work(engine.npes() == 1 ? Interruptible::yes : Interruptible::no), key, columns, plan.specs(), plan.presence());
  });
  return engine.npes() == 1 ? std::move(mine) : join_pes(engine, mine, plan.specs());
}

}  // namespace

std::vector<std::uint32_t> key_bits(Engine& engine, std::vector<Array> keys) {
  std::vector<std::uint32_t> bits;
  for (const KeyRange& range : ranges_of(engine, keys)) bits.push_back(range.width());
  return bits;
}

std::vector<Array> group_by(Engine& engine, std::vector<Array> keys, std::vector<Array> values, std::vector<Request> requests) {
  engine.begin_operation("groupby");
  const auto rows = static_cast<std::uint64_t>(keys.at(0)->shape.size());
  const std::vector<KeyRange> ranges = ranges_of(engine, keys);
  unsigned bits = 0;
  for (const KeyRange& range : ranges) bits += range.width();
  ATOLL_VALIDATE(bits <= 64, ValueError, "the keys together span {} bits, and 64 are what a group-by takes. Number the values of the widest key first", bits);
  std::vector<array::Key> columns;
  for (const Array& key : keys) columns.push_back({key->dtype, key->bytes()});
  const CompositeKey key(columns, ranges, static_cast<std::size_t>(keys[0]->local_rows()), static_cast<std::uint64_t>(keys[0]->first_row()));

  Plan plan(engine, values, requests, rows);
  Aggregated groups = aggregate_all(engine, key, values, plan);
  if (groups.lost) {
    if (engine.communicator().any(plan.unsettled(groups))) {
      plan.add_bands(engine, values);
      groups = aggregate_all(engine, key, values, plan);
    }
  }

  // Every PE gives the groups it has; the results have them in order.
  const Shape local{static_cast<std::int64_t>(groups.count)};
  Buffer<std::byte> column;
  engine.together([&] { column = Buffer<std::byte>(engine.memory(), groups.count * sizeof(std::uint64_t)); });
  std::vector<Array> result;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    array::dispatch(keys[i]->dtype, [&](auto type) {
      using T = typename decltype(type)::type;
      decode(ranges, i, groups.keys.data(), groups.count, reinterpret_cast<T*>(column.data()));
    });
    result.push_back(array::from_local(engine, keys[i]->dtype, local, {column.data()}));
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    plan.finish(groups, i, column.data());
    Array figures = array::from_local(engine, plan.result_type(i), local, {column.data()});
    const bool rows_wanted = requests[i].statistic == Statistic::first || requests[i].statistic == Statistic::last;
    if (rows_wanted) figures = array::take(engine, values[requests[i].column], figures);
    result.push_back(std::move(figures));
  }
  return result;
}

}  // namespace atl::table
