// SPDX-License-Identifier: Apache-2.0
// c[i] = v and c[i] += v. Each thread owns a range of the target's rows and takes from all indices those that fall
// there, in order: so repeated indices come out as if done one after another. Large targets: buckets.hpp.
#include <algorithm>
#include <cstring>
#include <optional>

#include "atoll/array/dtype.hpp"
#include "atoll/array/kernel/gather.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/kernel/simd.hpp"
#include "atoll/array/kernel/stream.hpp"
#include "atoll/base/assertion.hpp"
#include "kernel/gather/bounds.hpp"
#include "kernel/gather/buckets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/gather/scatter.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernel/gather/filter-inl.hpp"

#ifndef ATOLL_GATHER_SCATTER_ONCE
#define ATOLL_GATHER_SCATTER_ONCE
namespace atl::array {
namespace {

// How far ahead indices and values are fetched. They are read in order, but the processor's own stream detectors lose
// them among the random lines: two threads that each look at all indices took 17 ms without and take 10.6 ms with it,
// as long as when each looks at half of them (10^7 int64; 256 to 2048 do as well).
constexpr std::size_t stream_ahead = 512;

// Indices looked at before the first of them is written, by a thread that writes all rows.
constexpr std::size_t rows_ahead = 128;

// The rows [low, high) of an array whose row 0 would be at `origin`, all in one block.
struct OwnedRows {
  unsigned char* origin;
  std::size_t row_bytes;
  std::int64_t rows;  // of the whole array: what negative indices count from
  std::int64_t low, high;
};

// Row i of the values is at data + i * stride.
struct RowValues {
  const unsigned char* data;
  std::size_t stride;

