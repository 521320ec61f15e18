// SPDX-License-Identifier: Apache-2.0
// v[i]: random reads with prefetch, sequential streaming writes.
#include <algorithm>
#include <cstring>

#include "atoll/array/dtype.hpp"
#include "atoll/array/kernel/gather.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/kernel/stream.hpp"
#include "kernel/gather/bounds.hpp"

namespace atl::array {
namespace {

// Rows located before the first is read. One is fetched for each that is read, which keeps as many misses in flight as
// the core can hold: 10^7 int64 of as many took 43 ms without, 31 ms with 64 or 128 (one thread), and on a day of slow
// memory 77 to 81 with 64, 71 to 74 with 32, 79 with 16.
constexpr std::size_t block = 32;

// Turns indices into addresses, a block at a time. Bad ones become row 0, so that nothing outside is read.
template <bool Single>
class Locator {
 public:
  Locator(const PeerBlocks& blocks, const std::int64_t* indices)
      : blocks_(blocks),
        indices_(indices),
        origin_(blocks.origins()[0]),
        rows_(blocks.rows()),
        row_bytes_(blocks.row_bytes()) {}

  /// What the block of indices from `first` on is called by address(): the indices themselves where they are rows,
  /// which is all that most blocks need, else their rows in `room`.
  const std::int64_t* rows_of(std::size_t first, std::size_t count, std::int64_t (&room)[block]) {
    if (all_in_range(indices_ + first, count, rows_)) return indices_ + first;
    for (std::size_t k = 0; k < count; ++k) {
      std::int64_t row = indices_[first + k];
      row += row < 0 ? rows_ : 0;
      const bool outside = static_cast<std::uint64_t>(row) >= static_cast<std::uint64_t>(rows_);
      wrong_ |= outside;
      room[k] = outside ? 0 : row;
    }
    return room;
  }
  const unsigned char* address(std::int64_t row) const {
    if constexpr (Single) return origin_ + static_cast<std::size_t>(row) * row_bytes_;
    else return blocks_.find(row);
  }

  bool wrong() const { return wrong_; }

 private:
  const PeerBlocks& blocks_;
  const std::int64_t* indices_;
  unsigned char* origin_;
  std::int64_t rows_;
  std::size_t row_bytes_;
  bool wrong_ = false;
};

// take(k, address) for all k in [begin, end), in blocks; done(first, count) after each. Of one array in one place the
// address is cheaper to compute twice than to keep.
template <bool Single, class Take, class Done>
void for_rows(Locator<Single>& locate, std::size_t begin, std::size_t end, Take take, Done done) {
  std::int64_t room[2][block];
  const unsigned char* kept[2][block];
  int now = 0;
  auto fetch = [&](std::int64_t row, int side, std::size_t k) {
    const unsigned char* address = locate.address(row);
    if constexpr (!Single) kept[side][k] = address;
    __builtin_prefetch(address);
  };
  std::size_t located = std::min(block, end - begin);
  const std::int64_t* rows = locate.rows_of(begin, located, room[0]);
  for (std::size_t k = 0; k < located; ++k) fetch(rows[k], 0, k);
  for (std::size_t first = begin; first < end; first += block) {
    const std::size_t count = std::min(block, end - first), ahead = std::min(block, end - first - count);
    const std::int64_t* next = locate.rows_of(first + count, ahead, room[1 - now]);
    auto address = [&](std::size_t k) {
      if constexpr (Single) return locate.address(rows[k]);
      else return kept[now][k];
    };
    std::size_t k = 0;
    for (; k < ahead; ++k) {
      fetch(next[k], 1 - now, k);
      take(first + k, address(k));
    }
    for (; k < count; ++k) take(first + k, address(k));
    done(first, count);
    rows = next;
    now = 1 - now;
  }
}

// Elements of a row's size are copied by T; `to` is of that type.
template <class T, bool Single>
void gather_words(Locator<Single>& locate, std::size_t begin, std::size_t end, T* to, bool stream) {
  if (stream && to_line(to + begin) % sizeof(T) == 0) {  // whole lines, from the first border on
    const std::size_t head = std::min(to_line(to + begin) / sizeof(T), end - begin);
    for_rows(
        locate, begin, begin + head,
        [&](std::size_t i, const unsigned char* from) { std::memcpy(to + i, from, sizeof(T)); },
        [](std::size_t, std::size_t) {});
    begin += head;
    alignas(64) T values[block];
    for_rows(
        locate, begin, end,
        [&](std::size_t i, const unsigned char* from) { std::memcpy(values + (i - begin) % block, from, sizeof(T)); },
        [&](std::size_t first, std::size_t count) {
          std::size_t k = 0;
          for (; k + line_bytes / sizeof(T) <= count; k += line_bytes / sizeof(T))
            stream_line(to + first + k, values + k);
          for (; k < count; ++k) to[first + k] = values[k];
        });
  } else {
    for_rows(
        locate, begin, end, [&](std::size_t i, const unsigned char* from) { std::memcpy(to + i, from, sizeof(T)); },
        [](std::size_t, std::size_t) {});
  }
}

template <bool Single>
void gather_range(const PeerBlocks& from, const std::int64_t* indices, std::size_t begin, std::size_t end, void* to,
                  bool stream, FirstBad& bad, unsigned thread) {
  Locator<Single> locate(from, indices);
  std::size_t row_bytes = from.row_bytes();
  if (row_bytes == 1 || row_bytes == 2 || row_bytes == 4 || row_bytes == 8) {
    dispatch_size(row_bytes, [&]<class T>(Type<T>) { gather_words(locate, begin, end, static_cast<T*>(to), stream); });
  } else {
    auto* target = static_cast<unsigned char*>(to);
    for_rows(
        locate, begin, end,
        [&](std::size_t i, const unsigned char* row) { std::memcpy(target + i * row_bytes, row, row_bytes); },
        [](std::size_t, std::size_t) {});
  }
  fence_streams();
  if (!locate.wrong()) return;
  std::size_t i = begin;
  while (indices[i] < from.rows() && indices[i] >= -from.rows()) ++i;
  bad.note(thread, i, indices[i]);
}

}  // namespace

BadIndex gather(const Work& work, const PeerBlocks& from, const std::int64_t* indices, std::size_t n, void* to) {
  std::size_t row_bytes = from.row_bytes();
  if (from.rows() == 0) return n == 0 ? BadIndex{} : BadIndex{0, indices[0]};
  bool stream = n * row_bytes >= stream_threshold;
  FirstBad bad(work.threads.size());
  std::size_t grain = std::max<std::size_t>(1, index_grain / std::max<std::size_t>(1, row_bytes / 64));
  Polling(work).for_pieces(n, grain, [&](std::size_t begin, std::size_t end, unsigned thread) {
    if (from.single()) gather_range<true>(from, indices, begin, end, to, stream, bad, thread);
    else gather_range<false>(from, indices, begin, end, to, stream, bad, thread);
  });
  return bad.first();
}

}  // namespace atl::array
