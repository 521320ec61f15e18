// SPDX-License-Identifier: Apache-2.0
#include "kernel/aggregate/records.hpp"

#include "kernel/deal/record_writer.hpp"

namespace atl::table {

Records::Records(const Task& task, const KeyBuckets& by_key) : buckets_(by_key.count()), width_(1 + task.words.count()) {
  const std::size_t n = task.key.rows();
  ThreadPool& threads = task.work.threads;
  const unsigned lanes = threads.size();
  counts_.assign(lanes * buckets_, 0);
  std::atomic<bool> outside{false};
  const unsigned width = task.key.width(0);
  // The same ranges both times, so that rows fit where they were counted.
  threads.for_ranges(n, block_rows, [&](std::size_t begin, std::size_t end, unsigned lane) {
    alignas(64) std::uint64_t keys[block_rows];
    std::uint16_t buckets[block_rows];
    std::size_t* counts = counts_.data() + lane * buckets_;
    for (std::size_t at = begin; at < end; at += block_rows) {
      const std::size_t count = std::min(block_rows, end - at);
      task.key.load(at, count, keys);
      std::uint64_t bits = 0;
      for (std::size_t i = 0; i < count; ++i) bits |= keys[i];
      if (width < 64 && bits >> width != 0) {
        outside.store(true, std::memory_order_relaxed);
        return;
      }
      by_key.find(keys, count, buckets);
      for (std::size_t i = 0; i < count; ++i) ++counts[buckets[i]];
    }
  });
  outside_ = outside.load(std::memory_order_relaxed);
  if (outside_) return;
  std::size_t total = 0;
  for (std::size_t count : counts_) total += round_up(count, RecordWriter::group);
  memory_ = Buffer<std::uint64_t>(task.work.memory, total * width_);
  starts_.resize(counts_.size());
  std::uint64_t* at = memory_.data();
  for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
    for (unsigned lane = 0; lane < lanes; ++lane) {
      starts_[lane * buckets_ + bucket] = at;
      at += round_up(counts_[lane * buckets_ + bucket], RecordWriter::group) * width_;
    }
  }
  threads.for_ranges(n, block_rows, [&](std::size_t begin, std::size_t end, unsigned lane) {
    const auto first_start = starts_.begin() + static_cast<std::ptrdiff_t>(lane * buckets_);
    RecordWriter writer(task.work.memory, {first_start, first_start + static_cast<std::ptrdiff_t>(buckets_)}, width_);
    BlockReader block(task);
    std::uint16_t buckets[block_rows];
    std::uint64_t numbers[block_rows];
    std::vector<const std::uint64_t*> words(width_);
    for (std::size_t first = begin; first < end; first += block_rows) {
      const std::size_t count = std::min(block_rows, end - first);
      block.load(first, count);
      by_key.find(block.keys(), count, buckets);
      std::copy_n(block.words(), task.words.columns.size(), words.data());
      if (task.words.row_number) {
        for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::uint64_t>(block.first_row()) + i;
        words[task.words.columns.size()] = numbers;
      }
      writer.write(block.keys(), words.data(), buckets, count);
    }
    writer.finish();
  });
}

std::size_t Records::rows(std::size_t bucket) const {
  std::size_t rows = 0;
  for (std::size_t at = bucket; at < counts_.size(); at += buckets_) rows += counts_[at];
  return rows;
}

std::vector<RecordRun> Records::runs(std::size_t bucket) const {
  std::vector<RecordRun> runs;
  for (std::size_t at = bucket; at < counts_.size(); at += buckets_)
    if (counts_[at] != 0) runs.push_back({starts_[at], counts_[at]});
  return runs;
}

}  // namespace atl::table
