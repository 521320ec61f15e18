// SPDX-License-Identifier: Apache-2.0
// The exchange of a distributed sort: every word crosses once, straight to where its bucket ends up.
#pragma once

#include <span>
#include <vector>

#include "atoll/array/kernel/partition.hpp"
#include "atoll/array/ops/blocks.hpp"

namespace atl::array {

/// PEs up to which cutting buckets is cheap beside having more of them.
inline constexpr std::uint32_t few_pes = 8;

/// Sorts the rows of `key` (all PEs') into `result`, a 1-d array of elements of a word's size: row numbers, or with
/// Packing::values() the words. All PEs run one together.
///
/// A bucket has its final place in the result. Where that lies on one PE, the words go there at once and are sorted in
/// place. The few buckets across a border of PEs go to memory of the border's left PE, are sorted there and copied. A
/// large bucket across borders (a heavy key) stays where it comes from, is cut exactly at the borders and crosses then.
///
/// Words for PEs of other nodes are collected by bucket here, and each bucket is sent in one piece. Rows that tie there
/// and whose keys lie on other nodes (rare: their words agree in all bits that fit) are found after the words were
/// sorted, and the keys brought here.
template <class Word>
class DistributedSort {
 public:
  /// `columns` hold what `key` is made of; none for Packing::values().
  DistributedSort(Engine& engine, CompositeKey& key, const PartitionPlan& plan, Packing packing,
                  const ArrayData& result, std::vector<Array> columns = {});
  void run();

 private:
  enum class Way : std::uint8_t { nothing, direct, by_owner, by_cut };
  struct Place {
    Way way = Way::nothing;
    std::uint32_t owner = 0;
    std::int64_t begin = 0;  // global position
    std::int64_t count = 0;  // on all PEs
    std::int64_t before = 0;  // on lower PEs
    std::int64_t mine = 0;  // on this PE
    std::size_t offset = 0;  // in the owner's (by_owner) or this PE's (by_cut) spare memory
    std::size_t outgoing = 0;  // of this PE's words among those for other nodes
  };

  void place_buckets(std::span<const std::uint64_t> mine, std::span<const std::uint64_t> all,
                     std::span<const std::uint64_t> before);
  bool is_far(const Place& place) const {
    return place.mine > 0 && place.way != Way::by_cut && !spares_.maps(place.owner);
  }
  std::vector<Word*> starts(std::span<const std::uint64_t> my_counts) const;
  void send_outgoing();
  void sort_mine();
  void bring_tied_keys(std::vector<BucketOf<Word>>& buckets);
  void sort_each(std::vector<BucketOf<Word>>& buckets);
  void deliver(const Word* words, std::int64_t begin, std::int64_t count);
  /// Between the words of a bucket that go to one PE and to the next.
  struct Cut {
    const Place* place;
    std::int64_t position;  // global, of the first word behind it
    std::int64_t mine = 0;  // of this PE's words of the bucket, how many lie before it
  };
  void cut_large();
  std::vector<std::uint64_t> in_order(std::span<const Place* const> large);
  void find_cuts(std::vector<Cut>& cuts);
  void send_parts(std::span<const Cut> cuts);
  void sort_all(Word* words, std::size_t n);
  Word* at(std::int64_t position) const { return reinterpret_cast<Word*>(blocks_.row(position)); }
  bool rows() const { return packing_.row_bits != 0; }

  Engine& engine_;
  CompositeKey& key_;
  const PartitionPlan& plan_;
  Packing packing_;
  const ArrayData& result_;
  std::vector<Array> columns_;
  OpenBlocks blocks_;
  std::vector<Place> places_;
  std::size_t spare_words_ = 0;
  std::size_t outgoing_words_ = 0;
  Buffer<Word> spare_;
  Buffer<Word> outgoing_;
  Reach spares_;
  Buffer<std::uint64_t> tied_rows_;
  std::vector<Buffer<std::byte>> tied_keys_;
};

}  // namespace atl::array
