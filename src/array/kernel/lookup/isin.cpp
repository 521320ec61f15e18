// SPDX-License-Identifier: Apache-2.0
// Membership: a bitmap over the range of the test values when that is small, otherwise a hash set.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "atoll/array/kernel/lookup.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/kernel/simd.hpp"
#include "kernel/lookup/keys.hpp"
#include "kernel/lookup/set.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/lookup/isin.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether a bucket holds `key`, and whether it is full.
template <class K>
HWY_ATTR HWY_INLINE bool bucket_has(const K* slots, K key, bool& full) {
  const hn::CappedTag<K, 64 / sizeof(K)> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  const auto wanted = hn::Set(d, key);
  bool found = false;
  for (std::size_t k = 0; k < 64 / sizeof(K); k += lanes)
    found |= !hn::AllFalse(d, hn::Eq(hn::Load(d, slots + k), wanted));
  full = slots[64 / sizeof(K) - 1] != 0;  // slots fill from the front
  return found;
}

// Looks up n <= 128 keys: buckets are fetched for all before the first is read.
template <class K>
HWY_ATTR void find_block(const K* slots, unsigned bits, bool has_zero, const K* keys, std::size_t n, bool* to) {
  constexpr std::size_t block = 128;
  std::uint64_t at[block];
  for (std::size_t k = 0; k < n; ++k) at[k] = HashSet<K>::home(keys[k], bits) * HashSet<K>::bucket;
  for (std::size_t k = 0; k < n; ++k) __builtin_prefetch(slots + at[k]);
  const std::uint64_t last = (HashSet<K>::bucket << bits) - 1;
  for (std::size_t k = 0; k < n; ++k) {
    bool full;
    bool found = bucket_has(slots + at[k], keys[k], full);
    if (!found & full) [[unlikely]] {
      do {
        at[k] = (at[k] + HashSet<K>::bucket) & last;
        found = bucket_has(slots + at[k], keys[k], full);
      } while (!found && full);
    }
    to[k] = keys[k] == 0 ? has_zero : found;
  }
}

template <class T>
HWY_ATTR void hashed(const KeyOf<T>* slots, unsigned bits, bool has_zero, const T* values, std::size_t n, bool* to) {
  constexpr std::size_t block = 128;
  KeyOf<T> keys[block];
  for (std::size_t first = 0; first < n; first += block) {
    std::size_t count = std::min(block, n - first);
    for (std::size_t k = 0; k < count; ++k) keys[k] = key_of(values[first + k]);
    find_block(slots, bits, has_zero, keys, count, to + first);
    if constexpr (std::is_floating_point_v<T>) {
      for (std::size_t k = 0; k < count; ++k) to[first + k] &= values[first + k] == values[first + k];
    }
  }
}

// Plain loads, one after the other: the compiler's vectors would gather, which takes longer.
template <class T>
HWY_ATTR void mapped(const std::uint32_t* words, std::uint64_t low, std::uint64_t span, const T* values, std::size_t n,
                     bool* to) {
  // The sign that a key has flipped is taken from the lower end once, not from every value.
  constexpr bool whole_words = sizeof(T) == 8 && std::is_integral_v<T>;
  const std::uint64_t least = std::is_signed_v<T> ? low ^ std::uint64_t{1} << 63 : low;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t offset;
    if constexpr (whole_words) offset = static_cast<std::uint64_t>(values[i]) - least;
    else offset = static_cast<std::uint64_t>(key_of(values[i])) - low;
    offset = offset <= span ? offset : span + 1;  // whose bit is not set
    bool found = words[offset >> 5] >> (offset & 31) & 1;
    if constexpr (std::is_floating_point_v<T>) found &= values[i] == values[i];
    to[i] = found;
    asm volatile("");
  }
}

// The least and the greatest key of at least one value, NaN left out; unchanged when there is nothing else.
template <class T>
HWY_ATTR void key_range(const T* values, std::size_t n, KeyOf<T>& low, KeyOf<T>& high) {
  if constexpr (std::is_floating_point_v<T>) {
    for (std::size_t i = 0; i < n; ++i) {
      if (is_nan(values[i])) continue;
      low = std::min(low, key_of(values[i]));
      high = std::max(high, key_of(values[i]));
    }
  } else {
    T least = values[0], greatest = values[0];
    for (std::size_t i = 0; i < n; ++i) least = values[i] < least ? values[i] : least;
    for (std::size_t i = 0; i < n; ++i) greatest = values[i] > greatest ? values[i] : greatest;
    low = key_of(least);
    high = key_of(greatest);
  }
}

HWY_ATTR void hashed_any(DType type, const void* slots, unsigned bits, bool has_zero, const void* values,
                         std::size_t begin, std::size_t end, bool* to) {
  dispatch(type, [&]<class T>(Type<T>) HWY_ATTR {
    if constexpr (sizeof(T) >= 4) {
      hashed(static_cast<const KeyOf<T>*>(slots), bits, has_zero, static_cast<const T*>(values) + begin, end - begin,
             to + begin);
    }
  });
}

HWY_ATTR void key_range_any(DType type, const void* values, std::size_t begin, std::size_t end, void* low, void* high) {
  dispatch(type, [&]<class T>(Type<T>) HWY_ATTR {
    key_range(static_cast<const T*>(values) + begin, end - begin, *static_cast<KeyOf<T>*>(low),
              *static_cast<KeyOf<T>*>(high));
  });
}

