// SPDX-License-Identifier: Apache-2.0
// Keys dealt into buckets by a hash, so that equal keys of two tables meet, and what is found for them brought back to
// their rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/kernel/sort_key.hpp"
#include "atoll/array/kernel/work.hpp"
#include "atoll/base/memory.hpp"

namespace atl::table {

/// Which bucket a key goes to. Hashed keys are equal where keys are, and a bucket has a range of them, so that keys
/// that lie close together, or far from all others, make no difference. Some keys, the heavy ones, have a bucket of
/// their own together.
class BucketRule {
 public:
  static constexpr std::size_t most_buckets = 65'535;
  static constexpr std::size_t most_heavy = 2048;

  /// `heavy`: hashed keys, ascending, not more than most_heavy.
  BucketRule(std::size_t buckets, std::vector<std::uint64_t> heavy);

  static constexpr std::uint64_t hashed(std::uint64_t key) { return (key ^ (key >> 32)) * 0xD6E8FEB86659FD93ull; }

  /// Without that of heavy keys, which is the last.
  std::size_t buckets() const { return buckets_; }
  std::span<const std::uint64_t> heavy() const { return heavy_; }
  /// The place of a hashed key among the heavy ones, or their number.
  std::size_t heavy_place(std::uint64_t hashed) const {
    std::size_t at = first_[hashed >> (64 - first_bits)];
    while (at < heavy_.size() && heavy_[at] < hashed) ++at;
    return at < heavy_.size() && heavy_[at] == hashed ? at : heavy_.size();
  }
  /// Hashes keys in place and finds their buckets; n up to array::CompositeKey::block.
  void find(std::uint64_t* keys, std::size_t n, std::uint16_t* buckets) const;

 private:
  static constexpr unsigned first_bits = 12;

  std::size_t buckets_;
  std::vector<std::uint64_t> heavy_;
  std::array<std::uint16_t, (std::size_t{1} << first_bits) + 1> first_{};  // heavy key not below those bits; the end
};

/// Whether a dealt key has the number of its row beside it.
enum class BringRows : std::uint8_t { no, yes };

/// The keys of one PE's rows in buckets: a run for each bucket and thread (lane), in order of rows.
class DealtKeys {
 public:
  /// Runs begin at multiples of so many records.
  static constexpr std::size_t run_grain = 8;

  /// Reads the keys twice and writes them once, past the caches. Memory: one or two words a row.
  DealtKeys(array::Work work, const array::CompositeKey& key, const BucketRule& rule, BringRows bring);

  std::size_t lanes() const { return lanes_; }
  std::size_t words_per_record() const { return width_; }
  /// In words: where the run of a bucket and lane begins among records(). One more: the end.
  std::uint64_t start(std::size_t bucket, std::size_t lane) const { return starts_[bucket * lanes_ + lane]; }
  /// By bucket and lane: how many records.
  std::uint64_t* counts() const { return counts_.data(); }
  std::uint64_t* records() const { return records_.data(); }

  /// What now stands in place of each row's key, as `result(bucket, word, hashed key)` says it: out[i] of row i. Then
  /// calls `done(number of the block)`, for all blocks of rows. Keys and rule are those that were dealt.
  template <class Result, class Done>
  void bring_back(array::Work work, const array::CompositeKey& key, const BucketRule& rule, Result&& result,
                  std::int64_t* out, Done&& done) const {
    for_blocks(work, key, rule,
               [&](std::size_t at, std::size_t n, const std::uint64_t* keys, const std::uint16_t* buckets,
                   std::uint64_t* next) {
                 for (std::size_t i = 0; i < n; ++i) {
                   const std::size_t bucket = buckets[i];
                   const std::uint64_t word = records_[next[bucket]];
                   next[bucket] += width_;
                   out[at + i] = result(bucket, static_cast<std::int64_t>(word), keys[i]);
                 }
                 done(at / block);
               });
  }

 private:
  static constexpr std::size_t block = array::CompositeKey::block;

  /// Calls body(first row, count, hashed keys, buckets, next record of each bucket) for all blocks of rows.
  template <class Body>
  void for_blocks(array::Work work, const array::CompositeKey& key, const BucketRule& rule, Body&& body) const {
    array::Polling polling(work);
    polling.for_ranges(key.rows(), block, [&](std::size_t begin, std::size_t end, unsigned lane) {
      alignas(64) std::uint64_t keys[block];
      std::uint16_t buckets[block];
      std::vector<std::uint64_t> next(rule.buckets() + 1);
      for (std::size_t bucket = 0; bucket < next.size(); ++bucket) next[bucket] = start(bucket, lane);
      array::Pace pace(polling, lane);
      for (std::size_t at = begin; at < end; at += block) {
        const std::size_t n = std::min(block, end - at);
        pace.done(n);
        load(key, rule, at, n, keys, buckets);
        body(at, n, keys, buckets, next.data());
      }
    });
  }
  static void load(const array::CompositeKey& key, const BucketRule& rule, std::size_t at, std::size_t n,
                   std::uint64_t* keys, std::uint16_t* buckets);

  std::size_t lanes_;
  std::size_t width_;
  Buffer<std::uint64_t> counts_;
  std::vector<std::uint64_t> starts_;
  Buffer<std::uint64_t> records_;
};

/// One run of dealt keys, wherever it lies.
struct KeyRun {
  std::uint64_t* records;
  std::size_t count;
};

}  // namespace atl::table
