// SPDX-License-Identifier: Apache-2.0
#include "datatype/pack.hpp"

#include <algorithm>
#include <array>

#include "datatype/cursor.hpp"
#include "datatype/move.hpp"

namespace atl::mpi::datatype {
namespace {

struct Packing {
  static void block(std::byte* user, std::byte* packed, Count bytes) {
    std::memcpy(packed, user, static_cast<std::size_t>(bytes));
  }
  static void rows(std::byte* user, Count stride, std::byte* packed, Count count, Count bytes) {
    move_rows(packed, bytes, user, stride, count, bytes);
  }
};
struct Unpacking {
  static void block(std::byte* user, std::byte* packed, Count bytes) {
    std::memcpy(user, packed, static_cast<std::size_t>(bytes));
  }
  static void rows(std::byte* user, Count stride, std::byte* packed, Count count, Count bytes) {
    move_rows(user, stride, packed, bytes, count, bytes);
  }
};

/// Walks a layout and copies its runs to or from `packed`, which advances.
template <class Moves>
class Walk {
 public:
  explicit Walk(std::byte* packed, Moves moves = {}) : packed_(packed), moves_(moves) {}

  void part(const Node& node, std::byte* user, Count from, Count to) {
    if (from >= to) return;
    if (from == 0 && to == node.size) return whole(node, user);
    switch (node.kind) {
      case Node::Kind::leaf: return block(user + node.offset + from, to - from);
      case Node::Kind::repeat: return part_repeat(*node.child, user + node.offset, node.stride, from, to);
      case Node::Kind::blocks:
      case Node::Kind::pieces: return part_entries(node, user, from, to);
    }
  }

  void part_repeat(const Node& child, std::byte* user, Count stride, Count from, Count to) {
    if (from >= to) return;
    Count first = from / child.size, skip = from - first * child.size;
    if (skip != 0) {
      Count stop = std::min(to - first * child.size, child.size);
      part(child, user + first * stride, skip, stop);
      ++first;
    }
    Count last = to / child.size;
    if (last < first) return;
    whole_repeat(child, user + first * stride, stride, last - first);
    part(child, user + last * stride, 0, to - last * child.size);
  }

 private:
  void block(std::byte* user, Count bytes) {
    moves_.block(user, packed_, bytes);
    packed_ += bytes;
  }

  void rows(std::byte* user, Count stride, Count count, Count bytes) {
    moves_.rows(user, stride, packed_, count, bytes);
    packed_ += count * bytes;
  }

  void whole(const Node& node, std::byte* user) {
    switch (node.kind) {
      case Node::Kind::leaf: return block(user + node.offset, node.size);
      case Node::Kind::repeat: return whole_repeat(*node.child, user + node.offset, node.stride, node.count);
      case Node::Kind::blocks:
        if (node.stride == 1 && node.child->size == 1) return runs(node, user);
        for (const Entry& entry : node.entries)
          whole_repeat(*node.child, user + entry.offset, node.stride, entry.count);
        return;
      case Node::Kind::pieces:
        for (const Entry& entry : node.entries) whole(*entry.child, user + entry.offset);
    }
  }

  void whole_repeat(const Node& child, std::byte* user, Count stride, Count count) {
    if (child.kind == Node::Kind::leaf) return rows_or_block(child, user, stride, count);
    for (Count i = 0; i < count; ++i) whole(child, user + i * stride);
  }

  void rows_or_block(const Node& leaf, std::byte* user, Count stride, Count count) {
    if (leaf.size == stride) block(user + leaf.offset, count * stride);
    else rows(user + leaf.offset, stride, count, leaf.size);
  }

  /// Copies an irregular list of runs. Runs of 8 bytes, the most frequent case, need no call each.
  void runs(const Node& node, std::byte* user) {
    if (node.entry_size == 8)
      for (const Entry& entry : node.entries) rows(user + entry.offset, 8, 1, 8);
    else
      for (const Entry& entry : node.entries) block(user + entry.offset, entry.count);
  }

