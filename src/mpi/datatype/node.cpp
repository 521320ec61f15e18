// SPDX-License-Identifier: Apache-2.0
#include "datatype/node.hpp"

#include <algorithm>

#include "datatype/checked.hpp"

namespace atl::mpi::datatype {
namespace {

constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
constexpr std::uint64_t base = 0x1a3f'52b7'9d61'8e4bULL % prime;

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(a) * b;
  std::uint64_t sum = static_cast<std::uint64_t>(product & prime) + static_cast<std::uint64_t>(product >> 61);
  return sum >= prime ? sum - prime : sum;
}
std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return a + b >= prime ? a + b - prime : a + b; }

/// Extends the bounds and sizes of `node` by `count` children at `offset`.
void include(Node& node, bool& any, const Node& child, Count offset, Count count, Count stride) {
  if (count == 0 || child.elements == 0) return;
  Count last = checked_add(offset, checked_multiply(count - 1, stride));
  Count low = checked_add(std::min(offset, last), child.true_lb),
        high = checked_add(std::max(offset, last), child.true_ub);
  node.true_lb = any ? std::min(node.true_lb, low) : low;
  node.true_ub = any ? std::max(node.true_ub, high) : high;
  any = true;
  node.size = checked_add(node.size, checked_multiply(count, child.size));
  node.external = checked_add(node.external, checked_multiply(count, child.external));
  node.elements = checked_add(node.elements, checked_multiply(count, child.elements));
  node.signature = node.signature.then(child.signature.repeated(count));
}

void number_entries(Node& node) {
  Count at = 0;
  bool alike = true;
  for (Entry& entry : node.entries) {
    entry.first = at;
    Count size = entry.count * (entry.child != nullptr ? entry.child->size : node.child->size);
    if (&entry == &node.entries.front()) node.entry_size = size;
    else alike = alike && size == node.entry_size;
    at += size;
  }
  if (!alike) node.entry_size = 0;
}

}  // namespace

Signature Signature::then(const Signature& next) const {
  return {plus(times(hash, next.power), next.hash), times(power, next.power)};
}

Signature Signature::repeated(Count count) const {
  Signature result{}, step = *this;
  for (auto left = static_cast<std::uint64_t>(count); left != 0; left >>= 1) {
    if ((left & 1) != 0) result = result.then(step);
    step = step.then(step);
  }
  return result;
}

NodePtr make_leaf(const Predefined& element) {
  if (element.number == Number::pair) {
    const Predefined& value = *find_predefined(element.value);
    const Predefined& index = element.handle >= 0x230 ? value : *find_predefined(int_handle);
    return make_pieces({{0, 1, 0, make_leaf(value)}, {element.index_at, 1, 0, make_leaf(index)}});
  }
  auto node = std::make_shared<Node>();
  node->size = node->true_ub = element.size;
  node->external = element.external;
  node->elements = 1;
  node->element = &element;
  node->signature = {element.handle, base};
  return node;
}

NodePtr make_bytes(Count offset, Count bytes) {
  auto node = std::make_shared<Node>();
  node->size = node->elements = bytes;
  node->offset = node->true_lb = offset;
  node->true_ub = offset + bytes;
  return node;
}

NodePtr make_repeat(Count count, Count stride, NodePtr child, Count offset) {
  if (count == 1 && offset == 0) return child;
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::repeat;
  bool any = false;
  include(*node, any, *child, offset, count, stride);
  node->count = count, node->stride = stride, node->offset = offset;
  node->child = std::move(child);
  return node;
}

NodePtr make_blocks(std::vector<Entry> entries, Count stride, NodePtr child) {
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::blocks;
  bool any = false;
  for (const Entry& entry : entries) include(*node, any, *child, entry.offset, entry.count, stride);
  node->stride = stride;
  node->child = std::move(child);
  node->entries = std::move(entries);
  number_entries(*node);
  return node;
}

NodePtr make_pieces(std::vector<Entry> entries) {
  if (entries.size() == 1) return moved(entries.front().child, entries.front().offset);
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::pieces;
  bool any = false;
  for (const Entry& entry : entries) include(*node, any, *entry.child, entry.offset, 1, 0);
  node->entries = std::move(entries);
  number_entries(*node);
  return node;
}

NodePtr moved(const NodePtr& node, Count by) {
  if (by == 0) return node;
  auto copy = std::make_shared<Node>(*node);
  copy->true_lb = checked_add(copy->true_lb, by);
  copy->true_ub = checked_add(copy->true_ub, by);
  if (copy->kind == Node::Kind::leaf || copy->kind == Node::Kind::repeat) copy->offset = checked_add(copy->offset, by);
  for (Entry& entry : copy->entries) entry.offset = checked_add(entry.offset, by);
  return copy;
}

std::size_t entry_at(const Node& node, Count at) {
  if (node.entry_size != 0) return static_cast<std::size_t>(at / node.entry_size);
  // The last entry that begins at or before `at`; entries without bytes begin where their successor does.
  auto after = std::ranges::upper_bound(node.entries, at, {}, &Entry::first);
  return static_cast<std::size_t>(after - node.entries.begin()) - 1;
}

Count elements_within(const Node& node, Count bytes, Count& left) {
  if (bytes == 0) {
    left = 0;
    return 0;
  }
  switch (node.kind) {
    case Node::Kind::leaf: left = bytes; return 0;
    case Node::Kind::repeat: {
      Count whole = bytes / node.child->size;
      return whole * node.child->elements + elements_within(*node.child, bytes % node.child->size, left);
    }
    case Node::Kind::blocks: {
      Count whole = bytes / node.child->size;  // all entries have the same child
      return whole * node.child->elements + elements_within(*node.child, bytes % node.child->size, left);
    }
    case Node::Kind::pieces: {
      std::size_t last = entry_at(node, bytes);
      Count elements = 0;
      for (std::size_t i = 0; i < last; ++i) elements += node.entries[i].child->elements;
      return elements + elements_within(*node.entries[last].child, bytes - node.entries[last].first, left);
    }
  }
  return 0;
}

}  // namespace atl::mpi::datatype
