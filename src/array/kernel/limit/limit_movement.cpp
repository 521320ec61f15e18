// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/kernel/limit_movement.hpp"

#include <cstring>
#include <vector>

#include "kernel/copy/stream.hpp"

namespace atl::array::limit {

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
      stream_line(out + i, line);
    }
    for (; i < end; ++i) out[i] = values[indices[i]];
    fence_streams();
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
  constexpr std::size_t most = 1024;
  std::vector<std::int64_t> tables(threads.size() * 4 * most, 0);
  auto scale = static_cast<double>(bins);
  threads.for_ranges(n, 4, [&](std::size_t begin, std::size_t end, unsigned thread) {
    std::int64_t* table = tables.data() + thread * 4 * most;
    std::int32_t bin[256];
    for (std::size_t first = begin; first < end; first += 256) {
      std::size_t count = end - first < 256 ? end - first : 256, k = 0;
      for (std::size_t j = 0; j < count; ++j) bin[j] = static_cast<std::int32_t>(values[first + j] * scale);
      for (; k + 4 <= count; k += 4) {
        ++table[bin[k]];
        ++table[most + static_cast<std::size_t>(bin[k + 1])];
        ++table[2 * most + static_cast<std::size_t>(bin[k + 2])];
        ++table[3 * most + static_cast<std::size_t>(bin[k + 3])];
      }
      for (; k < count; ++k) ++table[bin[k]];
    }
  });
  for (std::size_t b = 0; b < bins; ++b) {
    counts[b] = 0;
    for (std::size_t table = 0; table < tables.size() / most; ++table) counts[b] += tables[table * most + b];
  }
}

void isin_dense(ThreadPool& threads, const std::int64_t* values, std::size_t n, const std::uint64_t* bitmap,
                bool* out) {
  threads.for_ranges(n, 64, [=](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t i = begin; i < end; ++i) {
      auto bit = static_cast<std::uint64_t>(values[i]);
      out[i] = bitmap[bit >> 6] >> (bit & 63) & 1;
    }
  });
}

}  // namespace atl::array::limit
