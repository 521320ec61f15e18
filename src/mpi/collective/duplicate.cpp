// SPDX-License-Identifier: Apache-2.0
#include "collective/duplicate.hpp"

#include "comm/create.hpp"
#include "request/background.hpp"

namespace atl::mpi {
namespace {

// The caller has copied the attributes already: the standard demands that their copy functions run inside the call.
Flow duplicate_into(Ref<Comm> from, Info::Entries hints, std::shared_ptr<Attributes> attributes, MPI_Comm* place) {
  Ref<Comm> copy;
  co_await duplicate_flow(*from, copy);
  copy->hints = std::move(hints);
  copy->attributes()->take(*attributes);
  give(std::move(copy), place);
}

void begin(Comm& comm, Info::Entries hints, MPI_Comm* copy, MPI_Request* request) {
  auto attributes = std::make_shared<Attributes>();
  attributes->copy_from(comm);
  *copy = MPI_COMM_NULL;
  start(duplicate_into(Ref<Comm>(comm), std::move(hints), std::move(attributes), copy), request);
}

}  // namespace

void duplicate_start(MPI_Comm handle, MPI_Comm* copy, MPI_Request* request) {
  Comm& comm = need<Comm>(handle);
  begin(comm, comm.hints, copy, request);
}

void duplicate_start(MPI_Comm handle, MPI_Info info, MPI_Comm* copy, MPI_Request* request) {
  begin(need<Comm>(handle), entries_of(info), copy, request);
}

}  // namespace atl::mpi
