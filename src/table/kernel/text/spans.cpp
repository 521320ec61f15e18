// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/text/spans.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "atoll/array/kernel/gather.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "atoll/base/checked.hpp"
#include "atoll/base/prefetch.hpp"

namespace atl::table {
namespace {

/// Strings fetched ahead of the one that is copied: as many misses as a core keeps in flight, and some.
constexpr std::size_t ahead = 32;

/// Copies a string in steps of 16 bytes where that runs over nothing: `room_end` is where memory of others begins.
inline void copy_text(char* to, const char* room_end, const char* from, std::size_t length) {
  if (length <= 64 && to + round_up(length, std::size_t{16}) <= room_end) {
    for (std::size_t at = 0; at < length; at += 16) std::memcpy(to + at, from + at, 16);
  } else {
    std::memcpy(to, from, length);
  }
}

}  // namespace

std::int64_t sum_lengths(const array::Work& work, const std::int64_t* lengths, std::size_t count) {
  std::vector<std::int64_t> sums(work.threads.size());
  array::Polling(work).for_pieces(count, text_piece, [&](std::size_t begin, std::size_t end, unsigned thread) {
    std::int64_t sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += lengths[i];
    sums[thread] = checked_add(sums[thread], sum);
  });
  return checked_sum(sums);
}

void to_offsets(const array::Work& work, const std::int64_t* lengths, std::size_t count, std::int64_t* offsets) {
  std::vector<std::int64_t> sums(work.threads.size());
  array::Polling(work).for_pieces(count, text_piece, [&](std::size_t begin, std::size_t end, unsigned thread) {
    for (std::size_t i = begin; i < end; ++i) sums[thread] += lengths[i];
  });
  std::int64_t before = 0;
  for (std::int64_t& sum : sums) before += std::exchange(sum, before);
  array::Polling(work).for_pieces(count, text_piece, [&](std::size_t begin, std::size_t end, unsigned thread) {
    std::int64_t offset = sums[thread];
    for (std::size_t i = begin; i < end; ++i) offsets[i + 1] = offset += lengths[i];
    sums[thread] = offset;
  });
  offsets[0] = 0;
}

void copy_spans(const array::Work& work, const Spans& spans, const std::int64_t* offsets, char* bytes) {
  const std::size_t count = spans.size();
  array::Polling(work).for_pieces(count, text_piece, [&](std::size_t begin, std::size_t end, unsigned) {
    const char* room_end = bytes + offsets[end];
    for (std::size_t i = begin; i < end; ++i) {
      if (i + ahead < end) prefetch_for_read(spans.data[i + ahead]);
      copy_text(bytes + offsets[i], room_end, spans.data[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
    }
  });
}

void locate(const array::Work& work, std::span<const TextBlock> blocks, std::span<const std::int64_t> begins,
            const std::int64_t* rows, std::size_t count, const char** data, std::int64_t* lengths) {
  const std::int64_t all = begins.back();
  auto row_of = [all](std::int64_t index) { return index < 0 ? index + all : index; };
  if (blocks.size() == 1) {
    const TextBlock& block = blocks[0];
    array::Polling(work).for_pieces(count, text_piece, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t i = begin; i < end; ++i) {
        if (i + ahead < end) prefetch_for_read(block.offsets + row_of(rows[i + ahead]));
        const std::int64_t* at = block.offsets + row_of(rows[i]);
        data[i] = block.bytes + at[0];
        lengths[i] = at[1] - at[0];
      }
    });
    return;
  }
  std::vector<void*> bases;
  for (const TextBlock& block : blocks) bases.push_back(const_cast<std::int64_t*>(block.offsets));
  const array::PeerBlocks places(bases, begins, sizeof(std::int64_t));
  array::Polling(work).for_pieces(count, text_piece, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t i = begin; i < end; ++i) {
      if (i + ahead < end) prefetch_for_read(places.find(row_of(rows[i + ahead])));
      const std::int64_t row = row_of(rows[i]);
      const std::size_t block = places.block_of(row);
      const std::int64_t* at = blocks[block].offsets + (row - begins[block]);
      data[i] = blocks[block].bytes + at[0];
      lengths[i] = at[1] - at[0];
    }
  });
}

}  // namespace atl::table
