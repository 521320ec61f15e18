// SPDX-License-Identifier: Apache-2.0
// Buffered sends: buffers that programs attach to the process, a communicator or a session.
#pragma once

#include "message/message.hpp"
#include "session/session.hpp"

namespace atl::mpi {

/// Takes over `data`. Throws Failure when the attached buffer has no room for it.
void send_buffered(Comm& comm, Outgoing data, int to, int tag);

void buffer_attach(std::unique_ptr<Attached>& where, void* buffer, Count size);
void buffer_detach(std::unique_ptr<Attached>& where, void* address, Count* size);
void buffer_flush(std::unique_ptr<Attached>& where);
void buffer_flush_start(std::unique_ptr<Attached>& where, MPI_Request* request);
/// The buffer of MPI_Buffer_attach.
std::unique_ptr<Attached>& process_buffer();

}  // namespace atl::mpi
