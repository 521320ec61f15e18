// SPDX-License-Identifier: Apache-2.0
// Chooses between coll and point-to-point messages for non-blocking and persistent calls; flows of the former.
#include "collective/plan.hpp"

#include <optional>
#include <tuple>

#include "collective/by_messages.hpp"
#include "collective/calls.hpp"

namespace atl::mpi {
namespace {

// ---- arguments that a persistent call holds

struct HeldSame {
  Count count;
  Ref<TypeObject> type;
};
struct HeldVaried {
  std::vector<MPI_Count> counts;
  std::vector<MPI_Aint> displacements;
  Ref<TypeObject> type;
};
struct HeldMixed {
  std::vector<MPI_Count> counts;
  std::vector<MPI_Aint> displacements;
  std::vector<Ref<TypeObject>> types;
  std::vector<MPI_Datatype> handles;
};

Ref<TypeObject> hold_type(MPI_Datatype type) { return Ref<TypeObject>(find<TypeObject>(type)); }
// A type that MPI_IN_PLACE makes irrelevant may be absent.
MPI_Datatype view_type(const Ref<TypeObject>& type) { return type ? handle_of(*type) : MPI_DATATYPE_NULL; }

template <class Argument>
Argument hold(const Comm&, const Argument& argument) {
  return argument;
}
HeldSame hold(const Comm&, const Same& same) { return {same.count, hold_type(same.type)}; }
HeldVaried hold(const Comm& comm, const Varied& varied) {
  if (varied.counts == nullptr) return {};
  auto members = static_cast<std::size_t>(comm.size());
  return {{varied.counts, varied.counts + members},
          {varied.displacements, varied.displacements + members},
          hold_type(varied.type)};
}
HeldMixed hold(const Comm& comm, const Mixed& mixed) {
  if (mixed.counts == nullptr) return {};
  auto members = static_cast<std::size_t>(comm.size());
  HeldMixed held{{mixed.counts, mixed.counts + members}, {mixed.displacements, mixed.displacements + members}, {}, {}};
  for (std::size_t i = 0; i < members; ++i) {
    held.types.push_back(hold_type(mixed.types[i]));
    held.handles.push_back(mixed.types[i]);
  }
  return held;
}
Ref<Operation> hold(const Comm&, const MPI_Op& op) { return Ref<Operation>(need<Operation>(op)); }
Ref<TypeObject> hold(const Comm&, const MPI_Datatype& type) { return hold_type(type); }

template <class Held>
const Held& view(const Held& held) {
  return held;
}
Same view(const HeldSame& held) { return {held.count, view_type(held.type)}; }
Varied view(const HeldVaried& held) { return {held.counts.data(), held.displacements.data(), view_type(held.type)}; }
Mixed view(const HeldMixed& held) { return {held.counts.data(), held.displacements.data(), held.handles.data()}; }
MPI_Op view(const Ref<Operation>& op) { return handle_of(*op); }
MPI_Datatype view(const Ref<TypeObject>& type) { return view_type(type); }

// ---- through coll

class Ongoing : public Waiting {
 public:
  Ongoing(Comm& comm, coll::Request request) : comm_(comm), request_(std::move(request)) { comm_.begin_in_coll(); }
  Ongoing(const Ongoing&) = delete;
  Ongoing& operator=(const Ongoing&) = delete;
  ~Ongoing() { comm_.end_in_coll(); }
  bool ready() override { return request_.look(); }

