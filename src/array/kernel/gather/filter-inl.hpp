// SPDX-License-Identifier: Apache-2.0
// The filter of filter.hpp for indices, one copy for each SIMD level, so that it is inlined where its rows are used: a
// call for each block cost scatter_add of 10^7 int64 a sixth of its time (77 ms, 64 inlined). Included once per level.

#if defined(ATOLL_ARRAY_KERNEL_GATHER_FILTER_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ATOLL_ARRAY_KERNEL_GATHER_FILTER_INL
#undef ATOLL_ARRAY_KERNEL_GATHER_FILTER_INL
#else
#define ATOLL_ARRAY_KERNEL_GATHER_FILTER_INL
#endif

#include <cstddef>
#include <cstdint>

#include "kernel/gather/filter.hpp"
#include "kernel/select/places.hpp"

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {

/// Picks the rows (negative indices wrapped by adding `rows`) with row - low < width, and where in the block they
/// stood. Returns their number. count <= filter_block.
HWY_INLINE HWY_ATTR std::size_t rows_block(const std::int64_t* indices, std::size_t count, std::int64_t rows,
                                           std::int64_t low, std::uint64_t width, std::int64_t* row,
                                           std::uint32_t* offset) {
  std::size_t taken = 0, i = 0;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  const __m512i all_rows = _mm512_set1_epi64(rows), first = _mm512_set1_epi64(low);
  const __m512i span = _mm512_set1_epi64(static_cast<std::int64_t>(width));
  const __m256i iota = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  for (; i + 8 <= count; i += 8) {
    __m512i index = _mm512_loadu_si512(indices + i);
    index = _mm512_mask_add_epi64(index, _mm512_movepi64_mask(index), index, all_rows);
    __mmask8 in = _mm512_cmplt_epu64_mask(_mm512_sub_epi64(index, first), span);
    __m256i where = _mm256_add_epi32(iota, _mm256_set1_epi32(static_cast<int>(i)));
    _mm512_storeu_si512(row + taken, _mm512_maskz_compress_epi64(in, index));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(offset + taken), _mm256_maskz_compress_epi32(in, where));
    taken += static_cast<std::size_t>(__builtin_popcount(in));
  }
#elif HWY_ARCH_X86_64 && HWY_TARGET == HWY_AVX2
  // Without a sign, by comparing with the sign bit flipped.
  constexpr std::uint64_t flip = std::uint64_t{1} << 63;
  const __m256i all_rows = _mm256_set1_epi64x(rows), zero = _mm256_setzero_si256();
  const __m256i first = _mm256_set1_epi64x(static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + flip));
  const __m256i span = _mm256_set1_epi64x(static_cast<std::int64_t>(width + flip));
  for (; i + 4 <= count; i += 4) {
    __m256i index = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(indices + i));
    index = _mm256_add_epi64(index, _mm256_and_si256(_mm256_cmpgt_epi64(zero, index), all_rows));
    const __m256i in = _mm256_cmpgt_epi64(span, _mm256_sub_epi64(index, first));
    const auto bits = static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(in)));
    const __m256i order = _mm256_load_si256(reinterpret_cast<const __m256i*>(&set_half_places[bits]));
    const __m128i places = _mm_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&set_places[bits])));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(row + taken), _mm256_permutevar8x32_epi32(index, order));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(offset + taken),
                     _mm_add_epi32(places, _mm_set1_epi32(static_cast<int>(i))));
    taken += static_cast<std::size_t>(__builtin_popcount(bits));
  }
#endif
  for (; i < count; ++i) {
    std::int64_t index = indices[i];
    index += index < 0 ? rows : 0;
    row[taken] = index;
    offset[taken] = static_cast<std::uint32_t>(i);
    taken += static_cast<std::uint64_t>(index - low) < width;
  }
  return taken;
}

}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
