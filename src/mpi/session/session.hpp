// SPDX-License-Identifier: Apache-2.0
// Sessions.
#pragma once

#include <memory>
#include <string>

#include "comm/comm.hpp"

namespace atl::mpi {

class Session : public Object {
 public:
  using Handle = MPI_Session;
  static constexpr Kind kind = Kind::session;
  static constexpr int error_class = MPI_ERR_SESSION;
  static constexpr const char* what = "session";
  static Handle null_handle() { return MPI_SESSION_NULL; }

  Session(Info::Entries hints, ErrorHandler& handler) : Object(kind), hints_(std::move(hints)), errors_(handler) {}
  ErrorSlot* errors() override { return &errors_; }
  const Info::Entries& hints() const { return hints_; }

  /// Shared with its communicators, which may outlive the session.
  SessionBuffer attached = std::make_shared<std::unique_ptr<Attached>>();

 private:
  Info::Entries hints_;
  ErrorSlot errors_;
};

void session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session);
void session_finalize(MPI_Session* session);
void session_get_info(MPI_Session session, MPI_Info* info);
void session_get_pset_count(MPI_Session session, int* count);
void session_get_pset_name(MPI_Session session, int index, int* length, char* name);
void session_get_pset_info(MPI_Session session, const char* name, MPI_Info* info);
void group_from_pset(MPI_Session session, const char* name, MPI_Group* group);

}  // namespace atl::mpi
