// SPDX-License-Identifier: Apache-2.0
#include "io/shared_pointer.hpp"

#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/pe_memory.hpp"
#include "core/library.hpp"

namespace atl::mpi::io {

void SharedPointer::make(Comm& comm) {
  std::uint64_t offset = 0;
  if (comm.rank() == 0) {
    block_ = static_cast<std::byte*>(library().memory().heap().allocate(sizeof(Count)));
    *reinterpret_cast<Count*>(block_) = 0;
    offset = library().one_sided().offset_of(block_).value();
  }
  offset_ = HeapOffset(comm.coll().broadcast_value(offset, 0));
}

void SharedPointer::release(Comm& comm) {
  comm.coll().barrier();
  if (block_ != nullptr) library().memory().heap().release(block_);
  block_ = nullptr;
}

Count SharedPointer::fetch_add(Comm& comm, Count by) {
  return library().one_sided().fetch_add<Count>(comm.pe_of(0), offset_, by);
}
Count SharedPointer::get(Comm& comm) { return library().one_sided().fetch<Count>(comm.pe_of(0), offset_); }
void SharedPointer::set(Comm& comm, Count value) { library().one_sided().set<Count>(comm.pe_of(0), offset_, value); }

}  // namespace atl::mpi::io
