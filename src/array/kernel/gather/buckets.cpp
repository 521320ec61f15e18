// SPDX-License-Identifier: Apache-2.0
// A random write to memory waits for its line, some 150 ns on a busy machine, and a core has about 24 such lines under way: 6 to 9
// ns for each row, however it is fetched ahead. Dealing costs two passes in order and then finds every row in the cache: 10^7
// int64 into as many took 91 and 47 ms (1 and 2 threads, AMD EPYC), dealt 45 and 26.
#include "kernel/gather/buckets.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <vector>

#include "kernel/copy/stream.hpp"

namespace atl::array {
namespace {

// Of the target: half of a second-level cache of 1 MiB, as the next part is fetched while one is written.
constexpr std::size_t bucket_bytes = std::size_t{512} << 10;
constexpr std::size_t most_buckets = 512;                   // whose lines lie in the second-level cache
constexpr std::size_t least_bytes = std::size_t{24} << 20;  // of the target: below, caches hold much of it
constexpr std::size_t most_dealt = std::size_t{1} << 24;    // indices at once: 200 MiB

constexpr std::size_t line_records = 16;
// Long enough for memory to be read in order: with 256 instead of 1024 writing took 20 ms instead of 13.5.
constexpr std::size_t chunk_records = 1024;
// Between the places of a chunk where buckets begin. When all began at its start they wrote to one channel of memory at a time:
// two threads dealt in 25 ms instead of 16.
constexpr std::size_t stagger_records = 48;

/// Indices dealt at once: all, or in rounds of one size.
std::size_t dealt_at_once(std::size_t n) {
  const std::size_t rounds = (n + most_dealt - 1) / most_dealt;
  return rounds == 0 ? 0 : (n + rounds - 1) / rounds;
}

/// What was dealt: chunks of one thread and bucket each, in a list in the order of the indices.
template <class T>
struct Dealt {
  struct List {
    std::uint32_t first, last, begin, end;  // chunks; numbers of records, of which the first chunk lacks `begin`
  };
  struct Line {
    T values[line_records];
    std::uint32_t rows[line_records];
  };
  unsigned shift;
  std::size_t buckets;
  Buffer<Line> lines;          // [thread * buckets + bucket], not full yet
  Buffer<std::uint32_t> rows;
  Buffer<T> values;
  Buffer<std::uint32_t> next;  // chunk after this one
  std::vector<List> lists;     // [thread * buckets + bucket]

