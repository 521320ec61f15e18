// SPDX-License-Identifier: Apache-2.0
// Where the bytes of a datatype lie, as a tree of nested loops. One kind of tree serves twice: as the description,
// whose leaves are single elements of a predefined type, and, simplified at commit, as the layout, whose leaves are
// runs of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "datatype/predefined.hpp"

namespace atl::mpi::datatype {

using Count = std::int64_t;

struct Node;
using NodePtr = std::shared_ptr<const Node>;

/// Order-sensitive: equal for equal sequences of predefined types, however they were put together.
struct Signature {
  std::uint64_t hash = 0;
  std::uint64_t power = 1;  ///< of the base, to the number of elements
  bool operator==(const Signature&) const = default;
  Signature then(const Signature& next) const;
  Signature repeated(Count times) const;
};

/// One entry of a list: `count` times the child (Blocks), or once a child of its own (Pieces).
struct Entry {
  Count offset = 0;
  Count count = 1;
  Count first = 0;  ///< packed bytes before it
  NodePtr child;    ///< Pieces only
};

struct Node {
  enum class Kind : std::uint8_t {
    leaf,    ///< `size` bytes at `offset`
    repeat,  ///< `count` times `child`, every `stride` bytes from `offset` on
    blocks,  ///< per entry: `count` times `child`, every `stride` bytes from its offset on
    pieces,  ///< per entry: its own child at its offset
  };
  Kind kind = Kind::leaf;
  Count size = 0;             ///< bytes of data, = packed
  Count elements = 0;         ///< predefined ones; of descriptions
  Count external = 0;         ///< bytes in external32; of descriptions
  Count true_lb = 0, true_ub = 0;
  Signature signature{};      ///< of descriptions
  const Predefined* element = nullptr;  ///< of a description's leaf; null: bytes
  Count offset = 0, count = 1, stride = 0;
  Count entry_size = 0;  ///< packed bytes of each entry where all are alike, else 0
  NodePtr child;
  std::vector<Entry> entries;
};

/// Throws OverflowError when anything is more than 2^63.
NodePtr make_leaf(const Predefined& element);
NodePtr make_bytes(Count offset, Count bytes);
NodePtr make_repeat(Count count, Count stride, NodePtr child, Count offset = 0);
NodePtr make_blocks(std::vector<Entry> entries, Count stride, NodePtr child);
NodePtr make_pieces(std::vector<Entry> entries);
/// The same, moved by `by` bytes.
NodePtr moved(const NodePtr& node, Count by);

/// The layout of a description: loops merged, neighbours joined, regular lists folded into loops.
NodePtr simplify(const NodePtr& description);

/// Which entry holds packed byte `at` (below node.size).
std::size_t entry_at(const Node& node, Count at);

/// Predefined elements wholly inside the first `bytes` packed bytes (below node.size); `left` gets what is left over.
Count elements_within(const Node& description, Count bytes, Count& left);

/// What all elements of a description are; null: of several kinds, or none. Entries without elements do not count
/// beside others. `whole(node)`: what counts as one element though its parts differ, or null.
template <class Whole>
const Predefined* only_element(const Node& node, const Whole& whole) {
  if (const Predefined* one = whole(node)) return one;
  if (node.kind == Node::Kind::leaf) return node.element;
  if (node.kind != Node::Kind::pieces) return only_element(*node.child, whole);
  const Predefined* found = nullptr;
  for (const Entry& entry : node.entries) {
    if (entry.child->elements == 0 && node.elements != 0) continue;
    const Predefined* one = only_element(*entry.child, whole);
    if (one == nullptr || (found != nullptr && one != found)) return nullptr;
    found = one;
  }
  return found;
}

}  // namespace atl::mpi::datatype
