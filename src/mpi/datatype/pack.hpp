// SPDX-License-Identifier: Apache-2.0
// Moving the bytes of a layout: into and out of a packed stream, and straight to another layout.
#pragma once

#include <cstddef>

#include "datatype/node.hpp"

namespace atl::mpi::datatype {

/// `count` elements of a layout, one every `extent` bytes from `base` on. Packed, they are count * layout->size bytes.
struct Region {
  const Node* layout;
  Count extent;
  Count count;
  Count size() const { return layout->size * count; }
  /// All in one run, which begins this far from the base; else -1… see contiguous().
  bool contiguous() const { return layout->kind == Node::Kind::leaf && (count <= 1 || layout->size == extent); }
};

/// Packed bytes [from, to) of the region at `base` to `packed`, where byte `from` comes first.
void pack(const Region& region, const void* base, Count from, Count to, void* packed);
/// The other way round.
void unpack(const Region& region, void* base, Count from, Count to, const void* packed);
/// Packed bytes [from, to) of one region to packed bytes [into, into + to - from) of another. They must not overlap.
/// Nothing is allocated; runs of 256 bytes and more, and loops of the same shape, are copied straight.
void copy(const Region& source, const void* source_base, Count from, Count to, const Region& target, void* target_base,
          Count into);

}  // namespace atl::mpi::datatype
