// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/deal/record_writer.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "kernel/deal/record_writer.hpp"

#ifndef ATOLL_TABLE_RECORD_WRITER_ONCE
#define ATOLL_TABLE_RECORD_WRITER_ONCE
namespace atl::table {
namespace {

struct WriteBuffers {
  std::uint64_t* groups;
  std::uint64_t** next;
  std::size_t* filled;
  std::size_t run;
  const std::function<std::uint64_t*(std::size_t)>& room;
};

}  // namespace
}  // namespace atl::table
#endif

HWY_BEFORE_NAMESPACE();
namespace atl::table::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// `fixed`: the number of words, where the compiler shall know it, or 0.
template <std::size_t fixed>
HWY_ATTR void write(const std::uint64_t* HWY_RESTRICT keys, const std::uint64_t* const* HWY_RESTRICT words,
                    std::size_t width, const std::uint16_t* HWY_RESTRICT buckets, std::size_t count, WriteBuffers to) {
  constexpr std::size_t group = RecordWriter::group;
  const hn::CappedTag<std::uint64_t, 8> d;
  const std::size_t w = fixed != 0 ? fixed : width;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t bucket = buckets[i];
    const std::size_t at = to.filled[bucket]++;
    std::uint64_t* lines = to.groups + bucket * group * w;
    std::uint64_t* record = lines + at % group * w;
    record[0] = keys[i];
    for (std::size_t k = 1; k < w; ++k) record[k] = words[k - 1][i];
    if (at % group == group - 1) {
      if (to.run != 0 && (at - (group - 1)) % to.run == 0) to.next[bucket] = to.room(bucket);
      std::uint64_t* place = to.next[bucket];
      for (std::size_t k = 0; k < group * w; k += hn::Lanes(d)) hn::Stream(hn::Load(d, lines + k), d, place + k);
      to.next[bucket] = place + group * w;
    }
  }
}

}  // namespace

void write_records(const std::uint64_t* keys, const std::uint64_t* const* words, std::size_t width,
                   const std::uint16_t* buckets, std::size_t count, WriteBuffers to) {
  switch (width) {
    case 1: return write<1>(keys, words, width, buckets, count, to);
    case 2: return write<2>(keys, words, width, buckets, count, to);
    case 3: return write<3>(keys, words, width, buckets, count, to);
    default: return write<0>(keys, words, width, buckets, count, to);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::table::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::table {

HWY_EXPORT(write_records);

void RecordWriter::write(const std::uint64_t* keys, const std::uint64_t* const* words, const std::uint16_t* buckets,
                         std::size_t count) {
  HWY_DYNAMIC_DISPATCH(write_records)(keys, words, width_, buckets, count,
                                      {groups_.data(), next_.data(), filled_.data(), run_, room_});
}

void RecordWriter::finish() {
  for (std::size_t bucket = 0; bucket < next_.size(); ++bucket) {
    const std::size_t rest = filled_[bucket] % group;
    if (rest == 0) continue;
    if (run_ != 0 && (filled_[bucket] - rest) % run_ == 0) next_[bucket] = room_(bucket);
    std::copy_n(groups_.data() + bucket * group * width_, rest * width_, next_[bucket]);
  }
  hwy::FlushStream();
}

}  // namespace atl::table
#endif