  Dealt(const Work& work, std::size_t n, std::size_t bucket_count, unsigned bucket_shift)
      : shift(bucket_shift), buckets(bucket_count), lists(work.threads.size() * bucket_count) {
    const std::size_t chunks = n / chunk_records + 1 + 2 * work.threads.size() * buckets;  // the first and last of each are in part empty
    lines = Buffer<Line>(work.memory, work.threads.size() * buckets);
    rows = Buffer<std::uint32_t>(work.memory, chunks * chunk_records);
    values = Buffer<T>(work.memory, chunks * chunk_records);
    next = Buffer<std::uint32_t>(work.memory, chunks);
  }
};

template <class T>
void deal(const Work& work, Dealt<T>& to, std::int64_t rows, const std::int64_t* indices, const unsigned char* values, std::size_t n) {
  const unsigned threads = work.threads.size();
  work.threads.on_each([&](unsigned thread) {
    const std::size_t pieces = (n + chunk_records - 1) / chunk_records;
    const std::size_t begin = pieces * thread / threads * chunk_records;
    const std::size_t end = std::min(n, pieces * (thread + 1) / threads * chunk_records);
    auto* const lines = to.lines.data() + thread * to.buckets;
    auto* const lists = to.lists.data() + thread * to.buckets;
    std::uint32_t* const next = to.next.data();
    auto free = static_cast<std::uint32_t>(begin / chunk_records + 2 * thread * to.buckets);
    for (std::size_t b = 0; b < to.buckets; ++b) {
      const auto skipped = static_cast<std::uint32_t>(b * stagger_records % chunk_records / line_records * line_records);
      lists[b] = {free, free, skipped, skipped};
      ++free;
    }
    // Where the line of `bucket` that begins with record number `record` goes.
    auto place = [&](std::size_t bucket, std::uint32_t record) {
      auto& list = lists[bucket];
      if (record % chunk_records == 0 && record > 0) {
        next[list.last] = free;
        list.last = free++;
      }
      return std::size_t{list.last} * chunk_records + record % chunk_records;
    };
    auto put_line = [&](std::size_t bucket, std::uint32_t record) {
      const std::size_t at = place(bucket, record);
      for (std::size_t v = 0; v < line_records; v += line_bytes / sizeof(T))
        stream_line(to.values.data() + at + v, lines[bucket].values + v);
      for (std::size_t v = 0; v < line_records; v += 16) stream_line(to.rows.data() + at + v, lines[bucket].rows + v);
    };
    const unsigned shift = to.shift;
    for (std::size_t i = begin; i < end; ++i) {
      std::int64_t index = indices[i];
      index += index < 0 ? rows : 0;
      const std::size_t b = static_cast<std::size_t>(index) >> shift;
      const std::uint32_t at = lists[b].end, k = at % line_records;
      // A full line goes when its room is needed: by then it can be read as a whole, and not word by word as it was written.
      if (k == 0 && at != lists[b].begin) put_line(b, at - line_records);
      lines[b].rows[k] = static_cast<std::uint32_t>(index);
      std::memcpy(&lines[b].values[k], values + i * sizeof(T), sizeof(T));
      lists[b].end = at + 1;
    }
    for (std::size_t b = 0; b < to.buckets; ++b) {
      if (const auto& list = lists[b]; list.end > list.begin) put_line(b, (list.end - 1) / line_records * line_records);
    }
    fence_streams();
  });
}

// Rows may be of smaller elements, which need not lie where a T would.
template <class T>
void set(unsigned char* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}
template <class T>
void add(unsigned char* to, T value) {
  T sum;
  std::memcpy(&sum, to, sizeof(T));
  if constexpr (std::is_integral_v<T>) {  // wraps, as NumPy's does
    using U = std::make_unsigned_t<T>;
    sum = static_cast<T>(static_cast<U>(sum) + static_cast<U>(value));
  } else {
    sum += value;
  }
  std::memcpy(to, &sum, sizeof(T));
}

/// Fetches the lines of a bucket into the second-level cache, some at a time.
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

template <class T, void (*put)(unsigned char*, T)>
void write(const Work& work, const Dealt<T>& from, unsigned char* to, std::int64_t rows, std::size_t n) {
  const unsigned threads = work.threads.size();
  const std::size_t total_lines = static_cast<std::size_t>(rows) * sizeof(T) / line_bytes;
  const std::size_t lines_at_once = total_lines * line_records / n + 1;
  work.threads.for_ranges(from.buckets, 1, [&](std::size_t begin, std::size_t end, unsigned) {
    auto start_of = [&](std::size_t bucket) { return to + std::min(bucket << from.shift, static_cast<std::size_t>(rows)) * sizeof(T); };
    for (std::size_t b = begin; b < end; ++b) {
      Ahead ahead(start_of(b + 1), start_of(b + 1 < end ? b + 2 : b + 1), lines_at_once);
      for (unsigned thread = 0; thread < threads; ++thread) {
        const auto& list = from.lists[thread * from.buckets + b];
        std::uint32_t chunk = list.first;
        for (std::size_t first = list.begin; first < list.end;) {
          const std::size_t skipped = first % chunk_records, count = std::min(list.end - first, chunk_records - skipped);
          first += count;
          const std::uint32_t* row = from.rows.data() + std::size_t{chunk} * chunk_records + skipped;
          const T* value = from.values.data() + std::size_t{chunk} * chunk_records + skipped;
          if (first < list.end) chunk = from.next[chunk];
          const std::uint32_t* next_row = from.rows.data() + std::size_t{chunk} * chunk_records;
          const T* next_value = from.values.data() + std::size_t{chunk} * chunk_records;
          std::size_t k = 0;
          for (; k + 2 * line_records <= count; k += line_records) {
            // To the second-level cache, a few at a time.
            for (std::size_t v = 0; v < line_records; v += 16) __builtin_prefetch(next_row + k + v, 0, 2);
            for (std::size_t v = 0; v < line_records; v += line_bytes / sizeof(T)) __builtin_prefetch(next_value + k + v, 0, 2);
            ahead.some();
            for (std::size_t j = k; j < k + line_records; ++j) {
              __builtin_prefetch(to + std::size_t{row[j + line_records]} * sizeof(T), 1);
              put(to + std::size_t{row[j]} * sizeof(T), value[j]);
            }
          }
          for (; k < count; ++k) put(to + std::size_t{row[k]} * sizeof(T), value[k]);
        }
      }
    }
  });
}

template <class T, void (*put)(unsigned char*, T)>
bool run(const Work& work, void* to, std::int64_t rows, const std::int64_t* indices, std::size_t n, const void* values) {
  auto shift = static_cast<unsigned>(std::countr_zero(bucket_bytes / sizeof(T)));
  while ((static_cast<std::size_t>(rows - 1) >> shift) >= most_buckets) ++shift;
  const std::size_t buckets = (static_cast<std::size_t>(rows - 1) >> shift) + 1;
  const std::size_t round = dealt_at_once(n);
  if (2 * work.threads.size() * buckets * chunk_records > round) return false;  // chunks would be empty for the most part
  std::optional<Dealt<T>> dealt;
  try {
    dealt.emplace(work, round, buckets, shift);
  } catch (const MemoryError&) {
    return false;
  }
  for (std::size_t first = 0; first < n; first += round) {
    const std::size_t count = std::min(round, n - first);
    deal(work, *dealt, rows, indices + first, static_cast<const unsigned char*>(values) + first * sizeof(T), count);
    write<T, put>(work, *dealt, static_cast<unsigned char*>(to), rows, count);
  }
  return true;
}

}  // namespace

bool scatter_in_buckets(const Work& work, std::optional<DType> type, void* to, std::int64_t rows, std::size_t row_bytes,
                        const std::int64_t* indices, std::size_t n, const void* values) {
  const std::size_t bytes = static_cast<std::size_t>(rows) * row_bytes;
  const bool most_lines = dealt_at_once(n) >= bytes / line_bytes;
  if ((row_bytes != 4 && row_bytes != 8) || bytes < least_bytes || !most_lines || rows > std::int64_t{1} << 32) return false;
  if (!type) {
    if (row_bytes == 4) return run<std::uint32_t, set>(work, to, rows, indices, n, values);
    return run<std::uint64_t, set>(work, to, rows, indices, n, values);
  }
  return dispatch(*type, [&]<class T>(Type<T>) {
    if constexpr (sizeof(T) >= 4) return sizeof(T) == row_bytes && run<T, add>(work, to, rows, indices, n, values);
    else return false;
  });
}

}  // namespace atl::array
