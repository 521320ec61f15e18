// SPDX-License-Identifier: Apache-2.0
// A random write to memory waits for its line, some 150 ns on a busy machine, and a core has about 24 such lines under
// way: 6 to 9 ns for each row, however it is fetched ahead. Dealing costs two passes in order and then finds every row
// in the cache: 10^7 int64 into as many took 91 and 47 ms (1 and 2 threads, AMD EPYC), dealt 45 and 26.
#include "kernel/gather/buckets.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <vector>

#include "atoll/array/kernel/deal.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "atoll/base/error.hpp"

namespace atl::array {
namespace {

// Of the target: half of a second-level cache of 1 MiB, as the next part is fetched while one is written.
constexpr std::size_t bucket_bytes = std::size_t{512} << 10;
constexpr std::size_t most_buckets = 512;                   // whose lines lie in the second-level cache
constexpr std::size_t least_bytes = std::size_t{24} << 20;  // of the target: below, caches hold much of it
constexpr std::size_t most_dealt = std::size_t{1} << 24;    // indices at once: 200 MiB

/// Indices dealt at once: all, or in rounds of one size.
std::size_t dealt_at_once(std::size_t n) {
  const std::size_t rounds = (n + most_dealt - 1) / most_dealt;
  return rounds == 0 ? 0 : (n + rounds - 1) / rounds;
}

/// Rows and values, dealt by the upper bits of the row.
template <class T>
struct ByRow {
  unsigned shift;
  Dealt<T> dealt;

  ByRow(const Work& work, std::size_t n, std::size_t buckets, unsigned bucket_shift)
      : shift(bucket_shift), dealt(work, n, buckets) {}
};

template <class T>
void deal(const Work& work, ByRow<T>& to, std::int64_t rows, const std::int64_t* indices, const unsigned char* values,
          std::size_t n) {
  to.dealt.clear();
  Polling polling(work);
  polling.for_ranges(n, Dealt<T>::chunk_records, [&](std::size_t begin, std::size_t end, unsigned thread) {
    typename Dealt<T>::Dealer dealer(to.dealt, thread);
    const unsigned shift = to.shift;
    for (std::size_t i = begin; i < end; ++i) {
      if (i % 65536 == 0) polling.poll(thread);
      std::int64_t index = indices[i];
      index += index < 0 ? rows : 0;
      T value;
      std::memcpy(&value, values + i * sizeof(T), sizeof(T));
      dealer.put(static_cast<std::size_t>(index) >> shift, static_cast<std::uint32_t>(index), value);
    }
    dealer.finish();
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

template <class T, void (*put)(unsigned char*, T)>
void write(const Work& work, const ByRow<T>& from, unsigned char* to, std::int64_t rows, std::size_t n) {
  constexpr std::size_t line_records = Dealt<T>::line_records;
  const std::size_t total_lines = static_cast<std::size_t>(rows) * sizeof(T) / line_bytes;
  const std::size_t lines_at_once = total_lines * line_records / n + 1;
  Polling(work).for_pieces(from.dealt.buckets(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
    auto start_of = [&](std::size_t bucket) {
      return to + std::min(bucket << from.shift, static_cast<std::size_t>(rows)) * sizeof(T);
    };
    for (std::size_t b = begin; b < end; ++b) {
      Ahead ahead(start_of(b + 1), start_of(b + 1 < end ? b + 2 : b + 1), lines_at_once);
      from.dealt.for_each_run(b, [&](const typename Dealt<T>::Run& run) {
        std::size_t k = 0;
        for (; k + 2 * line_records <= run.count; k += line_records) {
          // To the second-level cache, a few at a time.
          for (std::size_t v = 0; v < line_records; v += 16) __builtin_prefetch(run.rows_after + k + v, 0, 2);
          for (std::size_t v = 0; v < line_records; v += line_bytes / sizeof(T))
            __builtin_prefetch(run.values_after + k + v, 0, 2);
          ahead.some();
          for (std::size_t j = k; j < k + line_records; ++j) {
            __builtin_prefetch(to + std::size_t{run.rows[j + line_records]} * sizeof(T), 1);
            put(to + std::size_t{run.rows[j]} * sizeof(T), run.values[j]);
          }
        }
        for (; k < run.count; ++k) put(to + std::size_t{run.rows[k]} * sizeof(T), run.values[k]);
      });
    }
  });
}

template <class T, void (*put)(unsigned char*, T)>
bool run(const Work& work, void* to, std::int64_t rows, const std::int64_t* indices, std::size_t n,
         const void* values) {
  auto shift = static_cast<unsigned>(std::countr_zero(bucket_bytes / sizeof(T)));
  while ((static_cast<std::size_t>(rows - 1) >> shift) >= most_buckets) ++shift;
  const std::size_t buckets = (static_cast<std::size_t>(rows - 1) >> shift) + 1;
  const std::size_t round = dealt_at_once(n);
  if (!Dealt<T>::fits(work.threads.size(), round, buckets)) return false;
  std::optional<ByRow<T>> dealt;
  try {
    dealt.emplace(work, round, buckets, shift);
  } catch (const MemoryError&) { return false; }
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
  if ((row_bytes != 4 && row_bytes != 8) || bytes < least_bytes || !most_lines || rows > std::int64_t{1} << 32)
    return false;
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
