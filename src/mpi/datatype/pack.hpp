// SPDX-License-Identifier: Apache-2.0
// Copies the bytes of a layout to and from a packed stream, and directly to another layout.
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
  /// Whether all bytes form one run.
  bool contiguous() const { return layout->kind == Node::Kind::leaf && (count <= 1 || layout->size == extent); }
};

/// Copies packed bytes [from, to) of the region at `base` to `packed`, which gets byte `from` first.
void pack(const Region& region, const void* base, Count from, Count to, void* packed);
/// Copies `packed` into packed bytes [from, to) of the region.
void unpack(const Region& region, void* base, Count from, Count to, const void* packed);
/// Moves the runs of a region where the processor may not: see move_with().
class Mover {
 public:
  /// `bytes` at `user`, and at `packed`.
  virtual void block(std::byte* user, std::byte* packed, Count bytes) = 0;
  /// `count` rows of `bytes`, one every `stride` bytes from `user` on, and consecutive at `packed`.
  virtual void rows(std::byte* user, Count stride, std::byte* packed, Count count, Count bytes) = 0;

 protected:
  ~Mover() = default;
};
/// As pack() and unpack(), but `moves` moves each run, whose packed bytes follow one another from `packed` on.
void move_with(Mover& moves, const Region& region, void* base, Count from, Count to, std::byte* packed);

/// Copies packed bytes [from, to) of one region to packed bytes [into, into + to - from) of another, without overlap.
/// Allocates nothing; runs of 256 bytes and more, and loops of equal shape, are copied directly.
void copy(const Region& source, const void* source_base, Count from, Count to, const Region& target, void* target_base,
          Count into);

}  // namespace atl::mpi::datatype
