// SPDX-License-Identifier: Apache-2.0
// One-sided access to every PE's rows of an array while an operation runs.
#pragma once

#include <algorithm>

#include "atoll/array/ops/reach.hpp"

namespace atl::array {

/// Bytes [low, high) of each of the rows first, first + step, … (`count` of them), all of which lie on one PE.
struct RowSpans {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
  std::size_t low = 0;
  std::size_t high = 0;
};

/// Opens an array's blocks for reading or writing by all PEs. Construction and close() are collective: the constructor
/// exchanges the blocks' addresses, `close` waits until no PE uses them any more. With one PE both are free.
///
/// Rows of co-located PEs are used in place. Those of other nodes are copied, directly to their destination or, for
/// callers that read or write them in place, through staging memory.
class OpenBlocks {
 public:
  OpenBlocks(Engine& engine, const ArrayData& array);
  OpenBlocks(const OpenBlocks&) = delete;
  OpenBlocks& operator=(const OpenBlocks&) = delete;

  void close();

  const Reach& reach() const { return reach_; }
  const Distribution& distribution() const { return distribution_; }
  std::size_t row_bytes() const { return row_bytes_; }
  /// Memory for pieces of rows of other nodes: room for a unit of rows, or staging_bytes. Empty on one node.
  std::span<std::byte> staging() const { return staging_; }

  /// Address of a global row of a PE whose memory is mapped.
  std::byte* row(std::int64_t index) const {
    const std::uint32_t pe = distribution_.owner(index);
    return reach_.mapped(pe) + offset_of(pe, index);
  }

  /// Copies rows [begin, end) here.
  void read_rows(std::int64_t begin, std::int64_t end, void* to) const {
    read_bytes(static_cast<std::size_t>(begin) * row_bytes_, static_cast<std::size_t>(end) * row_bytes_, to);
  }
  /// Copies bytes [begin, end), counted over the whole array.
  void read_bytes(std::size_t begin, std::size_t end, void* to) const;
  /// Copies to rows [begin, end).
  void write_rows(std::int64_t begin, std::int64_t end, const void* from) const;
  /// Copies to bytes [begin, end), counted over the whole array.
  void write_bytes(std::size_t begin, std::size_t end, const void* from) const;

  /// Calls `visit(i, n, address, stride)`: the spans i … i + n - 1 lie at `address`, `address` + `stride`, … during
  /// the call. One call where they are mapped; elsewhere several, of multiples of `unit` spans but for the last.
  template <class Visit>
  void read_spans(const RowSpans& spans, Visit&& visit, std::int64_t unit = 1) const {
    if (spans.count == 0 || spans.high == spans.low) return;
    const std::uint32_t owner = distribution_.owner(spans.first);
    if (reach_.maps(owner)) {
      if (owner != engine_.pe()) engine_.count_got(static_cast<std::size_t>(spans.count) * (spans.high - spans.low));
      const std::byte* first = row(spans.first) + spans.low;
      visit(std::int64_t{0}, spans.count, first, spans.step * static_cast<std::int64_t>(row_bytes_));
      return;
    }
    const std::int64_t most = spans_per_piece(spans) / unit * unit;
    for (std::int64_t i = 0; i < spans.count; i += most) {
      RowSpans piece = spans;
      piece.first += i * spans.step;
      piece.count = std::min(most, spans.count - i);
      const Fetched fetched = fetch(piece);
      visit(i, piece.count, fetched.first, fetched.stride);
    }
  }
  /// Calls `visit(begin, end, address of begin)` for the pieces of rows [begin, end) that lie on one PE each, to read
  /// them. Pieces end where a PE's rows do or at multiples of `unit` rows behind where they begin there.
  template <class Visit>
  void read_pieces(std::int64_t begin, std::int64_t end, Visit&& visit, std::int64_t unit = 1) const {
    for_owners(begin, end, [&](std::uint32_t, std::int64_t first, std::int64_t stop) {
      auto visit_rows = [&](std::int64_t i, std::int64_t n, const std::byte* rows, std::int64_t) {
        visit(first + i, first + i + n, rows);
      };
      read_spans({first, 1, stop - first, 0, row_bytes_}, visit_rows, unit);
    });
  }
  /// Calls `produce(begin, end, address of begin)`, which writes those rows, for pieces of rows [begin, end).
  template <class Produce>
  void write_pieces(std::int64_t begin, std::int64_t end, Produce&& produce) const {
    for_owners(begin, end, [&](std::uint32_t owner, std::int64_t first, std::int64_t stop) {
      if (reach_.maps(owner)) {
        if (owner != engine_.pe()) engine_.count_put(static_cast<std::size_t>(stop - first) * row_bytes_);
        produce(first, stop, row(first));
        return;
      }
      if (row_bytes_ == 0) return;
      const auto most = static_cast<std::int64_t>(staging_.size() / row_bytes_);
      for (std::int64_t at = first; at < stop; at += most) {
        const std::int64_t piece_end = std::min(stop, at + most);
        produce(at, piece_end, staging_.data());
        write_rows(at, piece_end, staging_.data());
      }
    });
  }

 private:
  struct Fetched {
    const std::byte* first;
    std::int64_t stride;
  };

  std::size_t offset_of(std::uint32_t pe, std::int64_t row) const {
    return static_cast<std::size_t>(row - distribution_.begin(pe)) * row_bytes_;
  }
  /// Calls `visit(owner, begin, end)` for the parts of [begin, end) that lie on one PE each.
  template <class Visit>
  void for_owners(std::int64_t begin, std::int64_t end, Visit&& visit) const {
    while (begin < end) {
      const std::uint32_t owner = distribution_.owner(begin);
      const std::int64_t stop = std::min(end, distribution_.end(owner));
      visit(owner, begin, stop);
      begin = stop;
    }
  }
  std::size_t distance_of(const RowSpans& spans) const;
  bool fetched_whole(const RowSpans& spans) const;
  std::int64_t spans_per_piece(const RowSpans& spans) const;
  Fetched fetch(const RowSpans& piece) const;

  Engine& engine_;
  Distribution distribution_;
  std::size_t row_bytes_;
  Reach reach_;
  Buffer<std::byte> own_staging_;
  std::span<std::byte> staging_;
};

}  // namespace atl::array
