// SPDX-License-Identifier: Apache-2.0
// a[mask], flatnonzero and a[mask] = v: one piece at a time, in vectors.
#include <algorithm>
#include <bit>
#include <cstring>

#include "atoll/array/dtype.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/kernel/select.hpp"
#include "atoll/array/kernel/simd.hpp"
#include "atoll/array/kernel/stream.hpp"
#include "kernel/select/append.hpp"
#include "kernel/select/places.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/select/select.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Bit i says whether mask[i] is set, for 64 bytes.
HWY_ATTR HWY_INLINE std::uint64_t mask_bits(const bool* mask) {
  const hn::CappedTag<std::uint8_t, 64> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 64; i += lanes) {
    std::uint64_t part = 0;
    auto set = hn::Ne(hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(mask) + i), hn::Zero(d));
    hn::StoreMaskBits(d, set, reinterpret_cast<std::uint8_t*>(&part));
    bits |= part << (i % 64);
  }
  return bits;
}

// Fetches the lines that `count` elements at `from` cover, `ahead` bytes further on. Selecting half of 10^7 int64 takes
// one thread 2.9 ms when the values are left to the processor's stream detectors, 2.7, 2.3, 2.2 and 2.3 ms with 1, 4, 8
// and 16 KiB fetched ahead. (Through integers: what is fetched may lie behind the array's end.)
inline constexpr std::size_t values_ahead = 8192, mask_ahead = 512;
template <class T>
HWY_ATTR HWY_INLINE void fetch(const T* from, std::size_t count, std::size_t ahead) {
  std::uintptr_t at = reinterpret_cast<std::uintptr_t>(from) + ahead;
  for (std::size_t k = 0; k < count * sizeof(T); k += line_bytes)
    __builtin_prefetch(reinterpret_cast<const void*>(at + k));
}

// Trues among `count` bytes that are 0 or 1.
HWY_ATTR std::size_t count_bytes(const bool* mask, std::size_t count) {
  const hn::CappedTag<std::uint8_t, 64> d;
  const hn::Repartition<std::uint64_t, decltype(d)> wide;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  auto sums = hn::Zero(wide);
  std::size_t i = 0;
  for (; i + 64 <= count; i += 64) {
    fetch(mask + i, 64, 4096);
    for (std::size_t k = 0; k < 64; k += lanes)
      sums = hn::Add(sums, hn::SumsOf8(hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(mask) + i + k)));
  }
  auto total = static_cast<std::size_t>(hn::GetLane(hn::SumOfLanes(wide, sums)));
  for (; i < count; ++i) total += mask[i];
  return total;
}

#if HWY_ARCH_X86_64 && HWY_TARGET == HWY_AVX2
// The places of a byte's set bits, as lanes of 32 bits.
HWY_ATTR HWY_INLINE __m256i places_32(unsigned bits) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&set_places[bits])));
}
#endif

// Appends the elements of values[0 .. 64) whose bits are set. Highway's Compress is not used: with GCC 12 its tables
// are copied to the stack at every call (25 ms instead of 3 for 10^7 int64).
template <class T>
HWY_ATTR HWY_INLINE T* compress_64(const T* values, std::uint64_t bits, T* at) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(T) == 8) {
    for (int i = 0; i < 64; i += 8) {
      auto set = static_cast<__mmask8>(bits >> i);
      _mm512_storeu_si512(at, _mm512_maskz_compress_epi64(set, _mm512_loadu_si512(values + i)));
      at += std::popcount(set);
    }
    return at;
  } else if constexpr (sizeof(T) == 4) {
    for (int i = 0; i < 64; i += 16) {
      auto set = static_cast<__mmask16>(bits >> i);
      _mm512_storeu_si512(at, _mm512_maskz_compress_epi32(set, _mm512_loadu_si512(values + i)));
      at += std::popcount(set);
    }
    return at;
  } else if constexpr (sizeof(T) == 2) {
    for (int i = 0; i < 64; i += 16) {
      auto set = static_cast<__mmask16>(bits >> i);
      __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + i)));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(at),
                          _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(set, wide)));
      at += std::popcount(set);
    }
    return at;
  }
