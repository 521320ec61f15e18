// SPDX-License-Identifier: Apache-2.0
// Dealing: records are moved into buckets by several threads at once, whole cache lines at a time and past the caches,
// so that what is done next to a bucket's records stays in a cache.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "atoll/array/kernel/stream.hpp"
#include "atoll/array/kernel/work.hpp"

namespace atl::array {

/// Records of a row number and a T each, in buckets. A bucket's records lie in lists of chunks, one list for each
/// thread that dealt, each in the order in which its thread dealt them.
template <class T>
class Dealt {
 public:
  static constexpr std::size_t line_records = 16;
  static_assert(line_records * sizeof(T) % line_bytes == 0);
  // Long enough for memory to be read in order: with 256 instead of 1024 writing 8-byte elements took 20 ms instead
  // of 13.5.
  static constexpr std::size_t chunk_records = 1024;

  /// Room for `n` records in all, empty.
  Dealt(const Work& work, std::size_t n, std::size_t buckets) : buckets_(buckets), threads_(work.threads.size()) {
    lists_ = Buffer<List>(work.memory, threads_ * buckets);
    const std::size_t chunks =
        n / chunk_records + 1 + 2 * threads_ * buckets;  // the first and last of each list are in part empty
    lines_ = Buffer<Line>(work.memory, threads_ * buckets);
    rows_ = Buffer<std::uint32_t>(work.memory, chunks * chunk_records);
    values_ = Buffer<T>(work.memory, chunks * chunk_records);
    next_ = Buffer<std::uint32_t>(work.memory, chunks);
    clear();
  }

