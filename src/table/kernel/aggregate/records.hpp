// SPDX-License-Identifier: Apache-2.0
// Rows moved into buckets: each becomes a record, its key and its words side by side.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "kernel/aggregate/key_buckets.hpp"
#include "kernel/aggregate/strategies.hpp"

namespace atl::table {

/// Some records of one bucket, side by side.
struct RecordRun {
  const std::uint64_t* records;
  std::size_t count;
};

class Records {
 public:
  /// Moves all rows of the task. Each is read once and written once, past the caches, into runs of some hundred
  /// records. Threads allocate runs on demand from one memory per section of neighbouring buckets, because the rows of
  /// a bucket are not counted before.
  Records(const Task& task, const KeyBuckets& buckets);

  /// A key needs more bits than the key was made for: then records are incomplete, of no use.
  bool outside() const { return outside_; }
  std::size_t words_per_record() const { return width_; }
  std::size_t rows(std::size_t bucket) const;
  /// The bucket's records.
  std::vector<RecordRun> runs(std::size_t bucket) const;
  /// Forgets the bucket's records; memory goes with the last bucket of a section. Any thread, once for each bucket.
  void release(std::size_t bucket);

 private:
  /// Memory for the runs of neighbouring buckets.
  struct Section {
    std::mutex mutex;
    std::vector<Buffer<std::uint64_t>> pieces;
    std::uint64_t* next = nullptr;
    std::size_t left = 0;  // runs that fit behind `next`
    std::size_t first = 0;  // runs in the first piece: most of what the sample promises
    std::atomic<std::size_t> buckets{0};  // that are not released
  };
  std::uint64_t* take_run(Memory& memory, Section& section);

  bool outside_ = false;
  std::size_t buckets_;
  std::size_t width_;
  std::size_t run_;  // records
  std::size_t piece_runs_;  // of pieces behind the first
  std::unique_ptr<Section[]> sections_;
  std::vector<std::uint16_t> section_of_;  // by bucket
  std::vector<std::vector<std::uint64_t*>> starts_;  // of runs, by lane and bucket
  std::vector<std::size_t> counts_;  // the same way
};

}  // namespace atl::table
