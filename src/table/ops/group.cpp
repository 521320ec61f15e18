// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/ops/group.hpp"

#include <algorithm>
#include <tuple>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/ops/index.hpp"
#include "atoll/array/ops/transfer.hpp"
#include "atoll/base/assertion.hpp"
#include "atoll/base/random.hpp"
#include "ops/exchange.hpp"
#include "ops/keys.hpp"
#include "ops/plan.hpp"

namespace atl::table {
namespace {

using array::CompositeKey;
using array::KeyRange;
using array::Shape;

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

/// A range that most likely holds all values of a key, from some of them. Whether it does is noticed by aggregate().
KeyRange likely_range(Engine& engine, const Array& key) {
  constexpr std::int64_t samples = 2048;
  KeyRange range;
  const std::int64_t n = key->local_rows();
  const std::int64_t count = std::min(n, samples);
  array::dispatch(key->dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    SequentialRandom random(static_cast<std::uint64_t>(n));
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint64_t row =
          count == n ? static_cast<std::uint64_t>(i) : random.below(static_cast<std::uint64_t>(n));
      const std::uint64_t bits = array::ordered_bits(key->template data<T>()[row]);
      range.min = std::min(range.min, bits);
      range.max = std::max(range.max, bits);
    }
  });
  KeyRange all;
  for (const KeyRange& other : engine.allgather_value(range)) all.merge(other);
  if (all.min > all.max) return all;  // no rows
  // As much again on either side: n values of a uniform range leave it with probability 2^-2048 then.
  const std::uint64_t margin = all.max - all.min;
  all.min -= std::min(all.min, margin / 2);
  all.max += std::min(~std::uint64_t{0} - all.max, margin / 2);
  return all;
}

/// Groups of all PEs' rows; those that this PE is to finish. `outside` and `crowded` are agreed on.
Aggregated aggregate_all(Engine& engine, const CompositeKey& key, const std::vector<Array>& values, const Plan& plan) {
  std::vector<Column> columns;
  for (const Array& array : values) columns.push_back({array->dtype, array->bytes()});
  Aggregated mine;
  engine.together([&] { mine = aggregate(engine.work(), key, columns, plan.specs(), plan.presence()); });
  if (engine.npes() == 1) return mine;
  for (const std::uint32_t trouble :
       engine.allgather_value<std::uint32_t>((mine.outside ? 1u : 0u) | (mine.crowded ? 2u : 0u))) {
    mine.outside = mine.outside || (trouble & 1) != 0;
    mine.crowded = mine.crowded || (trouble & 2) != 0;
  }
  return mine.outside || mine.crowded ? std::move(mine) : join_pes(engine, mine, plan.specs());
}

}  // namespace

std::vector<std::uint32_t> key_bits(Engine& engine, std::vector<Array> keys) {
  std::vector<std::uint32_t> bits;
  for (const KeyRange& range : ranges_of(engine, keys)) bits.push_back(range.width());
  return bits;
}

std::vector<Array> group_by(Engine& engine, std::vector<Array> keys, std::vector<Array> values,
                            std::vector<Request> requests) {
  engine.begin_operation("groupby");
  const auto rows = static_cast<std::uint64_t>(keys.at(0)->shape.size());
  // One key's range is guessed first: reading all of it takes as long as a third of the work.
  bool guessed = keys.size() == 1;
  std::vector<KeyRange> ranges = guessed ? std::vector{likely_range(engine, keys[0])} : ranges_of(engine, keys);
  Plan plan(engine, values, requests, rows);
  Aggregated groups;
  for (bool banded = false;;) {
    groups = aggregate_all(engine, composite(keys, ranges), values, plan);
    if (groups.outside) {
      ATOLL_EXPECT(guessed);
      guessed = false;
      ranges = ranges_of(engine, keys);
    } else if (groups.crowded) {
      ATOLL_EXPECT(!banded);
      banded = true;
      plan.add_bands(engine, values);
    } else {
      break;
    }
  }
  std::ranges::sort(groups.rests, {}, [](const Rest& rest) { return std::tuple(rest.spec, rest.key); });

  engine.together([&] { plan.add_up(engine.work(), groups); });
  // Every PE gives the groups it has; the results have them in order.
  const Shape local{static_cast<std::int64_t>(groups.count)};
  Buffer<std::byte> column;
  if (engine.npes() > 1)
    engine.together([&] { column = Buffer<std::byte>(engine.memory(), groups.count * sizeof(std::uint64_t)); });
  auto make = [&](DType type, auto&& fill) {
    if (engine.npes() > 1) {
      engine.interruptibly(keys[0]->shape.size(), [&] { fill(column.data()); });
      return array::from_local(engine, type, local, {column.data()});
    }
    Array array = engine.make(type, local);
    fill(array->bytes());
    return array;
  };
  std::vector<Array> result;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    result.push_back(make(keys[i]->dtype, [&](void* out) {
      array::dispatch(keys[i]->dtype, [&](auto type) {
        using T = typename decltype(type)::type;
        array::Polling(engine.work()).for_pieces(groups.count, 4096, [&](std::size_t begin, std::size_t end, unsigned) {
          decode(ranges, i, groups.keys.data() + begin, end - begin, static_cast<T*>(out) + begin);
        });
      });
    }));
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Array figures = make(plan.result_type(i), [&](void* out) { plan.finish(engine.threads(), groups, i, out); });
    const bool rows_wanted = requests[i].statistic == Statistic::first || requests[i].statistic == Statistic::last;
    if (rows_wanted) figures = array::take(engine, values[requests[i].column], figures);
    result.push_back(std::move(figures));
  }
  return result;
}

}  // namespace atl::table
