// SPDX-License-Identifier: Apache-2.0
// The pass that moves the data: count the rows of each bucket, then write them through a small buffer per bucket.
#include <algorithm>

#include "atoll/array/kernel/partition.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/kernel/simd.hpp"
#include "atoll/base/assertion.hpp"
#include "kernel/sort/magnitude.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/sort/scatter.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef ATOLL_SORT_SCATTER_ONCE
#define ATOLL_SORT_SCATTER_ONCE
namespace atl::array {
namespace {

// Four cache lines at a time: the branch to the flush is mispredicted a quarter as often and memory sees longer writes
// (10^7 words on Zen 5, 256 buckets: 64 bytes 18.1 ms, 128 16.1, 256 13.7; 512 buckets: 21.5, 16.0, 13.8).
constexpr std::size_t line_bytes = 256;

// One lane's write buffers: a line per bucket, where its next word goes, and where its range began.
struct WriteBuffers {
  char* lines;
  std::uintptr_t* next;
  const std::uintptr_t* begin;
};

}  // namespace
}  // namespace atl::array
#endif

HWY_BEFORE_NAMESPACE();
namespace atl::array {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

HWY_ATTR void uniform_digits(const std::uint64_t* HWY_RESTRICT keys, std::size_t count, unsigned shift,
                             std::uint16_t* HWY_RESTRICT digits) {
  for (std::size_t i = 0; i < count; ++i) digits[i] = static_cast<std::uint16_t>(keys[i] >> shift);
}

// Leaves each key's shift for pack_table(). The table is read by plain loads (the empty asm keeps the loop scalar):
// vector gathers took 1.2 ns per key on Zen 5, all three loops together 0.8 with plain loads.
HWY_ATTR void table_digits(const std::uint64_t* HWY_RESTRICT keys, std::size_t count,
                           const std::uint64_t* HWY_RESTRICT table, std::uint16_t* HWY_RESTRICT digits,
                           std::uint64_t* HWY_RESTRICT shifts) {
  for (std::size_t i = 0; i < count; ++i) shifts[i] = magnitude::entry_of(keys[i]);
  for (std::size_t i = 0; i < count; ++i) {
    shifts[i] = table[shifts[i]];
    asm volatile("");
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t entry = shifts[i];
    shifts[i] = entry >> 32;
    digits[i] = static_cast<std::uint16_t>(entry + (keys[i] >> (entry >> 32)));
  }
}

HWY_ATTR void find_digits(const PartitionPlan& plan, const std::uint64_t* keys, std::size_t count,
                          std::uint16_t* digits, std::uint64_t* shifts) {
  if (plan.is_uniform()) {
    uniform_digits(keys, count, plan.uniform_shift(), digits);
  } else {
    table_digits(keys, count, plan.table(), digits, shifts);
  }
}

// The key's bits below its bucket, left aligned, over the row number.
HWY_ATTR void pack_uniform(std::uint64_t* keys, std::size_t count, unsigned shift, std::uint64_t row,
                           std::uint64_t row_mask) {
  std::uint64_t keep = shift == 0 ? 0 : ~row_mask;
  unsigned left = (64 - shift) & 63;
  for (std::size_t i = 0; i < count; ++i) keys[i] = ((keys[i] << left) & keep) | (row + i);
}

HWY_ATTR void pack_table(std::uint64_t* HWY_RESTRICT keys, std::size_t count, const std::uint64_t* HWY_RESTRICT shifts,
                         std::uint64_t row, std::uint64_t row_mask) {
  for (std::size_t i = 0; i < count; ++i) {  // shifts are at most 63
    keys[i] = (((keys[i] << (63 - shifts[i])) << 1) & ~row_mask) | (row + i);
  }
}

HWY_ATTR void pack(const PartitionPlan& plan, std::uint64_t* keys, std::size_t count, const std::uint64_t* shifts,
                   std::uint64_t row, std::uint64_t row_mask) {
  if (plan.is_uniform()) {
    pack_uniform(keys, count, plan.uniform_shift(), row, row_mask);
  } else {
    pack_table(keys, count, shifts, row, row_mask);
  }
}

template <class Word>
HWY_ATTR void write_words(const std::uint64_t* HWY_RESTRICT words, const std::uint16_t* HWY_RESTRICT digits,
                          std::size_t count, WriteBuffers buffers) {
  const hn::CappedTag<std::uint8_t, 64> d;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t bucket = digits[i];
    std::uintptr_t at = buffers.next[bucket];
    char* line = buffers.lines + bucket * line_bytes;
    Word word = static_cast<Word>(words[i]);
    std::memcpy(line + at % line_bytes, &word, sizeof(Word));
    at += sizeof(Word);
    buffers.next[bucket] = at;
    if (at % line_bytes == 0) {
      std::uintptr_t to = at - line_bytes;
      if (to >= buffers.begin[bucket]) [[likely]] {
        // Streaming: the line is not read first, which would cost half as much memory traffic again.
        for (std::size_t byte = 0; byte < line_bytes; byte += hn::Lanes(d)) {
          hn::Stream(hn::Load(d, reinterpret_cast<std::uint8_t*>(line) + byte), d,
                     reinterpret_cast<std::uint8_t*>(to) + byte);
        }
      } else {  // the first line of a range belongs in part to the range before it
        std::uintptr_t begin = buffers.begin[bucket];
        std::memcpy(reinterpret_cast<void*>(begin), line + begin % line_bytes, at - begin);
      }
    }
  }
}