#endif
#if HWY_ARCH_X86_64 && HWY_TARGET == HWY_AVX2
  if constexpr (sizeof(T) == 8) {
    for (int i = 0; i < 64; i += 4) {
      const unsigned set = bits >> i & 15;
      const __m256i order = _mm256_load_si256(reinterpret_cast<const __m256i*>(&set_half_places[set]));
      const __m256i from = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + i));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), _mm256_permutevar8x32_epi32(from, order));
      at += std::popcount(set);
    }
    return at;
  } else if constexpr (sizeof(T) == 4) {
    for (int i = 0; i < 64; i += 8) {
      const unsigned set = bits >> i & 255;
      const __m256i from = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + i));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), _mm256_permutevar8x32_epi32(from, places_32(set)));
      at += std::popcount(set);
    }
    return at;
  }
#endif
#if HWY_ARCH_X86
  // Not by _pext_u64, which takes hundreds of cycles on some processors that have it.
  if constexpr (sizeof(T) <= 2) {
    for (int i = 0; i < 64; i += 8) {
      const unsigned set = bits >> i & 255;
      __m128i order = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&set_places[set]));
      if constexpr (sizeof(T) == 2) {
        order = _mm_add_epi8(order, order);
        order = _mm_unpacklo_epi8(order, _mm_add_epi8(order, _mm_set1_epi8(1)));
        const __m128i from = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values + i));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(at), _mm_shuffle_epi8(from, order));
      } else {
        const __m128i from = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(values + i));
        _mm_storel_epi64(reinterpret_cast<__m128i*>(at), _mm_shuffle_epi8(from, order));
      }
      at += std::popcount(set);
    }
    return at;
  }
#endif
  for (int i = 0; i < 64; ++i) {
    *at = values[i];
    at += bits >> i & 1;
  }
  return at;
}

template <class T>
HWY_ATTR void compress_piece(const T* values, const bool* mask, std::size_t begin, std::size_t end, T* to,
                             bool stream) {
  append_blocks(to, begin, end, stream, [=](std::size_t first, std::size_t last, T* at) HWY_ATTR {
    std::size_t i = first;
    for (; i + 64 <= last; i += 64) {
      fetch(mask + i, 64, mask_ahead);
      fetch(values + i, 64, values_ahead);
      at = compress_64(values + i, mask_bits(mask + i), at);
    }
    for (; i < last; ++i) {
      *at = values[i];
      at += mask[i];
    }
    return at;
  });
}

HWY_ATTR void nonzero_piece(const bool* mask, std::size_t begin, std::size_t end, std::int64_t offset, std::int64_t* to,
                            bool stream) {
  append_blocks(to, begin, end, stream, [=](std::size_t first, std::size_t last, std::int64_t* at) HWY_ATTR {
    [[maybe_unused]] std::int64_t positions[64];
    for (std::int64_t k = 0; k < 64; ++k) positions[k] = k;
    std::size_t i = first;
    for (; i + 64 <= last; i += 64) {
      fetch(mask + i, 64, values_ahead);
      std::uint64_t bits = mask_bits(mask + i);
      std::int64_t base = offset + static_cast<std::int64_t>(i);
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
      for (int k = 0; k < 64; k += 8) {
        auto set = static_cast<__mmask8>(bits >> k);
        __m512i position = _mm512_add_epi64(_mm512_loadu_si512(positions + k), _mm512_set1_epi64(base));
        _mm512_storeu_si512(at, _mm512_maskz_compress_epi64(set, position));
        at += std::popcount(set);
      }
#elif HWY_ARCH_X86_64 && HWY_TARGET == HWY_AVX2
      for (int k = 0; k < 64; k += 8) {
        const unsigned set = bits >> k & 255;
        const __m256i order = places_32(set), start = _mm256_set1_epi64x(base + k);
        const __m256i low = _mm256_cvtepu32_epi64(_mm256_castsi256_si128(order));
        const __m256i high = _mm256_cvtepu32_epi64(_mm256_extracti128_si256(order, 1));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), _mm256_add_epi64(low, start));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(at) + 1, _mm256_add_epi64(high, start));
        at += std::popcount(set);
      }
#else
      for (int k = 0; k < 64; ++k) {
        *at = base + positions[k];
        at += bits >> k & 1;
      }
#endif
    }
    for (; i < last; ++i) {
      *at = offset + static_cast<std::int64_t>(i);
      at += mask[i];
    }
    return at;
  });
}

