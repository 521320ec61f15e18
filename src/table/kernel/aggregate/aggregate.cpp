// SPDX-License-Identifier: Apache-2.0
// Which way suits the keys.
#include "atoll/table/kernel/aggregate.hpp"

#include "atoll/array/kernel/partition.hpp"
#include "kernel/aggregate/strategies.hpp"

namespace atl::table {
namespace {

constexpr std::size_t dense_bytes = std::size_t{1} << 20;  // a thread's states stay in L2 (2 MiB) beside the rows
constexpr std::size_t crowded_bytes = std::size_t{1}
                                      << 23;  // in L3, where it still costs less than moving rows into buckets
constexpr std::size_t crowd = 16;  // rows for each state
constexpr std::size_t sample_rows = 4096;

bool suits_dense(const Task& task) {
  if (task.key.chunks() == 0) return true;
  const unsigned width = task.key.width(0);
  if (width >= 32) return false;
  const std::size_t range = std::size_t{1} << width;
  const std::size_t bytes = range * task.state_bytes(), rows = task.key.rows();
  return range <= 1024 || (bytes <= dense_bytes && range <= rows) || (bytes <= crowded_bytes && range * crowd <= rows);
}

std::size_t distinct(std::vector<std::uint64_t> sample) {
  std::sort(sample.begin(), sample.end());
  return static_cast<std::size_t>(std::unique(sample.begin(), sample.end()) - sample.begin());
}

}  // namespace

Aggregated aggregate(array::Work work, const array::CompositeKey& key, std::span<const Column> columns,
                     std::span<const StateSpec> specs, std::size_t presence) {
  const Task task{work, key, columns, specs, presence, RowWords(specs)};
  if (key.rows() == 0) return make_aggregated(work.memory, specs, 0);
  if (suits_dense(task)) return aggregate_dense(task, key.chunks() == 0 ? 1 : std::size_t{1} << key.width(0));
  std::vector<std::uint64_t> sample = array::sample_keys(key, sample_rows, key.rows());
  // Half of few_groups would show some 40 % of a sample of half its size as distinct; more than that is many.
  const bool few = key.rows() <= few_groups || distinct(sample) < sample.size() / 2;
  if (few) {
    if (auto groups = aggregate_few(task)) return std::move(*groups);
  }
  return aggregate_many(task, std::move(sample));
}

}  // namespace atl::table
