// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "atoll/portal/portal.hpp"

namespace atl::runtime {

Region::Region(std::span<const Piece> pieces) : pieces_(pieces.begin(), pieces.end()) {
  for (const Piece& piece : pieces_) bytes_ += piece.bytes;
  if (!pieces_.empty()) start_ = static_cast<std::byte*>(pieces_.front().start);
  else pieces_.push_back({nullptr, 0});
}

std::byte* Region::at(std::uint64_t offset) const {
  if (pieces_.empty()) return start_ + offset;
  for (const Piece& piece : pieces_) {
    if (offset < piece.bytes) return static_cast<std::byte*>(piece.start) + offset;
    offset -= piece.bytes;
  }
  return static_cast<std::byte*>(pieces_.back().start) + pieces_.back().bytes;
}

namespace {

// Calls with the parts of the pieces that lie in [offset, offset + bytes), and where each is in that range.
template <class Use>
void for_parts(std::span<const Region::Piece> pieces, std::uint64_t offset, std::uint64_t bytes, Use&& use) {
  std::uint64_t done = 0;
  for (const Region::Piece& piece : pieces) {
    if (done == bytes) return;
    if (offset >= piece.bytes) {
      offset -= piece.bytes;
      continue;
    }
    std::uint64_t part = std::min(piece.bytes - offset, bytes - done);
    if (part != 0) use(static_cast<std::byte*>(piece.start) + offset, done, part);
    done += part;
    offset = 0;
  }
}

}  // namespace

void Region::copy_in(std::uint64_t offset, const std::byte* from, std::uint64_t bytes) const {
  if (bytes == 0) return;
  if (pieces_.empty()) {
    std::memcpy(start_ + offset, from, bytes);
    return;
  }
  for_parts(pieces_, offset, bytes,
            [&](std::byte* part, std::uint64_t at, std::uint64_t size) { std::memcpy(part, from + at, size); });
}

void Region::copy_out(std::uint64_t offset, std::byte* to, std::uint64_t bytes) const {
  if (bytes == 0) return;
  if (pieces_.empty()) {
    std::memcpy(to, start_ + offset, bytes);
    return;
  }
  for_parts(pieces_, offset, bytes,
            [&](std::byte* part, std::uint64_t at, std::uint64_t size) { std::memcpy(to + at, part, size); });
}

}  // namespace atl::runtime
