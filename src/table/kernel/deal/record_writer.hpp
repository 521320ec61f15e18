// SPDX-License-Identifier: Apache-2.0
// One thread's way to deal records into buckets: eight of a bucket are collected in the cache and then written as whole lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "atoll/base/memory.hpp"

namespace atl::table {

/// A record is a key and the words that it brings along, side by side.
class RecordWriter {
 public:
  /// Records written together: as many lines as a record has words. Where a bucket's records begin is a multiple of so many.
  static constexpr std::size_t group = 8;

  /// Bucket b's records go to `starts[b]` and on from there.
  RecordWriter(Memory& memory, std::vector<std::uint64_t*> starts, std::size_t words_per_record)
      : width_(words_per_record), starts_(std::move(starts)), filled_(starts_.size()), groups_(memory, starts_.size() * group * width_) {}

  /// Record i has key keys[i], then words[0][i], words[1][i], …, and goes into buckets[i].
  void write(const std::uint64_t* keys, const std::uint64_t* const* words, const std::uint16_t* buckets, std::size_t count);
  /// What is still collected; orders everything before whatever tells others that it is there.
  void finish();

 private:
  std::size_t width_;
  std::vector<std::uint64_t*> starts_;
  std::vector<std::size_t> filled_;
  Buffer<std::uint64_t> groups_;
};

}  // namespace atl::table
