// SPDX-License-Identifier: Apache-2.0
// One thread's way to deal records into buckets: eight of a bucket are collected in the cache and then written as whole
// lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "atoll/base/memory.hpp"

namespace atl::table {

/// A record is a key and the words that it brings along, side by side.
class RecordWriter {
 public:
  /// Records written together: as many lines as a record has words. Where a bucket's records begin is a multiple of so
  /// many.
  static constexpr std::size_t group = 8;

  /// Bucket b's records go to `starts[b]` and on from there.
  RecordWriter(Memory& memory, std::vector<std::uint64_t*> starts, std::size_t words_per_record)
      : width_(words_per_record),
        next_(std::move(starts)),
        filled_(next_.size()),
        groups_(memory, next_.size() * group * width_) {}
  /// They go where `room(b)` says, `run` of them, a multiple of `group`; then where it says next.
  RecordWriter(Memory& memory, std::size_t buckets, std::size_t words_per_record, std::size_t run,
               std::function<std::uint64_t*(std::size_t)> room)
      : RecordWriter(memory, std::vector<std::uint64_t*>(buckets), words_per_record) {
    run_ = run;
    room_ = std::move(room);
  }

  /// Record i has key keys[i], then words[0][i], words[1][i], …, and goes into buckets[i].
  void write(const std::uint64_t* keys, const std::uint64_t* const* words, const std::uint16_t* buckets,
             std::size_t count);
  /// What is still collected; orders everything before whatever tells others that it is there.
  void finish();
  /// How many records each bucket got.
  const std::vector<std::size_t>& filled() const { return filled_; }

 private:
  std::size_t width_;
  std::vector<std::uint64_t*> next_;  // where the next group goes
  std::size_t run_ = 0;  // 0: all go on from `starts`
  std::function<std::uint64_t*(std::size_t)> room_;
  std::vector<std::size_t> filled_;
  Buffer<std::uint64_t> groups_;
};

}  // namespace atl::table
