// SPDX-License-Identifier: Apache-2.0
// Point-to-point messages: blocking, non-blocking and persistent sends and receives.
#pragma once

#include "atoll/messaging/matching.hpp"
#include "comm/comm.hpp"
#include "message/buffer.hpp"
#include "mpi.h"

namespace atl::mpi {

/// When a send is complete: when its buffer may be reused, when it has been matched, or when it has been copied.
enum class Mode { standard, synchronous, buffered };

void send(Mode mode, const void* buffer, Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
void send_start(Mode mode, const void* buffer, Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                MPI_Request* request);
void send_init(Mode mode, const void* buffer, Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request);
void receive(void* buffer, Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status);
void receive_start(void* buffer, Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                   MPI_Request* request);
void receive_init(void* buffer, Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request);

struct Half {
  int peer;
  int tag;
};
void send_receive(const void* out, Count out_count, MPI_Datatype out_type, Half to, void* in, Count in_count,
                  MPI_Datatype in_type, Half from, MPI_Comm comm, MPI_Status* status);
void send_receive_start(const void* out, Count out_count, MPI_Datatype out_type, Half to, void* in, Count in_count,
                        MPI_Datatype in_type, Half from, MPI_Comm comm, MPI_Request* request);
void send_receive_replace(void* buffer, Count count, MPI_Datatype type, Half to, Half from, MPI_Comm comm,
                          MPI_Status* status);
void send_receive_replace_start(void* buffer, Count count, MPI_Datatype type, Half to, Half from, MPI_Comm comm,
                                MPI_Request* request);

// ---- probing

class Message : public Object {
 public:
  using Handle = MPI_Message;
  static constexpr Kind kind = Kind::message;
  static constexpr int error_class = MPI_ERR_REQUEST;
  static constexpr const char* what = "message";
  static Handle null_handle() { return MPI_MESSAGE_NULL; }

  Message(Comm& comm, runtime::Claim claim) : Object(kind), comm(comm), claim(claim) {}
  Ref<Comm> comm;
  runtime::Claim claim;
};

void probe(int from, int tag, MPI_Comm comm, MPI_Status* status);
void probe_now(int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status);
void message_probe(int from, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status);
void message_probe_now(int from, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status);
void message_receive(void* buffer, Count count, MPI_Datatype type, MPI_Message* message, MPI_Status* status);
void message_receive_start(void* buffer, Count count, MPI_Datatype type, MPI_Message* message, MPI_Request* request);

// ---- for the other files of this folder, and for check/

/// The receive of a call that also sends. When the send fails, the receive is cancelled: the caller owns its buffer
/// again, and its message matches the next receive.
class Posted {
 public:
  Posted() = default;
  Posted(const Posted&) = delete;
  Posted& operator=(const Posted&) = delete;
  ~Posted();
  MPI_Request request = MPI_REQUEST_NULL;
};

/// Throw Failure when rank or tag are invalid for a send, or for a receive.
void check_target(const Comm& comm, int to, int tag);
void check_source(const Comm& comm, int from, int tag);
runtime::Pattern pattern_of(const Comm& comm, int from, int tag);
/// Throws Failure with `code` when a member has failed that the program has not acknowledged: a receive from
/// MPI_ANY_SOURCE may then never complete.
void check_anybody(Comm& comm, int code);
/// The same for a probe that has found nothing and waits.
void check_awaited(Comm& comm, int from);
/// Receives from a failed process: messages that arrived completely are received; others end with Status::peer_lost.
runtime::Request receive_from_dead(const runtime::Pattern& pattern, const runtime::Target& into);
/// Waits for a receive from MPI_ANY_SOURCE; cancels it when check_anybody() fails.
runtime::Outcome wait_for_anybody(Comm& comm, runtime::Request& request);
/// Fills the status of a receive into `data`; throws when the buffer was too short.
void report(const Comm& comm, const runtime::Outcome& outcome, const Incoming& data, MPI_Status* status);

}  // namespace atl::mpi
