// SPDX-License-Identifier: Apache-2.0
#include "limit/join.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <memory>

#include "atoll/base/prefetch.hpp"

namespace atl::limit {
namespace {

struct Slot {
  std::int64_t key;
  std::int64_t row;  // -1: free
};
constexpr std::size_t ahead = 32;
constexpr std::size_t most_parts = 16;  // a thread's share of the table is some of these
constexpr std::size_t parted_rows = std::size_t{1} << 16;  // from here on, so that chance does not fill a part

}  // namespace

void join(ThreadPool& threads, const std::int64_t* left, std::size_t n, const std::int64_t* right,
          std::size_t right_rows, std::int64_t* lefts, std::int64_t* rights) {
  const std::size_t size = std::bit_ceil(2 * right_rows + 2), parts = right_rows < parted_rows ? 1 : most_parts,
                    part_mask = size / parts - 1;
  const int shift = 64 - std::countr_zero(size);
  static std::unique_ptr<Slot[], void (*)(Slot*)> kept(nullptr, [](Slot* p) { std::free(p); });
  static std::size_t room = 0;
  if (room < size) {  // as the engine keeps touched pages
    kept.reset(static_cast<Slot*>(std::aligned_alloc(64, size * sizeof(Slot))));
    room = size;
  }
  Slot* const slots = kept.get();
  auto place = [shift](std::int64_t key) {
    return static_cast<std::size_t>((static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15ull) >> shift);
  };
  threads.for_ranges(parts, 1, [&](std::size_t begin, std::size_t end, unsigned) {
    const std::size_t first = begin * (part_mask + 1), count = (end - begin) * (part_mask + 1);
    std::fill_n(slots + first, count, Slot{0, -1});
    std::size_t waiting[ahead], seen = 0;
    auto insert = [&](std::size_t row) {
      std::size_t at = place(right[row]);
      while (slots[at].row >= 0) at = (at & ~part_mask) | ((at + 1) & part_mask);
      slots[at] = {right[row], static_cast<std::int64_t>(row)};
    };
    for (std::size_t row = 0; row < right_rows; ++row) {
      const std::size_t at = place(right[row]);
      if (at - first >= count) continue;
      prefetch_for_write(slots + at);
      if (seen >= ahead) insert(waiting[seen % ahead]);
      waiting[seen++ % ahead] = row;
    }
    for (std::size_t k = seen < ahead ? 0 : seen - ahead; k < seen; ++k) insert(waiting[k % ahead]);
  });
  threads.for_ranges(n, 8, [&](std::size_t begin, std::size_t end, unsigned) {
    std::size_t out = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (i + ahead < end) prefetch_for_read(slots + place(left[i + ahead]));
      std::size_t at = place(left[i]);
      while (slots[at].row >= 0 && slots[at].key != left[i]) at = (at & ~part_mask) | ((at + 1) & part_mask);
      lefts[out] = static_cast<std::int64_t>(i);
      rights[out] = slots[at].row;
      out += slots[at].row >= 0 ? 1 : 0;
    }
  });
}

}  // namespace atl::limit
