// SPDX-License-Identifier: Apache-2.0
// Distinct values: every PE's own merged where they are few, else neighbours in sorted order that differ.
#include <algorithm>
#include <cstring>
#include <utility>

#include "atoll/array/kernel/group.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/ops/elementwise.hpp"
#include "atoll/array/ops/index.hpp"
#include "atoll/array/ops/move.hpp"
#include "atoll/array/ops/reach.hpp"
#include "atoll/array/ops/reduce.hpp"
#include "atoll/array/ops/select.hpp"
#include "atoll/array/ops/sort.hpp"
#include "atoll/array/ops/transfer.hpp"
#include "atoll/coll/collectives.hpp"

namespace atl::array {
namespace {

/// True where an array's element differs from the one before it; all NaN are equal. Collective.
Array starts_of_runs(Engine& engine, const Array& array) {
  Array starts = engine.make(DType::b1, array->shape);
  const std::int64_t n = array->local_rows();
  struct Last {
    std::uint64_t bits, present;
  };
  Last mine{0, n > 0 ? 1u : 0u};
  if (n > 0)
    std::memcpy(&mine.bits, array->bytes() + (n - 1) * static_cast<std::int64_t>(array->row_bytes()),
                array->row_bytes());
  Last before{0, 0};
  const auto all = engine.allgather_value(mine);
  for (std::uint32_t pe = 0; pe < engine.pe(); ++pe)
    if (all[pe].present != 0) before = all[pe];
  engine.interruptibly(array->shape.size(), [&] {
    if (n == 0) return;
    dispatch(array->dtype, [&](auto type) {
      using T = typename decltype(type)::type;
      const T* values = array->data<T>();
      bool* out = starts->data<bool>();
      auto differ = [](T a, T b) { return a != b && !(a != a && b != b); };
      out[0] = before.present == 0 || differ(values[0], from_bits<T>(before.bits));
      Polling(engine.work())
          .for_pieces(static_cast<std::size_t>(n - 1), 16384, [&](std::size_t begin, std::size_t end, unsigned) {
            for (std::size_t i = begin + 1; i < end + 1; ++i) out[i] = differ(values[i], values[i - 1]);
          });
    });
  });
  return starts;
}

/// One PE: the kernel does it all; its buffers become arrays.
std::vector<Array> unique_here(Engine& engine, const Array& flat, std::uint8_t outputs) {
  const UniqueWants wants{(outputs & unique_index) != 0, (outputs & unique_inverse) != 0,
                          (outputs & unique_counts) != 0};
  Unique found = unique(engine.work(), flat->dtype, flat->bytes(), static_cast<std::size_t>(flat->local_size()), wants);
  auto adopt = [&](auto&& buffer, DType dtype, std::size_t count) {
    // The context with it: arrays may outlive the session, and their memory goes back to the context's heap.
    auto owner =
        std::make_shared<std::pair<std::shared_ptr<runtime::Context>, std::remove_reference_t<decltype(buffer)>>>(
            engine.shared_context(), std::move(buffer));
    Array array = engine.wrap(dtype, Shape{static_cast<std::int64_t>(count)}, owner->second.data(), nullptr);
    array->storage.exported = false;
    array->storage.owner = std::move(owner);
    return array;
  };
  const auto n = static_cast<std::size_t>(flat->local_size());
  std::vector<Array> result(4);
  result[0] = adopt(std::move(found.values), flat->dtype, found.count);
  if (wants.index) result[1] = adopt(std::move(found.index), DType::i64, found.count);
  if (wants.inverse) result[2] = adopt(std::move(found.inverse), DType::i64, n);
  if (wants.counts) result[3] = adopt(std::move(found.counts), DType::i64, found.count);
  return result;
}

/// Several PEs, values and counts only: every PE takes its part of the sorted array, and runs across borders are
/// joined.
std::vector<Array> unique_of_sorted(Engine& engine, const Array& sorted, std::uint8_t outputs) {
  const std::size_t element = size_of(sorted->dtype);
  Unique mine;
  engine.together([&] {
    mine = unique(engine.work(), sorted->dtype, sorted->bytes(), static_cast<std::size_t>(sorted->local_size()),
                  {.counts = true});
  });
  struct Ends {
    std::uint64_t first, last, runs;
    std::int64_t first_count;
  };
  Ends ends{0, 0, mine.count, mine.count > 0 ? mine.counts[0] : 0};
  if (mine.count > 0) {
    std::memcpy(&ends.first, mine.values.data(), element);
    std::memcpy(&ends.last, mine.values.data() + (mine.count - 1) * element, element);
  }
  const auto all = engine.allgather_value(ends);
  // By value: -0.0 and 0.0 are one.
  auto same = [&](std::uint64_t a, std::uint64_t b) {
    return dispatch(sorted->dtype, [&](auto type) {
      using T = typename decltype(type)::type;
      return a == b || from_bits<T>(a) == from_bits<T>(b);
    });
  };
  // A run belongs to the first PE that has some of it: that PE adds what later ones have and leave out.
  auto continues = [&](std::uint32_t pe) {
    for (std::uint32_t before = pe; before-- > 0;)
      if (all[before].runs > 0) return same(all[before].last, all[pe].first);
    return false;
  };
  const bool drop = mine.count > 0 && continues(engine.pe());
  if (mine.count > (drop ? 1u : 0u)) {
    for (std::uint32_t pe = engine.pe() + 1; pe < engine.npes(); ++pe) {
      if (all[pe].runs == 0) continue;
      if (!continues(pe)) break;
      mine.counts[mine.count - 1] += all[pe].first_count;
      if (all[pe].runs > 1) break;
    }
  }
  const std::size_t skip = drop ? 1 : 0;
  const Shape local{static_cast<std::int64_t>(mine.count - skip)};
  std::vector<Array> result(4);
  result[0] = from_local(engine, sorted->dtype, local, {mine.values.data() + skip * element});
  if ((outputs & unique_counts) != 0) result[3] = from_local(engine, DType::i64, local, {mine.counts.data() + skip});
  return result;
}

/// Ascending distinct values and how often each occurs.
template <class T>
struct Counted {
  const T* values;
  const std::int64_t* counts;
  std::size_t n;
};

/// Of equal values the one in `a` stays. Without a branch on which comes next. Returns how many came out.
template <class T>
std::size_t merge_counted(Counted<T> a, Counted<T> b, T* values, std::int64_t* counts) {
  std::size_t i = 0, j = 0, k = 0;
  for (; i < a.n && j < b.n; ++k) {
    const std::uint64_t left = ordered_bits(a.values[i]), right = ordered_bits(b.values[j]);
    const bool first = left <= right, second = right <= left;
    values[k] = first ? a.values[i] : b.values[j];
    counts[k] = (a.counts[i] & -std::int64_t{first}) + (b.counts[j] & -std::int64_t{second});
    i += first;
    j += second;
  }
  for (; i < a.n; ++i, ++k) values[k] = a.values[i], counts[k] = a.counts[i];
  for (; j < b.n; ++j, ++k) values[k] = b.values[j], counts[k] = b.counts[j];
  return k;
}

/// Several PEs, values and counts only, few distinct values: every PE finds its own, and then each merges what all PEs
/// have in one range of values. Rows stay where they are.
std::vector<Array> unique_of_few(Engine& engine, const Array& flat, std::uint8_t outputs) {
  Unique mine;
  engine.together([&] {
    mine = unique(engine.work(), flat->dtype, flat->bytes(), static_cast<std::size_t>(flat->local_size()),
                  {.counts = true});
  });
  const Reach all_values(engine, mine.values.data()), all_counts(engine, mine.counts.data());
  std::vector<Array> result(4);
  dispatch(flat->dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    // Borders between the PEs' ranges: quantiles of evenly spaced values of every PE.
    constexpr std::size_t samples = 64;
    const T* own = reinterpret_cast<const T*>(mine.values.data());
    std::vector<std::uint64_t> sample;
    for (std::size_t k = 0; k < samples && mine.count > 0; ++k)
      sample.push_back(ordered_bits(own[mine.count * k / samples]));
    std::vector<std::uint64_t> pooled;
    for (const auto& part : engine.allgather_vector(sample)) pooled.insert(pooled.end(), part.begin(), part.end());
    std::sort(pooled.begin(), pooled.end());
    // Where each PE's range begins in this PE's values, and then where this PE's range lies in all others'.
    struct Range {
      std::uint64_t begin, end;
    };
    std::vector<Range> ranges(engine.npes(), {0, mine.count});
    for (std::uint32_t pe = 1; pe < engine.npes() && !pooled.empty(); ++pe) {
      const std::uint64_t at = pooled[pooled.size() * pe / engine.npes()];
      const T* border = std::lower_bound(own, own + mine.count, at,
                                         [](T value, std::uint64_t bits) { return ordered_bits(value) < bits; });
      ranges[pe].begin = ranges[pe - 1].end = static_cast<std::uint64_t>(border - own);
    }
    ranges = engine.communicator().alltoall(ranges);
    std::size_t total = 0, far = 0;
    for (std::uint32_t pe = 0; pe < engine.npes(); ++pe) {
      total += ranges[pe].end - ranges[pe].begin;
      if (!all_values.maps(pe)) far += ranges[pe].end - ranges[pe].begin;
    }
    Buffer<T> values[2], far_values;
    Buffer<std::int64_t> counts[2], far_counts;
    engine.together([&] {
      for (int k = 0; k < 2; ++k) {
        values[k] = Buffer<T>(engine.memory(), total);
        counts[k] = Buffer<std::int64_t>(engine.memory(), total);
      }
      far_values = Buffer<T>(engine.memory(), far);
      far_counts = Buffer<std::int64_t>(engine.memory(), far);
    });
    std::vector<Counted<T>> parts;
    far = 0;
    for (std::uint32_t pe = 0; pe < engine.npes(); ++pe) {
      const auto [begin, end] = ranges[pe];
      if (begin == end) continue;
      if (all_values.maps(pe)) {
        if (pe != engine.pe()) engine.count_got((end - begin) * (sizeof(T) + sizeof(std::int64_t)));
        parts.push_back({reinterpret_cast<const T*>(all_values.mapped(pe)) + begin,
                         reinterpret_cast<const std::int64_t*>(all_counts.mapped(pe)) + begin, end - begin});
        continue;
      }
      const std::size_t n = end - begin;
      all_values.start_get(far_values.data() + far, pe, begin * sizeof(T), n * sizeof(T));
      all_counts.start_get(far_counts.data() + far, pe, begin * sizeof(std::int64_t), n * sizeof(std::int64_t));
      parts.push_back({far_values.data() + far, far_counts.data() + far, n});
      far += n;
    }
    all_values.complete();
    Counted<T> merged{nullptr, nullptr, 0};
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const std::size_t n = merge_counted(merged, parts[k], values[k % 2].data(), counts[k % 2].data());
      merged = {values[k % 2].data(), counts[k % 2].data(), n};
    }
    engine.barrier();  // no PE reads `mine` any more
    const Shape local{static_cast<std::int64_t>(merged.n)};
    result[0] = from_local(engine, flat->dtype, local, {merged.values});
    if ((outputs & unique_counts) != 0) result[3] = from_local(engine, DType::i64, local, {merged.counts});
  });
  return result;
}

