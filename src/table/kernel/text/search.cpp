// SPDX-License-Identifier: Apache-2.0
#include "kernel/text/search.hpp"

#include <cstring>

#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/text/search.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atl::table::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// First and last byte are compared in all places of a vector; where both are there, the rest.
void FindAll(const char* bytes, std::size_t size, const char* needle, std::size_t length,
             std::vector<std::uint32_t>& places) {
  if (size < length) return;
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t lanes = hn::Lanes(d), last = length - 1, starts = size - last;
  const auto* text = reinterpret_cast<const std::uint8_t*>(bytes);
  const auto head = hn::Set(d, static_cast<std::uint8_t>(needle[0])),
             tail = hn::Set(d, static_cast<std::uint8_t>(needle[last]));
  for (std::size_t at = 0; at < starts; at += lanes) {
    // Up to 64 bytes behind the last string may be read; matches there are ignored.
    const auto found = hn::And(hn::Eq(hn::LoadU(d, text + at), head), hn::Eq(hn::LoadU(d, text + at + last), tail));
    if (hn::AllFalse(d, found)) continue;
    std::uint8_t bits[hn::MaxLanes(d) / 8 + 8] = {};
    hn::StoreMaskBits(d, found, bits);
    for (std::size_t word = 0; word * 64 < lanes; ++word) {
      std::uint64_t set;
      std::memcpy(&set, bits + 8 * word, 8);
      for (; set != 0; set &= set - 1) {
        const std::size_t place = at + 64 * word + static_cast<std::size_t>(__builtin_ctzll(set));
        if (place >= starts) break;
        if (length <= 2 || std::memcmp(bytes + place + 1, needle + 1, length - 2) == 0)
          places.push_back(static_cast<std::uint32_t>(place));
      }
    }
  }
}

}  // namespace atl::table::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::table {
HWY_EXPORT(FindAll);

void find_all(std::string_view bytes, std::string_view needle, std::vector<std::uint32_t>& places) {
  HWY_DYNAMIC_DISPATCH(FindAll)(bytes.data(), bytes.size(), needle.data(), needle.size(), places);
}

}  // namespace atl::table
#endif
