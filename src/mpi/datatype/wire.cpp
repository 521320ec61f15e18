// SPDX-License-Identifier: Apache-2.0
#include "datatype/wire.hpp"

#include <algorithm>
#include <cstring>

#include "atoll/base/validate.hpp"

namespace atl::mpi::datatype {
namespace {

template <class T>
void put(std::vector<std::byte>& bytes, const T& value) {
  auto* raw = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), raw, raw + sizeof value);
}
void expect(bool whole) {
  ATOLL_VALIDATE(whole, Error,
                 "a rank has sent a datatype that cannot be read (it is cut short). Run one version of Atoll on all "
                 "hosts?");
}
template <class T>
T take(std::span<const std::byte>& bytes) {
  expect(bytes.size() >= sizeof(T));
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes = bytes.subspan(sizeof value);
  return value;
}

/// Reads a count of entries, each of which takes at least `least` bytes; rejects more than `bytes` can hold.
std::size_t take_count(std::span<const std::byte>& bytes, std::size_t least) {
  const auto count = take<Count>(bytes);
  expect(count >= 0 && static_cast<std::size_t>(count) <= bytes.size() / least);
  return static_cast<std::size_t>(count);
}

Count below(const Node& node, Count offset);

/// Bytes below `offset` of `count` children from `start` on.
Count below_repeat(const Node& child, Count start, Count stride, Count count, Count offset) {
  if (count == 0 || child.size == 0) return 0;
  if (count == 1 || stride <= 0) return below(child, offset - start);
  // The children that end before `offset`, then at most one that contains it.
  Count whole = offset - start - child.true_ub;
  whole = whole < 0 ? 0 : std::min(whole / stride + 1, count);
  if (whole == count) return count * child.size;
  return whole * child.size + below(child, offset - start - whole * stride);
}

Count below(const Node& node, Count offset) {
  if (offset >= node.true_ub) return node.size;
  if (offset <= node.true_lb) return 0;
  switch (node.kind) {
    case Node::Kind::leaf: return offset - node.offset;
    case Node::Kind::repeat: return below_repeat(*node.child, node.offset, node.stride, node.count, offset);
    default: break;
  }
  // The last entry that begins before `offset`.
  auto start = [&](const Entry& entry) {
    return entry.offset + (node.kind == Node::Kind::pieces ? entry.child : node.child)->true_lb;
  };
  auto after = std::ranges::lower_bound(node.entries, offset, {}, start);
  if (after == node.entries.begin()) return 0;
  const Entry& entry = *(after - 1);
  if (node.kind == Node::Kind::pieces) return entry.first + below(*entry.child, offset - entry.offset);
  return entry.first + below_repeat(*node.child, entry.offset, node.stride, entry.count, offset);
}

}  // namespace

void write_layout(const Node& node, std::vector<std::byte>& bytes) {
  put(bytes, node.kind);
  switch (node.kind) {
    case Node::Kind::leaf:
      put(bytes, node.offset);
      put(bytes, node.size);
      return;
    case Node::Kind::repeat:
      put(bytes, node.offset);
      put(bytes, node.count);
      put(bytes, node.stride);
      return write_layout(*node.child, bytes);
    case Node::Kind::blocks:
      put(bytes, node.stride);
      put(bytes, static_cast<Count>(node.entries.size()));
      for (const Entry& entry : node.entries) put(bytes, entry.offset), put(bytes, entry.count);
      return write_layout(*node.child, bytes);
    case Node::Kind::pieces:
      put(bytes, static_cast<Count>(node.entries.size()));
      for (const Entry& entry : node.entries) {
        put(bytes, entry.offset);
        write_layout(*entry.child, bytes);
      }
  }
}

NodePtr read_layout(std::span<const std::byte>& bytes) {
  auto kind = take<Node::Kind>(bytes);
  switch (kind) {
    case Node::Kind::leaf: {
      auto offset = take<Count>(bytes);
      return make_bytes(offset, take<Count>(bytes));
    }
    case Node::Kind::repeat: {
      auto offset = take<Count>(bytes), count = take<Count>(bytes), stride = take<Count>(bytes);
      return make_repeat(count, stride, read_layout(bytes), offset);
    }
    case Node::Kind::blocks: {
      auto stride = take<Count>(bytes);
      std::vector<Entry> entries(take_count(bytes, 2 * sizeof(Count)));
      for (Entry& entry : entries) entry.offset = take<Count>(bytes), entry.count = take<Count>(bytes);
      return make_blocks(std::move(entries), stride, read_layout(bytes));
    }
    case Node::Kind::pieces: {
      std::vector<Entry> entries(take_count(bytes, sizeof(Count) + sizeof(Node::Kind)));
      for (Entry& entry : entries) entry.offset = take<Count>(bytes), entry.child = read_layout(bytes);
      return make_pieces(std::move(entries));
    }
  }
  return nullptr;
}

Count bytes_below(const Node& layout, Count extent, Count offset) {
  if (layout.size == 0 || offset <= layout.true_lb) return 0;
  if (extent <= 0) return below(layout, offset);
  Count whole = offset - layout.true_ub;
  whole = whole < 0 ? 0 : whole / extent + 1;
  // If elements interleave, all that begin before `offset` are visited.
  if (layout.true_ub - layout.true_lb <= extent) return whole * layout.size + below(layout, offset - whole * extent);
  Count bytes = whole * layout.size;
  for (Count i = whole; i * extent + layout.true_lb < offset; ++i) bytes += below(layout, offset - i * extent);
  return bytes;
}

}  // namespace atl::mpi::datatype
