// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/ops/sort.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "atoll/array/kernel/partition.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/kernel/sort.hpp"
#include "atoll/array/ops/blocks.hpp"
#include "atoll/array/ops/distributed_sort.hpp"
#include "atoll/array/ops/joined.hpp"
#include "atoll/base/assertion.hpp"
#include "atoll/coll/collectives.hpp"

namespace atl::array {
namespace {

/// Calls `sort_row(work, row)` for this PE's rows, counted along all axes but the last, in parallel when there are
/// many.
template <class SortRow>
void for_each_line(Engine& engine, std::int64_t lines, SortRow&& sort_row) {
  Work work = engine.work();
  engine.together([&] {
    if (lines < engine.threads().size()) {
      for (std::int64_t line = 0; line < lines; ++line) sort_row(work, line);
      return;
    }
    Polling polling(work);
    polling.for_ranges(static_cast<std::size_t>(lines), 1, [&](std::size_t begin, std::size_t end, unsigned thread) {
      ThreadPool alone(1);
      Monitor quiet;
      for (std::size_t line = begin; line < end; ++line) {
        polling.poll(thread);
        sort_row(Work{alone, engine.memory(), quiet}, static_cast<std::int64_t>(line));
      }
    });
  });
}

struct Lines {
  std::int64_t count, length;
};

Lines lines_of(const ArrayData& array) {
  const std::int64_t length = array.shape[array.shape.ndim() - 1];
  return {length == 0 ? 0 : array.local_size() / length, length};
}

/// The ranges of the columns over all PEs.
std::vector<KeyRange> merge_ranges(Engine& engine, const std::vector<KeyRange>& mine) {
  std::vector<KeyRange> merged(mine.size());
  for (const auto& ranges : engine.allgather_vector(mine))
    for (std::size_t column = 0; column < ranges.size(); ++column) merged[column].merge(ranges[column]);
  return merged;
}

// A word that crosses and is sorted takes some 15 ns, a message with its acknowledgement 200 of a processor.
constexpr double words_per_message = 200.0 / 15;
constexpr double most_buckets_per_pe = 8;

/// How many buckets there are for each PE. Whole buckets go to a PE, so that with b of them one PE in the worst case
/// sorts 1 / b more than its share; and each is a message from every other. (Of 4,096 numbers on each of 256 PEs, eight
/// took 3,500 messages of a PE.)
double buckets_per_pe(std::uint32_t npes, std::int64_t rows) {
  const double mine = static_cast<double>(rows) / npes;
  return std::clamp(std::sqrt(mine / (words_per_message * npes)), 1.0, most_buckets_per_pe);
}

PartitionPlan agree_on_plan(Engine& engine, const CompositeKey& key, std::int64_t rows) {
  std::size_t buckets = PartitionPlan::suitable_buckets(static_cast<std::size_t>(rows));
  if (engine.npes() > few_pes) {
    // A power of two will be made of it: the nearest.
    const double wanted = buckets_per_pe(engine.npes(), rows) * engine.npes();
    buckets = std::max(buckets, std::bit_floor(static_cast<std::size_t>(1.5 * wanted)));
  }
  buckets = std::min(buckets, PartitionPlan::most_of_many_pes);
  // Every PE samples in proportion to its rows: 16 keys per bucket in all, as much as a local sort takes.
  const auto share = static_cast<std::size_t>(static_cast<double>(16 * buckets) * static_cast<double>(key.rows()) /
                                              static_cast<double>(rows));
  std::vector<std::uint64_t> sample;
  if (key.rows() > 0) sample = sample_keys(key, std::max<std::size_t>(share, 1), engine.pe());
  return PartitionPlan::from_sample(allgather_joined(engine, sample), key.width(0), buckets,
                                    PartitionPlan::most_of_many_pes);
}

Array number_rows(Engine& engine, Array result) {
  auto* rows = result->data<std::int64_t>();
  std::iota(rows, rows + result->local_rows(), result->first_row());
  return result;
}

Array coargsort_distributed(Engine& engine, const std::vector<Array>& keys) {
  Array result = engine.make(DType::i64, keys[0]->shape);
  std::vector<Key> columns;
  std::vector<KeyRange> ranges;
  engine.interruptibly(result->shape.size(), [&] {
    for (const Array& key : keys) {
      columns.push_back({key->dtype, key->bytes()});
      ranges.push_back(key_range(engine.work(), columns.back(), static_cast<std::size_t>(key->local_rows())));
    }
  });
  ranges = merge_ranges(engine, ranges);
  const std::int64_t rows = result->shape.rows();
  CompositeKey key(columns, ranges, static_cast<std::size_t>(keys[0]->local_rows()),
                   static_cast<std::uint64_t>(keys[0]->first_row()));
  if (rows < 2 || key.chunks() == 0) return number_rows(engine, result);

  // Rows whose words tie are compared by their keys, wherever those lie.
  std::vector<Reach> blocks;
  for (const Array& column : keys) blocks.emplace_back(engine, column->bytes());
  for (std::uint32_t pe = 0; pe < engine.npes(); ++pe) {
    if (pe == engine.pe() || keys[0]->distribution.count(pe) == 0 || !blocks[0].maps(pe)) continue;
    std::vector<Key> peer;
    for (std::size_t column = 0; column < keys.size(); ++column)
      peer.push_back({keys[column]->dtype, blocks[column].mapped(pe)});
    key.add_piece(peer, static_cast<std::size_t>(keys[0]->distribution.count(pe)),
                  static_cast<std::uint64_t>(keys[0]->distribution.begin(pe)));
  }
  const PartitionPlan plan = agree_on_plan(engine, key, rows);
  const Packing packing = Packing::for_rows(static_cast<std::uint64_t>(rows));
  DistributedSort<std::uint64_t>(engine, key, plan, packing, *result, keys).run();
  return result;
}

/// Decodes words to values in place; the words' size is the values'.
template <class Word>
void decode(Engine& engine, const ArrayData& result, std::uint64_t min) {
  auto* words = result.data<Word>();
  dispatch(result.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (sizeof(T) == sizeof(Word)) {
      Polling(engine.work())
          .for_pieces(static_cast<std::size_t>(result.local_rows()), 64,
                      [&](std::size_t begin, std::size_t end, unsigned) {
                        for (std::size_t i = begin; i < end; ++i) {
                          const T value = from_ordered_bits<T>(words[i] + min);
                          std::memcpy(words + i, &value, sizeof value);
                        }
                      });
    }
  });
}

template <class Word>
Array sort_wide_distributed(Engine& engine, const Array& array) {
  Array result = engine.make(array->dtype, array->shape);
  const Key column{array->dtype, array->bytes()};
  const auto local = static_cast<std::size_t>(array->local_rows());
  KeyRange range;
  engine.interruptibly(array->shape.size(), [&] { range = key_range(engine.work(), column, local, Zeros::apart); });
  range = merge_ranges(engine, {range})[0];
  CompositeKey key({&column, 1}, {&range, 1}, local, static_cast<std::uint64_t>(array->first_row()), Zeros::apart);
  if (array->shape.rows() < 2 || key.chunks() == 0) {
    std::memcpy(result->bytes(), array->bytes(), array->local_bytes());
    return result;
  }
  const PartitionPlan plan = agree_on_plan(engine, key, array->shape.rows());
  DistributedSort<Word>(engine, key, plan, Packing::values(), *result).run();
  engine.interruptibly(array->shape.size(), [&] { decode<Word>(engine, *result, range.min); });
  return result;
}

/// 1- and 2-byte values: how often each occurs is all there is to know.
template <class T>
Array sort_by_counting(Engine& engine, const Array& array) {
  Array result = engine.make(array->dtype, array->shape);
  constexpr std::size_t values = std::size_t{1} << (8 * sizeof(T));
  std::vector<std::int64_t> counts(values);
  const T* in = array->data<T>();
  engine.interruptibly(array->shape.size(), [&] {
    Polling polling(engine.work());
    Pace pace(polling, 0);
    constexpr std::int64_t at_once = 1 << 16;
    for (std::int64_t at = 0; at < array->local_rows(); at += at_once) {
      const std::int64_t end = std::min(at + at_once, array->local_rows());
      for (std::int64_t i = at; i < end; ++i) ++counts[ordered_bits(in[i])];
      pace.done(static_cast<std::size_t>(end - at));
    }
  });
  engine.communicator().allreduce(counts.data(), counts.data(), values,
                                  coll::Reduction(coll::Type::i64, coll::Op::sum));
  T* out = result->data<T>();
  const std::int64_t first = result->first_row(), past = first + result->local_rows();
  std::int64_t begin = 0;
  for (std::size_t value = 0; value < values; begin += counts[value], ++value) {
    const std::int64_t from = std::max(begin, first), to = std::min(begin + counts[value], past);
    if (from < to) std::fill(out + (from - first), out + (to - first), from_ordered_bits<T>(value));
  }
  return result;
}

}  // namespace

