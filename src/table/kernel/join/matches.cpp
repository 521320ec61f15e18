// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "atoll/table/kernel/join.hpp"
#include "atoll/table/kernel/state.hpp"

namespace atl::table {

JoinMatches::JoinMatches(array::Work work, const array::CompositeKey& left, const JoinTable& right, JoinKind kind)
    : right_(right),
      kind_(kind),
      first_row_(static_cast<std::int64_t>(left.first_row())),
      numbers_(work.memory, left.rows()),
      begins_((left.rows() + block_rows - 1) / block_rows + 1) {
  const std::size_t n = left.rows();
  work.threads.for_ranges(n, block_rows, [&](std::size_t begin, std::size_t end, unsigned) {
    alignas(64) std::uint64_t keys[block_rows];
    for (std::size_t at = begin; at < end; at += block_rows) {
      const std::size_t count = std::min(block_rows, end - at);
      if (left.chunks() == 0) std::fill_n(keys, count, 0);
      else left.load(at, count, keys);
      right.find(keys, count, numbers_.data() + at);
      std::size_t pairs = 0;
      if (kind == JoinKind::inner && right.unique()) {
        for (std::size_t i = at; i < at + count; ++i) pairs += numbers_[i] != JoinTable::none ? 1 : 0;
      } else {
        for (std::size_t i = at; i < at + count; ++i) pairs += pairs_of(numbers_[i]);
      }
      begins_[at / block_rows + 1] = pairs;
    }
  });
  for (std::size_t block = 1; block < begins_.size(); ++block) begins_[block] += begins_[block - 1];
}

std::size_t JoinMatches::pairs_of(std::uint32_t number) const {
  const bool found = number != JoinTable::none;
  switch (kind_) {
    case JoinKind::inner: return found ? right_.count(number) : 0;
    case JoinKind::left: return found ? right_.count(number) : 1;
    case JoinKind::semi: return found ? 1 : 0;
    case JoinKind::anti: return found ? 0 : 1;
  }
  return 0;
}

// Inner pairs of unique right rows, without a branch on which left rows have one.
void JoinMatches::write_unique(std::size_t begin, std::size_t end, std::int64_t* left_rows, std::int64_t* right_rows) const {
  std::size_t at = begins_[begin / block_rows];
  const std::size_t stop = begins_[(end + block_rows - 1) / block_rows];
  for (std::size_t i = begin; at < stop; ++i) {
    left_rows[at] = first_row_ + static_cast<std::int64_t>(i);
    right_rows[at] = numbers_[i];
    at += numbers_[i] != JoinTable::none ? 1 : 0;
  }
}

void JoinMatches::write(array::Work work, std::int64_t* left_rows, std::int64_t* right_rows) const {
  const std::size_t n = numbers_.size();
  const bool pairs = kind_ == JoinKind::inner || kind_ == JoinKind::left;
  work.threads.for_ranges(n, block_rows, [&](std::size_t begin, std::size_t end, unsigned) {
    if (kind_ == JoinKind::inner && right_.unique()) return write_unique(begin, end, left_rows, right_rows);
    std::size_t at = begins_[begin / block_rows];
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t number = numbers_[i];
      const std::int64_t row = first_row_ + static_cast<std::int64_t>(i);
      if (!pairs || number == JoinTable::none) {
        if (pairs_of(number) == 0) continue;
        left_rows[at] = row;
        if (pairs) right_rows[at] = -1;
        ++at;
        continue;
      }
      if (right_.unique()) {
        left_rows[at] = row;
        right_rows[at++] = number;
        continue;
      }
      for (const std::uint32_t right : right_.rows(number)) {
        left_rows[at] = row;
        right_rows[at++] = right;
      }
    }
  });
}

}  // namespace atl::table
