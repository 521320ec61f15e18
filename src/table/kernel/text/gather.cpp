// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/text/gather.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <utility>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/prefetch.hpp"

namespace atl::table {
namespace {

constexpr std::size_t part_bytes = std::size_t{512} << 10;  // of offsets and bytes, while the next part is fetched
constexpr std::size_t most_parts = 1024;
constexpr std::size_t round_rows = std::size_t{1} << 24;
constexpr std::size_t least_bytes = std::size_t{24} << 20;  // of the column: below, caches hold much of it
constexpr std::size_t longest_mean = 24;
constexpr std::size_t inside = 16;      // bytes of a string that a record holds
constexpr std::size_t fetch_every = 4;   // records between looks at the next part
constexpr std::size_t looked_ahead = 32;  // records whose offsets are fetched ahead, from the second-level cache

/// Source rows in parts of 2^shift.
struct Parts {
  unsigned shift;
  std::size_t count;
};

Parts parts_of(std::size_t rows, std::size_t bytes) {
  unsigned shift = 0;
  while ((std::size_t{2} << shift) * bytes / rows <= part_bytes || (rows - 1) >> shift >= most_parts) ++shift;
  return {shift, ((rows - 1) >> shift) + 1};
}

/// Whether a sample of the rows jumps about, and spreads over the parts evenly enough for threads to share them.
bool scattered(const std::int64_t* rows, std::size_t count, std::int64_t all, Parts parts, unsigned threads) {
  constexpr std::size_t samples = 1024;
  constexpr std::int64_t near = 128;
  std::size_t jumps = 0;
  std::vector<std::uint32_t> hits(parts.count);
  for (std::size_t k = 0; k < samples; ++k) {
    const std::size_t at = (count - 1) / samples * k;
    const std::int64_t step = rows[at + 1] - rows[at], row = rows[at] < 0 ? rows[at] + all : rows[at];
    jumps += step > near || step < -near ? 1 : 0;
    ++hits[static_cast<std::size_t>(row) >> parts.shift];
  }
  return 2 * jumps > samples &&
         (threads == 1 || *std::max_element(hits.begin(), hits.end()) * 4 * threads < 2 * samples);
}

const char* pointer_in(const char* record) {
  const char* text;
  std::memcpy(&text, record, sizeof text);
  return text;
}

void copy_inside(char* to, const char* end, const char* from, std::size_t length) {
  if (to + inside <= end) std::memcpy(to, from, inside);
  else std::memcpy(to, from, length);
}

/// One part of the source, rows [first, end): where its rows' strings lie.
class Part {
 public:
  Part(std::span<const TextBlock> blocks, std::span<const std::int64_t> begins, std::int64_t first, std::int64_t end)
      : blocks_(blocks), begins_(begins), first_(first), end_(end) {
    while (first >= begins[block_ + 1]) ++block_;
  }
  /// Calls body(locate): locate(row) is where the row's offset lies, and the bytes that it points into.
  template <class Body>
  void with_place(Body&& body) const {
    if (end_ <= begins_[block_ + 1]) {
      body([offsets = blocks_[block_].offsets - begins_[block_], bytes = blocks_[block_].bytes](std::uint32_t row) {
        return std::pair(offsets + row, bytes);
      });
    } else {
      body([this](std::uint32_t row) {
        std::size_t block = block_;
        while (row >= begins_[block + 1]) ++block;
        return std::pair(blocks_[block].offsets + (row - begins_[block]), blocks_[block].bytes);
      });
    }
  }
  /// Fetches offsets and bytes, those in the first block, in as many steps as there are to be.
  std::pair<array::Ahead, array::Ahead> ahead(std::size_t steps) const {
    const TextBlock& block = blocks_[block_];
    const std::int64_t* from = block.offsets + (first_ - begins_[block_]);
    const std::int64_t* to = block.offsets + (std::min(end_, begins_[block_ + 1]) - begins_[block_]);
    auto lines = [steps](std::int64_t bytes) {
      return static_cast<std::size_t>(bytes) / array::line_bytes / (steps + 1) + 1;
    };
    return {array::Ahead(from, to, lines((to - from) * static_cast<std::int64_t>(sizeof *from))),
            array::Ahead(block.bytes + *from, block.bytes + *to, lines(*to - *from))};
  }