Array sort_array(Engine& engine, Array array) {
  engine.begin_operation("sort");
  ATOLL_EXPECT(array->shape.ndim() > 0);
  if (array->shape.ndim() > 1) {
    Array result = engine.make(array->dtype, array->shape);
    const Lines lines = lines_of(*array);
    const std::size_t bytes = static_cast<std::size_t>(lines.length) * size_of(array->dtype);
    for_each_line(engine, lines.count, [&](Work work, std::int64_t line) {
      const std::size_t at = static_cast<std::size_t>(line) * bytes;
      sort(work, array->dtype, array->bytes() + at, result->bytes() + at, static_cast<std::size_t>(lines.length));
    });
    return result;
  }
  if (engine.npes() == 1) {
    Array result = engine.make(array->dtype, array->shape);
    sort(engine.work(), array->dtype, array->bytes(), result->bytes(), static_cast<std::size_t>(array->local_rows()));
    return result;
  }
  switch (size_of(array->dtype)) {
    case 1:
      return dispatch(array->dtype, [&](auto type) -> Array {
        if constexpr (sizeof(typename decltype(type)::type) == 1)
          return sort_by_counting<typename decltype(type)::type>(engine, array);
        else return nullptr;
      });
    case 2:
      return dispatch(array->dtype, [&](auto type) -> Array {
        if constexpr (sizeof(typename decltype(type)::type) == 2)
          return sort_by_counting<typename decltype(type)::type>(engine, array);
        else return nullptr;
      });
    case 4: return sort_wide_distributed<std::uint32_t>(engine, array);
    default: return sort_wide_distributed<std::uint64_t>(engine, array);
  }
}

