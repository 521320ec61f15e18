// SPDX-License-Identifier: Apache-2.0
// Rows moved into buckets: each becomes a record, its key and its words side by side.
#pragma once

#include <vector>

#include "kernel/aggregate/key_buckets.hpp"
#include "kernel/aggregate/ways.hpp"

namespace atl::table {

/// Some records of one bucket, side by side.
struct RecordRun {
  const std::uint64_t* records;
  std::size_t count;
};

class Records {
 public:
  /// Moves all rows of the task. Each is read once and written once, past the caches: into runs of some hundred records, which
  /// threads take from one memory as they need them, because nobody has counted a bucket's rows before.
  Records(const Task& task, const KeyBuckets& buckets);

  /// A key needs more bits than the key was made for: then records are incomplete, of no use.
  bool outside() const { return outside_; }
  std::size_t words_per_record() const { return width_; }
  std::size_t rows(std::size_t bucket) const;
  /// Forgets all records.
  void release() { memory_ = {}; }
  /// The bucket's records.
  std::vector<RecordRun> runs(std::size_t bucket) const;

 private:
  bool outside_ = false;
  std::size_t buckets_;
  std::size_t width_;
  std::size_t run_;  // records
  Buffer<std::uint64_t> memory_;
  std::vector<std::vector<std::uint64_t*>> starts_;  // of runs, by lane and bucket
  std::vector<std::size_t> counts_;                  // the same way
};

}  // namespace atl::table
