// SPDX-License-Identifier: Apache-2.0
// Highway's vqsort of unsigned integers, compiled from its headers for our SIMD levels.
#include "atoll/array/kernel/simd.hpp"

#include <hwy/base.h>

// AMD's Zen 4 takes over 100 cycles for an instruction that compresses into memory: a sort of 32-bit keys takes three
// times as long. Here they are compressed in a register, and stored from there.
#if HWY_ARCH_X86
#include <immintrin.h>
#define _mm512_mask_compressstoreu_epi32(to, mask, vector) \
  _mm512_mask_storeu_epi32(to, static_cast<__mmask16>((1u << __builtin_popcount(mask)) - 1), \
                           _mm512_maskz_compress_epi32(mask, vector))
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/sort/vqsort.cpp"
// foreach_target.h comes first: it includes this file once for each SIMD level.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/sort/traits-inl.h>
#include <hwy/contrib/sort/vqsort-inl.h>
// clang-format on

#include <algorithm>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {

template <class Word>
void sort_ascending(Word* words, std::size_t n) {
#if HWY_ARCH_ARM
  // Highway's NEON has no masked stores: at its ends vqsort writes back words of the next bucket, which another thread
  // sorts.
  std::sort(words, words + n);
#else
  namespace hn = hwy::HWY_NAMESPACE;
  using Order = hn::detail::OrderAscending<Word>;
  hn::Sort(hn::SortTag<Word>(), hn::detail::SharedTraits<hn::detail::TraitsLane<Order>>(), words, n,
           static_cast<Word*>(nullptr));
#endif
}

void sort_32(std::uint32_t* words, std::size_t n) { sort_ascending(words, n); }
void sort_64(std::uint64_t* words, std::size_t n) { sort_ascending(words, n); }

}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {
HWY_EXPORT(sort_32);
HWY_EXPORT(sort_64);
void vqsort(std::uint32_t* words, std::size_t n) { HWY_DYNAMIC_DISPATCH(sort_32)(words, n); }
void vqsort(std::uint64_t* words, std::size_t n) { HWY_DYNAMIC_DISPATCH(sort_64)(words, n); }
}  // namespace atl::array

namespace hwy {

// The space that it stands for is on the stack of fixed-size vectors.
Sorter::Sorter() = default;
void Sorter::Delete() {}
void Sorter::operator()(std::uint32_t* words, std::size_t n, SortAscending) const { atl::array::vqsort(words, n); }
void Sorter::operator()(std::uint64_t* words, std::size_t n, SortAscending) const { atl::array::vqsort(words, n); }

// Seeds the choice of pivots: where they fall decides time, not results.
void Sorter::Fill24Bytes(const void*, std::size_t n, void* bytes) {
  const std::uint64_t seed[] = {0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, n};
  std::memcpy(bytes, seed, sizeof(seed));
}

}  // namespace hwy
#endif