 private:
  Comm& comm_;
  coll::Request request_;
};

template <class Call>
Flow flow_of(Ref<Comm> comm, Comm::Lease on, std::shared_ptr<Call> call) {
  Ongoing ongoing(*comm, call->begin(*on.coll));
  co_await ongoing;
  call->land();
}

// The coll to use; none: point-to-point messages, as for user-defined operations, which only the program's own threads
// may call.
std::optional<Comm::Lease> way_for(Use use, Comm& comm) {
  if (comm.is_inter() || !comm.has_coll()) return std::nullopt;
  if (use == Use::once) return Comm::Lease{&comm.coll(), {}};
  Comm::Lease lease = comm.lend_coll();
  return lease.coll != nullptr ? std::optional(std::move(lease)) : std::nullopt;
}
std::optional<Comm::Lease> way_for(Use use, Comm& comm, MPI_Datatype type, MPI_Op op) {
  (void)detail::checked(0, type);
  if (need<Operation>(op).is_user() || !calls::fits(type)) return std::nullopt;
  return way_for(use, comm);
}

template <class Call, class... Arguments>
Plan through_coll(Use use, Comm& comm, Comm::Lease on, const Arguments&... arguments) {
  auto call = std::make_shared<Call>(comm, arguments...);  // reports wrong arguments now
  Course course{.bytes = call->bytes(), .advanced_by = AdvancedBy::any_thread, .comm = Ref<Comm>(comm)};
  Ref<Comm> held_comm(comm);
  if (use == Use::once) return {[held_comm, on, call] { return flow_of(held_comm, on, call); }, course};
  auto make = [held_comm, on, held = std::make_tuple(hold(comm, arguments)...)] {
    auto again =
        std::apply([&](const auto&... each) { return std::make_shared<Call>(*held_comm, view(each)...); }, held);
    return flow_of(held_comm, on, std::move(again));
  };
  return {std::move(make), course};
}

}  // namespace

Plan plan_barrier(Use use, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  if (auto on = way_for(use, comm)) return through_coll<calls::Barrier>(use, comm, *on);
  return by_messages::barrier(handle);
}

Plan plan_broadcast(Use use, void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  check_root(comm, root);
  if (auto on = way_for(use, comm))
    return through_coll<calls::Broadcast>(use, comm, *on, buffer, Same{count, type}, root);
  return by_messages::broadcast(buffer, count, type, root, handle);
}

template <class In>
Plan plan_gather(Use use, const void* out, Same send, void* in, In receive, int root, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  check_root(comm, root);
  if (auto on = way_for(use, comm))
    return through_coll<calls::Gather<In>>(use, comm, *on, out, send, in, receive, root);
  return by_messages::gather(out, send, in, receive, root, handle);
}
template Plan plan_gather(Use, const void*, Same, void*, Same, int, MPI_Comm);
template Plan plan_gather(Use, const void*, Same, void*, Varied, int, MPI_Comm);

template <class Out>
Plan plan_scatter(Use use, const void* out, Out send, void* in, Same receive, int root, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  check_root(comm, root);
  if (auto on = way_for(use, comm))
    return through_coll<calls::Scatter<Out>>(use, comm, *on, out, send, in, receive, root);
  return by_messages::scatter(out, send, in, receive, root, handle);
}
template Plan plan_scatter(Use, const void*, Same, void*, Same, int, MPI_Comm);
template Plan plan_scatter(Use, const void*, Varied, void*, Same, int, MPI_Comm);

template <class In>
Plan plan_allgather(Use use, const void* out, Same send, void* in, In receive, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  if (auto on = way_for(use, comm)) return through_coll<calls::Allgather<In>>(use, comm, *on, out, send, in, receive);
  return by_messages::allgather(out, send, in, receive, handle);
}
template Plan plan_allgather(Use, const void*, Same, void*, Same, MPI_Comm);
template Plan plan_allgather(Use, const void*, Same, void*, Varied, MPI_Comm);

template <class Both>
Plan plan_alltoall(Use use, const void* out, Both send, void* in, Both receive, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  if (auto on = way_for(use, comm)) return through_coll<calls::Alltoall<Both>>(use, comm, *on, out, send, in, receive);
  return by_messages::alltoall(out, send, in, receive, handle);
}
template Plan plan_alltoall(Use, const void*, Same, void*, Same, MPI_Comm);
template Plan plan_alltoall(Use, const void*, Varied, void*, Varied, MPI_Comm);
template Plan plan_alltoall(Use, const void*, Mixed, void*, Mixed, MPI_Comm);

Plan plan_reduce(Use use, const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, int root,
                 MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  check_root(comm, root);
  if (auto on = way_for(use, comm, type, op))
    return through_coll<calls::Reduce>(use, comm, *on, out, in, Same{count, type}, op, root);
  return by_messages::reduce(out, in, count, type, op, root, handle);
}

Plan plan_allreduce(Use use, const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  if (auto on = way_for(use, comm, type, op))
    return through_coll<calls::Allreduce>(use, comm, *on, out, in, Same{count, type}, op);
  return by_messages::allreduce(out, in, count, type, op, handle);
}

Plan plan_scan(Use use, const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  Comm& comm = need_intra(handle);
  if (auto on = way_for(use, comm, type, op))
    return through_coll<calls::Scan>(use, comm, *on, out, in, Same{count, type}, op);
  return by_messages::scan(out, in, count, type, op, handle);
}

Plan plan_exscan(Use use, const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  Comm& comm = need_intra(handle);
  if (auto on = way_for(use, comm, type, op))
    return through_coll<calls::Exscan>(use, comm, *on, out, in, Same{count, type}, op);
  return by_messages::exscan(out, in, count, type, op, handle);
}

Plan plan_reduce_scatter(Use use, const void* out, void* in, const MPI_Count* counts, MPI_Datatype type, MPI_Op op,
                         MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  need_list(counts, comm.size(), "counts");
  if (auto on = way_for(use, comm, type, op))
    return through_coll<calls::ReduceScatter>(use, comm, *on, out, in, std::vector<Count>(counts, counts + comm.size()),
                                              type, op);
  return by_messages::reduce_scatter(out, in, counts, type, op, handle);
}

Plan plan_reduce_scatter_block(Use use, const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op,
                               MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  if (auto on = way_for(use, comm, type, op))
    return through_coll<calls::ReduceScatter>(
        use, comm, *on, out, in, std::vector<Count>(static_cast<std::size_t>(comm.size()), count), type, op);
  return by_messages::reduce_scatter_block(out, in, count, type, op, handle);
}

}  // namespace atl::mpi
