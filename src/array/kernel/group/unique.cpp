// SPDX-License-Identifier: Apache-2.0
// Distinct values: from the groups of rows where rows are asked for or groups are few, otherwise from sorted buckets.
#include <algorithm>
#include <cstring>

#include "atoll/array/kernel/group.hpp"
#include "atoll/array/kernel/partition.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "kernel/group/few.hpp"

namespace atl::array {
namespace {

void store_values(DType type, const std::uint64_t* ordered, std::size_t n, std::byte* out) {
  dispatch(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t i = 0; i < n; ++i) reinterpret_cast<T*>(out)[i] = from_ordered_bits<T>(ordered[i]);
  });
}

// The values are those of each group's first row.
Unique unique_of_groups(Work work, Key key, Groups groups, UniqueWants wants) {
  Unique out;
  out.count = groups.count;
  out.values = Buffer<std::byte>(work.memory, groups.count * size_of(key.type));
  dispatch_size(size_of(key.type), [&](auto tag) {
    using U = typename decltype(tag)::type;
    Polling(work).for_pieces(groups.count, CompositeKey::share, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t i = begin; i < end; ++i) {
        auto row = static_cast<std::size_t>(groups.first[i]);
        std::memcpy(out.values.data() + i * sizeof(U), static_cast<const char*>(key.data) + row * sizeof(U), sizeof(U));
      }
    });
  });
  if (wants.index) out.index = std::move(groups.first);
  out.inverse = std::move(groups.ids);
  out.counts = std::move(groups.counts);
  return out;
}

Unique unique_by_buckets(Work work, Key column, const KeyRange& range, const CompositeKey& key, UniqueWants wants) {
  const std::size_t n = key.rows();
  const PartitionPlan plan = PartitionPlan::for_rows(key);
  Buffer<std::uint64_t> words(work.memory, n);
  const std::vector<std::uint64_t> counts = histogram(work, key, plan);
  std::vector<std::uint64_t*> starts(counts.size());
  std::vector<Bucket> buckets = lay_out<std::uint64_t>(plan, counts, words.data(), starts);
  scatter<std::uint64_t>(work, key, plan, Packing::values(), starts);

  // Large buckets first and by all threads, then the others; only then is it known where each writes.
  std::vector<std::size_t> order(buckets.size()), found(buckets.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return buckets[a].n > buckets[b].n; });
  std::size_t large = 0;
  while (work.threads.size() > 1 && large < order.size() && buckets[order[large]].n > n / (4 * work.threads.size())) {
    const Bucket& bucket = buckets[order[large++]];
    if (bucket.shift == 0) continue;
    Buffer<std::uint64_t> scratch(work.memory, bucket.n);
    sort_words(work, bucket.words, bucket.n, scratch.data());
  }
  work.threads.for_each_dynamic(order.size(), [&](std::size_t i, unsigned thread) {
    const Bucket& bucket = buckets[order[i]];
    std::size_t distinct = 1;
    if (bucket.shift > 0) {
      if (i >= large) sort_words(bucket.words, bucket.n);
      for (std::size_t k = 1; k < bucket.n; ++k) distinct += bucket.words[k] != bucket.words[k - 1];
    }
    found[order[i]] = distinct;
    if (thread == 0 && i % 16 == 0) work.monitor.checkpoint(n + n * i / order.size(), 2 * n);
  });
  Unique out;
  std::vector<std::size_t> to(buckets.size());
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    to[i] = out.count;
    out.count += found[i];
  }
  const std::size_t size = size_of(column.type);
  out.values = Buffer<std::byte>(work.memory, out.count * size);
  if (wants.counts) out.counts = Buffer<std::int64_t>(work.memory, out.count);
  work.threads.for_each_dynamic(buckets.size(), [&](std::size_t i, unsigned) {
    const Bucket& bucket = buckets[order[i]];
    const std::size_t at = to[order[i]], distinct = found[order[i]];
    std::int64_t* count = wants.counts ? out.counts.data() + at : nullptr;
    if (distinct == bucket.n) {
      if (count != nullptr) std::fill_n(count, distinct, 1);
    } else if (distinct == 1) {
      if (count != nullptr) *count = static_cast<std::int64_t>(bucket.n);
    } else {
      // Compacted in place, without a branch on whether a run begins: its end is noted at every word.
      std::size_t run = 0;
      std::uint64_t last = bucket.words[0];
      if (count != nullptr) {
        count[0] = 1;
        for (std::size_t k = 1; k < bucket.n; ++k) {
          std::uint64_t word = bucket.words[k];
          run += word != last;
          last = bucket.words[run] = word;
          count[run] = static_cast<std::int64_t>(k + 1);
        }
        for (std::size_t k = distinct - 1; k > 0; --k) count[k] -= count[k - 1];
      } else {
        for (std::size_t k = 1; k < bucket.n; ++k) {
          std::uint64_t word = bucket.words[k];
          run += word != last;
          last = bucket.words[run] = word;
        }
      }
    }
    for (std::size_t k = 0; k < distinct; ++k) bucket.words[k] += range.min;
    store_values(column.type, bucket.words, distinct, out.values.data() + at * size);
  });
  return out;
}

}  // namespace

Unique unique(Work work, DType type, const void* in, std::size_t n, UniqueWants wants) {
  constexpr std::size_t small_rows = 4096;
  const Key column{type, in};
  const GroupWants group_wants{true, wants.counts, wants.inverse};
  if (n < small_rows || wants.index || wants.inverse) {
    return unique_of_groups(work, column, group_rows(work, {&column, 1}, n, group_wants), wants);
  }
  work.monitor.checkpoint(0, 2 * n);
  const KeyRange range = key_range(work, column, n);
  const CompositeKey key({&column, 1}, {&range, 1}, n);
  if (key.chunks() == 0 || suits_table(key)) {
    return unique_of_groups(work, column, group_rows(work, {&column, 1}, n, group_wants), wants);
  }
  if (suits_hash(key)) {
    if (auto groups = group_by_hash(work, key, n, group_wants)) {
      return unique_of_groups(work, column, std::move(*groups), wants);
    }
  }
  return unique_by_buckets(work, column, range, key, wants);
}

bool has_few_values(Work work, DType type, const void* in, std::size_t n) {
  constexpr std::size_t small_rows = 4096;
  if (n < small_rows) return true;
  const Key column{type, in};
  const KeyRange range = key_range(work, column, n);
  const CompositeKey key({&column, 1}, {&range, 1}, n);
  return key.chunks() == 0 || suits_table(key) || suits_hash(key);
}

}  // namespace atl::array
