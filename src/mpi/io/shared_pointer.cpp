// SPDX-License-Identifier: Apache-2.0
#include "io/shared_pointer.hpp"

#include "core/library.hpp"

namespace atl::mpi::io {

void SharedPointer::make(Comm& comm) {
  runtime::Context& context = library().context();
  std::uint64_t offset = 0;
  if (comm.rank() == 0) {
    block_ = static_cast<std::byte*>(context.heap().allocate(sizeof(Count)));
    *reinterpret_cast<Count*>(block_) = 0;
    offset = context.offset_of(block_).value();
  }
  offset_ = HeapOffset(comm.coll().broadcast_value(offset, 0));
}

void SharedPointer::release(Comm& comm) {
  comm.coll().barrier();
  if (block_ != nullptr) library().context().heap().release(block_);
  block_ = nullptr;
}

Count SharedPointer::fetch_add(Comm& comm, Count by) {
  return library().context().fetch_add<Count>(comm.pe_of(0), offset_, by);
}
Count SharedPointer::get(Comm& comm) { return library().context().fetch<Count>(comm.pe_of(0), offset_); }
void SharedPointer::set(Comm& comm, Count value) { library().context().set<Count>(comm.pe_of(0), offset_, value); }

}  // namespace atl::mpi::io