// Clears the words of a bitmap, and sets the bits of n values.
HWY_ATTR void mark_any(DType type, std::uint32_t* words, std::size_t length, std::uint64_t low, const void* values,
                       std::size_t begin, std::size_t end) {
  std::memset(words, 0, length * sizeof *words);
  dispatch(type, [&]<class T>(Type<T>) HWY_ATTR {
    const T* typed = static_cast<const T*>(values);
    for (std::size_t i = begin; i < end; ++i) {
      if (is_nan(typed[i])) continue;
      const std::uint64_t bit = static_cast<std::uint64_t>(key_of(typed[i])) - low;
      words[bit >> 5] |= 1u << (bit & 31);
    }
  });
}

HWY_ATTR void mapped_any(DType type, const std::uint32_t* words, std::uint64_t low, std::uint64_t span,
                         const void* values, std::size_t begin, std::size_t end, bool* to) {
  dispatch(type, [&]<class T>(Type<T>) HWY_ATTR {
    mapped(words, low, span, static_cast<const T*>(values) + begin, end - begin, to + begin);
  });
}

}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {
namespace {

HWY_EXPORT(hashed_any);
HWY_EXPORT(mapped_any);
HWY_EXPORT(mark_any);
HWY_EXPORT(key_range_any);

// Test values that are worth a thread of their own: 50 µs.
constexpr std::size_t test_grain = 32768;

// The least and the greatest key; the least is the greater one when there is none.
template <class K>
std::pair<K, K> range_of(const Work& work, DType type, const void* test, std::size_t m) {
  struct alignas(64) Range {
    K low = std::numeric_limits<K>::max(), high = 0;
  };
  std::vector<Range> ranges(work.threads.size());
  if (m > 0) {
    Polling(work).for_pieces(m, test_grain, [&](std::size_t begin, std::size_t end, unsigned thread) {
      Range& range = ranges[thread];
      Range piece;
      if (begin != end) HWY_DYNAMIC_DISPATCH(key_range_any)(type, test, begin, end, &piece.low, &piece.high);
      range.low = std::min(range.low, piece.low);
      range.high = std::max(range.high, piece.high);
    });
  }
  Range all;
  for (const Range& range : ranges) {
    all.low = std::min(all.low, range.low);
    all.high = std::max(all.high, range.high);
  }
  return {all.low, all.high};
}

Bitmap bitmap_of(const Work& work, DType type, const void* test, std::size_t m, std::uint64_t low, std::uint64_t bits) {
  // One of a thread's own has to be cleared and merged, 32 bits at a time at least.
  const std::size_t worth = std::max<std::size_t>(test_grain, bits / 64);
  const auto copies = static_cast<unsigned>(std::clamp<std::size_t>(m / worth, 1, work.threads.size()));
  Bitmap bitmap(work, bits, copies);
  auto mark = [&](unsigned copy) {
    HWY_DYNAMIC_DISPATCH(mark_any)
    (type, bitmap.words(copy), bitmap.length(), low, test, m * copy / copies, m * (copy + 1) / copies);
  };
  if (copies == 1) {
    mark(0);
  } else {
    work.threads.on_each([&](unsigned thread) {
      if (thread < copies) mark(thread);
    });
    Polling(work).for_pieces(bitmap.length(), test_grain,
                             [&](std::size_t begin, std::size_t end, unsigned) { bitmap.merge(begin, end); });
  }
  return bitmap;
}

template <class T>
void isin_typed(const Work& work, const T* values, std::size_t n, const T* test, std::size_t m, bool* to) {
  using K = KeyOf<T>;
  const auto [low_key, high_key] = range_of<K>(work, dtype_of<T>, test, m);
  const K low = low_key, high = high_key;
  if (low > high) {  // nothing to be equal to
    Polling(work).for_pieces(
        n, 65536, [&](std::size_t begin, std::size_t end, unsigned) { std::memset(to + begin, 0, end - begin); });
    return;
  }
  std::uint64_t span = static_cast<std::uint64_t>(high) - low;
  // A bitmap may be as large as the hash set would be (some 16 bytes per value), and 64 KiB anyway.
  if (sizeof(T) <= 2 || span / 8 <= 16 * static_cast<std::uint64_t>(m) + 65536) {
    Bitmap bitmap = bitmap_of(work, dtype_of<T>, test, m, low, span + 2);  // one more: of values outside
    Polling(work).for_pieces(n, 16384, [&](std::size_t begin, std::size_t end, unsigned) {
      HWY_DYNAMIC_DISPATCH(mapped_any)(dtype_of<T>, bitmap.words(), low, span, values, begin, end, to);
    });
    return;
  }
  if constexpr (sizeof(T) >= 4) {
    HashSet<K> set(work, m);
    constexpr std::size_t block = 128;
    std::uint64_t at[block];
    const Polling polling(work);
    Pace pace(polling, 0);
    for (std::size_t first = 0; first < m; first += block) {
      std::size_t count = std::min(block, m - first);
      pace.done(count);
      for (std::size_t k = 0; k < count; ++k) {
        at[k] = HashSet<K>::home(key_of(test[first + k]), set.bits());
        __builtin_prefetch(set.slots() + at[k] * HashSet<K>::bucket, 1);
      }
      for (std::size_t k = 0; k < count; ++k)
        if (!is_nan(test[first + k])) set.add(key_of(test[first + k]), at[k]);
    }
    Polling(work).for_pieces(n, 4096, [&](std::size_t begin, std::size_t end, unsigned) {
      HWY_DYNAMIC_DISPATCH(hashed_any)
      (dtype_of<T>, set.slots(), set.bits(), set.has_zero(), values, begin, end, to);
    });
  }
}

}  // namespace

void isin(const Work& work, DType type, const void* values, std::size_t n, const void* test, std::size_t m, bool* to) {
  dispatch(type, [&]<class T>(Type<T>) {
    isin_typed(work, static_cast<const T*>(values), n, static_cast<const T*>(test), m, to);
  });
}

}  // namespace atl::array
#endif  // HWY_ONCE
