// SPDX-License-Identifier: Apache-2.0
#include "kernel/text/codes.hpp"

#include "atoll/array/kernel/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/text/codes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atl::table::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Words = hn::ScalableTag<std::uint64_t>;
using Word = hn::Vec<Words>;
using Bytes = hn::Repartition<std::uint8_t, Words>;

/// The codes of a word's eight bytes side by side: the first byte, which is the word's highest, in the highest of 8 *
/// bits bits. Bytes without a code leave their mark in `bad`.
HWY_ATTR HWY_INLINE Word encode(Word word, const ByteCodes& codes, hn::Vec<Bytes>& bad) {
  const Words d;
  const Bytes bytes_tag;
  const auto bytes = hn::BitCast(bytes_tag, word), one = hn::Set(bytes_tag, std::uint8_t{1});
  const auto code = hn::SaturatedSub(bytes, hn::Set(bytes_tag, codes.below));
  const auto beyond =
      hn::SaturatedSub(code, hn::Set(bytes_tag, static_cast<std::uint8_t>(codes.highest - codes.below)));
  bad = hn::Or(bad, hn::Or(beyond, hn::Xor(hn::Min(bytes, one), hn::Min(code, one))));
  const int bits = static_cast<int>(codes.bits);
  word = hn::BitCast(d, code);
  if (bits == 8) return word;
  auto join = [&](std::uint64_t low, int shift) HWY_ATTR {
    word = hn::Or(hn::And(word, hn::Set(d, low)), hn::ShiftRightSame(hn::AndNot(hn::Set(d, low), word), shift));
  };
  join(0x00ff00ff00ff00ffu, 8 - bits);
  join(0x0000ffff0000ffffu, 16 - 2 * bits);
  join(0x00000000ffffffffu, 32 - 4 * bits);
  return word;
}

/// A vector of keys of as many images.
HWY_ATTR HWY_INLINE void make_vector(const Image* images, const ByteCodes& codes, std::uint64_t* keys,
                                     hn::Vec<Bytes>& bad) {
  const Words d;
  const Bytes bytes_tag;
  alignas(16) static constexpr std::uint8_t swapped[16] = {7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8};
  const auto order = hn::LoadDup128(bytes_tag, swapped);
  Word low, high;
  hn::LoadInterleaved2(d, &images->low, low, high);
  const Word first = hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(bytes_tag, low), order));
  const Word second = hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(bytes_tag, high), order));
  const Word a = encode(first, codes, bad);
  const Word b = encode(hn::AndNot(hn::Set(d, std::uint64_t{255}), second), codes, bad);  // without the length
  const int bits = static_cast<int>(codes.bits);
  hn::StoreU(bits == 8 ? a : hn::Or(hn::ShiftLeftSame(a, 64 - 8 * bits), hn::ShiftRightSame(b, 16 * bits - 64)), d,
             keys);
}

HWY_ATTR bool make_all_keys(const Image* images, std::size_t count, const ByteCodes& codes, std::uint64_t* keys) {
  const std::size_t lanes = hn::Lanes(Words());
  auto bad = hn::Zero(Bytes());
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) make_vector(images + i, codes, keys + i, bad);
  if (i < count) {
    Image rest[hn::MaxLanes(Words())] = {};
    std::uint64_t rest_keys[hn::MaxLanes(Words())];
    std::copy(images + i, images + count, rest);
    make_vector(rest, codes, rest_keys, bad);
    std::copy(rest_keys, rest_keys + (count - i), keys + i);
  }
  return hn::AllTrue(Bytes(), hn::Eq(bad, hn::Zero(Bytes())));
}

}  // namespace atl::table::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::table {
HWY_EXPORT(make_all_keys);

bool make_keys(const Image* images, std::size_t count, ByteCodes codes, std::uint64_t* keys) {
  return HWY_DYNAMIC_DISPATCH(make_all_keys)(images, count, codes, keys);
}

}  // namespace atl::table
#endif
