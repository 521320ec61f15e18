// SPDX-License-Identifier: Apache-2.0
// The building blocks of every sort here: one pass that moves rows into buckets, then a sort of each in the cache.
//
// Only 8 bytes per row move. A word holds the bits of the key below its bucket, left aligned, and the row number in
// its low bits; bits that do not fit are cut off and looked up again, for the rare rows that tie (mender.hpp). Words
// are distinct and the row is their last bits, so that an unstable sort of words is a stable sort of rows.
//
// A distributed sort is assembled as follows; with one PE it is exactly what argsort does. A *lane* is one thread of
// one PE; lanes are ordered as their rows are.
//
//   1. range  = key_range(…) of each column           → merge the ranges of all PEs
//   2. key    = CompositeKey(keys, ranges, n, first_row)   (add_piece() the other PEs' rows, to break ties)
//   3. sample = sample_keys(key, …)                   → concatenate the samples of all PEs
//   4. plan   = PartitionPlan::from_sample(sample, key.width(0), buckets)      the same on every PE
//   5. counts = histogram(work, key, plan)            → per lane; gather them from all PEs
//   6. start of (lane, bucket) = all of lower buckets + this bucket of lower lanes; a bucket has one owner
//   7. scatter(work, key, plan, packing, …)           writes straight into the owners' buffers; then a barrier
//   8. owners: sort_buckets(work, key, packing, buckets, bias), which leaves row numbers + bias in place of words
//
// The buffers of step 7 may be the result itself: words and row numbers have the same size.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "atoll/array/kernel/sort_key.hpp"
#include "atoll/array/kernel/work.hpp"

namespace atl::array {

/// A monotone map from chunk 0 of a key to a bucket, made from a sample. Either one shift for all keys, or a table
/// indexed by the magnitude of the key (its bit width and next 4 bits, as a short floating-point number), each entry
/// with a shift of its own: so uniform, geometric and zipf-like keys, floats and outliers all split evenly in a
/// handful of instructions. Every bucket is a range of 2^shift keys; heavy keys get buckets of their own when they
/// are near the minimum, and otherwise make a bucket large, never wrong.
class PartitionPlan {
 public:
  /// Asked for by one PE, and by many: 512 KiB and 4 MiB of write buffers. The number of a bucket has 16 bits.
  static constexpr std::size_t most_of_one_pe = 2048, most_of_many_pes = 16384;

  /// `sample` in any order (it is sorted); `width` is key.width(0); about `buckets` buckets (or `most`), at most three
  /// times that plus 1,000.
  static PartitionPlan from_sample(std::vector<std::uint64_t> sample, unsigned width, std::size_t buckets,
                                   std::size_t most = most_of_one_pe);
  /// The plan for one PE's rows: samples them, about suitable_buckets().
  static PartitionPlan for_rows(const CompositeKey& key);
  /// How many buckets suit n rows: as few as sort inside half an L2 cache.
  static std::size_t suitable_buckets(std::size_t n);

  std::size_t buckets() const { return shifts_.size(); }
  unsigned width() const { return width_; }
  /// Keys of a bucket differ in this many low bits at most.
  unsigned shift(std::size_t bucket) const { return shifts_[bucket]; }
  bool is_uniform() const { return table_.empty(); }
  unsigned uniform_shift() const { return uniform_shift_; }
  /// By magnitude: shift << 32 | base; bucket = (base + (key >> shift)) mod 2^32.
  const std::uint64_t* table() const { return table_.data(); }
  std::size_t bucket_of(std::uint64_t key) const;

 private:
  unsigned width_ = 0;
  unsigned uniform_shift_ = 0;
  std::vector<std::uint64_t> table_;
  std::vector<std::uint8_t> shifts_;
};

/// What scatter() writes: key bits and row, or (row_bits 0) the whole key without a row, for sorts of values.
struct Packing {
  unsigned row_bits;

  static Packing for_rows(std::uint64_t rows_in_all) {
    return {rows_in_all < 2 ? 1u : static_cast<unsigned>(std::bit_width(rows_in_all - 1))};
  }
  static Packing values() { return {0}; }
  std::uint64_t row_mask() const { return (std::uint64_t{1} << row_bits) - 1; }
  /// True when words order rows completely in a bucket with this shift: no mending.
  bool resolves(unsigned shift, const CompositeKey& key) const { return key.chunks() <= 1 && shift + row_bits <= 64; }
};

/// About `count` keys (chunk 0) of this PE's rows, at positions that depend on `seed` alone.
std::vector<std::uint64_t> sample_keys(const CompositeKey& key, std::size_t count, std::uint64_t seed);

/// buckets[i] = plan.bucket_of(keys[i]), for up to CompositeKey::block keys.
void find_buckets(const PartitionPlan& plan, const std::uint64_t* keys, std::size_t count, std::uint16_t* buckets);

/// [lane * buckets + bucket], for this PE's lanes (threads of `work`).
std::vector<std::uint64_t> histogram(Work work, const CompositeKey& key, const PartitionPlan& plan);

/// Writes every row's word to `starts[lane * buckets + bucket]` and on from there, in row order. Destinations may lie
/// in other PEs' memory; all are complete when it returns. Word is u64, or u32 for values of at most 32 bits.
/// May throw Interrupted half way: destinations are undefined then.
template <class Word>
void scatter(Work work, const CompositeKey& key, const PartitionPlan& plan, Packing packing,
             std::span<Word* const> starts);

/// Sorts in place, ascending; O(n log n) always, O(n) when already in order.
void sort_words(std::uint64_t* words, std::size_t n);
void sort_words(std::uint32_t* words, std::size_t n);
/// The same with all threads; `scratch` has room for n words.
void sort_words(Work work, std::uint64_t* words, std::size_t n, std::uint64_t* scratch);

/// A filled bucket: its words, and PartitionPlan::shift of it.
template <class Word>
struct BucketOf {
  Word* words;
  std::size_t n;
  unsigned shift;
};
using Bucket = BucketOf<std::uint64_t>;

/// Step 6 for one PE: buckets side by side in `words`; fills `starts`, returns the buckets that are not empty.
template <class Word>
std::vector<BucketOf<Word>> lay_out(const PartitionPlan& plan, std::span<const std::uint64_t> counts, Word* words,
                                    std::span<Word*> starts);

/// Turns the words of each bucket into row numbers + bias, in order of their keys and then of the rows. Buckets are
/// handed out largest first; one too large for a thread is sorted by all, with scratch of its size.
void sort_buckets(Work work, const CompositeKey& key, Packing packing, std::vector<Bucket> buckets, std::uint64_t bias);

/// rows[i] = (words[i] & row_mask) + bias, in place.
void unpack_rows(std::uint64_t* words, std::size_t n, Packing packing, std::uint64_t bias);

}  // namespace atl::array
