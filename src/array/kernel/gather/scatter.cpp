// SPDX-License-Identifier: Apache-2.0
// c[i] = v and c[i] += v. Each thread owns a range of the target's rows and takes from all indices those that fall
// there, in order: so repeated indices come out as if done one after another.
#include <algorithm>
#include <cstring>

#include "atoll/array/dtype.hpp"
#include "atoll/array/kernel/gather.hpp"
#include "kernel/copy/stream.hpp"
#include "kernel/gather/bounds.hpp"
#include "kernel/gather/filter.hpp"

namespace atl::array {
namespace {

// How far ahead indices and values are fetched. They are read in order, but the processor's own stream detectors lose
// them among the random lines: two threads that each look at all indices took 17 ms without and take 10.6 ms with it,
// as long as when each looks at half of them (10^7 int64; 256 to 2048 do as well).
constexpr std::size_t stream_ahead = 512;

void fetch_stream(const void* from, std::size_t bytes) {
  const auto* at = static_cast<const char*>(from);
  for (std::size_t k = 0; k < bytes; k += line_bytes) __builtin_prefetch(at + k);
}

// Calls put(address, i) for every i whose row lies in [low, high), in the order of i. One line is fetched for each that
// is written, a block ahead: 10^7 int64 into as many on one thread take 31 ms without fetching, or fetching a block at
// once, and 22 ms like this. `values`: what put will read, `value_stride` bytes for each i.
template <class Put>
void for_owned(const PeerBlocks& to, const std::int64_t* indices, std::size_t n, const unsigned char* values,
               std::size_t value_stride, std::int64_t low, std::int64_t high, Put put) {
  struct Located {
    unsigned char* address[filter_block];
    std::int64_t row[filter_block + filter_slack];
    std::uint32_t offset[filter_block + filter_slack];
    std::size_t first = 0, count = 0;
  };
  const std::int64_t rows = to.rows();
  const bool owns_all = low == 0 && high == rows;
  // Half of a block is enough to fetch ahead, and what is left of one after the filter when two threads share the rows.
  const std::size_t block = owns_all ? filter_block / 2 : filter_block;
  const std::size_t first_block = to.block_of(low);
  const bool single = first_block == to.block_of(high - 1);  // always with PEs that write their own rows
  unsigned char* const origin = to.origins()[first_block];
  const std::size_t row_bytes = to.row_bytes();
  auto select = [&](Located& at, std::size_t first) {
    at.first = first;
    at.count = first < n ? std::min(block, n - first) : 0;
    if (first + block + stream_ahead <= n) {
      fetch_stream(indices + first + stream_ahead, block * sizeof(std::int64_t));
      if (value_stride <= 2 * sizeof(std::uint64_t))  // wider rows are streams of their own
        fetch_stream(values + (first + stream_ahead - block) * value_stride, block * value_stride);
    }
    if (owns_all) {
      for (std::size_t k = 0; k < at.count; ++k) {
        std::int64_t index = indices[first + k];
        at.row[k] = index + (index < 0 ? rows : 0);
        at.offset[k] = static_cast<std::uint32_t>(k);
      }
    } else if (at.count > 0) {
      at.count = filter_rows(indices + first, at.count, rows, low, static_cast<std::uint64_t>(high - low), at.row,
                             at.offset);
    }
  };
  auto fetch = [&](Located& at, std::size_t k) {
    at.address[k] = single ? origin + static_cast<std::size_t>(at.row[k]) * row_bytes : to.find(at.row[k]);
    __builtin_prefetch(at.address[k], 1);
  };
  Located both[2];
  Located* now = &both[0];
  Located* next = &both[1];
  for (std::size_t first = 0; first < n || now->count > 0; first += block) {
    select(*next, first);
    std::size_t together = std::min(now->count, next->count), k = 0;
    for (; k < together; ++k) {
      fetch(*next, k);
      put(now->address[k], now->first + now->offset[k]);
    }
    for (std::size_t rest = k; rest < next->count; ++rest) fetch(*next, rest);
    for (; k < now->count; ++k) put(now->address[k], now->first + now->offset[k]);
    std::swap(now, next);
    next->count = 0;
  }
}

// One thread, one block: nothing to choose, and an address is cheaper to compute twice than to keep.
template <class T>
void scatter_words(const PeerBlocks& to, const std::int64_t* indices, std::size_t n, const unsigned char* values,
                   std::size_t value_stride) {
  constexpr std::size_t ahead = filter_block / 2;
  unsigned char* const origin = to.origins()[0];
  const std::int64_t rows = to.rows();
  auto address = [=](std::size_t i) {
    std::int64_t index = indices[i];
    return origin + static_cast<std::size_t>(index + (index < 0 ? rows : 0)) * sizeof(T);
  };
  std::size_t i = 0;
  for (; i + ahead < n; ++i) {
    __builtin_prefetch(address(i + ahead), 1);
    std::memcpy(address(i), values + i * value_stride, sizeof(T));
  }
  for (; i < n; ++i) std::memcpy(address(i), values + i * value_stride, sizeof(T));
}

// Runs body(low, high) over ranges of the rows, one per thread, after the indices were found good.
template <class Body>
BadIndex for_owners(const Work& work, const PeerBlocks& to, const std::int64_t* indices, std::size_t n, RowRange only,
                    Bounds bounds, Body body) {
  if (bounds == Bounds::check)
    if (BadIndex bad = check_indices(work, indices, n, to.rows())) return bad;
  std::int64_t low = std::max<std::int64_t>(only.begin, 0), high = std::min(only.end, to.rows());
  if (n == 0 || low >= high) return {};
  // Few elements: the caller alone. Otherwise owners are parted at lines.
  auto row_bytes = std::max<std::size_t>(1, to.row_bytes());
  std::size_t align = std::max<std::size_t>(1, line_bytes / row_bytes);
  if (n < index_grain) align = static_cast<std::size_t>(high - low);
  work.threads.for_ranges(static_cast<std::size_t>(high - low), align,
                          [&](std::size_t begin, std::size_t end, unsigned) {
    body(low + static_cast<std::int64_t>(begin), low + static_cast<std::int64_t>(end));
  });
  return {};
}

}  // namespace

BadIndex scatter(const Work& work, const PeerBlocks& to, const std::int64_t* indices, std::size_t n, const void* values,
                 std::size_t value_stride, RowRange only, Bounds bounds) {
  const auto* source = static_cast<const unsigned char*>(values);
  std::size_t row_bytes = to.row_bytes();
  return for_owners(work, to, indices, n, only, bounds, [&](std::int64_t low, std::int64_t high) {
    auto put_words = [&]<class T>(Type<T>) {
      if (to.single() && low == 0 && high == to.rows()) {
        scatter_words<T>(to, indices, n, source, value_stride);
        return;
      }
      for_owned(to, indices, n, source, value_stride, low, high, [&](unsigned char* at, std::size_t i) {
        std::memcpy(at, source + i * value_stride, sizeof(T));
      });
    };
    if (row_bytes == 1 || row_bytes == 2 || row_bytes == 4 || row_bytes == 8) {
      dispatch_size(row_bytes, put_words);
      return;
    }
    for_owned(to, indices, n, source, value_stride, low, high, [&](unsigned char* at, std::size_t i) {
      std::memcpy(at, source + i * value_stride, row_bytes);
    });
  });
}

BadIndex scatter_add(const Work& work, DType type, std::size_t row_elements, const PeerBlocks& to,
                     const std::int64_t* indices, std::size_t n, const void* values, std::size_t value_stride,
                     RowRange only, Bounds bounds) {
  ATOLL_EXPECT(to.row_bytes() == row_elements * size_of(type));
  const auto* source = static_cast<const unsigned char*>(values);
  return for_owners(work, to, indices, n, only, bounds, [&](std::int64_t low, std::int64_t high) {
    dispatch(type, [&]<class T>(Type<T>) {
      for_owned(to, indices, n, source, value_stride, low, high, [&](unsigned char* at, std::size_t i) {
        const unsigned char* from = source + i * value_stride;
        for (std::size_t k = 0; k < row_elements; ++k) {
          T sum, add;
          std::memcpy(&sum, at + k * sizeof(T), sizeof(T));
          std::memcpy(&add, from + k * sizeof(T), sizeof(T));
          if constexpr (std::is_same_v<T, bool>) {
            sum = sum || add;
          } else if constexpr (std::is_integral_v<T>) {  // wraps, as NumPy's does
            using U = std::make_unsigned_t<T>;
            sum = static_cast<T>(static_cast<U>(static_cast<U>(sum) + static_cast<U>(add)));
          } else {
            sum += add;
          }
          std::memcpy(at + k * sizeof(T), &sum, sizeof(T));
        }
      });
    });
  });
}

}  // namespace atl::array