Array argsort_array(Engine& engine, Array array) {
  engine.begin_operation("argsort");
  ATOLL_EXPECT(array->shape.ndim() > 0);
  if (array->shape.ndim() > 1) {
    Array result = engine.make(DType::i64, array->shape);
    const Lines lines = lines_of(*array);
    const std::size_t bytes = static_cast<std::size_t>(lines.length) * size_of(array->dtype);
    for_each_line(engine, lines.count, [&](Work work, std::int64_t line) {
      argsort(work, array->dtype, array->bytes() + static_cast<std::size_t>(line) * bytes,
              static_cast<std::size_t>(lines.length), 0, result->data<std::int64_t>() + line * lines.length);
    });
    return result;
  }
  return coargsort_arrays(engine, {std::move(array)});
}

Array coargsort_arrays(Engine& engine, std::vector<Array> keys) {
  engine.begin_operation("argsort");
  if (engine.npes() > 1) return coargsort_distributed(engine, keys);
  Array result = engine.make(DType::i64, keys[0]->shape);
  std::vector<Key> columns;
  for (const Array& key : keys) columns.push_back({key->dtype, key->bytes()});
  coargsort(engine.work(), columns, static_cast<std::size_t>(result->local_rows()), 0, result->data<std::int64_t>());
  return result;
}

}  // namespace atl::array
