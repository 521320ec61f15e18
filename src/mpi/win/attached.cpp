// SPDX-License-Identifier: Apache-2.0
#include "win/attached.hpp"

#include <algorithm>
#include <iterator>

#include "core/failure.hpp"
#include "datatype/cursor.hpp"

namespace atl::mpi::win {
namespace {

void fill(Attached::Row& row, std::uint64_t address, std::uint64_t bytes) {
  row.address.store(address, std::memory_order_relaxed);
  row.bytes.store(bytes, std::memory_order_release);  // partner: covers_span()
}

}  // namespace

bool Attached::covers_span(std::uint64_t begin, std::uint64_t end, std::uint32_t& last) const {
  std::atomic_ref<std::uint32_t> hint(last);
  // Acquire: reads the rows as they were when the program learned of them; partners: Attachments::add(), remove(),
  // fill(). `more` is read first: a piece that gets its row during this search is counted until it has the row.
  const bool all_have_rows = more.load(std::memory_order_acquire) == 0;
  const std::uint32_t count = used.load(std::memory_order_acquire);
  auto reach = [&](std::uint32_t i, std::uint64_t from) {
    const std::uint64_t bytes = row[i].bytes.load(std::memory_order_acquire),
                        at = row[i].address.load(std::memory_order_relaxed);
    return from - at < bytes ? at + bytes : from;
  };
  if (begin < end && reach(hint.load(std::memory_order_relaxed), begin) >= end) [[likely]]
    return true;
  while (begin < end) {
    std::uint64_t reached = begin;
    for (std::uint32_t i = 0; i < count && reached == begin; ++i)
      if ((reached = reach(i, begin)) != begin) hint.store(i, std::memory_order_relaxed);
    if (reached == begin) return !all_have_rows;
    begin = reached;
  }
  return true;
}

bool Attached::covers(std::uint64_t address, const datatype::Region& region, std::uint64_t begin, std::uint64_t end,
                      std::uint32_t& last) const {
  if (covers_span(begin, end, last)) [[likely]]
    return true;
  if (region.contiguous()) return false;
  // Checks each run of the region; the gaps between them are not accessed.
  datatype::Cursor cursor(region);
  for (datatype::Count left = region.size(); left > 0;) {
    const datatype::Count bytes = std::min(cursor.here().bytes, left);
    const std::uint64_t at = address + static_cast<std::uint64_t>(cursor.here().offset);
    if (!covers_span(at, at + static_cast<std::uint64_t>(bytes), last)) return false;
    left -= bytes;
    cursor.advance(bytes);
  }
  return true;
}

void Attachments::add(Attached& shown, std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0) {
    ++empty_[address];
    return;
  }
  auto next = pieces_.lower_bound(address);
  const bool meets_next = next != pieces_.end() && next->first < address + bytes;
  const bool meets_last = next != pieces_.begin() && std::prev(next)->first + std::prev(next)->second.bytes > address;
  ATOLL_MPI_REQUIRE(!meets_next && !meets_last, MPI_ERR_RMA_ATTACH,
                    "{} bytes at {:#x}, some of which are attached already", bytes, address);
  auto is_free = [](const Attached::Row& row) { return row.bytes.load(std::memory_order_relaxed) == 0; };
  const auto row = static_cast<std::uint32_t>(std::ranges::find_if(shown.row, is_free) - shown.row);
  pieces_.emplace_hint(next, address, Piece{bytes, row});
  if (row == Attached::rows) {
    without_row_.insert(address);
    shown.more.fetch_add(1, std::memory_order_release);  // partner: covers_span()
    return;
  }
  fill(shown.row[row], address, bytes);
  if (shown.used.load(std::memory_order_relaxed) <= row)
    shown.used.store(row + 1, std::memory_order_release);  // partner: covers_span()
}

void Attachments::remove(Attached& shown, std::uint64_t address) {
  auto found = pieces_.find(address);
  if (found == pieces_.end()) {
    auto nothing = empty_.find(address);
    ATOLL_MPI_REQUIRE(nothing != empty_.end(), MPI_ERR_RMA_ATTACH, "no memory that begins at {:#x} is attached",
                      address);
    if (--nothing->second == 0) empty_.erase(nothing);
    return;
  }
  const std::uint32_t row = found->second.row;
  pieces_.erase(found);
  if (row != Attached::rows) fill(shown.row[row], address, 0);
  // Gives the row that became free to a piece without one.
  if (without_row_.empty()) return;
  if (row == Attached::rows) {
    without_row_.erase(address);
  } else {
    auto moved = pieces_.find(*without_row_.begin());
    without_row_.erase(without_row_.begin());
    moved->second.row = row;
    fill(shown.row[row], moved->first, moved->second.bytes);
  }
  shown.more.fetch_sub(1, std::memory_order_release);  // partner: covers_span()
}

}  // namespace atl::mpi::win
