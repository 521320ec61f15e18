// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <bit>
#include <vector>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/base/assertion.hpp"
#include "atoll/base/prefetch.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/table/kernel/join.hpp"

namespace atl::table {
namespace {

// Lines are fetched this many rows ahead: a miss takes as long as some 20 look-ups in the cache.
constexpr std::size_t ahead = 32;
constexpr std::size_t lines_per_part = 4096;  // at least, so that chance does not fill one
constexpr std::size_t parallel_rows = 1 << 16;
constexpr std::size_t rows_between_looks = 1 << 16;  // for an interrupt

}  // namespace

// Where the key is, or the first free place, or line_keys: a line that is full has `none` or `go_on` there.
unsigned JoinTable::place_in(const Line& line, std::uint64_t key) {
  unsigned found = 1u << line_keys;
  for (unsigned k = 0; k < line_keys; ++k)
    found |= static_cast<unsigned>(line.keys[k] == key && line.numbers[k] != none) << k;
  return static_cast<unsigned>(std::countr_zero(found));
}

void JoinTable::fill(array::Work work, std::span<const std::uint64_t> keys, const std::int64_t* rows) {
  const std::size_t n = keys.size();
  ATOLL_VALIDATE(n < go_on, ValueError, "a join takes up to 2^32 - 3 rows of its right side on a PE, got {}", n);
  rows_ = rows;
  // Half of the places stay free, or more.
  lines_used_ = std::max<std::size_t>(2, std::bit_ceil(2 * n / line_keys + 1));
  if (lines_.size() < lines_used_) lines_ = Buffer<Line>(work.memory, lines_used_);
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(lines_used_));
  if (numbers_.size() < n) numbers_ = Buffer<std::uint32_t>(work.memory, n);
  const std::size_t parts =
      n < parallel_rows
          ? 1
          : std::min<std::size_t>(lines_used_ / lines_per_part, std::bit_ceil(std::size_t{4} * work.threads.size()));
  bool entered = enter(work, keys, std::max<std::size_t>(parts, 1));
  if (!entered) entered = enter(work, keys, 1);
  ATOLL_ENSURE(entered);
  std::size_t first = 0;
  while (first < n && numbers_[first] == first) ++first;
  repeats_ = first < n;
  if (repeats_) list_rows(work, n);
}

// A thread fills the parts that are its own, with the keys of all rows that belong there, in order. False: a part is
// too small.
bool JoinTable::enter(array::Work work, std::span<const std::uint64_t> keys, std::size_t parts) {
  const std::size_t n = keys.size();
  part_mask_ = lines_used_ / parts - 1;
  std::uint32_t* numbers = numbers_.data();
  std::atomic<bool> full{false};
  array::Polling polling(work);
  polling.for_ranges(parts, 1, [&](std::size_t first_part, std::size_t end_part, unsigned thread) {
    array::Pace pace(polling, thread);
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
      if (row % rows_between_looks == 0) pace.done(rows_between_looks);
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

void JoinTable::list_rows(array::Work work, std::size_t n) {
  if (heads_.size() < n) heads_ = Buffer<std::int64_t>(work.memory, n);
  std::fill_n(heads_.data(), n, 0);
  for (std::size_t i = 0; i < n; ++i) ++heads_[numbers_[i]];
  std::uint64_t at = 0;
  list_words_ = 0;
  for (std::size_t number = 0; number < n; ++number)
    if (heads_[number] > 1) list_words_ += 1 + static_cast<std::size_t>(heads_[number]);
  if (lists_.size() < list_words_) lists_ = Buffer<std::int64_t>(work.memory, list_words_);
  for (std::size_t number = 0; number < n; ++number) {
    const std::int64_t count = heads_[number];
    if (count == 1) heads_[number] = row(number);
    if (count <= 1) continue;
    heads_[number] = Partners::list(at);
    lists_[at] = 0;
    at += 1 + static_cast<std::uint64_t>(count);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t head = heads_[numbers_[i]];
    if (!Partners::is_list(head)) continue;
    std::int64_t* list = lists_.data() + Partners::place(head);
    list[++list[0]] = row(i);
  }
}

void JoinTable::find(const std::uint64_t* keys, std::size_t n, std::int64_t* partners) const {
  for (std::size_t i = 0; i < std::min(ahead, n); ++i) prefetch_for_read(&lines_[place(keys[i])]);
  auto find_all = [&](auto&& partners_of) {
    for (std::size_t i = 0; i < n; ++i) {
      if (i + ahead < n) prefetch_for_read(&lines_[place(keys[i + ahead])]);
      const std::uint64_t key = keys[i];
      // A free place may have the key's bits: its number is `none`, which is the answer.
      auto look = [&](const Line& line) {
        unsigned found = 1u << line_keys;
        for (unsigned k = 0; k < line_keys; ++k) found |= static_cast<unsigned>(line.keys[k] == key) << k;
        return line.numbers[std::countr_zero(found)];
      };
      std::size_t at = place(key);
      std::uint32_t number = look(lines_[at]);
      while (number == go_on) [[unlikely]]
        number = look(lines_[at = after(at)]);
      partners[i] = partners_of(number);
    }
  };
  if (repeats_) find_all([&](std::uint32_t number) { return number == none ? Partners::none : heads_[number]; });
  else if (rows_ != nullptr)
    find_all([&](std::uint32_t number) { return number == none ? Partners::none : rows_[number]; });
  else
    find_all([](std::uint32_t number) { return number == none ? Partners::none : static_cast<std::int64_t>(number); });
}

}  // namespace atl::table
