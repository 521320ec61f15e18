// SPDX-License-Identifier: Apache-2.0
// Counting bin numbers: one table per thread (several, interleaved, when they are small), merged at the end; weights
// in the order of the values. Private to the histogram kernels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/kernel/work.hpp"
#include "kernel/gather/filter.hpp"

namespace atl::array {

/// Values per step: bin numbers of one step stay in L1.
inline constexpr std::size_t bin_block = 1024;
inline constexpr std::size_t bin_grain = 16384;

/// Up to this many bins, four tables take turns: an increment need not wait for the one before it in the same bin.
inline constexpr std::size_t interleaved_bins = 1024;

/// More bins than this, and the threads share one table, each owning a range: tables of their own would be 1 MiB each
/// and more, to be cleared and merged.
inline constexpr std::size_t private_bins = std::size_t{1} << 17;

/// use(number, position) for all values in bins [low, high), in order, for every thread's own range of bins at the same
/// time. Bin numbers are computed first, some at a time, so that each is computed once. Every thread reads all of them:
/// more ranges of bins than threads would cost as many times the time.
template <class Locate, class Use>
void for_bins(const Work& work, std::size_t n, std::size_t bins, const void* table, std::size_t table_stride,
              Locate locate, Use use) {
  constexpr std::size_t window = std::size_t{1} << 18;  // values per round: 1 MiB of bin numbers stay in L2
  const bool far = bins * table_stride > (std::size_t{1} << 20);
  Buffer<std::uint32_t> numbers(work.memory, std::min(n, window));
  for (std::size_t base = 0; base < n; base += window) {
    std::size_t count = std::min(window, n - base);
    Polling(work).for_pieces(count, bin_grain, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t at = begin; at < end; at += bin_block)
        locate(base + at, base + std::min(end, at + bin_block), numbers.data() + at);
    });
    auto owner = [&](std::size_t low, std::size_t high) {
      std::uint32_t number[filter_block + filter_slack], offset[filter_block + filter_slack];
      for (std::size_t first = 0; first < count; first += filter_block) {
        std::size_t some = std::min(filter_block, count - first);
        std::size_t taken = filter_numbers(numbers.data() + first, some, static_cast<std::uint32_t>(low),
                                           static_cast<std::uint32_t>(high - low), number, offset);
        if (far) {
          for (std::size_t k = 0; k < taken; ++k)
            __builtin_prefetch(static_cast<const unsigned char*>(table) + number[k] * table_stride, 1);
        }
        for (std::size_t k = 0; k < taken; ++k) use(number[k], base + first + offset[k]);
      }
    };
    if (count < bin_grain) owner(0, bins);
    else work.threads.for_ranges(bins, 8, [&](std::size_t low, std::size_t high, unsigned) { owner(low, high); });
  }
}

/// Counts n bin numbers in four tables, `stride` apart.
inline __attribute__((always_inline)) void count_numbers(const std::uint32_t* number, std::size_t n,
                                                         std::int64_t* table, std::size_t stride) {
  std::size_t k = 0;
  for (; k + 4 <= n; k += 4) {
    ++table[number[k]];
    ++table[stride + number[k + 1]];
    ++table[2 * stride + number[k + 2]];
    ++table[3 * stride + number[k + 3]];
  }
  for (std::size_t left = n % 4; left > 0; --left) ++table[number[n - left]];
}

/// counts[b] = how many bin numbers are b. `locate(begin, end, bins_out)` computes the bin numbers (std::uint32_t) of
/// values [begin, end), at most bin_block of them; `bins` itself stands for none of the bins. Where bins are few,
/// `count_four(begin, end, tables, stride)` counts any number of values in four tables.
template <class Locate, class CountFour>
void count_bins(const Work& work, std::size_t n, std::size_t bins, std::int64_t* counts, Locate locate,
                CountFour count_four) {
  if (bins > private_bins) {
    Polling(work).for_pieces(bins, bin_grain, [&](std::size_t begin, std::size_t end, unsigned) {
      std::fill(counts + begin, counts + end, 0);
    });
    for_bins(work, n, bins, counts, sizeof *counts, locate,
             [=](std::uint32_t number, std::size_t) { ++counts[number]; });
    return;
  }
  const std::size_t tables = bins + 1 <= interleaved_bins ? 4 : 1;
  const std::size_t stride = (bins + 1 + 7) / 8 * 8;
  // The tables of the threads beyond those that the work is worth would be zeroed and added for nothing.
  const std::size_t per_thread = std::max(bin_grain, bins / 4);
  std::size_t threads = std::clamp<std::size_t>(n / per_thread, 1, work.threads.size());
  Buffer<std::int64_t> all(work.memory, threads * tables * stride);
  Polling polling(work);
  auto count = [&](unsigned thread, std::size_t begin, std::size_t end, std::int64_t* table) {
    std::memset(table, 0, tables * stride * sizeof(std::int64_t));
    Pace pace(polling, thread);
    if (tables == 4) {
      constexpr std::size_t at_once = std::size_t{1} << 17;
      for (std::size_t at = begin; at < end; at += at_once) {
        count_four(at, std::min(end, at + at_once), table, stride);
        pace.done(at_once);
      }
      return;
    }
    std::uint32_t number[bin_block];
    for (std::size_t at = begin; at < end; at += bin_block) {
      const std::size_t last = std::min(end, at + bin_block);
      locate(at, last, number);
      for (std::size_t k = 0; k < last - at; ++k) ++table[number[k]];
      pace.done(last - at);
    }
  };
  if (threads == 1) {
    count(0, 0, n, all.data());
  } else {
    polling.on_each([&](unsigned thread) {
      if (thread < threads)
        count(thread, n * thread / threads, n * (thread + 1) / threads, all.data() + thread * tables * stride);
    });
  }
  Polling(work).for_pieces(bins, bin_grain, [&](std::size_t begin, std::size_t end, unsigned) {
    std::copy(all.data() + begin, all.data() + end, counts + begin);
    for (std::size_t table = 1; table < threads * tables; ++table)
      for (std::size_t b = begin; b < end; ++b) counts[b] += all[table * stride + b];
  });
}

template <class Locate>
void count_bins(const Work& work, std::size_t n, std::size_t bins, std::int64_t* counts, Locate locate) {
  count_bins(work, n, bins, counts, locate,
             [=](std::size_t begin, std::size_t end, std::int64_t* tables, std::size_t stride) {
               std::uint32_t number[bin_block];
               for (std::size_t at = begin; at < end; at += bin_block) {
                 const std::size_t last = std::min(end, at + bin_block);
                 locate(at, last, number);
                 count_numbers(number, last - at, tables, stride);
               }
             });
}

/// sums[b] += the weights of the values in bin b, in the order of the values. (Sums per thread would round differently
/// with the number of threads.)
template <class Locate>
void add_bins(const Work& work, std::size_t n, std::size_t bins, const double* weights, double* sums, Locate locate) {
  std::fill_n(sums, bins, 0.0);
  for_bins(work, n, bins, sums, sizeof *sums, locate,
           [=](std::uint32_t number, std::size_t position) { sums[number] += weights[position]; });
}

}  // namespace atl::array
