// SPDX-License-Identifier: Apache-2.0
// Moving rows: eight records of a bucket are collected in the cache and then written as whole lines.
#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/aggregate/records.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernel/aggregate/records.hpp"

#ifndef ATOLL_TABLE_RECORDS_ONCE
#define ATOLL_TABLE_RECORDS_ONCE
namespace atl::table {
namespace {

constexpr std::size_t group = 8;  // records written together: as many lines as a record has words

// One thread's buffers: a group per bucket, where the bucket's records go, and how many came so far.
struct WriteBuffers {
  std::uint64_t* groups;
  std::uint64_t* const* starts;
  std::size_t* filled;
};

}  // namespace
}  // namespace atl::table
#endif

HWY_BEFORE_NAMESPACE();
namespace atl::table::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// `fixed`: the number of words, where the compiler shall know it, or 0.
template <std::size_t fixed>
HWY_ATTR void write(const std::uint64_t* HWY_RESTRICT keys, const std::uint64_t* const* HWY_RESTRICT words, std::size_t width,
                    const std::uint16_t* HWY_RESTRICT buckets, std::size_t count, WriteBuffers to) {
  const hn::CappedTag<std::uint64_t, 8> d;
  const std::size_t w = fixed != 0 ? fixed : width;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t bucket = buckets[i];
    const std::size_t at = to.filled[bucket]++;
    std::uint64_t* lines = to.groups + bucket * group * w;
    std::uint64_t* record = lines + at % group * w;
    record[0] = keys[i];
    for (std::size_t k = 1; k < w; ++k) record[k] = words[k - 1][i];
    if (at % group == group - 1) {
      std::uint64_t* place = to.starts[bucket] + (at - (group - 1)) * w;
      for (std::size_t k = 0; k < group * w; k += hn::Lanes(d)) hn::Stream(hn::Load(d, lines + k), d, place + k);
    }
  }
}

}  // namespace

void write_records(const std::uint64_t* keys, const std::uint64_t* const* words, std::size_t width, const std::uint16_t* buckets,
                   std::size_t count, WriteBuffers to) {
  switch (width) {
    case 1: return write<1>(keys, words, width, buckets, count, to);
    case 2: return write<2>(keys, words, width, buckets, count, to);
    case 3: return write<3>(keys, words, width, buckets, count, to);
    default: return write<0>(keys, words, width, buckets, count, to);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::table::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::table {

HWY_EXPORT(write_records);

Records::Records(const Task& task, const array::PartitionPlan& plan) : buckets_(plan.buckets()), width_(1 + task.words.count()) {
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
      array::find_buckets(plan, keys, count, buckets);
      for (std::size_t i = 0; i < count; ++i) ++counts[buckets[i]];
    }
  });
  outside_ = outside.load(std::memory_order_relaxed);
  if (outside_) return;
  std::size_t total = 0;
  for (std::size_t count : counts_) total += round_up(count, group);
  memory_ = Buffer<std::uint64_t>(task.work.memory, total * width_);
  starts_.resize(counts_.size());
  std::uint64_t* at = memory_.data();
  for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
    for (unsigned lane = 0; lane < lanes; ++lane) {
      starts_[lane * buckets_ + bucket] = at;
      at += round_up(counts_[lane * buckets_ + bucket], group) * width_;
    }
  }
  Buffer<std::uint64_t> groups(task.work.memory, lanes * buckets_ * group * width_);
  threads.for_ranges(n, block_rows, [&](std::size_t begin, std::size_t end, unsigned lane) {
    std::vector<std::size_t> filled(buckets_);
    WriteBuffers to{groups.data() + lane * buckets_ * group * width_, starts_.data() + lane * buckets_, filled.data()};
    BlockReader block(task);
    std::uint16_t buckets[block_rows];
    std::uint64_t numbers[block_rows];
    std::vector<const std::uint64_t*> words(width_);
    for (std::size_t first = begin; first < end; first += block_rows) {
      const std::size_t count = std::min(block_rows, end - first);
      block.load(first, count);
      array::find_buckets(plan, block.keys(), count, buckets);
      std::copy_n(block.words(), task.words.columns.size(), words.data());
      if (task.words.row_number) {
        for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::uint64_t>(block.first_row()) + i;
        words[task.words.columns.size()] = numbers;
      }
      HWY_DYNAMIC_DISPATCH(write_records)(block.keys(), words.data(), width_, buckets, count, to);
    }
    for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
      const std::size_t rest = filled[bucket] % group;
      std::copy_n(to.groups + bucket * group * width_, rest * width_, to.starts[bucket] + (filled[bucket] - rest) * width_);
    }
    hwy::FlushStream();  // orders the streamed lines before whatever tells others that we are done
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
#endif
