// SPDX-License-Identifier: Apache-2.0
// Few groups: each thread numbers the keys it meets, and the threads' groups are joined by key.
#include <atomic>
#include <numeric>

#include "atoll/array/kernel/polling.hpp"
#include "kernel/aggregate/hash_table.hpp"
#include "kernel/aggregate/strategies.hpp"

namespace atl::table {

std::optional<Aggregated> aggregate_few(const Task& task) {
  const std::size_t n = task.key.rows();
  const unsigned lanes = n < array::CompositeKey::share ? 1 : task.work.threads.size();
  std::vector<StateTables> tables;
  std::vector<HashTable> keys(lanes);
  for (unsigned lane = 0; lane < lanes; ++lane)
    tables.emplace_back(task.work.memory, task.specs, few_groups + block_rows);
  std::atomic<bool> too_many{false};
  Trouble trouble;
  array::Polling polling(task.work);
  auto add_rows = [&](std::size_t begin, std::size_t end, unsigned lane) {
    BlockReader block(task);
    std::uint32_t codes[block_rows];
    std::size_t known = 0;
    array::Pace pace(polling, lane);
    for (std::size_t at = begin; at < end; at += block_rows) {
      const std::size_t count = std::min(block_rows, end - at);
      pace.done(count);
      block.load(at, count);
      if (block.outside()) trouble.outside.store(true, std::memory_order_relaxed);
      if (tables[lane].rests() > task.most_rests()) trouble.crowded.store(true, std::memory_order_relaxed);
      if (trouble.any()) return;
      keys[lane].codes_of(block.keys(), count, codes);
      if (keys[lane].size() > few_groups) too_many.store(true, std::memory_order_relaxed);
      if (too_many.load(std::memory_order_relaxed)) return;
      tables[lane].clear(known, keys[lane].size());
      known = keys[lane].size();
      tables[lane].update(task.words, codes, block.words(), count, block.first_row());
    }
  };
  if (lanes == 1) add_rows(0, n, 0);
  else polling.for_ranges(n, block_rows, add_rows);
  if (trouble.any()) return trouble.answer();
  if (too_many.load(std::memory_order_relaxed)) return std::nullopt;

  std::vector<std::uint64_t> all;
  for (const HashTable& lane : keys) all.insert(all.end(), lane.keys().begin(), lane.keys().end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  StateTables joined(task.work.memory, task.specs, all.size());
  joined.clear(0, all.size());
  std::vector<std::uint32_t> codes;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    codes.clear();
    for (std::uint64_t key : keys[lane].keys())
      codes.push_back(static_cast<std::uint32_t>(std::lower_bound(all.begin(), all.end(), key) - all.begin()));
    joined.join(tables[lane], codes.data(), codes.size());
  }
  Aggregated out = make_aggregated(task.work.memory, task.specs, all.size());
  std::ranges::copy(all, out.keys.begin());
  codes.resize(all.size());
  std::iota(codes.begin(), codes.end(), 0);
  joined.copy_to(out.states, 0, codes);
  for (unsigned lane = 0; lane < lanes; ++lane)
    tables[lane].take_rests(out.rests, [&](std::uint32_t code) { return keys[lane].keys()[code]; });
  return out;
}

}  // namespace atl::table
