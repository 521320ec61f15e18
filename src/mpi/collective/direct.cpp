// SPDX-License-Identifier: Apache-2.0
#include "collective/direct.hpp"

#include "collective/by_messages.hpp"
#include "collective/calls.hpp"
#include "op/known.hpp"
#include "type/plain.hpp"

namespace atl::mpi {
namespace {

template <class Call, class... Arguments>
void through_coll(Comm& comm, const Arguments&... arguments) {
  Call call(comm, arguments...);
  call.run(comm.coll());
  call.land();
}

// Fast path of the most common calls: predefined types, at most a few MiB, separate buffers. They go straight to coll
// without an object per buffer: 10 ns instead of 40 to 60.

Comm* quick_comm(MPI_Comm handle) {
  if (device::may_be_loaded()) [[unlikely]]
    return nullptr;  // buffers may be a device's
  Comm* comm = find<Comm>(handle);
  return comm != nullptr && !comm->is_inter() && comm->has_coll() ? comm : nullptr;
}

// 0: take the general path.
std::size_t quick_bytes(Count count, MPI_Datatype type) {
  constexpr Count most = 1 << 20;
  return count < 0 || count > most ? 0 : static_cast<std::size_t>(count) * plain_size(type);
}

bool is_missing(const void* out) { return detail::nowhere(out) && out != MPI_IN_PLACE; }

bool quick_broadcast(void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm handle) {
  Comm* comm = quick_comm(handle);
  const std::size_t bytes = quick_bytes(count, type);
  if (comm == nullptr || bytes == 0 || detail::nowhere(buffer) || root < 0 || root >= comm->size()) return false;
  comm->coll().broadcast(buffer, bytes, root);
  return true;
}

bool quick_allgather(const void* out, Same send, void* in, Same receive, MPI_Comm handle) {
  Comm* comm = quick_comm(handle);
  const std::size_t bytes = quick_bytes(receive.count, receive.type);
  if (comm == nullptr || bytes == 0 || detail::nowhere(in)) return false;
  const std::byte* mine = static_cast<std::byte*>(in) + bytes * static_cast<std::size_t>(comm->rank());
  if (out != MPI_IN_PLACE) {
    if (out == mine || detail::nowhere(out) || quick_bytes(send.count, send.type) != bytes) return false;
    mine = static_cast<const std::byte*>(out);
  }
  comm->coll().allgather(mine, bytes, in);
  return true;
}

bool quick_alltoall(const void* out, Same send, void* in, Same receive, MPI_Comm handle) {
  Comm* comm = quick_comm(handle);
  const std::size_t bytes = quick_bytes(receive.count, receive.type);
  if (comm == nullptr || bytes == 0 || detail::nowhere(out) || detail::nowhere(in) || out == in) return false;
  if (quick_bytes(send.count, send.type) != bytes) return false;
  comm->coll().alltoall(out, bytes, in);
  return true;
}

bool quick_allreduce(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  Comm* comm = quick_comm(handle);
  if (comm == nullptr || quick_bytes(count, type) == 0 || out == in || is_missing(out) || detail::nowhere(in))
    return false;
  const coll::Reduction* reduction = known_reduction(op, type);
  if (reduction == nullptr) return false;
  comm->coll().allreduce(out == MPI_IN_PLACE ? in : out, in, static_cast<std::size_t>(count), *reduction);
  return true;
}

bool quick_reduce(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm handle) {
  Comm* comm = quick_comm(handle);
  if (comm == nullptr || quick_bytes(count, type) == 0 || root < 0 || root >= comm->size()) return false;
  const bool here = comm->rank() == root;
  if (out == MPI_IN_PLACE ? !here : here && out == in) return false;
  if (is_missing(out) || (here && detail::nowhere(in))) return false;
  const coll::Reduction* reduction = known_reduction(op, type);
  if (reduction == nullptr) return false;
  comm->coll().reduce(out == MPI_IN_PLACE ? in : out, in, static_cast<std::size_t>(count), *reduction, root);
  return true;
}

bool by_coll(const Comm& comm, Count count, MPI_Datatype type) {
  (void)detail::checked(count, type);
  return !comm.is_inter() && calls::fits(type);
}

}  // namespace

void barrier(MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  if (comm.is_inter()) return run_plan(by_messages::barrier(handle));
  comm.coll().barrier();
}

void broadcast(void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm handle) {
  if (quick_broadcast(buffer, count, type, root, handle)) return;
  Comm& comm = need<Comm>(handle);
  if (comm.is_inter()) return run_plan(by_messages::broadcast(buffer, count, type, root, handle));
  through_coll<calls::Broadcast>(comm, buffer, Same{count, type}, root);
}

template <class In>
void gather(const void* out, Same send, void* in, In receive, int root, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  if (comm.is_inter()) return run_plan(by_messages::gather(out, send, in, receive, root, handle));
  through_coll<calls::Gather<In>>(comm, out, send, in, receive, root);
}
template void gather(const void*, Same, void*, Same, int, MPI_Comm);
template void gather(const void*, Same, void*, Varied, int, MPI_Comm);

template <class Out>
void scatter(const void* out, Out send, void* in, Same receive, int root, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  if (comm.is_inter()) return run_plan(by_messages::scatter(out, send, in, receive, root, handle));
  through_coll<calls::Scatter<Out>>(comm, out, send, in, receive, root);
}
template void scatter(const void*, Same, void*, Same, int, MPI_Comm);
template void scatter(const void*, Varied, void*, Same, int, MPI_Comm);

template <class In>
void allgather(const void* out, Same send, void* in, In receive, MPI_Comm handle) {
  if constexpr (std::is_same_v<In, Same>)
    if (quick_allgather(out, send, in, receive, handle)) return;
  Comm& comm = need<Comm>(handle);
  if (comm.is_inter()) return run_plan(by_messages::allgather(out, send, in, receive, handle));
  through_coll<calls::Allgather<In>>(comm, out, send, in, receive);
}
template void allgather(const void*, Same, void*, Same, MPI_Comm);
template void allgather(const void*, Same, void*, Varied, MPI_Comm);

template <class Both>
void alltoall(const void* out, Both send, void* in, Both receive, MPI_Comm handle) {
  if constexpr (std::is_same_v<Both, Same>)
    if (quick_alltoall(out, send, in, receive, handle)) return;
  Comm& comm = need<Comm>(handle);
  if (comm.is_inter()) return run_plan(by_messages::alltoall(out, send, in, receive, handle));
  through_coll<calls::Alltoall<Both>>(comm, out, send, in, receive);
}
template void alltoall(const void*, Same, void*, Same, MPI_Comm);
template void alltoall(const void*, Varied, void*, Varied, MPI_Comm);
template void alltoall(const void*, Mixed, void*, Mixed, MPI_Comm);

void reduce(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm handle) {
  if (quick_reduce(out, in, count, type, op, root, handle)) return;
  Comm& comm = need<Comm>(handle);
  if (comm.is_inter() || !by_coll(comm, count, type))
    return run_plan(by_messages::reduce(out, in, count, type, op, root, handle));
  through_coll<calls::Reduce>(comm, out, in, Same{count, type}, op, root);
}

void allreduce(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  if (quick_allreduce(out, in, count, type, op, handle)) return;
  Comm& comm = need<Comm>(handle);
  if (!by_coll(comm, count, type)) return run_plan(by_messages::allreduce(out, in, count, type, op, handle));
  through_coll<calls::Allreduce>(comm, out, in, Same{count, type}, op);
}

void scan(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  Comm& comm = need_intra(handle);
  if (!by_coll(comm, count, type)) return run_plan(by_messages::scan(out, in, count, type, op, handle));
  through_coll<calls::Scan>(comm, out, in, Same{count, type}, op);
}

void exscan(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  Comm& comm = need_intra(handle);
  if (!by_coll(comm, count, type)) return run_plan(by_messages::exscan(out, in, count, type, op, handle));
  through_coll<calls::Exscan>(comm, out, in, Same{count, type}, op);
}

void reduce_scatter(const void* out, void* in, const MPI_Count* counts, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  need_list(counts, comm.size(), "counts");
  if (!by_coll(comm, 0, type)) return run_plan(by_messages::reduce_scatter(out, in, counts, type, op, handle));
  through_coll<calls::ReduceScatter>(comm, out, in, std::vector<Count>(counts, counts + comm.size()), type, op);
}

void reduce_scatter_block(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  if (!by_coll(comm, count, type)) return run_plan(by_messages::reduce_scatter_block(out, in, count, type, op, handle));
  through_coll<calls::ReduceScatter>(comm, out, in, std::vector<Count>(static_cast<std::size_t>(comm.size()), count),
                                     type, op);
}

}  // namespace atl::mpi
