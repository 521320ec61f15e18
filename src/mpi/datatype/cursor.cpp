// SPDX-License-Identifier: Apache-2.0
#include "datatype/cursor.hpp"

namespace atl::mpi::datatype {

void Cursor::seek(Count at) {
  frames_.clear();
  run_ = {};
  const Node& layout = *region_.layout;
  if (layout.size == 0) return;
  if (region_.contiguous() && region_.count > 1) {
    run_ = {layout.offset + at, region_.size() - at};
    element_ = region_.count - 1;
    if (run_.bytes > 0) return;
  }
  element_ = at / layout.size;
  descend(layout, element_ * region_.extent, at - element_ * layout.size);
}

// Moves to packed byte `at` of the node; `at` is below its size.
void Cursor::descend(const Node& start, Count base, Count at) {
  const Node* node = &start;
  for (;;) {
    switch (node->kind) {
      case Node::Kind::leaf: run_ = {base + node->offset + at, node->size - at}; return;
      case Node::Kind::repeat: {
        Count index = at / node->child->size;
        frames_.push_back({node, base, index, 0});
        at -= index * node->child->size;
        base += node->offset + index * node->stride;
        node = node->child.get();
        break;
      }
      case Node::Kind::blocks: {
        std::size_t entry = entry_at(*node, at);
        const Entry& block = node->entries[entry];
        at -= block.first;
        if (node->child->kind == Node::Kind::leaf && node->child->size == node->stride) {
          frames_.push_back({node, base, block.count - 1, entry});
          run_ = {base + block.offset + node->child->offset + at, block.count * node->stride - at};
          return;
        }
        Count index = at / node->child->size;
        frames_.push_back({node, base, index, entry});
        at -= index * node->child->size;
        base += block.offset + index * node->stride;
        node = node->child.get();
        break;
      }
      case Node::Kind::pieces: {
        std::size_t entry = entry_at(*node, at);
        frames_.push_back({node, base, 0, entry});
        at -= node->entries[entry].first;
        base += node->entries[entry].offset;
        node = node->entries[entry].child.get();
      }
    }
  }
}

void Cursor::next() {
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    const Node& node = *frame.node;
    if (node.kind == Node::Kind::repeat && ++frame.index < node.count)
      return descend(*node.child, frame.base + node.offset + frame.index * node.stride, 0);
    if (node.kind == Node::Kind::blocks) {
      const Entry& block = node.entries[frame.entry];
      if (++frame.index < block.count)
        return descend(*node.child, frame.base + block.offset + frame.index * node.stride, 0);
    }
    if (node.kind != Node::Kind::repeat && frame.entry + 1 < node.entries.size()) {
      const Entry& block = node.entries[frame.entry + 1];
      Count base = frame.base, at = block.first;
      frames_.pop_back();
      return descend(node, base, at);
    }
    frames_.pop_back();
  }
  ++element_;
  descend(*region_.layout, element_ * region_.extent, 0);
}

}  // namespace atl::mpi::datatype