HWY_ATTR void write_words_64(const std::uint64_t* words, const std::uint16_t* digits, std::size_t count,
                             WriteBuffers buffers) {
  write_words<std::uint64_t>(words, digits, count, buffers);
}
HWY_ATTR void write_words_32(const std::uint64_t* words, const std::uint16_t* digits, std::size_t count,
                             WriteBuffers buffers) {
  write_words<std::uint32_t>(words, digits, count, buffers);
}

HWY_ATTR void mask_and_add(std::uint64_t* words, std::size_t n, std::uint64_t mask, std::uint64_t bias) {
  for (std::size_t i = 0; i < n; ++i) words[i] = (words[i] & mask) + bias;
}

}  // namespace HWY_NAMESPACE
}  // namespace atl::array
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {

HWY_EXPORT(find_digits);
HWY_EXPORT(pack);
HWY_EXPORT(write_words_64);
HWY_EXPORT(write_words_32);
HWY_EXPORT(mask_and_add);

namespace {

constexpr std::size_t block = CompositeKey::block;

// A lane's rows. The same split for the histogram and the scatter: that is what makes their counts fit.
struct LaneRows {
  std::size_t begin, end;
  LaneRows(std::size_t n, unsigned lanes, unsigned lane) {
    std::size_t blocks = (n + block - 1) / block;
    begin = std::min(n, blocks * lane / lanes * block);
    end = std::min(n, blocks * (lane + 1) / lanes * block);
  }
};

}  // namespace

void find_buckets(const PartitionPlan& plan, const std::uint64_t* keys, std::size_t count, std::uint16_t* buckets) {
  alignas(64) std::uint64_t shifts[block];
  HWY_DYNAMIC_DISPATCH(find_digits)(plan, keys, count, buckets, shifts);
}

std::vector<std::uint64_t> histogram(Work work, const CompositeKey& key, const PartitionPlan& plan) {
  const std::size_t buckets = plan.buckets();
  const unsigned lanes = work.threads.size();
  std::vector<std::uint64_t> counts(lanes * buckets);
  Polling polling(work);
  polling.on_each([&](unsigned lane) {
    // Two tables, so that equal keys in a row do not wait for each other's increments.
    std::vector<std::uint64_t> even(buckets), odd(buckets);
    alignas(64) std::uint64_t keys[block];
    alignas(64) std::uint64_t shifts[block];
    alignas(64) std::uint16_t digits[block];
    LaneRows rows(key.rows(), lanes, lane);
    Pace pace(polling, lane);
    for (std::size_t at = rows.begin; at < rows.end; at += block) {
      std::size_t count = std::min(block, rows.end - at);
      pace.done(count);
      key.load(at, count, keys);
      HWY_DYNAMIC_DISPATCH(find_digits)(plan, keys, count, digits, shifts);
      std::size_t i = 0;
      for (; i + 2 <= count; i += 2) {
        ++even[digits[i]];
        ++odd[digits[i + 1]];
      }
      if (i < count) ++even[digits[i]];
    }
    for (std::size_t b = 0; b < buckets; ++b) counts[lane * buckets + b] = even[b] + odd[b];
  });
  return counts;
}

template <class Word>
void scatter(Work work, const CompositeKey& key, const PartitionPlan& plan, Packing packing,
             std::span<Word* const> starts) {
  const std::size_t buckets = plan.buckets();
  const unsigned lanes = work.threads.size();
  ATOLL_EXPECT(starts.size() == lanes * buckets);
  Buffer<char> lines(work.memory, lanes * buckets * line_bytes);
  Polling polling(work);
  polling.on_each([&](unsigned lane) {
    std::vector<std::uintptr_t> begin(buckets), next(buckets);
    for (std::size_t b = 0; b < buckets; ++b) {
      begin[b] = next[b] = reinterpret_cast<std::uintptr_t>(starts[lane * buckets + b]);
    }
    WriteBuffers buffers{lines.data() + lane * buckets * line_bytes, next.data(), begin.data()};
    alignas(64) std::uint64_t words[block], shifts[block];
    alignas(64) std::uint16_t digits[block];
    LaneRows rows(key.rows(), lanes, lane);
    std::size_t blocks_done = 0;
    Pace pace(polling, lane);
    for (std::size_t at = rows.begin; at < rows.end; at += block) {
      std::size_t count = std::min(block, rows.end - at);
      pace.done(count);
      key.load(at, count, words);
      HWY_DYNAMIC_DISPATCH(find_digits)(plan, words, count, digits, shifts);
      if (packing.row_bits > 0) {
        HWY_DYNAMIC_DISPATCH(pack)(plan, words, count, shifts, key.first_row() + at, packing.row_mask());
      }
      if constexpr (sizeof(Word) == 8) {
        HWY_DYNAMIC_DISPATCH(write_words_64)(words, digits, count, buffers);
      } else {
        HWY_DYNAMIC_DISPATCH(write_words_32)(words, digits, count, buffers);
      }
      if (lane == 0 && ++blocks_done % 4096 == 0) work.monitor.checkpoint(at * lanes, key.rows() * 2);
    }
    for (std::size_t b = 0; b < buckets; ++b) {
      if (next[b] == begin[b]) continue;  // nothing for this bucket: it may have no place at all
      std::uintptr_t from = std::max(begin[b], next[b] / line_bytes * line_bytes);
      std::memcpy(reinterpret_cast<void*>(from), buffers.lines + b * line_bytes + from % line_bytes, next[b] - from);
    }
    hwy::FlushStream();  // orders the streamed lines before whatever tells others that we are done
  });
}

template void scatter(Work, const CompositeKey&, const PartitionPlan&, Packing, std::span<std::uint64_t* const>);
template void scatter(Work, const CompositeKey&, const PartitionPlan&, Packing, std::span<std::uint32_t* const>);

void unpack_rows(std::uint64_t* words, std::size_t n, Packing packing, std::uint64_t bias) {
  HWY_DYNAMIC_DISPATCH(mask_and_add)(words, n, packing.row_mask(), bias);
}

}  // namespace atl::array
#endif  // HWY_ONCE
