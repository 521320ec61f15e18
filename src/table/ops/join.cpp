// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/ops/join.hpp"

#include <algorithm>
#include <optional>

#include "atoll/array/ops/blocks.hpp"
#include "atoll/array/ops/transfer.hpp"
#include "ops/keys.hpp"

namespace atl::table {
namespace {

using array::Array;
using array::CompositeKey;
using array::DType;
using array::Engine;
using array::Shape;

/// The keys of all rows of a table, on every PE.
Buffer<std::uint64_t> all_keys(Engine& engine, const std::vector<Array>& columns, std::span<const array::KeyRange> ranges) {
  const CompositeKey key = composite(columns, ranges);
  const std::int64_t rows = columns[0]->shape.size();
  const Array keys = engine.make(DType::u64, Shape{rows});
  engine.threads().for_ranges(key.rows(), CompositeKey::block, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t at = begin; at < end; at += CompositeKey::block) {
      const std::size_t count = std::min(CompositeKey::block, end - at);
      if (key.chunks() == 0) std::fill_n(keys->data<std::uint64_t>() + at, count, 0);
      else key.load(at, count, keys->data<std::uint64_t>() + at);
    }
  });
  Buffer<std::uint64_t> all;
  engine.together([&] { all = Buffer<std::uint64_t>(engine.memory(), static_cast<std::size_t>(rows)); });
  array::OpenBlocks blocks(engine, *keys);
  blocks.read_rows(0, rows, all.data());
  blocks.close();
  return all;
}

}  // namespace

std::vector<Array> join_rows(Engine& engine, std::vector<Array> left, std::vector<Array> right, JoinKind kind) {
  engine.begin_operation("join");
  // One key fits whatever its range is.
  std::vector<array::KeyRange> ranges{{0, ~std::uint64_t{0}, false}};
  if (left.size() > 1) {
    ranges = ranges_of(engine, left);
    const std::vector<array::KeyRange> others = ranges_of(engine, right);
    for (std::size_t i = 0; i < ranges.size(); ++i) ranges[i].merge(others[i]);
  }
  const CompositeKey key = composite(left, ranges);
  const Buffer<std::uint64_t> right_keys = all_keys(engine, right, ranges);

  // What is made comes before what is changed: when a PE has no memory for its part, all say so.
  const array::Work work = engine.work(engine.npes() == 1 ? array::Interruptible::yes : array::Interruptible::no);
  const bool pairs = kind == JoinKind::inner || kind == JoinKind::left;
  std::optional<JoinTable> table;
  std::optional<JoinMatches> matches;
  engine.together([&] {
    table.emplace(work, std::span(right_keys.data(), right_keys.size()));
    matches.emplace(work, key, *table, kind);
  });
  const auto count = static_cast<std::int64_t>(matches->count());
  if (engine.npes() == 1) {  // straight to where they stay
    std::vector<Array> result;
    for (int side = 0; side < (pairs ? 2 : 1); ++side) result.push_back(engine.make(DType::i64, Shape{count}));
    matches->write(work, result[0]->data<std::int64_t>(), pairs ? result[1]->data<std::int64_t>() : nullptr);
    return result;
  }
  Buffer<std::int64_t> left_rows, right_rows;
  engine.together([&] {
    left_rows = Buffer<std::int64_t>(engine.memory(), matches->count());
    if (pairs) right_rows = Buffer<std::int64_t>(engine.memory(), matches->count());
  });
  matches->write(work, left_rows.data(), pairs ? right_rows.data() : nullptr);
  const Shape local{count};
  std::vector<Array> result{array::from_local(engine, DType::i64, local, {left_rows.data()})};
  if (pairs) result.push_back(array::from_local(engine, DType::i64, local, {right_rows.data()}));
  return result;
}

}  // namespace atl::table
