// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/ops/blocks.hpp"

#include <cstdlib>

namespace atl::array {
namespace {

// Gaps between spans that are fetched with them: at some 10 GB/s that takes as long as asking once more.
constexpr std::size_t fetched_gap_bytes = 4096;

}  // namespace

OpenBlocks::OpenBlocks(Engine& engine, const ArrayData& array)
    : engine_(engine),
      distribution_(array.distribution),
      row_bytes_(array.row_bytes()),
      reach_(engine, array.bytes()),
      staging_(engine.staging()) {
  if (!engine.spans_nodes()) return;
  // Room for at least one unit, and a row with its number (routing.cpp).
  const std::size_t least = static_cast<std::size_t>(distribution_.unit_rows()) * row_bytes_ + sizeof(std::int64_t);
  if (least <= staging_.size()) return;
  engine.together([&] { own_staging_ = Buffer<std::byte>(engine.memory(), least); });
  staging_ = {own_staging_.data(), own_staging_.size()};
}

void OpenBlocks::close() {
  reach_.complete();
  engine_.barrier();
}

void OpenBlocks::read_bytes(std::size_t begin, std::size_t end, void* to) const {
  auto* target = static_cast<std::byte*>(to);
  while (begin < end) {
    const std::uint32_t owner = distribution_.owner(static_cast<std::int64_t>(begin / row_bytes_));
    const std::size_t first = static_cast<std::size_t>(distribution_.begin(owner)) * row_bytes_;
    const std::size_t stop = std::min(end, static_cast<std::size_t>(distribution_.end(owner)) * row_bytes_);
    reach_.get(target, owner, begin - first, stop - begin);
    target += stop - begin;
    begin = stop;
  }
}

void OpenBlocks::write_bytes(std::size_t begin, std::size_t end, const void* from) const {
  const auto* source = static_cast<const std::byte*>(from);
  while (begin < end) {
    const std::uint32_t owner = distribution_.owner(static_cast<std::int64_t>(begin / row_bytes_));
    const std::size_t first = static_cast<std::size_t>(distribution_.begin(owner)) * row_bytes_;
    const std::size_t stop = std::min(end, static_cast<std::size_t>(distribution_.end(owner)) * row_bytes_);
    reach_.put(owner, begin - first, source, stop - begin);
    source += stop - begin;
    begin = stop;
  }
}

void OpenBlocks::write_rows(std::int64_t begin, std::int64_t end, const void* from) const {
  const auto* source = static_cast<const std::byte*>(from);
  for_owners(begin, end, [&](std::uint32_t owner, std::int64_t first, std::int64_t stop) {
    reach_.put(owner, offset_of(owner, first), source + static_cast<std::size_t>(first - begin) * row_bytes_,
               static_cast<std::size_t>(stop - first) * row_bytes_);
  });
}

std::size_t OpenBlocks::distance_of(const RowSpans& spans) const {
  return static_cast<std::size_t>(std::abs(spans.step)) * row_bytes_;
}

/// Whether what lies between the spans is fetched with them.
bool OpenBlocks::fetched_whole(const RowSpans& spans) const {
  return distance_of(spans) - (spans.high - spans.low) <= fetched_gap_bytes;
}

std::int64_t OpenBlocks::spans_per_piece(const RowSpans& spans) const {
  const std::size_t span = spans.high - spans.low;
  const std::size_t distance = fetched_whole(spans) ? distance_of(spans) : span;
  return distance == 0 ? spans.count : static_cast<std::int64_t>((staging_.size() - span) / distance) + 1;
}

OpenBlocks::Fetched OpenBlocks::fetch(const RowSpans& piece) const {
  const std::uint32_t owner = distribution_.owner(piece.first);
  const std::size_t span = piece.high - piece.low;
  if (fetched_whole(piece)) {
    const std::int64_t last = piece.first + (piece.count - 1) * piece.step;
    const std::int64_t lowest = std::min(piece.first, last), highest = std::max(piece.first, last);
    const std::size_t begin = offset_of(owner, lowest) + piece.low, end = offset_of(owner, highest) + piece.high;
    reach_.get(staging_.data(), owner, begin, end - begin);
    return {staging_.data() + offset_of(owner, piece.first) + piece.low - begin,
            piece.step * static_cast<std::int64_t>(row_bytes_)};
  }
  for (std::int64_t i = 0; i < piece.count; ++i)
    reach_.start_get(staging_.data() + static_cast<std::size_t>(i) * span, owner,
                     offset_of(owner, piece.first + i * piece.step) + piece.low, span);
  reach_.complete();
  return {staging_.data(), static_cast<std::int64_t>(span)};
}

}  // namespace atl::array
