// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/ops/join.hpp"

#include <algorithm>

#include "atoll/array/ops/blocks.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/runtime/heap.hpp"
#include "ops/find_partners.hpp"
#include "ops/keys.hpp"

namespace atl::table {
namespace {

using array::Array;
using array::CompositeKey;
using array::DType;
using array::Engine;
using array::Shape;

// Of as many rows as are worth spreading (1,024): a table of so many lies in a core's second-level cache.
constexpr std::int64_t cached_grains = 32;

/// Whether every PE gets all right rows. A row in the table takes as long as some four left ones that are dealt, and
/// there are PEs times as many; its memory, up to 75 bytes, is a left row's partners and pairs then.
bool suits_whole_table(const Engine& engine, std::int64_t left_rows, std::int64_t right_rows) {
  return right_rows <= cached_grains * engine.grain() || right_rows * engine.npes() <= left_rows / 4;
}

/// Says no before anything is made. The pairs are counted by then.
void check_memory(Engine& engine, std::uint64_t pairs, unsigned sides) {
  const runtime::HeapStats heap = engine.heap().stats();
  const std::uint64_t free = heap.limit_bytes - std::min(heap.limit_bytes, heap.in_use_bytes);
  const std::uint64_t share = (pairs + engine.npes() - 1) / engine.npes();
  ATOLL_VALIDATE(
      share <= free / (sides * sizeof(std::int64_t)), MemoryError,
      "the join has {} pairs, whose row numbers take {} on each of {} PEs (only {} are free there). Do keys repeat on both sides that were meant to be "
      "unique? Filter before, or use more PEs",
      pairs, format_bytes(share * sides * sizeof(std::int64_t)), engine.npes(), format_bytes(free));
}

/// All pairs on this PE, whose only one it is.
std::vector<Array> pairs_here(Engine& engine, FoundPartners& found, JoinPairs& pairs, JoinKind kind, array::Work work) {
  const bool both = kind == JoinKind::inner || kind == JoinKind::left;
  const Shape shape{static_cast<std::int64_t>(pairs.count())};
  std::vector<Array> result{engine.make(DType::i64, shape)};
  // Most rows have one partner: then these stay where they are.
  if (both && !pairs.has_lists() && shape.size() >= found.partners->shape.size() / 4 * 3) {
    pairs.write_in_place(work, result[0]->data<std::int64_t>());
    found.partners->shape = shape;
    found.partners->distribution = result[0]->distribution;
    result.push_back(std::move(found.partners));
    return result;
  }
  if (both) result.push_back(engine.make(DType::i64, shape));
  pairs.write(work, 0, pairs.count(), result[0]->data<std::int64_t>(),
              both ? result[1]->data<std::int64_t>() : nullptr);
  return result;
}

/// Every PE writes its pairs to where they belong, wherever that is.
std::vector<Array> pairs_everywhere(Engine& engine, const JoinPairs& pairs, JoinKind kind, array::Work work,
                                    std::int64_t first, std::int64_t all) {
  const bool both = kind == JoinKind::inner || kind == JoinKind::left;
  std::vector<Array> result = engine.make(std::vector<std::pair<DType, Shape>>(both ? 2 : 1, {DType::i64, Shape{all}}));
  array::OpenBlocks lefts(engine, *result[0]), rights(engine, *result.back());
  const std::int64_t end = first + static_cast<std::int64_t>(pairs.count());
  auto write = [&](std::int64_t from, std::int64_t to, void* left_rows, void* right_rows) {
    pairs.write(work, static_cast<std::size_t>(from - first), static_cast<std::size_t>(to - first),
                static_cast<std::int64_t*>(left_rows), static_cast<std::int64_t*>(right_rows));
  };
  // Where memory is mapped both sides at once.
  auto is_near = [&](std::int64_t row) { return lefts.reach().maps(lefts.distribution().owner(row)); };
  engine.interruptibly(all, [&] {
    lefts.write_pieces(first, end, [&](std::int64_t from, std::int64_t to, std::byte* at) {
      write(from, to, at, both && is_near(from) ? rights.row(from) : nullptr);
      if (both && is_near(from) && rights.distribution().owner(from) != engine.pe())
        engine.count_put(static_cast<std::size_t>(to - from) * sizeof(std::int64_t));
    });
    if (both && engine.spans_nodes())
      rights.write_pieces(first, end, [&](std::int64_t from, std::int64_t to, std::byte* at) {
        if (!is_near(from)) write(from, to, nullptr, at);
      });
  });
  lefts.close();
  return result;
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
  const CompositeKey left_key = composite(left, ranges), right_key = composite(right, ranges);
  const std::int64_t left_rows = left[0]->shape.size(), right_rows = right[0]->shape.size();
  const bool whole = suits_whole_table(engine, left_rows, right_rows);
  FoundPartners found = whole ? find_in_whole_table(engine, left_key, right_key, right_rows, kind)
                              : find_by_dealing(engine, left_key, right_key, right_rows, kind);

  const array::Work work = engine.work();
  JoinPairs& pairs = *found.pairs;
  const unsigned sides = kind == JoinKind::inner || kind == JoinKind::left ? 2 : 1;
  std::uint64_t first = 0, all = 0;
  for (std::uint32_t pe = 0; const std::uint64_t count : engine.allgather_value<std::uint64_t>(pairs.count())) {
    first += pe++ < engine.pe() ? count : 0;
    all += count;
  }
  engine.together([&] { check_memory(engine, all, sides); });
  if (engine.npes() == 1) return pairs_here(engine, found, pairs, kind, work);
  return pairs_everywhere(engine, pairs, kind, work, static_cast<std::int64_t>(first), static_cast<std::int64_t>(all));
}

}  // namespace atl::table