// Reads `count` values at most.
template <class T>
HWY_ATTR void expand_piece(const T* values, std::size_t count, const bool* mask, std::size_t begin, std::size_t end,
                           T* to) {
  std::size_t i = begin;
  const T* next = values;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(T) == 8) {
    for (; i + 64 <= end; i += 64) {
      std::uint64_t bits = mask_bits(mask + i);
      for (std::size_t k = 0; k < 64; k += 8) {
        auto part = static_cast<__mmask8>(bits >> k);
        unsigned taken = static_cast<unsigned>(std::popcount(part));
        __m512i dense = _mm512_maskz_loadu_epi64(static_cast<__mmask8>((1u << taken) - 1), next);
        _mm512_mask_storeu_epi64(to + i + k, part, _mm512_maskz_expand_epi64(part, dense));
        next += taken;
      }
    }
  } else if constexpr (sizeof(T) == 4) {
    for (; i + 64 <= end; i += 64) {
      std::uint64_t bits = mask_bits(mask + i);
      for (std::size_t k = 0; k < 64; k += 16) {
        auto part = static_cast<__mmask16>(bits >> k);
        unsigned taken = static_cast<unsigned>(std::popcount(part));
        __m512i dense = _mm512_maskz_loadu_epi32(static_cast<__mmask16>((1u << taken) - 1), next);
        _mm512_mask_storeu_epi32(to + i + k, part, _mm512_maskz_expand_epi32(part, dense));
        next += taken;
      }
    }
  }
#endif
  // Without a branch per element: the next value is read whether it is taken or not, but never past the last.
  const T* last = values + (count == 0 ? 0 : count - 1);
  if (count == 0) return;
  for (; i < end; ++i) {
    T value = *(next < last ? next : last);
    T keep = static_cast<T>(static_cast<T>(mask[i]) - T{1});
    to[i] = static_cast<T>((to[i] & keep) | (value & static_cast<T>(~keep)));
    next += mask[i];
  }
}

template <class T>
HWY_ATTR void masked_fill_range(T value, const bool* mask, std::size_t begin, std::size_t end, T* to) {
  // Bits instead of a choice: the compiler turns that into a branch, which random masks mispredict (10 times slower).
  using U = std::make_unsigned_t<T>;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(mask);
  for (std::size_t i = begin; i < end; ++i) {
    U keep = static_cast<U>(static_cast<U>(bytes[i]) - U{1});
    to[i] = static_cast<T>((to[i] & keep) | (value & static_cast<U>(~keep)));
  }
}

HWY_ATTR void compress_any(std::size_t size, const void* values, const bool* mask, std::size_t begin, std::size_t end,
                           void* to, bool stream) {
  dispatch_size(size, [&]<class T>(Type<T>) HWY_ATTR {
    compress_piece(static_cast<const T*>(values), mask, begin, end, static_cast<T*>(to), stream);
  });
}

HWY_ATTR void expand_any(std::size_t size, const void* values, std::size_t count, const bool* mask, std::size_t begin,
                         std::size_t end, void* to) {
  dispatch_size(size, [&]<class T>(Type<T>) HWY_ATTR {
    expand_piece(static_cast<const T*>(values), count, mask, begin, end, static_cast<T*>(to));
  });
}

