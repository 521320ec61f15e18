// SPDX-License-Identifier: Apache-2.0
// Membership: a bitmap over the range of the test values when that is small, otherwise a hash set.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "atoll/array/kernel/lookup.hpp"
#include "kernel/lookup/set.hpp"

namespace atl::array {
namespace {

template <class T>
using KeyOf = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                 std::conditional_t<sizeof(T) == 4, std::uint32_t,
                                                    std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;

// A value as an unsigned key: equal values give equal keys (-0.0 becomes 0.0), signed integers keep their order.
template <class T>
KeyOf<T> key_of(T value) {
  using K = KeyOf<T>;
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<K>(value + T(0));
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<K>(static_cast<K>(value) ^ (K{1} << (8 * sizeof(K) - 1)));
  } else {
    return static_cast<K>(value);
  }
}

template <class T>
bool is_nan(T value) {
  return value != value;
}

template <class T>
void isin_typed(const Work& work, const T* values, std::size_t n, const T* test, std::size_t m, bool* to) {
  using K = KeyOf<T>;
  K low = std::numeric_limits<K>::max(), high = 0;
  std::size_t usable = 0;
  for (std::size_t i = 0; i < m; ++i) {
    if (is_nan(test[i])) continue;
    K key = key_of(test[i]);
    low = std::min(low, key);
    high = std::max(high, key);
    ++usable;
  }
  if (usable == 0) {
    work.threads.for_ranges(n, 65536, [&](std::size_t begin, std::size_t end, unsigned) {
      std::memset(to + begin, 0, end - begin);
    });
    return;
  }
  std::uint64_t span = static_cast<std::uint64_t>(high) - low;
  // A bitmap may be as large as the hash set would be (16 bytes per value, some 64 KiB anyway).
  if (sizeof(T) <= 2 || span / 8 <= 16 * static_cast<std::uint64_t>(m) + 65536) {
    Bitmap bitmap(work, span + 1);
    for (std::size_t i = 0; i < m; ++i)
      if (!is_nan(test[i])) bitmap.add(static_cast<std::uint64_t>(key_of(test[i])) - low);
    work.threads.for_ranges(n, 16384, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t i = begin; i < end; ++i) {
        std::uint64_t offset = static_cast<std::uint64_t>(key_of(values[i])) - low;
        bool in = offset <= span;
        to[i] = in & bitmap.has(in ? offset : 0) & !is_nan(values[i]);
      }
    });
    return;
  }
  if constexpr (sizeof(T) >= 4) {
    HashSet<K> set(work, m);
    for (std::size_t i = 0; i < m; ++i)
      if (!is_nan(test[i])) set.add(key_of(test[i]));
    work.threads.for_ranges(n, 4096, [&](std::size_t begin, std::size_t end, unsigned) {
      constexpr std::size_t batch = 64;
      K key[batch];
      for (std::size_t first = begin; first < end; first += batch) {
        std::size_t count = std::min(batch, end - first);
        for (std::size_t k = 0; k < count; ++k) {
          key[k] = key_of(values[first + k]);
          set.prefetch(key[k]);
        }
        for (std::size_t k = 0; k < count; ++k) to[first + k] = set.has(key[k]) & !is_nan(values[first + k]);
      }
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
