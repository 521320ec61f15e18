// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "atoll/table/kernel/join.hpp"

namespace atl::table {
namespace {

// Places are computed and fetched this many rows ahead: a miss takes as long as some 20 look-ups in the cache.
constexpr std::size_t batch = 32;

}  // namespace

JoinTable::JoinTable(array::Work work, std::span<const std::uint64_t> keys) {
  const std::size_t n = keys.size();
  ATOLL_VALIDATE(n < none, ValueError, "a join takes up to 2^32 - 1 rows on its smaller side, got {}", n);
  const std::size_t capacity = std::max<std::size_t>(16, std::bit_ceil(2 * n));
  slots_ = Buffer<Slot>(work.memory, capacity);
  mask_ = capacity - 1;
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(capacity));
  work.threads.for_ranges(capacity, 4096, [&](std::size_t begin, std::size_t end, unsigned) {
    std::fill(slots_.begin() + begin, slots_.begin() + end, Slot{0, none});
  });
  // Number the keys, and count the rows of each number one place behind.
  Buffer<std::uint32_t> numbers(work.memory, n);
  begins_ = Buffer<std::uint32_t>(work.memory, n + 2);
  std::fill(begins_.begin(), begins_.end(), 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (i + batch < n) __builtin_prefetch(&slots_[place(keys[i + batch])], 1);
    std::size_t at = place(keys[i]);
    while (slots_[at].number != none && slots_[at].key != keys[i]) at = (at + 1) & mask_;
    if (slots_[at].number == none) slots_[at] = {keys[i], static_cast<std::uint32_t>(distinct_++)};
    numbers[i] = slots_[at].number;
    ++begins_[numbers[i] + 2];
  }
  for (std::size_t number = 0; number < distinct_; ++number) begins_[number + 2] += begins_[number + 1];
  rows_ = Buffer<std::uint32_t>(work.memory, n);
  for (std::size_t i = 0; i < n; ++i) rows_[begins_[numbers[i] + 1]++] = static_cast<std::uint32_t>(i);
}

void JoinTable::find(const std::uint64_t* keys, std::size_t n, std::uint32_t* numbers) const {
  std::size_t places[batch];
  for (std::size_t first = 0; first < n; first += batch) {
    const std::size_t count = std::min(batch, n - first);
    for (std::size_t i = 0; i < count; ++i) {
      places[i] = place(keys[first + i]);
      __builtin_prefetch(&slots_[places[i]]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t at = places[i];
      while (slots_[at].number != none && slots_[at].key != keys[first + i]) at = (at + 1) & mask_;
      numbers[first + i] = slots_[at].number;
    }
  }
}

}  // namespace atl::table
