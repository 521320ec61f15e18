// SPDX-License-Identifier: Apache-2.0
#include "check/buffers.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

#include "datatype/cursor.hpp"
#include "type/type.hpp"

namespace atl::mpi::check {
namespace {

// What has more is taken for one piece less than it is: for none. It is the program's interleaving that must not be found guilty.
constexpr std::size_t most_ranges = 1 << 16;

const std::byte* at(const void* buffer, MPI_Count offset) {
  return reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(buffer) + static_cast<std::uintptr_t>(offset));
}

}  // namespace

Buffers& Buffers::add(Use use, const void* buffer, MPI_Count count, MPI_Datatype handle) {
  if (buffer == MPI_IN_PLACE || count <= 0) return *this;
  auto* object = find<TypeObject>(handle);
  if (object == nullptr || !object->type()->committed() || object->type()->size() == 0) return *this;  // the call says so
  datatype::Region region = object->type()->region(count);
  Piece piece{use, {}, {}};
  datatype::Cursor cursor(region);
  for (MPI_Count left = region.size(); left > 0;) {
    datatype::Run run = cursor.here();
    run.bytes = std::min(run.bytes, left);
    if (run.bytes <= 0) break;
    Range range{at(buffer, run.offset), at(buffer, run.offset + run.bytes)};
    if (mpi::detail::nowhere(range.begin)) return *this;  // the call says so, now or when it is complete
    if (!piece.ranges.empty() && piece.ranges.back().end == range.begin) piece.ranges.back().end = range.end;
    else piece.ranges.push_back(range);
    if (piece.ranges.size() > most_ranges) return *this;
    left -= run.bytes;
    cursor.advance(run.bytes);
  }
  if (piece.ranges.empty()) return *this;
  std::ranges::sort(piece.ranges, {}, &Range::begin);
  piece.all = {piece.ranges.front().begin, std::ranges::max(piece.ranges, {}, &Range::end).end};
  pieces_.push_back(std::move(piece));
  return *this;
}

Buffers& Buffers::add(Use use, const void* buffer, const MPI_Count* counts, const MPI_Aint* displacements, MPI_Count pieces,
                      MPI_Datatype handle) {
  auto* object = find<TypeObject>(handle);
  if (buffer == MPI_IN_PLACE || object == nullptr || counts == nullptr || displacements == nullptr) return *this;
  for (MPI_Count i = 0; i < pieces; ++i) add(use, at(buffer, displacements[i] * object->type()->extent()), counts[i], handle);
  return *this;
}

bool Buffers::shared(const Piece& one, const Piece& other) {
  if (one.use == Use::read && other.use == Use::read) return false;
  if (one.all.end <= other.all.begin || other.all.end <= one.all.begin) return false;
  for (auto left = one.ranges.begin(), right = other.ranges.begin(); left != one.ranges.end() && right != other.ranges.end();) {
    if (left->end <= right->begin) ++left;
    else if (right->end <= left->begin) ++right;
    else return true;
  }
  return false;
}

void Buffers::check_among() const {
  for (std::size_t i = 0; i < pieces_.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      ATOLL_MPI_REQUIRE(!shared(pieces_[i], pieces_[j]), MPI_ERR_BUFFER, "check: two buffers of the call overlap, at {}",
                        static_cast<const void*>(std::max(pieces_[i].all.begin, pieces_[j].all.begin)));
}

bool Buffers::meets(const Buffers& others) const {
  for (const Piece& one : pieces_)
    for (const Piece& other : others.pieces_)
      if (shared(one, other)) return true;
  return false;
}

std::size_t Buffers::digest() const {
  std::size_t digest = 0;
  for (const Piece& piece : pieces_) {
    if (piece.use != Use::read) continue;
    for (const Range& range : piece.ranges) {
      std::string_view bytes(reinterpret_cast<const char*>(range.begin), static_cast<std::size_t>(range.end - range.begin));
      digest = digest * 31 + std::hash<std::string_view>()(bytes);
    }
  }
  return digest;
}

}  // namespace atl::mpi::check
