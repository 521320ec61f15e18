// SPDX-License-Identifier: Apache-2.0
#include "limit/group.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace atl::limit {
namespace {

struct Cell {
  double sum = 0;
  double count = 0;
};
struct Record {
  std::int64_t key;
  double value;
};
constexpr std::size_t table_groups = 1 << 15;  // 512 KiB of cells
constexpr std::size_t line = 4;                // records of a cache line

void write_line(Record* to, const Record* from) {
#if defined(__x86_64__)
  for (std::size_t i = 0; i < line; ++i)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), _mm_load_si128(reinterpret_cast<const __m128i*>(from + i)));
#else
  std::copy_n(from, line, to);
#endif
}

void finish(const Cell* cells, std::size_t n, double* sums, double* means) {
  for (std::size_t i = 0; i < n; ++i) {
    sums[i] = cells[i].sum;
    means[i] = cells[i].sum / cells[i].count;
  }
}

}  // namespace

void group_sum(ThreadPool& threads, const std::int64_t* keys, const double* values, std::size_t n, std::size_t groups,
               double* sums, double* means) {
  const unsigned lanes = threads.size();
  if (groups <= table_groups) {
    std::vector<std::vector<Cell>> tables(lanes, std::vector<Cell>(groups));
    threads.for_ranges(n, 8, [&](std::size_t begin, std::size_t end, unsigned lane) {
      Cell* cells = tables[lane].data();
      for (std::size_t i = begin; i < end; ++i) {
        Cell& cell = cells[keys[i]];
        cell.sum += values[i];
        cell.count += 1;
      }
    });
    for (unsigned lane = 1; lane < lanes; ++lane)
      for (std::size_t i = 0; i < groups; ++i)
        tables[0][i].sum += tables[lane][i].sum, tables[0][i].count += tables[lane][i].count;
    return finish(tables[0].data(), groups, sums, means);
  }
  // Rows are moved into buckets of as many groups as a table in the cache holds, whole lines at a time.
  const unsigned shift = std::max(13, static_cast<int>(std::bit_width(groups - 1)) - 9);
  const std::size_t buckets = ((groups - 1) >> shift) + 1;
  std::vector<std::size_t> counts(lanes * buckets);
  threads.for_ranges(n, 8, [&](std::size_t begin, std::size_t end, unsigned lane) {
    std::size_t* mine = counts.data() + lane * buckets;
    for (std::size_t i = begin; i < end; ++i) ++mine[keys[i] >> shift];
  });
  std::vector<std::size_t> starts(lanes * buckets);
  std::size_t at = 0;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket)
    for (unsigned lane = 0; lane < lanes; ++lane) {
      starts[lane * buckets + bucket] = at;
      at += (counts[lane * buckets + bucket] + line - 1) / line * line;
    }
  static std::unique_ptr<Record[], void (*)(Record*)> kept(nullptr, [](Record* p) { std::free(p); });
  static std::size_t room = 0;
  if (room < at) {  // as the engine keeps touched pages
    kept.reset(static_cast<Record*>(std::aligned_alloc(64, at * sizeof(Record))));
    room = at;
  }
  Record* records = kept.get();
  threads.for_ranges(n, 8, [&](std::size_t begin, std::size_t end, unsigned lane) {
    struct alignas(64) Line {
      Record records[line];
    };
    std::vector<Line> lines(buckets);
    std::vector<std::size_t> filled(buckets);
    const std::size_t* start = starts.data() + lane * buckets;
    for (std::size_t i = begin; i < end; ++i) {
      const auto bucket = static_cast<std::size_t>(keys[i] >> shift);
      const std::size_t k = filled[bucket]++;
      lines[bucket].records[k % line] = {keys[i], values[i]};
      if (k % line == line - 1) write_line(records + start[bucket] + k - (line - 1), lines[bucket].records);
    }
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      const std::size_t rest = filled[bucket] % line;
      std::copy_n(lines[bucket].records, rest, records + start[bucket] + filled[bucket] - rest);
    }
#if defined(__x86_64__)
    _mm_sfence();
#endif
  });
  std::vector<std::vector<Cell>> tables(lanes, std::vector<Cell>(std::size_t{1} << shift));
  threads.for_each_dynamic(buckets, [&](std::size_t bucket, unsigned thread) {
    Cell* cells = tables[thread].data();
    const std::size_t first = bucket << shift, size = std::min(groups - first, std::size_t{1} << shift);
    std::fill_n(cells, size, Cell{});
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const Record* record = records + starts[lane * buckets + bucket];
      for (std::size_t i = 0; i < counts[lane * buckets + bucket]; ++i) {
        Cell& cell = cells[static_cast<std::size_t>(record[i].key) - first];
        cell.sum += record[i].value;
        cell.count += 1;
      }
    }
    finish(cells, size, sums + first, means + first);
  });
}

}  // namespace atl::limit
