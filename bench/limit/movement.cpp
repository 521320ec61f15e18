// SPDX-License-Identifier: Apache-2.0
// Loops that move data, and those that compute where to: these compiled for each SIMD level.
#include "limit/movement.hpp"

#include <cstring>
#include <vector>

#include "atoll/array/kernel/simd.hpp"
#include "atoll/array/kernel/stream.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "limit/movement.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef ATOLL_LIMIT_MOVEMENT_ONCE
#define ATOLL_LIMIT_MOVEMENT_ONCE
namespace atl::limit {
constexpr std::size_t most_bins = 1024;
}
#endif

HWY_BEFORE_NAMESPACE();
namespace atl::limit::HWY_NAMESPACE {

HWY_ATTR void histogram_range(const double* values, double scale, std::int64_t* table, std::size_t begin,
                              std::size_t end) {
  std::int32_t bin[256];
  for (std::size_t first = begin; first < end; first += 256) {
    std::size_t count = end - first < 256 ? end - first : 256, k = 0;
    for (std::size_t j = 0; j < count; ++j) bin[j] = static_cast<std::int32_t>(values[first + j] * scale);
    for (; k + 4 <= count; k += 4) {
      ++table[bin[k]];
      ++table[most_bins + static_cast<std::size_t>(bin[k + 1])];
      ++table[2 * most_bins + static_cast<std::size_t>(bin[k + 2])];
      ++table[3 * most_bins + static_cast<std::size_t>(bin[k + 3])];
    }
    for (; k < count; ++k) ++table[bin[k]];
  }
}

// Plain loads: a vector of gathered ones takes longer.
HWY_ATTR void isin_range(const std::int64_t* values, const std::uint64_t* bitmap, bool* out, std::size_t begin,
                         std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    auto bit = static_cast<std::uint64_t>(values[i]);
    out[i] = bitmap[bit >> 6] >> (bit & 63) & 1;
    asm volatile("");
  }
}

}  // namespace atl::limit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::limit {

HWY_EXPORT(histogram_range);
HWY_EXPORT(isin_range);

void gather(ThreadPool& threads, const std::int64_t* values, const std::int64_t* indices, std::int64_t* out,
            std::size_t n) {
  threads.for_ranges(n, 8, [=](std::size_t begin, std::size_t end, unsigned) {
    constexpr std::size_t ahead = 64;
    alignas(64) std::int64_t line[8];
    std::size_t i = begin;
    for (; i + ahead + 8 <= end; i += 8) {
      for (std::size_t k = 0; k < 8; ++k) {
        __builtin_prefetch(values + indices[i + ahead + k]);
        line[k] = values[indices[i + k]];
      }
      array::stream_line(out + i, line);
    }
    for (; i < end; ++i) out[i] = values[indices[i]];
    array::fence_streams();
  });
}

void scatter(ThreadPool& threads, const std::int64_t* values, const std::int64_t* indices, std::int64_t* out,
             std::size_t n) {
  threads.for_ranges(n, 8, [=](std::size_t begin, std::size_t end, unsigned) {
    constexpr std::size_t ahead = 128;
    std::size_t i = begin;
    for (; i + ahead < end; ++i) {
      __builtin_prefetch(out + indices[i + ahead], 1);
      out[indices[i]] = values[i];
    }
    for (; i < end; ++i) out[indices[i]] = values[i];
  });
}

void histogram(ThreadPool& threads, const double* values, std::size_t n, std::size_t bins, std::int64_t* counts) {
  std::vector<std::int64_t> tables(threads.size() * 4 * most_bins, 0);
  auto scale = static_cast<double>(bins);
  threads.for_ranges(n, 4, [&](std::size_t begin, std::size_t end, unsigned thread) {
    HWY_DYNAMIC_DISPATCH(histogram_range)(values, scale, tables.data() + thread * 4 * most_bins, begin, end);
  });
  for (std::size_t b = 0; b < bins; ++b) {
    counts[b] = 0;
    for (std::size_t table = 0; table < tables.size() / most_bins; ++table) counts[b] += tables[table * most_bins + b];
  }
}

void isin_dense(ThreadPool& threads, const std::int64_t* values, std::size_t n, const std::uint64_t* bitmap,
                bool* out) {
  threads.for_ranges(n, 64, [=](std::size_t begin, std::size_t end, unsigned) {
    HWY_DYNAMIC_DISPATCH(isin_range)(values, bitmap, out, begin, end);
  });
}

}  // namespace atl::limit
#endif
