// SPDX-License-Identifier: Apache-2.0
// v[i]: random reads with prefetch, sequential streaming writes.
#include <algorithm>
#include <cstring>

#include "atoll/array/dtype.hpp"
#include "atoll/array/kernel/gather.hpp"
#include "kernel/copy/stream.hpp"
#include "kernel/gather/bounds.hpp"

namespace atl::array {
namespace {

// Rows looked up before the first is read: as many misses as a core keeps in flight, and some more.
constexpr std::size_t batch = 128;

// Turns indices into addresses. Bad ones become row 0, so that nothing outside is read.
struct Locator {
  const PeerBlocks& blocks;
  FirstBad& bad;
  unsigned thread;

  template <bool Single>
  void locate(const std::int64_t* indices, std::size_t first, std::size_t count, const unsigned char** address) const {
    const std::int64_t rows = blocks.rows();
    const std::size_t row_bytes = blocks.row_bytes();
    unsigned char* const origin = blocks.origins()[0];
    bool wrong = false;
    for (std::size_t k = 0; k < count; ++k) {
      std::int64_t row = indices[first + k];
      row += row < 0 ? rows : 0;
      bool outside = static_cast<std::uint64_t>(row) >= static_cast<std::uint64_t>(rows);
      wrong |= outside;
      row = outside ? 0 : row;
      if constexpr (Single) address[k] = origin + static_cast<std::size_t>(row) * row_bytes;
      else address[k] = blocks.find(row);
      __builtin_prefetch(address[k]);
    }
    if (wrong) [[unlikely]] {
      for (std::size_t k = 0; k < count; ++k) {
        std::int64_t row = indices[first + k];
        if (row >= rows || row < -rows) return bad.note(thread, first + k, row);
      }
    }
  }
};

template <class T, bool Single>
void gather_words(const Locator& locator, const std::int64_t* indices, std::size_t begin, std::size_t end, T* to,
                  bool stream) {
  const unsigned char* address[batch];
  alignas(64) T values[batch];
  std::size_t first = begin;
  if (stream) {  // start at a line, so that whole lines are written
    std::size_t head = to_line(to + begin) / sizeof(T);
    if (to_line(to + begin) % sizeof(T) != 0) stream = false;
    else if (head != 0) {
      head = std::min(head, end - begin);
      locator.locate<Single>(indices, first, head, address);
      for (std::size_t k = 0; k < head; ++k) std::memcpy(to + first + k, address[k], sizeof(T));
      first += head;
    }
  }
  for (; first < end; first += batch) {
    std::size_t count = std::min(batch, end - first);
    locator.locate<Single>(indices, first, count, address);
    for (std::size_t k = 0; k < count; ++k) std::memcpy(values + k, address[k], sizeof(T));
    if (stream && count == batch) {
      for (std::size_t k = 0; k < batch; k += line_bytes / sizeof(T)) stream_line(to + first + k, values + k);
    } else {
      std::memcpy(to + first, values, count * sizeof(T));
    }
  }
}

void gather_rows(const Locator& locator, const std::int64_t* indices, std::size_t begin, std::size_t end,
                 unsigned char* to) {
  const std::size_t row_bytes = locator.blocks.row_bytes();
  const unsigned char* address[batch];
  for (std::size_t first = begin; first < end; first += batch) {
    std::size_t count = std::min(batch, end - first);
    locator.locate<false>(indices, first, count, address);
    for (std::size_t k = 0; k < count; ++k) std::memcpy(to + (first + k) * row_bytes, address[k], row_bytes);
  }
}

}  // namespace

BadIndex gather(const Work& work, const PeerBlocks& from, const std::int64_t* indices, std::size_t n, void* to) {
  std::size_t row_bytes = from.row_bytes();
  if (from.rows() == 0) return n == 0 ? BadIndex{} : BadIndex{0, indices[0]};
  bool word = row_bytes == 1 || row_bytes == 2 || row_bytes == 4 || row_bytes == 8;
  bool stream = n * row_bytes >= stream_threshold;
  FirstBad bad(work.threads.size());
  std::size_t grain = std::max<std::size_t>(1, index_grain / std::max<std::size_t>(1, row_bytes / 64));
  work.threads.for_ranges(n, grain, [&](std::size_t begin, std::size_t end, unsigned thread) {
    Locator locator{from, bad, thread};
    if (!word) {
      gather_rows(locator, indices, begin, end, static_cast<unsigned char*>(to));
    } else {
      dispatch_size(row_bytes, [&]<class T>(Type<T>) {
        if (from.single()) gather_words<T, true>(locator, indices, begin, end, static_cast<T*>(to), stream);
        else gather_words<T, false>(locator, indices, begin, end, static_cast<T*>(to), stream);
      });
    }
    stream_fence();
  });
  return bad.first();
}

}  // namespace atl::array
