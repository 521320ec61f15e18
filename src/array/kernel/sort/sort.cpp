// SPDX-License-Identifier: Apache-2.0
// Sorted copies: by counting where there are few possible values, otherwise as argsort, without rows.
#include "atoll/array/kernel/sort.hpp"

#include <algorithm>

#include "atoll/array/kernel/partition.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/kernel/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/sort/sort.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atl::array {
namespace HWY_NAMESPACE {

template <class T, class Word>
HWY_ATTR void store_type(const Word* words, std::size_t n, std::uint64_t min, void* out) {
  char* to = static_cast<char*>(out);
  for (std::size_t i = 0; i < n; ++i) {
    T value = from_ordered_bits<T>(words[i] + min);
    std::memcpy(to + i * sizeof(T), &value, sizeof(T));
  }
}

// `out` may be `words` where the sizes are equal.
HWY_ATTR void store_64(DType type, const std::uint64_t* words, std::size_t n, std::uint64_t min, void* out) {
  switch (type) {
    case DType::i64: return store_type<std::int64_t>(words, n, min, out);
    case DType::u64: return store_type<std::uint64_t>(words, n, min, out);
    default: return store_type<double>(words, n, min, out);
  }
}

HWY_ATTR void store_32(DType type, const std::uint32_t* words, std::size_t n, std::uint64_t min, void* out) {
  switch (type) {
    case DType::i32: return store_type<std::int32_t>(words, n, min, out);
    case DType::u32: return store_type<std::uint32_t>(words, n, min, out);
    default: return store_type<float>(words, n, min, out);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace atl::array
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {

HWY_EXPORT(store_64);
HWY_EXPORT(store_32);

namespace {

constexpr std::size_t small_rows = std::size_t{1} << 15;

void store(DType type, const std::uint64_t* words, std::size_t n, std::uint64_t min, void* out) {
  HWY_DYNAMIC_DISPATCH(store_64)(type, words, n, min, out);
}
void store(DType type, const std::uint32_t* words, std::size_t n, std::uint64_t min, void* out) {
  HWY_DYNAMIC_DISPATCH(store_32)(type, words, n, min, out);
}

// For 1- and 2-byte types: how often each value occurs is all there is to know.
template <class T>
void sort_by_counting(Work work, const void* in, void* out_block, std::size_t n) {
  T* out = static_cast<T*>(out_block);
  constexpr std::size_t values = std::size_t{1} << (8 * sizeof(T));
  const unsigned lanes = n < 16 * values ? 1 : work.threads.size();
  std::vector<std::uint64_t> counts(lanes * values);
  auto count = [&](std::size_t begin, std::size_t end, unsigned lane) {
    std::uint64_t* mine = counts.data() + lane * values;
    for (std::size_t i = begin; i < end; ++i) {
      T value;
      std::memcpy(&value, static_cast<const char*>(in) + i * sizeof(T), sizeof(T));
      ++mine[ordered_bits(value)];
    }
  };
  if (lanes == 1) count(0, n, 0);
  else Polling(work).for_pieces(n, CompositeKey::block, count);
  std::vector<std::uint64_t> ends(values);
  std::uint64_t sum = 0;
  for (std::size_t value = 0; value < values; ++value) {
    for (unsigned lane = 0; lane < lanes; ++lane) sum += counts[lane * values + value];
    ends[value] = sum;
  }
  auto fill = [&](std::size_t begin, std::size_t end, unsigned) {
    std::size_t value = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), begin) - ends.begin());
    for (std::size_t at = begin; at < end; ++value) {
      std::size_t to = std::min<std::size_t>(ends[value], end);
      std::fill(out + at, out + to, from_ordered_bits<T>(value));
      at = to;
    }
  };
  if (lanes == 1) fill(0, n, 0);
  else Polling(work).for_pieces(n, CompositeKey::block, fill);
}

template <class Word>
void sort_wide(Work work, DType type, const void* in, void* out, std::size_t n) {
  const Key column{type, in};
  const KeyRange range = key_range(work, column, n, Zeros::apart);
  const CompositeKey key({&column, 1}, {&range, 1}, n, 0, Zeros::apart);
  const bool in_place = in == out;
  if (range.ascending || key.chunks() == 0) {
    if (!in_place) {
      Polling(work).for_pieces(n, CompositeKey::share, [&](std::size_t begin, std::size_t end, unsigned) {
        std::size_t at = begin * sizeof(Word);
        std::memcpy(static_cast<char*>(out) + at, static_cast<const char*>(in) + at, (end - begin) * sizeof(Word));
      });
    }
    return;
  }
  if (n <= small_rows) {
    Buffer<std::uint64_t> words(work.memory, n);
    for (std::size_t at = 0; at < n; at += CompositeKey::block) {
      key.load(at, std::min(CompositeKey::block, n - at), words.data() + at);
    }
    if constexpr (sizeof(Word) == 4) {
      auto* narrow = reinterpret_cast<Word*>(words.data());
      for (std::size_t i = 0; i < n; ++i) narrow[i] = static_cast<Word>(words[i]);
      sort_words(narrow, n);
      store(type, narrow, n, range.min, out);
    } else {
      sort_words(words.data(), n);
      store(type, words.data(), n, range.min, out);
    }
    return;
  }

  const PartitionPlan plan = PartitionPlan::for_rows(key);
  const std::vector<std::uint64_t> counts = histogram(work, key, plan);
  std::vector<Word*> starts(counts.size());
  Buffer<Word> scratch;
  if (in_place) scratch = Buffer<Word>(work.memory, n);
  Word* words = in_place ? scratch.data() : static_cast<Word*>(out);
  std::vector<BucketOf<Word>> buckets = lay_out<Word>(plan, counts, words, starts);
  scatter<Word>(work, key, plan, Packing::values(), starts);

  std::sort(buckets.begin(), buckets.end(), [](const auto& a, const auto& b) { return a.n > b.n; });
  auto put = [&](const BucketOf<Word>& bucket, std::size_t begin, std::size_t end) {
    char* to = static_cast<char*>(out) + (bucket.words - words + begin) * sizeof(Word);
    store(type, bucket.words + begin, end - begin, range.min, to);
  };
  std::size_t large = 0;
  if constexpr (sizeof(Word) == 8) {
    while (work.threads.size() > 1 && large < buckets.size() && buckets[large].n > n / (4 * work.threads.size())) {
      const BucketOf<Word>& bucket = buckets[large++];
      if (bucket.shift > 0) {
        Buffer<std::uint64_t> more(work.memory, bucket.n);
        sort_words(work, bucket.words, bucket.n, more.data());
      }
      Polling(work).for_pieces(bucket.n, CompositeKey::block,
                               [&](std::size_t begin, std::size_t end, unsigned) { put(bucket, begin, end); });
    }
  }
  work.threads.for_each_dynamic(buckets.size() - large, [&](std::size_t i, unsigned thread) {
    const BucketOf<Word>& bucket = buckets[large + i];
    if (bucket.shift > 0) sort_words(bucket.words, bucket.n);
    put(bucket, 0, bucket.n);
    // In place, what has been put back is gone from `in`: too late to stop.
    if (!in_place && thread == 0 && i % 16 == 0) work.monitor.checkpoint(n + n * i / buckets.size(), 2 * n);
  });
}

}  // namespace

void sort(Work work, DType type, const void* in, void* out, std::size_t n) {
  if (n == 0) return;
  work.monitor.checkpoint(0, 2 * n);
  switch (type) {
    case DType::b1:
    case DType::u8: return sort_by_counting<std::uint8_t>(work, in, out, n);
    case DType::i8: return sort_by_counting<std::int8_t>(work, in, out, n);
    case DType::i16: return sort_by_counting<std::int16_t>(work, in, out, n);
    case DType::u16: return sort_by_counting<std::uint16_t>(work, in, out, n);
    case DType::i32:
    case DType::u32:
    case DType::f32: return sort_wide<std::uint32_t>(work, type, in, out, n);
    default: return sort_wide<std::uint64_t>(work, type, in, out, n);
  }
}

}  // namespace atl::array
#endif  // HWY_ONCE
