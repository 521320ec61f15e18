// SPDX-License-Identifier: Apache-2.0
// Symmetric memory for Python: blocks at the same offset on every PE, as NumPy arrays, and one-sided operations on
// them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "atoll/base/validate.hpp"
#include "atoll/coll/collectives.hpp"
#include "atoll/runtime/context.hpp"
#include "atoll/runtime/team.hpp"
#include "convert.hpp"

namespace atl::python {

/// What the buffer protocol says of an array, while this object lives.
class Buffer {
 public:
  explicit Buffer(nb::handle array);
  ~Buffer() { PyBuffer_Release(&view_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(view_.buf); }
  std::size_t bytes() const { return static_cast<std::size_t>(view_.len); }
  std::size_t item_bytes() const { return static_cast<std::size_t>(view_.itemsize); }
  std::size_t count() const { return item_bytes() == 0 ? 0 : bytes() / item_bytes(); }
  bool contiguous() const { return PyBuffer_IsContiguous(&view_, 'C') != 0; }
  bool writable() const { return view_.readonly == 0; }
  /// As NumPy's dtype.kind: b i u f c, or V for what is none of these.
  char kind() const { return kind_; }
  const Py_buffer& view() const { return view_; }

 private:
  Py_buffer view_;
  char kind_ = 'V';
};

/// This PE's symmetric memory. Every PE allocates and frees the same blocks in the same order.
class Symmetric : public std::enable_shared_from_this<Symmetric> {
 public:
  /// The session's own PE, and no second one: `session` is of one PE, or of a script that every PE runs. Collective.
  explicit Symmetric(const SessionPtr& session);

  runtime::Context& context() {
    ATOLL_VALIDATE(!context_->abandoned(), Error,
                   "symmetric memory belongs to the process from which this one was forked. Only that one is a PE");
    return *context_;
  }
  coll::Communicator& world() { return *world_; }

  /// Collective. A new NumPy array of zeroed bytes. Blocks that every PE has released are given back first.
  nb::object allocate(std::size_t bytes);
  /// Collective. Gives back the block that `array` is a part of.
  void free(nb::handle array);
  std::size_t blocks() const { return blocks_.size(); }

  /// Where `buffer` lies on every PE. Throws ValueError when it is not symmetric.
  HeapOffset offset_of(const Buffer& buffer) const;
  /// Throws IndexError unless there is such a PE.
  PeId checked_pe(std::int64_t pe) const;
  /// Ends what is collective. The arrays stay readable.
  void close();

 private:
  struct Block {
    std::size_t bytes;
    std::uint64_t serial;  // the same on all PEs
    bool dropped;          // no array of this PE is over it any more
  };
  void release_dropped();
  void drop(std::uint64_t offset, std::uint64_t serial);

  std::shared_ptr<runtime::Context> context_;
  std::unique_ptr<coll::Communicator> world_;
  std::map<std::uint64_t, Block> blocks_;  // by offset; under the GIL
  std::uint64_t next_serial_ = 0;
};

void bind_symmetric(nb::module_& m);

}  // namespace atl::python