HWY_ATTR void masked_fill_any(std::size_t size, std::uint64_t bits, const bool* mask, std::size_t begin,
                              std::size_t end, void* to) {
  dispatch_size(size, [&]<class T>(Type<T>)
                          HWY_ATTR { masked_fill_range(static_cast<T>(bits), mask, begin, end, static_cast<T*>(to)); });
}

}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {
namespace {

HWY_EXPORT(count_bytes);
HWY_EXPORT(compress_any);
HWY_EXPORT(nonzero_piece);
HWY_EXPORT(expand_any);
HWY_EXPORT(masked_fill_any);

bool is_word(std::size_t size) { return size == 1 || size == 2 || size == 4 || size == 8; }

// body(piece, begin, end) over the parts of pieces in [from, to), some in a row on each thread.
template <class Body>
void for_pieces(const Work& work, std::size_t from, std::size_t to, Body body) {
  constexpr std::size_t piece = MaskCounts::piece;
  if (from >= to) return;
  const std::size_t start = from / piece;
  Polling(work).for_pieces((to + piece - 1) / piece - start, 1, [&](std::size_t first, std::size_t last, unsigned) {
    for (std::size_t p = start + first; p < start + last; ++p)
      body(p, std::max(p * piece, from), std::min(p * piece + piece, to));
    fence_streams();
  });
}

}  // namespace

MaskCounts::MaskCounts(const Work& work, const bool* mask, std::size_t n) : n_(n), before_(work.memory, pieces()) {
  for_pieces(work, 0, n, [&](std::size_t p, std::size_t begin, std::size_t end) {
    before_[p] = HWY_DYNAMIC_DISPATCH(count_bytes)(mask + begin, end - begin);
  });
  for (std::size_t p = 0; p < pieces(); ++p) {
    std::size_t here = before_[p];
    before_[p] = total_;
    total_ += here;
  }
}

std::size_t MaskCounts::find(const bool* mask, std::size_t count) const {
  if (count == 0) return 0;
  if (count >= total_) return n_;
  auto p = static_cast<std::size_t>(std::upper_bound(before_.begin(), before_.end(), count) - before_.begin()) - 1;
  std::size_t seen = before_[p], i = p * piece;
  while (seen < count) seen += mask[i++];
  return i;
}

std::size_t count_true(const Work& work, const bool* mask, std::size_t n) { return MaskCounts(work, mask, n).total(); }

void compress(const Work& work, const MaskCounts& counts, std::size_t element_size, const void* values,
              const bool* mask, void* to, Selected selected) {
  auto* target = static_cast<unsigned char*>(to);
  selected.last = std::min(selected.last, counts.total());
  bool stream = (selected.last - selected.first) * element_size >= stream_threshold;
  for_pieces(work, counts.find(mask, selected.first), counts.find(mask, selected.last),
             [&](std::size_t p, std::size_t begin, std::size_t end) {
               unsigned char* at =
                   target + (std::max(counts.before(p), selected.first) - selected.first) * element_size;
               if (is_word(element_size)) {
                 HWY_DYNAMIC_DISPATCH(compress_any)(element_size, values, mask, begin, end, at, stream);
                 return;
               }
               for (std::size_t i = begin; i < end; ++i) {
                 if (!mask[i]) continue;
                 std::memcpy(at, static_cast<const unsigned char*>(values) + i * element_size, element_size);
                 at += element_size;
               }
             });
}

std::size_t compress(const Work& work, std::size_t element_size, const void* values, const bool* mask, std::size_t n,
                     void* to) {
  MaskCounts counts(work, mask, n);
  compress(work, counts, element_size, values, mask, to);
  return counts.total();
}

void flatnonzero(const Work& work, const MaskCounts& counts, const bool* mask, std::int64_t first, std::int64_t* to,
                 Selected selected) {
  selected.last = std::min(selected.last, counts.total());
  bool stream = (selected.last - selected.first) * sizeof(std::int64_t) >= stream_threshold;
  for_pieces(work, counts.find(mask, selected.first), counts.find(mask, selected.last),
             [&](std::size_t p, std::size_t begin, std::size_t end) {
               std::int64_t* at = to + (std::max(counts.before(p), selected.first) - selected.first);
               HWY_DYNAMIC_DISPATCH(nonzero_piece)(mask, begin, end, first, at, stream);
             });
}

std::size_t flatnonzero(const Work& work, const bool* mask, std::size_t n, std::int64_t first, std::int64_t* to) {
  MaskCounts counts(work, mask, n);
  flatnonzero(work, counts, mask, first, to);
  return counts.total();
}

void expand(const Work& work, const MaskCounts& counts, std::size_t element_size, const void* values, const bool* mask,
            void* to) {
  const auto* source = static_cast<const unsigned char*>(values);
  auto* target = static_cast<unsigned char*>(to);
  for_pieces(work, 0, counts.size(), [&](std::size_t p, std::size_t begin, std::size_t end) {
    const unsigned char* at = source + counts.before(p) * element_size;
    if (is_word(element_size)) {
      std::size_t next = p + 1 < counts.pieces() ? counts.before(p + 1) : counts.total();
      HWY_DYNAMIC_DISPATCH(expand_any)(element_size, at, next - counts.before(p), mask, begin, end, to);
      return;
    }
    for (std::size_t i = begin; i < end; ++i) {
      if (!mask[i]) continue;
      std::memcpy(target + i * element_size, at, element_size);
      at += element_size;
    }
  });
}

void masked_fill(const Work& work, std::size_t element_size, std::uint64_t bits, const bool* mask, std::size_t n,
                 void* to) {
  for_pieces(work, 0, n, [&](std::size_t, std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(masked_fill_any)(element_size, bits, mask, begin, end, to);
  });
}

void masked_fill_rows(const Work& work, std::size_t row_bytes, const void* row, const bool* mask, std::size_t n,
                      void* to) {
  auto* target = static_cast<unsigned char*>(to);
  for_pieces(work, 0, n, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (mask[i]) std::memcpy(target + i * row_bytes, row, row_bytes);
  });
}

}  // namespace atl::array
#endif  // HWY_ONCE