  RowValues from(std::size_t i) const { return {data + i * stride, stride}; }
};

}  // namespace
}  // namespace atl::array
#endif

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace {

// What is done with a row: call(address, value, row_bytes). bytes() is a constant where it can be.

template <class T>
struct SetWord {
  static constexpr std::size_t bytes(std::size_t) { return sizeof(T); }
  HWY_ATTR static void call(unsigned char* at, const unsigned char* from, std::size_t) {
    std::memcpy(at, from, sizeof(T));
  }
};

struct SetRow {
  static constexpr std::size_t bytes(std::size_t row_bytes) { return row_bytes; }
  HWY_ATTR static void call(unsigned char* at, const unsigned char* from, std::size_t row_bytes) {
    std::memcpy(at, from, row_bytes);
  }
};

template <class T>
struct AddRow {
  static constexpr std::size_t bytes(std::size_t row_bytes) { return row_bytes; }
  HWY_ATTR static void call(unsigned char* at, const unsigned char* from, std::size_t row_bytes) {
    for (std::size_t k = 0; k < row_bytes; k += sizeof(T)) {
      T sum, add;
      std::memcpy(&sum, at + k, sizeof(T));
      std::memcpy(&add, from + k, sizeof(T));
      if constexpr (std::is_same_v<T, bool>) {
        sum = sum || add;
      } else if constexpr (std::is_integral_v<T>) {  // wraps, as NumPy's does
        using U = std::make_unsigned_t<T>;
        sum = static_cast<T>(static_cast<U>(static_cast<U>(sum) + static_cast<U>(add)));
      } else {
        sum += add;
      }
      std::memcpy(at + k, &sum, sizeof(T));
    }
  }
};

// All rows are this thread's: an address is cheaper to compute twice than to keep.
template <class Do>
HWY_ATTR void for_all(const OwnedRows& to, const std::int64_t* indices, std::size_t n, RowValues values) {
  const std::size_t row_bytes = Do::bytes(to.row_bytes);
  unsigned char* const origin = to.origin;
  const std::int64_t rows = to.rows;
  auto address = [=](std::size_t i) HWY_ATTR {
    std::int64_t index = indices[i];
    return origin + static_cast<std::size_t>(index + (index < 0 ? rows : 0)) * row_bytes;
  };
  std::size_t i = 0;
  for (; i + rows_ahead < n; ++i) {
    __builtin_prefetch(address(i + rows_ahead), 1);
    Do::call(address(i), values.data + i * values.stride, row_bytes);
  }
  for (; i < n; ++i) Do::call(address(i), values.data + i * values.stride, row_bytes);
}

HWY_ATTR void fetch_stream(const void* from, std::size_t bytes) {
  const auto* at = static_cast<const char*>(from);
  for (std::size_t k = 0; k < bytes; k += line_bytes) __builtin_prefetch(at + k);
}

// Does the indices whose rows lie in [low, high), in order, a block at a time: those of the next block are picked, then
// one of their lines is fetched for each row of this block that is written. 10^7 int64 into as many on one thread take
// 31 ms without fetching, or fetching a block at once, and 22 ms like this.
template <class Do>
HWY_ATTR void for_owned(const OwnedRows& to, const std::int64_t* indices, std::size_t n, RowValues values) {
  struct Picked {
    std::int64_t row[filter_block + filter_slack];
    std::uint32_t offset[filter_block + filter_slack];
    const unsigned char* values;
    std::size_t count = 0;
  };
  const std::size_t row_bytes = Do::bytes(to.row_bytes), stride = values.stride;
  unsigned char* const origin = to.origin;
  const auto width = static_cast<std::uint64_t>(to.high - to.low);
  Picked both[2];
  Picked* now = &both[0];
  Picked* next = &both[1];
  for (std::size_t first = 0; first < n || now->count > 0; first += filter_block) {
    if (first + filter_block + stream_ahead <= n) {
      fetch_stream(indices + first + stream_ahead, filter_block * sizeof(std::int64_t));
      if (stride <= 2 * sizeof(std::uint64_t))  // wider rows are streams of their own
        fetch_stream(values.data + (first + stream_ahead - filter_block) * stride, filter_block * stride);
    }
    next->count = 0;
    if (first < n) {
      std::size_t some = n - first < filter_block ? n - first : filter_block;
      next->count = rows_block(indices + first, some, to.rows, to.low, width, next->row, next->offset);
      next->values = values.data + first * stride;
    }
    auto fetch = [&](std::size_t k)
                     HWY_ATTR { __builtin_prefetch(origin + static_cast<std::size_t>(next->row[k]) * row_bytes, 1); };
    auto write = [&](std::size_t k) HWY_ATTR {
      Do::call(origin + static_cast<std::size_t>(now->row[k]) * row_bytes, now->values + now->offset[k] * stride,
               row_bytes);
    };
    std::size_t together = now->count < next->count ? now->count : next->count, k = 0;
    for (; k < together; ++k) {
      fetch(k);
      write(k);
    }
    for (std::size_t rest = k; rest < next->count; ++rest) fetch(rest);
    for (; k < now->count; ++k) write(k);
    Picked* written = now;
    now = next;
    next = written;
  }
}

template <class Do>
HWY_ATTR void for_rows(const OwnedRows& to, const std::int64_t* indices, std::size_t n, RowValues values) {
  if (to.low == 0 && to.high == to.rows) for_all<Do>(to, indices, n, values);
  else for_owned<Do>(to, indices, n, values);
}

HWY_ATTR void set_rows(const OwnedRows& to, const std::int64_t* indices, std::size_t n, RowValues values) {
  if (to.row_bytes == 1) for_rows<SetWord<std::uint8_t>>(to, indices, n, values);
  else if (to.row_bytes == 2) for_rows<SetWord<std::uint16_t>>(to, indices, n, values);
  else if (to.row_bytes == 4) for_rows<SetWord<std::uint32_t>>(to, indices, n, values);
  else if (to.row_bytes == 8) for_rows<SetWord<std::uint64_t>>(to, indices, n, values);
  else for_rows<SetRow>(to, indices, n, values);
}

HWY_ATTR void add_rows(DType type, const OwnedRows& to, const std::int64_t* indices, std::size_t n, RowValues values) {
  dispatch(type, [&]<class T>(Type<T>) HWY_ATTR { for_rows<AddRow<T>>(to, indices, n, values); });
}

}  // namespace
}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {
namespace {

HWY_EXPORT(set_rows);
HWY_EXPORT(add_rows);

// Runs in_buckets(base), or where that returns false body(OwnedRows, at, count) over ranges of the rows, one for each
// thread and block, with all indices in order, `count` from `at` on at a time; after the indices were found good. Each
// thread reads all indices, so that more ranges of rows than threads would cost as many times the time.
template <class InBuckets, class Body>
BadIndex for_owners(const Work& work, const PeerBlocks& to, const std::int64_t* indices, std::size_t n, RowRange only,
                    Bounds bounds, InBuckets in_buckets, Body body) {
  if (bounds == Bounds::check)
    if (BadIndex bad = check_indices(work, indices, n, to.rows())) return bad;
  std::int64_t first = std::max<std::int64_t>(only.begin, 0), last = std::min(only.end, to.rows());
  if (n == 0 || first >= last) return {};
  if (to.single() && first == 0 && last == to.rows() && in_buckets(to.origins()[0])) return {};
  // Few elements: the caller alone. Otherwise owners are parted at lines.
  const std::size_t row_bytes = to.row_bytes();
  std::size_t align = std::max<std::size_t>(1, line_bytes / std::max<std::size_t>(1, row_bytes));
  if (n < index_grain) align = static_cast<std::size_t>(last - first);
  constexpr std::size_t at_once = std::size_t{1} << 17;  // indices between two looks for an interrupt
  Polling polling(work);
  polling.for_ranges(
      static_cast<std::size_t>(last - first), align, [&](std::size_t begin, std::size_t end, unsigned thread) {
        std::int64_t low = first + static_cast<std::int64_t>(begin), high = first + static_cast<std::int64_t>(end);
        Pace pace(polling, thread);
        while (low < high) {  // PEs write their own rows: one block
          std::size_t block = to.block_of(low);
          std::int64_t border = std::min(high, to.end_of(block));
          const OwnedRows owned{to.origins()[block], row_bytes, to.rows(), low, border};
          for (std::size_t at = 0; at < n; at += at_once) {
            const std::size_t some = std::min(at_once, n - at);
            body(owned, at, some);
            pace.done(some);
          }
          low = border;
        }
      });
  return {};
}

}  // namespace

BadIndex scatter(const Work& work, const PeerBlocks& to, const std::int64_t* indices, std::size_t n, const void* values,
                 std::size_t value_stride, RowRange only, Bounds bounds) {
  const RowValues source{static_cast<const unsigned char*>(values), value_stride};
  auto in_buckets = [&](void* base) {
    return value_stride == to.row_bytes() &&
           scatter_in_buckets(work, std::nullopt, base, to.rows(), value_stride, indices, n, values);
  };
  return for_owners(work, to, indices, n, only, bounds, in_buckets,
                    [&](const OwnedRows& owned, std::size_t at, std::size_t some) {
                      HWY_DYNAMIC_DISPATCH(set_rows)(owned, indices + at, some, source.from(at));
                    });
}

BadIndex scatter_add(const Work& work, DType type, std::size_t row_elements, const PeerBlocks& to,
                     const std::int64_t* indices, std::size_t n, const void* values, std::size_t value_stride,
                     RowRange only, Bounds bounds) {
  ATOLL_EXPECT(to.row_bytes() == row_elements * size_of(type));
  const RowValues source{static_cast<const unsigned char*>(values), value_stride};
  auto in_buckets = [&](void* base) {
    return row_elements == 1 && value_stride == to.row_bytes() &&
           scatter_in_buckets(work, type, base, to.rows(), value_stride, indices, n, values);
  };
  return for_owners(work, to, indices, n, only, bounds, in_buckets,
                    [&](const OwnedRows& owned, std::size_t at, std::size_t some) {
                      HWY_DYNAMIC_DISPATCH(add_rows)(type, owned, indices + at, some, source.from(at));
                    });
}

}  // namespace atl::array
#endif  // HWY_ONCE