bool all_have_few_values(Engine& engine, const Array& flat) {
  bool few = false;
  engine.interruptibly(flat->shape.size(), [&] {
    few = has_few_values(engine.work(), flat->dtype, flat->bytes(), static_cast<std::size_t>(flat->local_size()));
  });
  const auto all = engine.allgather_value(static_cast<std::uint64_t>(few));
  return std::find(all.begin(), all.end(), 0u) == all.end();
}

}  // namespace

Array run_starts(Engine& engine, Array array) {
  engine.begin_operation("unique");
  return starts_of_runs(engine, array);
}

std::vector<Array> unique_array(Engine& engine, Array array, std::uint8_t outputs) {
  engine.begin_operation("unique");
  const std::int64_t n = array->shape.size();
  const Array flat = array->shape.ndim() == 1 ? array : reshape(engine, array, Shape{n});
  if (engine.npes() == 1) return unique_here(engine, flat, outputs);
  const bool want_rows = (outputs & (unique_index | unique_inverse)) != 0;
  if (!want_rows && all_have_few_values(engine, flat)) return unique_of_few(engine, flat, outputs);
  if (!want_rows) return unique_of_sorted(engine, sort_array(engine, flat), outputs);
  const Array order = argsort_array(engine, flat);
  const Array sorted = take(engine, flat, order);
  const Array starts = starts_of_runs(engine, sorted);
  std::vector<Array> result(4);
  result[0] = compress_rows(engine, sorted, starts);
  if ((outputs & (unique_index | unique_counts)) != 0) {
    const Array first = find_true(engine, starts);
    if ((outputs & unique_index) != 0) result[1] = take(engine, order, first);
    if ((outputs & unique_counts) != 0) {
      const std::int64_t groups = first->shape.size();
      const Array rest = get_slice(engine, first, {Slice{groups > 0 ? 1 : 0, 1, groups > 0 ? groups - 1 : 0}});
      const Array end = full(engine, DType::i64, Shape{groups > 0 ? 1 : 0}, static_cast<std::uint64_t>(n));
      result[3] = compute(engine, Op::subtract, DType::i64, {concatenate(engine, {rest, end}, 0), first});
    }
  }
  if ((outputs & unique_inverse) != 0) {
    const Array group = scan_along(engine, compute(engine, Op::cast, DType::i64, {starts}), Scan::cumsum, 0);
    const Array one = full(engine, DType::i64, group->shape, 1);
    result[2] = full(engine, DType::i64, flat->shape, 0);
    assign_index(engine, result[2], order, compute(engine, Op::subtract, DType::i64, {group, one}), AssignMode::set);
  }
  return result;
}

}  // namespace atl::array