  void part_entries(const Node& node, std::byte* user, Count from, Count to) {
    for (std::size_t i = entry_at(node, from); i < node.entries.size() && node.entries[i].first < to; ++i) {
      const Entry& entry = node.entries[i];
      Count begin = std::max(from - entry.first, Count{0});
      if (node.kind == Node::Kind::pieces) {
        part(*entry.child, user + entry.offset, begin, std::min(to - entry.first, entry.child->size));
      } else {
        Count size = entry.count * node.child->size;
        part_repeat(*node.child, user + entry.offset, node.stride, begin, std::min(to - entry.first, size));
      }
    }
  }

  std::byte* packed_;
  [[no_unique_address]] Moves moves_;
};

struct ByMover {
  Mover* mover = nullptr;
  void block(std::byte* user, std::byte* packed, Count bytes) const { mover->block(user, packed, bytes); }
  void rows(std::byte* user, Count stride, std::byte* packed, Count count, Count bytes) const {
    mover->rows(user, stride, packed, count, bytes);
  }
};

/// A region that consists of equal runs at a fixed stride.
struct Rows {
  Count offset, stride, count, bytes;
};
bool as_rows(const Region& region, Rows& rows) {
  const Node& node = *region.layout;
  if (node.kind == Node::Kind::leaf) {
    rows = {node.offset, region.extent, region.count, node.size};
    return true;
  }
  if (node.kind != Node::Kind::repeat || node.child->kind != Node::Kind::leaf) return false;
  if (region.count != 1 && region.extent != node.count * node.stride) return false;
  rows = {node.offset + node.child->offset, node.stride, node.count * region.count, node.child->size};
  return true;
}

constexpr Count long_run = 256;

}  // namespace

void pack(const Region& region, const void* base, Count from, Count to, void* packed) {
  // Read only; the const_cast shares the code with unpacking.
  auto* user = static_cast<std::byte*>(const_cast<void*>(base));
  Walk<Packing>(static_cast<std::byte*>(packed)).part_repeat(*region.layout, user, region.extent, from, to);
}

void unpack(const Region& region, void* base, Count from, Count to, const void* packed) {
  auto* from_bytes = static_cast<std::byte*>(const_cast<void*>(packed));
  Walk<Unpacking>(from_bytes).part_repeat(*region.layout, static_cast<std::byte*>(base), region.extent, from, to);
}

void move_with(Mover& moves, const Region& region, void* base, Count from, Count to, std::byte* packed) {
  Walk<ByMover>(packed, {&moves}).part_repeat(*region.layout, static_cast<std::byte*>(base), region.extent, from, to);
}

void copy(const Region& source, const void* source_base, Count from, Count to, const Region& target, void* target_base,
          Count into) {
  auto* in = static_cast<const std::byte*>(source_base);
  auto* out = static_cast<std::byte*>(target_base);
  if (from >= to) return;
  if (target.contiguous()) return pack(source, in, from, to, out + target.layout->offset + into);
  if (source.contiguous()) return unpack(target, out, into, into + to - from, in + source.layout->offset + from);
  Rows left, right;
  if (as_rows(source, left) && as_rows(target, right) && left.bytes == right.bytes && from % left.bytes == 0 &&
      into % left.bytes == 0 && to % left.bytes == 0)
    return move_rows(out + right.offset + into / left.bytes * right.stride, right.stride,
                     in + left.offset + from / left.bytes * left.stride, left.stride, (to - from) / left.bytes,
                     left.bytes);
  Cursor reader(source, from), writer(target, into);
  if (reader.here().bytes >= long_run && writer.here().bytes >= long_run) {
    for (Count left_over = to - from; left_over > 0;) {
      Count bytes = std::min({left_over, reader.here().bytes, writer.here().bytes});
      std::memcpy(out + writer.here().offset, in + reader.here().offset, static_cast<std::size_t>(bytes));
      reader.advance(bytes), writer.advance(bytes);
      left_over -= bytes;
    }
    return;
  }
  // Short runs of different shapes are copied through a buffer that stays in the L1 cache.
  std::array<std::byte, 16384> staging;
  for (Count at = from; at < to;) {
    Count bytes = std::min(to - at, static_cast<Count>(staging.size()));
    pack(source, in, at, at + bytes, staging.data());
    unpack(target, out, into, into + bytes, staging.data());
    at += bytes, into += bytes;
  }
}

}  // namespace atl::mpi::datatype
