// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <bit>
#include <vector>

#include "atoll/base/prefetch.hpp"
#include "atoll/table/kernel/join.hpp"

namespace atl::table {
namespace {

// Lines are fetched this many rows ahead: a miss takes as long as some 20 look-ups in the cache.
constexpr std::size_t ahead = 32;
constexpr std::size_t lines_per_part = 4096;  // at least, so that chance does not fill one
constexpr std::size_t parallel_rows = 1 << 16;

}  // namespace

// Where the key is, or the first free place, or line_keys: a line that is full has `none` or `go_on` there.
unsigned JoinTable::place_in(const Line& line, std::uint64_t key) {
  unsigned found = 1u << line_keys;
  for (unsigned k = 0; k < line_keys; ++k) found |= static_cast<unsigned>(line.keys[k] == key && line.numbers[k] != none) << k;
  return static_cast<unsigned>(std::countr_zero(found));
}

JoinTable::JoinTable(array::Work work, std::span<const std::uint64_t> keys) {
  const std::size_t n = keys.size();
  ATOLL_VALIDATE(n < go_on, ValueError, "a join takes up to 2^32 - 3 rows on its smaller side, got {}", n);
  // Half of the places stay free, or more.
  const std::size_t lines = std::max<std::size_t>(2, std::bit_ceil(2 * n / line_keys + 1));
  lines_ = Buffer<Line>(work.memory, lines);
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(lines));
  Buffer<std::uint32_t> numbers(work.memory, n);
  const std::size_t parts = n < parallel_rows ? 1 : std::min<std::size_t>(lines / lines_per_part, std::bit_ceil(std::size_t{4} * work.threads.size()));
  bool filled = fill(work, keys, numbers.data(), std::max<std::size_t>(parts, 1));
  if (!filled) filled = fill(work, keys, numbers.data(), 1);
  ATOLL_ENSURE(filled);
  for (std::size_t i = 0; i < n; ++i) {
    if (numbers[i] == i) continue;
    begins_ = Buffer<std::uint32_t>(work.memory, n + 2);
    rows_ = Buffer<std::uint32_t>(work.memory, n);
    list_rows({numbers.data(), n});
    break;
  }
}

// A thread fills the parts that are its own, with the keys of all rows that belong there, in order. False: a part is too small.
bool JoinTable::fill(array::Work work, std::span<const std::uint64_t> keys, std::uint32_t* numbers, std::size_t parts) {
  const std::size_t n = keys.size();
  part_mask_ = lines_.size() / parts - 1;
  std::atomic<bool> full{false};
  work.threads.for_ranges(parts, 1, [&](std::size_t first_part, std::size_t end_part, unsigned) {
    const std::size_t first = first_part * (part_mask_ + 1), count = (end_part - first_part) * (part_mask_ + 1);
    for (std::size_t at = first; at < first + count; ++at) {
      std::fill_n(lines_[at].keys, line_keys, 0);
      std::fill_n(lines_[at].numbers, line_keys + 1, none);
    }
    auto insert = [&](std::size_t row) {
      for (std::size_t at = place(keys[row]), looked = 0; looked <= part_mask_; at = after(at), ++looked) {
        Line& line = lines_[at];
        const unsigned k = place_in(line, keys[row]);
        if (k < line_keys) {
          numbers[row] = line.numbers[k];
          return true;
        }
        const auto* free = std::find(line.numbers, line.numbers + line_keys, none);
        if (free != line.numbers + line_keys) {
          const auto place = free - line.numbers;
          line.keys[place] = keys[row];
          line.numbers[place] = numbers[row] = static_cast<std::uint32_t>(row);
          return true;
        }
        line.numbers[line_keys] = go_on;
      }
      return false;
    };
    // Rows of this thread, each fetched `ahead` before it is entered.
    std::size_t waiting[ahead];
    std::size_t seen = 0;
    for (std::size_t row = 0; row < n; ++row) {
      const std::size_t at = place(keys[row]);
      if (at - first >= count) continue;
      prefetch_for_write(&lines_[at]);
      if (seen >= ahead && !insert(waiting[seen % ahead])) full.store(true, std::memory_order_relaxed);
      waiting[seen++ % ahead] = row;
    }
    for (std::size_t k = seen < ahead ? 0 : seen - ahead; k < seen; ++k)
      if (!insert(waiting[k % ahead])) full.store(true, std::memory_order_relaxed);
  });
  return !full.load(std::memory_order_relaxed);
}

void JoinTable::list_rows(std::span<const std::uint32_t> numbers) {
  std::fill(begins_.begin(), begins_.end(), 0);
  // Rows of each number are counted two places behind, so that filling moves the begin of the next to its place.
  for (const std::uint32_t number : numbers) ++begins_[number + 2];
  for (std::size_t number = 0; number < numbers.size(); ++number) begins_[number + 2] += begins_[number + 1];
  for (std::size_t i = 0; i < numbers.size(); ++i) rows_[begins_[numbers[i] + 1]++] = static_cast<std::uint32_t>(i);
}

void JoinTable::find(const std::uint64_t* keys, std::size_t n, std::uint32_t* numbers) const {
  for (std::size_t i = 0; i < std::min(ahead, n); ++i) prefetch_for_read(&lines_[place(keys[i])]);
  for (std::size_t i = 0; i < n; ++i) {
    if (i + ahead < n) prefetch_for_read(&lines_[place(keys[i + ahead])]);
    // A free place may have the key's bits: its number is `none`, which is the answer.
    auto look = [&](const Line& line) {
      unsigned found = 1u << line_keys;
      for (unsigned k = 0; k < line_keys; ++k) found |= static_cast<unsigned>(line.keys[k] == keys[i]) << k;
      return line.numbers[std::countr_zero(found)];
    };
    std::size_t at = place(keys[i]);
    std::uint32_t number = look(lines_[at]);
    while (number == go_on) [[unlikely]] number = look(lines_[at = after(at)]);
    numbers[i] = number;
  }
}

}  // namespace atl::table
