// SPDX-License-Identifier: Apache-2.0
// Sorts what lies in the cache, and buckets that do not.
#include <algorithm>

#include <hwy/contrib/sort/vqsort.h>

#include "kernel/sort/mender.hpp"

namespace atl::array {
namespace {

// Below this a round of all threads costs more than it brings.
constexpr std::size_t parallel_words = std::size_t{1} << 17;

template <class Word>
void sort_words_of(Word* words, std::size_t n) {
  if (std::is_sorted(words, words + n)) return;  // ends at the first descent: free for anything else
  // Debian's build of Highway's vqsort: measured on Zen 5 with AVX-512 2.7 to 3.5 ns per word from 256 to 262,144
  // words; a radix sort of three 8-bit digits takes 2.2, but needs scratch and more digits for unresolved words.
  hwy::Sorter()(words, n, hwy::SortAscending());
}

}  // namespace

void sort_words(std::uint64_t* words, std::size_t n) { sort_words_of(words, n); }
void sort_words(std::uint32_t* words, std::size_t n) { sort_words_of(words, n); }

void sort_words(Work work, std::uint64_t* words, std::size_t n, std::uint64_t* scratch) {
  if (work.threads.size() == 1 || n < parallel_words) return sort_words(words, n);
  const Key column{DType::u64, words};
  const KeyRange range = key_range(work, column, n);
  if (range.ascending) return;
  const CompositeKey key({&column, 1}, {&range, 1}, n);
  const PartitionPlan plan = PartitionPlan::for_rows(key);
  std::vector<std::uint64_t> counts = histogram(work, key, plan);
  std::vector<std::uint64_t*> starts(counts.size());
  std::vector<Bucket> buckets = lay_out<std::uint64_t>(plan, counts, scratch, starts);
  scatter<std::uint64_t>(work, key, plan, Packing::values(), starts);
  auto put_back = [&](const Bucket& bucket, std::size_t begin, std::size_t end) {
    std::uint64_t* to = words + (bucket.words - scratch);
    for (std::size_t i = begin; i < end; ++i) to[i] = bucket.words[i] + range.min;
  };
  std::sort(buckets.begin(), buckets.end(), [](const Bucket& a, const Bucket& b) { return a.n > b.n; });
  std::size_t large = 0;
  while (large < buckets.size() && buckets[large].n > std::max(n / (2 * work.threads.size()), parallel_words)) {
    const Bucket& bucket = buckets[large++];
    sort_words(work, bucket.words, bucket.n, words + (bucket.words - scratch));
    work.threads.for_ranges(bucket.n, CompositeKey::block,
                            [&](std::size_t begin, std::size_t end, unsigned) { put_back(bucket, begin, end); });
  }
  work.threads.for_each_dynamic(buckets.size() - large, [&](std::size_t i, unsigned) {
    const Bucket& bucket = buckets[large + i];
    sort_words(bucket.words, bucket.n);
    put_back(bucket, 0, bucket.n);
  });
}

void sort_buckets(Work work, const CompositeKey& key, Packing packing, std::vector<Bucket> buckets,
                  std::uint64_t bias) {
  std::sort(buckets.begin(), buckets.end(), [](const Bucket& a, const Bucket& b) { return a.n > b.n; });
  std::size_t n = 0, done = 0;
  for (const Bucket& bucket : buckets) n += bucket.n;
  Mender mender(work, key, packing);
  ThreadPool& threads = work.threads;

  std::size_t large = 0;
  while (threads.size() > 1 && large < buckets.size() &&
         buckets[large].n > std::max(n / (4 * threads.size()), parallel_words)) {
    const Bucket bucket = buckets[large++];
    if (!std::is_sorted(bucket.words, bucket.words + bucket.n)) {
      Buffer<std::uint64_t> scratch(work.memory, bucket.n);
      sort_words(work, bucket.words, bucket.n, scratch.data());
    }
    // Pieces that end between runs of ties.
    std::vector<std::size_t> borders = {0};
    const std::size_t pieces = threads.size() * 4;
    for (std::size_t piece = 1; piece < pieces; ++piece) {
      std::size_t at = std::max(bucket.n / pieces * piece, borders.back());
      while (at > 0 && at < bucket.n && ((bucket.words[at] ^ bucket.words[at - 1]) >> packing.row_bits) == 0) ++at;
      borders.push_back(at);
    }
    borders.push_back(bucket.n);
    threads.for_each_dynamic(pieces, [&](std::size_t piece, unsigned) {
      std::uint64_t* words = bucket.words + borders[piece];
      std::size_t count = borders[piece + 1] - borders[piece];
      mender.mend(words, count, bucket.shift);
      unpack_rows(words, count, packing, bias);
    });
    work.monitor.checkpoint(n + (done += bucket.n), 2 * n);
  }
  threads.for_each_dynamic(buckets.size() - large, [&](std::size_t i, unsigned thread) {
    const Bucket& bucket = buckets[large + i];
    if (bucket.shift > 0) sort_words(bucket.words, bucket.n);
    mender.mend(bucket.words, bucket.n, bucket.shift);
    unpack_rows(bucket.words, bucket.n, packing, bias);
    if (thread == 0 && i % 16 == 0) work.monitor.checkpoint(n + n * i / buckets.size(), 2 * n);
  });
  mender.finish(bias);
}

}  // namespace atl::array
