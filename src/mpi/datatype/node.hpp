// SPDX-License-Identifier: Apache-2.0
// The type map of a datatype as a tree of nested loops. The same kind of tree has two uses: the description, whose
// leaves are elements of predefined types, and the layout, simplified at commit, whose leaves are runs of bytes.
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

/// Hash of the type signature: equal for equal sequences of predefined types, independent of the constructors.
struct Signature {
  std::uint64_t hash = 0;
  std::uint64_t power = 1;  ///< base to the power of the number of elements
  bool operator==(const Signature&) const = default;
  Signature then(const Signature& next) const;
  Signature repeated(Count times) const;
};

/// One entry of a list: `count` times the child (Blocks), or once a child of its own (Pieces).
struct Entry {
  Count offset = 0;
  Count count = 1;
  Count first = 0;  ///< packed bytes before this entry
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
  Count size = 0;             ///< bytes of data = packed bytes
  Count elements = 0;         ///< predefined elements; descriptions only
  Count external = 0;         ///< bytes in external32; descriptions only
  Count true_lb = 0, true_ub = 0;
  Signature signature{};      ///< of descriptions
  const Predefined* element = nullptr;  ///< type of a description's leaf; null in layouts
  Count offset = 0, count = 1, stride = 0;
  Count entry_size = 0;  ///< packed bytes of each entry when all are equal, else 0
  NodePtr child;
  std::vector<Entry> entries;
};

/// These throw OverflowError when a size or bound exceeds 2^63.
NodePtr make_leaf(const Predefined& element);
NodePtr make_bytes(Count offset, Count bytes);
NodePtr make_repeat(Count count, Count stride, NodePtr child, Count offset = 0);
NodePtr make_blocks(std::vector<Entry> entries, Count stride, NodePtr child);
NodePtr make_pieces(std::vector<Entry> entries);
/// The node shifted by `by` bytes.
NodePtr moved(const NodePtr& node, Count by);

/// The layout of a description: merges loops, joins adjacent runs, folds regular lists into loops.
NodePtr simplify(const NodePtr& description);

/// The index of the entry that contains packed byte `at`, which is below node.size.
std::size_t entry_at(const Node& node, Count at);

/// Number of whole predefined elements in the first `bytes` packed bytes, which are below node.size; `left` gets the
/// remaining bytes.
Count elements_within(const Node& description, Count bytes, Count& left);

/// The predefined type of all elements of a description; null when there are several types or no elements. Entries
/// without elements are ignored. `whole(node)` returns the type of a node that counts as one element although its parts
/// differ, or null.
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
