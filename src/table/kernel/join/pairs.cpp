// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/base/assertion.hpp"
#include "atoll/table/kernel/join.hpp"
#include "atoll/table/kernel/state.hpp"

namespace atl::table {
namespace {

constexpr std::size_t pair_grain = 4096;          // pairs worth a thread
constexpr std::size_t rows_in_turn = 64 * block_rows;  // of a thread: they and their pairs stay in its cache

}  // namespace

JoinPairs::JoinPairs(std::span<std::int64_t> partners, std::int64_t first_row, const std::int64_t* lists, JoinKind kind)
    : partners_(partners),
      first_row_(first_row),
      lists_(lists),
      kind_(kind),
      begins_((partners.size() + block_rows - 1) / block_rows + 1),
      listed_(begins_.size() - 1) {}

void JoinPairs::count_block(std::size_t block) {
  const auto rows = partners_.subspan(block * block_rows, std::min(block_rows, partners_.size() - block * block_rows));
  std::size_t found = 0;
  std::int64_t least = 0;
  for (const std::int64_t partners : rows) {
    found += partners != Partners::none ? 1 : 0;
    least = std::min(least, partners);
  }
  std::size_t pairs = 0;
  switch (kind_) {
    case JoinKind::semi:
    case JoinKind::inner: pairs = found; break;
    case JoinKind::anti: pairs = rows.size() - found; break;
    case JoinKind::left: pairs = rows.size(); break;
  }
  if (Partners::is_list(least) && (kind_ == JoinKind::inner || kind_ == JoinKind::left)) {
    listed_[block] = 1;
    for (const std::int64_t partners : rows)
      if (Partners::is_list(partners)) pairs += static_cast<std::size_t>(*list(partners)) - 1;
  }
  begins_[block + 1] = pairs;
}

void JoinPairs::add_up() {
  has_lists_ = std::ranges::any_of(listed_, [](std::uint8_t listed) { return listed != 0; });
  for (std::size_t block = 1; block < begins_.size(); ++block) begins_[block] += begins_[block - 1];
}

const std::int64_t* JoinPairs::list(std::int64_t partners) const {
  const std::uint64_t place = Partners::place(partners);
  return lists_ != nullptr ? lists_ + place : reinterpret_cast<const std::int64_t*>(place * sizeof(std::int64_t));
}

std::size_t JoinPairs::pairs_of(std::int64_t partners) const {
  const bool found = partners != Partners::none;
  switch (kind_) {
    case JoinKind::inner:
      return Partners::is_list(partners) ? static_cast<std::size_t>(*list(partners)) : found ? 1 : 0;
    case JoinKind::left: return Partners::is_list(partners) ? static_cast<std::size_t>(*list(partners)) : 1;
    case JoinKind::semi: return found ? 1 : 0;
    case JoinKind::anti: return found ? 0 : 1;
  }
  return 0;
}

// A block without lists, without a branch on which rows have a pair: writes a row behind the last pair, too. Returns
// how many there are.
std::size_t JoinPairs::write_block(std::size_t block, std::int64_t* left_rows, std::int64_t* right_rows) const {
  const std::size_t begin = block * block_rows, end = std::min(begin + block_rows, partners_.size());
  std::size_t at = 0;
  auto keep = [&](auto&& is_kept) {
    for (std::size_t i = begin; i < end; ++i) {
      left_rows[at] = first_row_ + static_cast<std::int64_t>(i);
      right_rows[at] = partners_[i];
      at += is_kept(partners_[i]) ? 1 : 0;
    }
  };
  switch (kind_) {
    case JoinKind::left: keep([](std::int64_t) { return true; }); break;
    case JoinKind::anti: keep([](std::int64_t partners) { return partners == Partners::none; }); break;
    default: keep([](std::int64_t partners) { return partners != Partners::none; }); break;
  }
  return at;
}

// One thread's part, row by row.
void JoinPairs::write_pairs(std::size_t begin, std::size_t end, std::int64_t* left_rows,
                            std::int64_t* right_rows) const {
  std::size_t block =
      static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end(), begin) - begins_.begin()) - 1;
  for (std::size_t at = begin; at < end; ++block) {
    if (listed_[block] == 0) {
      const std::size_t n = begins_[block + 1] - begins_[block], skipped = at - begins_[block],
                        some = std::min(n - skipped, end - at);
      if (left_rows != nullptr && right_rows != nullptr && skipped == 0 && n < end - at) {
        (void)write_block(block, left_rows + (at - begin), right_rows + (at - begin));
      } else {
        // By way of the cache: not all of the block is wanted, or there is no room behind it.
        std::int64_t lefts[block_rows + 1], rights[block_rows + 1];
        (void)write_block(block, lefts, rights);
        if (left_rows != nullptr) std::copy_n(lefts + skipped, some, left_rows + (at - begin));
        if (right_rows != nullptr) std::copy_n(rights + skipped, some, right_rows + (at - begin));
      }
      at += some;
      continue;
    }
    std::size_t pair = begins_[block];
    for (std::size_t i = block * block_rows; i < std::min((block + 1) * block_rows, partners_.size()) && at < end;
         ++i) {
      const std::int64_t partners = partners_[i];
      const std::size_t n = pairs_of(partners);
      if (pair + n > at) {
        const std::size_t skipped = at - pair, some = std::min(n - skipped, end - at);
        if (left_rows != nullptr)
          std::fill_n(left_rows + (at - begin), some, first_row_ + static_cast<std::int64_t>(i));
        if (right_rows != nullptr) {
          if (Partners::is_list(partners)) std::copy_n(list(partners) + 1 + skipped, some, right_rows + (at - begin));
          else right_rows[at - begin] = partners;
        }
        at += some;
      }
      pair += n;
    }
  }
}