  void clear() {
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      // Where buckets begin in a chunk differs: when all began at its start they wrote to one channel of memory at a
      // time, and two threads dealt in 25 ms instead of 16.
      const auto skipped =
          static_cast<std::uint32_t>(i % buckets_ * stagger_records % chunk_records / line_records * line_records);
      lists_[i] = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i), skipped, skipped};
    }
    free_.store(static_cast<std::uint32_t>(lists_.size()), std::memory_order_relaxed);
  }

  /// Whether chunks would be full for the most part.
  static bool fits(unsigned threads, std::size_t n, std::size_t buckets) {
    return 2 * threads * buckets * chunk_records <= n;
  }

  std::size_t buckets() const { return buckets_; }

  /// One thread's hand. It must finish() before the records are read.
  class Dealer {
   public:
    Dealer(Dealt& to, unsigned thread)
        : to_(to), lines_(to.lines_.data() + thread * to.buckets_), lists_(to.lists_.data() + thread * to.buckets_) {}

    void put(std::size_t bucket, std::uint32_t row, const T& value) { next(bucket, row) = value; }
    /// The next record of a bucket, its value to be written at once. A record made elsewhere of parts and then copied
    /// as a whole waits for its parts' stores.
    T& next(std::size_t bucket, std::uint32_t row) {
      List& list = lists_[bucket];
      Line& line = lines_[bucket];
      const std::uint32_t at = list.end, k = at % line_records;
      // A full line goes when its room is needed: by then it can be read as a whole, and not word by word as it was
      // written.
      if (k == 0 && at != list.begin) put_line(bucket, at - line_records);
      line.rows[k] = row;
      list.end = at + 1;
      return line.values[k];
    }
    void finish() {
      for (std::size_t b = 0; b < to_.buckets_; ++b) {
        if (const List& list = lists_[b]; list.end > list.begin)
          put_line(b, (list.end - 1) / line_records * line_records);
      }
      fence_streams();
    }

   private:
    // The line of `bucket` that begins with record number `record`.
    void put_line(std::size_t bucket, std::uint32_t record) {
      List& list = lists_[bucket];
      if (record % chunk_records == 0 && record > 0) {
        const std::uint32_t chunk = to_.free_.fetch_add(1, std::memory_order_relaxed);
        to_.next_[list.last] = chunk;
        list.last = chunk;
      }
      const std::size_t at = std::size_t{list.last} * chunk_records + record % chunk_records;
      const auto* values = reinterpret_cast<const char*>(lines_[bucket].values);
      auto* place = reinterpret_cast<char*>(to_.values_.data() + at);
      for (std::size_t v = 0; v < line_records * sizeof(T); v += line_bytes) stream_line(place + v, values + v);
      for (std::size_t v = 0; v < line_records; v += 16)
        stream_line(to_.rows_.data() + at + v, lines_[bucket].rows + v);
    }

    Dealt& to_;
    typename Dealt::Line* lines_;
    typename Dealt::List* lists_;
  };

  /// Some records of a bucket, neighbours in memory; `after` are those that come next, or these again.
  struct Run {
    const std::uint32_t* rows;
    const T* values;
    std::size_t count;
    const std::uint32_t* rows_after;
    const T* values_after;
  };
  /// A bucket's records of one thread: chunks; numbers of records, of which the first chunk lacks `begin`.
  struct List {
    std::uint32_t first, last, begin, end;
  };
  /// Where dealt records lie, relative to that memory, which may be mapped anywhere.
  struct Places {
    const List* lists;  // [thread * buckets + bucket]
    const std::uint32_t* next;  // the chunk after each
    const std::uint32_t* rows;
    const T* values;
    std::size_t buckets, threads;

    /// Calls body(run) for the bucket's records, in the order of threads.
    template <class Body>
    void for_each_run(std::size_t bucket, Body&& body) const {
      for (std::size_t thread = 0; thread < threads; ++thread) {
        const List& list = lists[thread * buckets + bucket];
        std::uint32_t chunk = list.first;
        for (std::size_t first = list.begin; first < list.end;) {
          const std::size_t skipped = first % chunk_records,
                            count = std::min(list.end - first, chunk_records - skipped);
          first += count;
          const std::size_t at = std::size_t{chunk} * chunk_records + skipped;
          if (first < list.end) chunk = next[chunk];
          const std::size_t after = std::size_t{chunk} * chunk_records;
          body(Run{rows + at, values + at, count, rows + after, values + after});
        }
      }
    }
  };
  Places places() const { return {lists_.data(), next_.data(), rows_.data(), values_.data(), buckets_, threads_}; }
  template <class Body>
  void for_each_run(std::size_t bucket, Body&& body) const {
    places().for_each_run(bucket, std::forward<Body>(body));
  }
  std::size_t count(std::size_t bucket) const {
    std::size_t sum = 0;
    for (std::size_t thread = 0; thread < threads_; ++thread) {
      const List& list = lists_[thread * buckets_ + bucket];
      sum += list.end - list.begin;
    }
    return sum;
  }

 private:
  static constexpr std::size_t stagger_records = 48;
  struct Line {
    T values[line_records];
    std::uint32_t rows[line_records];
  };

  std::size_t buckets_, threads_;
  Buffer<Line> lines_;  // [thread * buckets + bucket], not full yet
  Buffer<std::uint32_t> rows_;
  Buffer<T> values_;
  Buffer<std::uint32_t> next_;  // chunk after this one
  Buffer<List> lists_;  // [thread * buckets + bucket]
  std::atomic<std::uint32_t> free_;
};

/// Fetches memory into the second-level cache, some lines at a time.
class Ahead {
 public:
  Ahead(const void* begin, const void* end, std::size_t lines)
      : at_(static_cast<const char*>(begin)), end_(static_cast<const char*>(end)), lines_(lines) {}
  void some() {
    const char* stop = at_ + std::min(lines_ * line_bytes, static_cast<std::size_t>(end_ - at_));
    for (; at_ < stop; at_ += line_bytes) __builtin_prefetch(at_, 0, 2);
    at_ = std::min(at_, end_);
  }

 private:
  const char *at_, *end_;
  std::size_t lines_;
};

}  // namespace atl::array
