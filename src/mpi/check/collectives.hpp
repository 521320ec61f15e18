// SPDX-License-Identifier: Apache-2.0
// The records of each kind of collective call.
#pragma once

#include <memory>
#include <string>

#include "check/buffers.hpp"
#include "check/call_record.hpp"
#include "collective/plan.hpp"
#include "io/file.hpp"
#include "win/window.hpp"

namespace atl::mpi::check {

struct Called {
  Buffers buffers;
  std::shared_ptr<CallRecord> record;
};

/// The name of the MPI function in which the program is.
const char* function_called();

namespace detail {

inline MPI_Count count_at(const Same& same, int) { return same.count; }
inline MPI_Datatype type_at(const Same& same, int) { return same.type; }
inline MPI_Count count_at(const Varied& varied, int rank) { return varied.counts[rank]; }
inline MPI_Datatype type_at(const Varied& varied, int) { return varied.type; }
inline MPI_Count count_at(const Mixed& mixed, int rank) { return mixed.counts[rank]; }
inline MPI_Datatype type_at(const Mixed& mixed, int rank) { return mixed.types[rank]; }

inline void add_all(Buffers& to, Use use, const void* buffer, const Same& same, int ranks) {
  to.add(use, buffer, same.count * ranks, same.type);
}
inline void add_all(Buffers& to, Use use, const void* buffer, const Varied& varied, int ranks) {
  to.add(use, buffer, varied.counts, varied.displacements, ranks, varied.type);
}
inline void add_all(Buffers& to, Use use, const void* buffer, const Mixed& mixed, int ranks) {
  if (buffer == MPI_IN_PLACE) return;
  for (int rank = 0; rank < ranks; ++rank)
    to.add(use, static_cast<const std::byte*>(buffer) + mixed.displacements[rank], mixed.counts[rank],
           mixed.types[rank]);
}

/// The common part of all records. On inter-communicators only the function is compared.
struct Start {
  explicit Start(MPI_Comm handle, int root = CallRecord::no_root, MPI_Op op = MPI_OP_NULL)
      : comm(need<Comm>(handle)), called{{}, std::make_shared<CallRecord>(comm, function_called(), root, op)} {}
  bool is_inter() const { return comm.is_inter(); }
  CallRecord& record() { return *called.record; }
  Comm& comm;
  Called called;
};

}  // namespace detail

/// A record of which only the function and the root are compared.
inline Called named(MPI_Comm comm, int root = CallRecord::no_root) {
  return std::move(detail::Start(comm, root).called);
}

inline Called of_file(MPI_File file) { return named(handle_of(need<File>(file).comm())); }
inline Called of_window(MPI_Win window) { return named(handle_of(need<Window>(window).comm())); }

inline Called broadcast(void* buffer, Same what, int root, MPI_Comm comm) {
  detail::Start start(comm, root);
  if (start.is_inter()) return std::move(start.called);
  const bool gives = start.comm.rank() == root;
  start.called.buffers.add(gives ? Use::read : Use::write, buffer, what.count, what.type);
  if (!gives) start.record().takes(root, what.count, what.type);
  else
    for (int rank = 0; rank < start.comm.size(); ++rank) start.record().gives(rank, what.count, what.type);
  return std::move(start.called);
}

template <class In>
Called gather(const void* out, Same send, void* in, In receive, int root, MPI_Comm comm) {
  detail::Start start(comm, root);
  if (start.is_inter()) return std::move(start.called);
  if (start.comm.rank() == root) check_lists(receive);
  start.called.buffers.add(Use::read, out, send.count, send.type);
  if (start.comm.rank() != root) start.record().gives(root, send.count, send.type);
  else {
    if (out != MPI_IN_PLACE) detail::add_all(start.called.buffers, Use::write, in, receive, start.comm.size());
    for (int rank = 0; rank < start.comm.size(); ++rank)
      start.record().takes(rank, detail::count_at(receive, rank), detail::type_at(receive, rank));
  }
  return std::move(start.called);
}

template <class Out>
Called scatter(const void* out, Out send, void* in, Same receive, int root, MPI_Comm comm) {
  detail::Start start(comm, root);
  if (start.is_inter()) return std::move(start.called);
  if (start.comm.rank() == root) check_lists(send);
  if (in != MPI_IN_PLACE) start.called.buffers.add(Use::write, in, receive.count, receive.type);
  if (start.comm.rank() != root) start.record().takes(root, receive.count, receive.type);
  else {
    detail::add_all(start.called.buffers, Use::read, out, send, start.comm.size());
    for (int rank = 0; rank < start.comm.size(); ++rank)
      start.record().gives(rank, detail::count_at(send, rank), detail::type_at(send, rank));
  }
  return std::move(start.called);
}

template <class In>
Called allgather(const void* out, Same send, void* in, In receive, MPI_Comm comm) {
  detail::Start start(comm);
  if (start.is_inter()) return std::move(start.called);
  check_lists(receive);
  const int me = start.comm.rank();
  const bool in_place = out == MPI_IN_PLACE;
  if (!in_place) start.called.buffers.add(Use::read, out, send.count, send.type);
  detail::add_all(start.called.buffers, Use::write, in, receive, start.comm.size());
  for (int rank = 0; rank < start.comm.size(); ++rank) {
    start.record().gives(rank, in_place ? detail::count_at(receive, me) : send.count,
                         in_place ? detail::type_at(receive, me) : send.type);
    start.record().takes(rank, detail::count_at(receive, rank), detail::type_at(receive, rank));
  }
  return std::move(start.called);
}

template <class Both>
Called alltoall(const void* out, Both send, void* in, Both receive, MPI_Comm comm) {
  detail::Start start(comm);
  if (start.is_inter()) return std::move(start.called);
  const bool in_place = out == MPI_IN_PLACE;
  check_lists(in_place ? receive : send);
  check_lists(receive);
  if (!in_place) detail::add_all(start.called.buffers, Use::read, out, send, start.comm.size());
  detail::add_all(start.called.buffers, Use::write, in, receive, start.comm.size());
  const Both& given = in_place ? receive : send;
  for (int rank = 0; rank < start.comm.size(); ++rank) {
    start.record().gives(rank, detail::count_at(given, rank), detail::type_at(given, rank));
    start.record().takes(rank, detail::count_at(receive, rank), detail::type_at(receive, rank));
  }
  return std::move(start.called);
}

/// The record of a reduction: all members pass the same elements.
inline Called reduction(const void* out, Same send, const void* in, Same receive, MPI_Op op, int root, MPI_Comm comm) {
  detail::Start start(comm, root, op);
  if (start.is_inter()) return std::move(start.called);
  start.called.buffers.add(Use::read, out, send.count, send.type);
  if (root == CallRecord::no_root || start.comm.rank() == root)
    start.called.buffers.add(Use::write, in, receive.count, receive.type);
  for (int rank = 0; rank < start.comm.size(); ++rank) {
    start.record().gives(rank, send.count, send.type);
    start.record().takes(rank, send.count, send.type);
  }
  return std::move(start.called);
}
inline Called reduction(const void* out, const void* in, Same what, MPI_Op op, int root, MPI_Comm comm) {
  return reduction(out, what, in, what, op, root, comm);
}
inline Called reduction(const void* out, const void* in, Same what, MPI_Op op, MPI_Comm comm) {
  return reduction(out, what, in, what, op, CallRecord::no_root, comm);
}
inline Called reduce_scatter_block(const void* out, const void* in, Same share, MPI_Op op, MPI_Comm comm) {
  return reduction(out, {share.count * need<Comm>(comm).size(), share.type}, in, share, op, CallRecord::no_root, comm);
}
inline Called reduce_scatter(const void* out, const void* in, const MPI_Count* counts, MPI_Datatype type, MPI_Op op,
                             MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  need_list(counts, comm.size(), "counts");
  Same whole{0, type};
  for (int rank = 0; rank < comm.size(); ++rank) whole.count += counts[rank];
  return reduction(out, whole, in, {counts[comm.rank()], type}, op, CallRecord::no_root, handle);
}

}  // namespace atl::mpi::check
