// SPDX-License-Identifier: Apache-2.0
#include "kernel/aggregate/records.hpp"

#include <atomic>
#include <bit>

#include "kernel/deal/record_writer.hpp"

namespace atl::table {

Records::Records(const Task& task, const KeyBuckets& by_key) : buckets_(by_key.count()), width_(1 + task.words.count()) {
  const std::size_t n = task.key.rows();
  ThreadPool& threads = task.work.threads;
  const unsigned lanes = threads.size();
  counts_.assign(lanes * buckets_, 0);
  starts_.resize(counts_.size());
  // A lane's last run of a bucket stays half empty: that takes a sixteenth of the memory at most.
  run_ = std::clamp(std::bit_floor(n / (16 * counts_.size()) + 1), RecordWriter::group, block_rows);
  const std::size_t most_runs = n / run_ + counts_.size();
  memory_ = Buffer<std::uint64_t>(task.work.memory, most_runs * run_ * width_);
  std::atomic<std::size_t> used{0};
  std::atomic<bool> outside{false};
  threads.for_ranges(n, block_rows, [&](std::size_t begin, std::size_t end, unsigned lane) {
    RecordWriter writer(task.work.memory, buckets_, width_, run_, [&](std::size_t bucket) {
      std::uint64_t* start = memory_.data() + used.fetch_add(1, std::memory_order_relaxed) * run_ * width_;
      starts_[lane * buckets_ + bucket].push_back(start);
      return start;
    });
    BlockReader block(task);
    std::uint16_t buckets[block_rows];
    std::uint64_t numbers[block_rows];
    std::vector<const std::uint64_t*> words(width_);
    for (std::size_t first = begin; first < end; first += block_rows) {
      const std::size_t count = std::min(block_rows, end - first);
      block.load(first, count);
      if (block.outside()) outside.store(true, std::memory_order_relaxed);
      if (outside.load(std::memory_order_relaxed)) break;
      by_key.find(block.keys(), count, buckets);
      std::copy_n(block.words(), task.words.columns.size(), words.data());
      if (task.words.row_number) {
        for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::uint64_t>(block.first_row()) + i;
        words[task.words.columns.size()] = numbers;
      }
      writer.write(block.keys(), words.data(), buckets, count);
    }
    writer.finish();
    std::ranges::copy(writer.filled(), counts_.begin() + static_cast<std::ptrdiff_t>(lane * buckets_));
  });
  outside_ = outside.load(std::memory_order_relaxed);
}

std::size_t Records::rows(std::size_t bucket) const {
  std::size_t rows = 0;
  for (std::size_t at = bucket; at < counts_.size(); at += buckets_) rows += counts_[at];
  return rows;
}

std::vector<RecordRun> Records::runs(std::size_t bucket) const {
  std::vector<RecordRun> runs;
  for (std::size_t at = bucket; at < counts_.size(); at += buckets_)
    for (std::size_t first = 0; const std::uint64_t* start : starts_[at]) {
      runs.push_back({start, std::min(run_, counts_[at] - first)});
      first += run_;
    }
  return runs;
}

}  // namespace atl::table
