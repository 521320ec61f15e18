// SPDX-License-Identifier: Apache-2.0
#include "kernel/gather/filter.hpp"

#include <bit>

#include "atoll/array/kernel/simd.hpp"
#include "kernel/select/places.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/gather/filter.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {

HWY_ATTR std::size_t numbers_block(const std::uint32_t* numbers, std::size_t count, std::uint32_t low,
                                   std::uint32_t width, std::uint32_t* number, std::uint32_t* offset) {
  std::size_t taken = 0, i = 0;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  const __m512i first = _mm512_set1_epi32(static_cast<int>(low)), span = _mm512_set1_epi32(static_cast<int>(width));
  const __m512i iota = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (; i + 16 <= count; i += 16) {
    __m512i value = _mm512_loadu_si512(numbers + i);
    __mmask16 in = _mm512_cmplt_epu32_mask(_mm512_sub_epi32(value, first), span);
    __m512i where = _mm512_add_epi32(iota, _mm512_set1_epi32(static_cast<int>(i)));
    _mm512_storeu_si512(number + taken, _mm512_maskz_compress_epi32(in, value));
    _mm512_storeu_si512(offset + taken, _mm512_maskz_compress_epi32(in, where));
    taken += static_cast<std::size_t>(std::popcount(in));
  }
#elif HWY_ARCH_X86_64 && HWY_TARGET == HWY_AVX2
  constexpr std::uint32_t flip = std::uint32_t{1} << 31;
  const __m256i first = _mm256_set1_epi32(static_cast<int>(low + flip)),
                span = _mm256_set1_epi32(static_cast<int>(width + flip));
  for (; i + 8 <= count; i += 8) {
    const __m256i value = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers + i));
    const __m256i in = _mm256_cmpgt_epi32(span, _mm256_sub_epi32(value, first));
    const auto bits = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(in)));
    const __m256i places = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&set_places[bits])));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(number + taken), _mm256_permutevar8x32_epi32(value, places));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(offset + taken),
                        _mm256_add_epi32(places, _mm256_set1_epi32(static_cast<int>(i))));
    taken += static_cast<std::size_t>(std::popcount(bits));
  }
#endif
  for (; i < count; ++i) {
    number[taken] = numbers[i];
    offset[taken] = static_cast<std::uint32_t>(i);
    taken += numbers[i] - low < width;
  }
  return taken;
}

}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {
namespace {
HWY_EXPORT(numbers_block);
}  // namespace

std::size_t filter_numbers(const std::uint32_t* numbers, std::size_t count, std::uint32_t low, std::uint32_t width,
                           std::uint32_t* number, std::uint32_t* offset) {
  return HWY_DYNAMIC_DISPATCH(numbers_block)(numbers, count, low, width, number, offset);
}

}  // namespace atl::array
#endif  // HWY_ONCE