 private:
  std::span<const TextBlock> blocks_;
  std::span<const std::int64_t> begins_;
  std::int64_t first_, end_;
  std::size_t block_ = 0;
};

}  // namespace

std::optional<GatheredTexts> GatheredTexts::of(const array::Work& work, std::span<const TextBlock> blocks,
                                               std::span<const std::int64_t> begins, const std::int64_t* rows,
                                               std::size_t count) {
  const std::int64_t all = begins.back();
  std::size_t bytes = static_cast<std::size_t>(all) * sizeof(std::int64_t);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const std::int64_t own = begins[b + 1] - begins[b];
    if (own > 0) bytes += static_cast<std::size_t>(blocks[b].offsets[own] - blocks[b].offsets[0]);
  }
  const unsigned threads = work.threads.size();
  if (bytes < least_bytes || static_cast<std::size_t>(all) * (longest_mean + sizeof(std::int64_t)) < bytes ||
      count < bytes / array::line_bytes || all > std::int64_t{1} << 32 ||
      bytes > std::numeric_limits<std::uint32_t>::max() * std::size_t{most_parts})
    return std::nullopt;
  const Parts parts = parts_of(static_cast<std::size_t>(all), bytes);
  auto first_of = [&](std::size_t part) { return std::min(all, static_cast<std::int64_t>(part << parts.shift)); };
  auto part_at = [&](std::size_t part) { return Part(blocks, begins, first_of(part), first_of(part + 1)); };
  const std::size_t round = std::min(round_rows, count);
  using Located = array::Dealt<std::uint32_t>;
  if (!Located::fits(threads, round, std::max(parts.count, round >> target_shift)) ||
      !scattered(rows, count, all, parts, threads))
    return std::nullopt;
  try {
    GatheredTexts result;
    result.room_ = Buffer<Record>(work.memory, std::size_t{threads} << target_shift);
    Located located(work, round, parts.count);
    const std::size_t buckets = ((count - 1) >> target_shift) + 1;
    std::vector<std::int64_t> sizes(threads * buckets);
    std::atomic<bool> too_long{false};
    for (std::size_t first = 0; first < count; first += round_rows) {
      const std::size_t some = std::min(round_rows, count - first);
      const std::int64_t* const chosen = rows + first;
      located.clear();
      array::Polling polling(work);
      polling.for_ranges(some, Located::chunk_records, [&](std::size_t begin, std::size_t end, unsigned thread) {
        Located::Dealer dealer(located, thread);
        for (std::size_t i = begin; i < end; ++i) {
          if (i % 65536 == 0) polling.poll(thread);
          const std::int64_t row = chosen[i] + (chosen[i] < 0 ? all : 0);
          dealer.put(static_cast<std::size_t>(row) >> parts.shift, static_cast<std::uint32_t>(row),
                     static_cast<std::uint32_t>(i));
        }
        dealer.finish();
      });
      result.rounds_.push_back(std::make_unique<Records>(work, some, ((some - 1) >> target_shift) + 1));
      Records& records = *result.rounds_.back();
      polling.for_ranges(parts.count, 1, [&](std::size_t first_part, std::size_t end_part, unsigned thread) {
        Records::Dealer dealer(records, thread);
        std::int64_t* const mine = sizes.data() + thread * buckets + (first >> target_shift);
        std::vector<std::int64_t> sums(records.buckets());
        for (std::size_t index = first_part; index < end_part; ++index) {
          polling.poll(thread);
          const Part part = part_at(index);
          auto [offsets_ahead, bytes_ahead] =
              part_at(std::min(index + 1, end_part - 1)).ahead(located.count(index) / fetch_every);
          part.with_place([&](auto place_of) {
            located.for_each_run(index, [&](const Located::Run& run) {
              for (std::size_t k = 0; k < run.count; ++k) {
                if (k % fetch_every == 0) {
                  offsets_ahead.some();
                  bytes_ahead.some();
                }
                if (k + looked_ahead < run.count) prefetch_for_read(place_of(run.rows[k + looked_ahead]).first);
                if (k + looked_ahead / 2 < run.count) {
                  const auto [at, bytes] = place_of(run.rows[k + looked_ahead / 2]);
                  prefetch_for_read(bytes + *at);
                }
                const auto [at, bytes] = place_of(run.rows[k]);
                const char* text = bytes + at[0];
                const auto length = static_cast<std::uint64_t>(at[1] - at[0]);
                const std::uint32_t position = run.values[k];
                sums[position >> target_shift] += static_cast<std::int64_t>(length);
                Record& record = dealer.next(position >> target_shift, position);
                record.length = static_cast<std::uint32_t>(length);
                if (length <= inside) {
                  std::memcpy(record.text, text, inside);
                } else {
                  std::memcpy(record.text, &text, sizeof text);
                  if (length > std::numeric_limits<std::uint32_t>::max())
                    too_long.store(true, std::memory_order_relaxed);
                }
              }
            });
          });
        }
        dealer.finish();
        std::copy(sums.begin(), sums.end(), mine);
      });
    }
    if (too_long.load(std::memory_order_relaxed)) return std::nullopt;
    result.starts_.resize(buckets + 1);
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      std::int64_t size = 0;
      for (unsigned thread = 0; thread < threads; ++thread) size += sizes[thread * buckets + bucket];
      result.starts_[bucket + 1] = result.starts_[bucket] + size;
    }
    return result;
  } catch (const MemoryError&) { return std::nullopt; }
}

void GatheredTexts::place(const Records& from, std::size_t bucket, std::size_t first, Record* room,
                          std::int64_t* offsets, char* bytes) const {
  constexpr std::uint32_t mask = (std::uint32_t{1} << target_shift) - 1;
  std::size_t count = 0;
  from.for_each_run(bucket, [&](const Records::Run& run) {
    for (std::size_t k = 0; k < run.count; ++k) {
      __builtin_prefetch(reinterpret_cast<const char*>(run.values_after + k), 0, 2);
      room[run.rows[k] & mask] = run.values[k];
    }
    count += run.count;
  });
  const char* const end = bytes + starts_[(first >> target_shift) + 1];
  std::int64_t at = starts_[first >> target_shift];
  for (std::size_t i = 0; i < count; ++i) {
    const Record& record = room[i];
    if (i + 8 < count && room[i + 8].length > inside) prefetch_for_read(pointer_in(room[i + 8].text));
    if (record.length <= inside) {
      copy_inside(bytes + at, end, record.text, record.length);
    } else {
      std::memcpy(bytes + at, pointer_in(record.text), record.length);
    }
    at += record.length;
    offsets[first + i + 1] = at;
  }
}

void GatheredTexts::write(const array::Work& work, std::int64_t* offsets, char* bytes) const {
  constexpr std::size_t buckets_per_round = round_rows >> target_shift;
  offsets[0] = 0;
  work.threads.for_each_dynamic(starts_.size() - 1, [&](std::size_t bucket, unsigned thread) {
    place(*rounds_[bucket / buckets_per_round], bucket % buckets_per_round, bucket << target_shift,
          room_.data() + (thread << target_shift), offsets, bytes);
  });
}

}  // namespace atl::table
