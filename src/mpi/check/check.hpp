// SPDX-License-Identifier: Apache-2.0
// Checks of entry points with ATOLL_MPI_CHECK: an entry point creates one of these objects before its body (key `check`
// of the function table), or calls one of the functions below instead of its body (key `checked`).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/buffers.hpp"
#include "check/call_record.hpp"
#include "check/collectives.hpp"
#include "collective/plan.hpp"
#include "comm/comm.hpp"
#include "core/watch.hpp"
#include "message/message.hpp"
#include "request/request.hpp"

namespace atl::mpi::check {

/// Records the MPI function in which the program is.
class Entered {
 public:
  explicit Entered(const char* name);
  ~Entered();
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

 private:
  const char* before_;
};

/// Whether a call returns when its request is complete, or before that. In the latter case the program could change the
/// send buffer too early.
enum class Returns { before, complete };

/// Tracks the request that the body creates: the memory in use until completion, and the ranks that it waits for.
class Started {
 public:
  Started(MPI_Request* request, Buffers buffers);
  Started(MPI_Request* request, Buffers buffers, MPI_Comm comm, int peer, Returns returns = Returns::before);
  /// For a collective, which completes only when all members have called it.
  Started(MPI_Request* request, Called called);
  ~Started();
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

 private:
  MPI_Request* request_;
  Buffers buffers_;
  std::vector<PeId> peers_;
  std::string what_;
  std::shared_ptr<CallRecord> record_;
  Returns returns_ = Returns::before;
  int exceptions_;
};

/// Runs before a blocking collective: all members exchange the arguments and wait for one another.
void meet(const Called& called);
/// The same for a file. A mismatch ends the job: the default error handler of files returns, and a program that ignores
/// the code would hang.
void meet_on_file(MPI_File file);

// Replacements of bodies that wait.
void send(Mode mode, const void* buffer, Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
void receive(void* buffer, Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status);
void send_receive(const void* out, Count out_count, MPI_Datatype out_type, Half to, void* in, Count in_count,
                  MPI_Datatype in_type, Half from, MPI_Comm comm, MPI_Status* status);
void probe(int from, int tag, MPI_Comm comm, MPI_Status* status);
void message_probe(int from, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status);
void request_wait(MPI_Request* request, MPI_Status* status);
void request_wait_all(int count, MPI_Request* requests, MPI_Status* statuses);
void request_wait_any(int count, MPI_Request* requests, int* index, MPI_Status* status);
void request_wait_some(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses);
void request_start(MPI_Request* request);
void request_start_all(int count, MPI_Request* requests);
void send_start(Mode mode, const void* buffer, Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                MPI_Request* request);
void finalize();

}  // namespace atl::mpi::check
