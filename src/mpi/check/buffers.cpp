// SPDX-License-Identifier: Apache-2.0
#include "check/buffers.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <string_view>

#include "datatype/cursor.hpp"
#include "type/type.hpp"

namespace atl::mpi::check {
namespace {

// Buffers with more ranges count as empty: interleaved buffers of a correct program must not be reported.
constexpr std::size_t most_ranges = 1 << 16;

const std::byte* at(const void* buffer, MPI_Count offset) {
  return reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(buffer) +
                                            static_cast<std::uintptr_t>(offset));
}

// Digest of bytes that the program may have unmapped. The kernel reads them (process_vm_readv) and returns an error
// where a load would crash. Many short ranges take one call.
class Digest {
 public:
  /// Returns false when some bytes are not mapped.
  bool add(const std::byte* begin, const std::byte* end) {
    while (begin != end) {
      const std::size_t bytes = std::min<std::size_t>(static_cast<std::size_t>(end - begin), most_bytes - bytes_);
      from_[ranges_++] = {const_cast<std::byte*>(begin), bytes};
      bytes_ += bytes;
      begin += bytes;
      if ((bytes_ == most_bytes || ranges_ == most_at_once) && !take()) return false;
    }
    return true;
  }
  bool end() { return bytes_ == 0 || take(); }
  std::size_t value() const { return value_; }

 private:
  static constexpr std::size_t most_bytes = 1 << 14,
                               most_at_once =
                                   64;  // on the stack; the system call costs less than hashing this many ranges

  bool take() {
    const iovec into{copy_.data(), bytes_};
    const ssize_t done = ::process_vm_readv(::getpid(), &into, 1, from_.data(), ranges_, 0);
    if (done < 0 && errno != EFAULT) {  // forbidden, as in some containers
      std::byte* to = copy_.data();
      for (std::size_t i = 0; i < ranges_; to += from_[i++].iov_len)
        std::memcpy(to, from_[i].iov_base, from_[i].iov_len);
    } else if (done != static_cast<ssize_t>(bytes_)) {
      return false;
    }
    value_ = value_ * 31 + std::hash<std::string_view>()({reinterpret_cast<const char*>(copy_.data()), bytes_});
    bytes_ = ranges_ = 0;
    return true;
  }

  std::array<iovec, most_at_once> from_;
  std::array<std::byte, most_bytes> copy_;
  std::size_t bytes_ = 0, ranges_ = 0, value_ = 0;
};

}  // namespace

Buffers& Buffers::add(Use use, const void* buffer, MPI_Count count, MPI_Datatype handle) {
  if (buffer == MPI_IN_PLACE || count <= 0) return *this;
  auto* object = find<TypeObject>(handle);
  if (object == nullptr || !object->type()->committed() || object->type()->size() == 0)
    return *this;  // the MPI call reports it
  datatype::Region region = object->type()->region(count);
  Piece piece{use, {}, {}};
  datatype::Cursor cursor(region);
  for (MPI_Count left = region.size(); left > 0;) {
    datatype::Run run = cursor.here();
    run.bytes = std::min(run.bytes, left);
    if (run.bytes <= 0) break;
    Range range{at(buffer, run.offset), at(buffer, run.offset + run.bytes)};
    if (mpi::detail::nowhere(range.begin)) return *this;  // the MPI call reports it, now or on completion
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

Buffers& Buffers::add(Use use, const void* buffer, const MPI_Count* counts, const MPI_Aint* displacements,
                      MPI_Count pieces, MPI_Datatype handle) {
  auto* object = find<TypeObject>(handle);
  if (buffer == MPI_IN_PLACE || object == nullptr || counts == nullptr || displacements == nullptr) return *this;
  for (MPI_Count i = 0; i < pieces; ++i)
    add(use, at(buffer, displacements[i] * object->type()->extent()), counts[i], handle);
  return *this;
}

bool Buffers::shared(const Piece& one, const Piece& other) {
  if (one.use == Use::read && other.use == Use::read) return false;
  if (one.all.end <= other.all.begin || other.all.end <= one.all.begin) return false;
  for (auto left = one.ranges.begin(), right = other.ranges.begin();
       left != one.ranges.end() && right != other.ranges.end();) {
    if (left->end <= right->begin) ++left;
    else if (right->end <= left->begin) ++right;
    else return true;
  }
  return false;
}

void Buffers::check_among() const {
  for (std::size_t i = 0; i < pieces_.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      ATOLL_MPI_REQUIRE(!shared(pieces_[i], pieces_[j]), MPI_ERR_BUFFER,
                        "check: two buffers of the call overlap, at {}",
                        static_cast<const void*>(std::max(pieces_[i].all.begin, pieces_[j].all.begin)));
}

bool Buffers::meets(const Buffers& others) const {
  for (const Piece& one : pieces_)
    for (const Piece& other : others.pieces_)
      if (shared(one, other)) return true;
  return false;
}

std::optional<std::size_t> Buffers::digest() const {
  Digest digest;
  for (const Piece& piece : pieces_)
    if (piece.use == Use::read)
      for (const Range& range : piece.ranges)
        if (!digest.add(range.begin, range.end)) return std::nullopt;
  if (!digest.end()) return std::nullopt;
  return digest.value();
}

}  // namespace atl::mpi::check