void JoinPairs::write(array::Work work, std::size_t begin, std::size_t end, std::int64_t* left_rows,
                      std::int64_t* right_rows) const {
  array::Polling(work).for_pieces(end - begin, pair_grain, [&](std::size_t first, std::size_t last, unsigned) {
    write_pairs(begin + first, begin + last, left_rows == nullptr ? nullptr : left_rows + first,
                right_rows == nullptr ? nullptr : right_rows + first);
  });
}

// Up to the first row that has no pair, partners lie where they belong already. Then in turns: all threads write some
// rows' pairs beside, then all copy these to their places, which all have been read by then.
void JoinPairs::write_in_place(array::Work work, std::int64_t* left_rows) {
  ATOLL_EXPECT(!has_lists_ && (kind_ == JoinKind::inner || kind_ == JoinKind::left));
  const std::size_t threads = work.threads.size(), blocks = begins_.size() - 1, share = rows_in_turn / block_rows;
  std::size_t still = 0;  // blocks
  while (still < blocks && begins_[still + 1] == std::min((still + 1) * block_rows, partners_.size())) ++still;
  array::Polling(work).for_pieces(begins_[still], block_rows, [&](std::size_t begin, std::size_t end, unsigned) {
    std::iota(left_rows + begin, left_rows + end, first_row_ + static_cast<std::int64_t>(begin));
  });
  if (still == blocks) return;
  Buffer<std::int64_t> rights(work.memory, threads * (rows_in_turn + 1)),
      lefts(work.memory, threads * (rows_in_turn + 1));
  for (std::size_t first = still; first < blocks; first += threads * share) {
    auto each_share = [&](auto&& body) {
      work.threads.on_each([&](unsigned thread) {
        const std::size_t begin = std::min(first + thread * share, blocks), end = std::min(begin + share, blocks);
        if (begin < end) body(begin, end, thread * (rows_in_turn + 1));
      });
    };
    each_share([&](std::size_t begin, std::size_t end, std::size_t scratch) {
      for (std::size_t block = begin; block < end; ++block) {
        const std::size_t at = scratch + (begins_[block] - begins_[begin]);
        (void)write_block(block, lefts.data() + at, rights.data() + at);
      }
    });
    each_share([&](std::size_t begin, std::size_t end, std::size_t scratch) {
      const std::size_t at = begins_[begin], n = begins_[end] - at;
      std::copy_n(lefts.data() + scratch, n, left_rows + at);
      std::copy_n(rights.data() + scratch, n, partners_.data() + at);
    });
  }
}

}  // namespace atl::table
