// SPDX-License-Identifier: Apache-2.0
#include "kernel/aggregate/records.hpp"

#include <bit>
#include <utility>

#include "atoll/array/kernel/polling.hpp"
#include "kernel/deal/record_writer.hpp"

namespace atl::table {
namespace {

constexpr std::size_t most_sections = 8;  // groups take the place of records in so many steps

}  // namespace

Records::Records(const Task& task, const KeyBuckets& by_key)
    : buckets_(by_key.count()), width_(1 + task.words.count()) {
  const std::size_t n = task.key.rows();
  ThreadPool& threads = task.work.threads;
  const unsigned lanes = threads.size();
  counts_.assign(lanes * buckets_, 0);
  starts_.resize(counts_.size());
  // A lane's last run of a bucket stays half empty: that takes a sixteenth of the memory at most.
  run_ = std::clamp(std::bit_floor(n / (16 * counts_.size()) + 1), RecordWriter::group, block_rows);
  std::vector<double> shares{0};
  std::vector<std::size_t> buckets_of{0};
  for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
    if (shares.back() >= 1.0 / most_sections) {
      shares.push_back(0);
      buckets_of.push_back(0);
    }
    section_of_.push_back(static_cast<std::uint16_t>(shares.size() - 1));
    shares.back() += by_key.share(bucket);
    ++buckets_of.back();
  }
  sections_ = std::make_unique<Section[]>(shares.size());
  piece_runs_ = n / run_ / (16 * most_sections) + 1;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    sections_[i].buckets = buckets_of[i];
    sections_[i].first = static_cast<std::size_t>(shares[i] * 0.9 * static_cast<double>(n / run_));
  }
  std::atomic<bool> outside{false};
  array::Polling polling(task.work);
  polling.for_ranges(n, block_rows, [&](std::size_t begin, std::size_t end, unsigned lane) {
    RecordWriter writer(task.work.memory, buckets_, width_, run_, [&](std::size_t bucket) {
      std::uint64_t* start = take_run(task.work.memory, sections_[section_of_[bucket]]);
      starts_[lane * buckets_ + bucket].push_back(start);
      return start;
    });
    BlockReader block(task);
    std::uint16_t buckets[block_rows];
    std::uint64_t numbers[block_rows];
    std::vector<const std::uint64_t*> words(width_);
    array::Pace pace(polling, lane);
    for (std::size_t first = begin; first < end; first += block_rows) {
      const std::size_t count = std::min(block_rows, end - first);
      pace.done(count);
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

std::uint64_t* Records::take_run(Memory& memory, Section& section) {
  std::lock_guard lock(section.mutex);
  if (section.left == 0) {
    const std::size_t runs = std::max(section.pieces.empty() ? section.first : 0, piece_runs_);
    section.next = section.pieces.emplace_back(memory, runs * run_ * width_).data();
    section.left = runs;  // last: where there is no memory, other threads find no room either
  }
  --section.left;
  return std::exchange(section.next, section.next + run_ * width_);
}

void Records::release(std::size_t bucket) {
  Section& section = sections_[section_of_[bucket]];
  // The last releasing thread frees data that others have read: acquire and release, each the partner of the other.
  if (section.buckets.fetch_sub(1, std::memory_order_acq_rel) == 1) section.pieces.clear();
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
