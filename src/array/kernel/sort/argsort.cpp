// SPDX-License-Identifier: Apache-2.0
// argsort and coargsort: plan, histogram, scatter of words into the result itself, sort of each bucket there.
#include <numeric>

#include "atoll/array/kernel/partition.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/kernel/sort.hpp"

namespace atl::array {
namespace {

// One bucket for one thread up to here: its words fit in half an L2 cache.
constexpr std::size_t small_rows = std::size_t{1} << 16;

void number_rows(Work work, std::size_t n, std::int64_t first, std::int64_t* out) {
  Polling(work).for_pieces(n, CompositeKey::share, [&](std::size_t begin, std::size_t end, unsigned) {
    std::iota(out + begin, out + end, first + static_cast<std::int64_t>(begin));
  });
}

void fill_one_bucket(const CompositeKey& key, Packing packing, std::uint64_t* words) {
  const std::uint64_t row_mask = packing.row_mask();
  const unsigned left = 64 - key.width(0);
  for (std::size_t at = 0; at < key.rows(); at += CompositeKey::block) {
    std::size_t count = std::min(CompositeKey::block, key.rows() - at);
    key.load(at, count, words + at);
    for (std::size_t i = at; i < at + count; ++i) words[i] = ((words[i] << left) & ~row_mask) | i;
  }
}

}  // namespace

void coargsort(Work work, std::span<const Key> keys, std::size_t n, std::int64_t first_index, std::int64_t* out) {
  std::vector<KeyRange> ranges;
  for (const Key& key : keys) {
    work.monitor.checkpoint(0, 2 * n);
    ranges.push_back(key_range(work, key, n));
  }
  if (n < 2 || keys.empty() || (keys.size() == 1 && ranges[0].ascending)) return number_rows(work, n, first_index, out);
  const CompositeKey key(keys, ranges, n);
  if (key.chunks() == 0) return number_rows(work, n, first_index, out);

  const Packing packing = Packing::for_rows(n);
  auto* words = reinterpret_cast<std::uint64_t*>(out);
  auto bias = static_cast<std::uint64_t>(first_index);
  if (n <= small_rows) {
    fill_one_bucket(key, packing, words);
    return sort_buckets(work, key, packing, {{words, n, key.width(0)}}, bias);
  }
  const PartitionPlan plan = PartitionPlan::for_rows(key);
  const std::vector<std::uint64_t> counts = histogram(work, key, plan);
  std::vector<std::uint64_t*> starts(counts.size());
  std::vector<Bucket> buckets = lay_out<std::uint64_t>(plan, counts, words, starts);
  scatter<std::uint64_t>(work, key, plan, packing, starts);
  sort_buckets(work, key, packing, std::move(buckets), bias);
}

void argsort(Work work, DType type, const void* keys, std::size_t n, std::int64_t first_index, std::int64_t* out) {
  const Key key{type, keys};
  coargsort(work, {&key, 1}, n, first_index, out);
}

}  // namespace atl::array
