// SPDX-License-Identifier: Apache-2.0
// Plans of reductions.
#include <numeric>

#include "collective/by_messages.hpp"
#include "collective/plain.hpp"

namespace atl::mpi::by_messages {
namespace {

// Checked arguments of a reduction, held until it is complete.
struct Task {
  Ref<Comm> comm;
  std::uint64_t bits;
  std::shared_ptr<Reducer> reducer;
  Piece from, to;

  Circle circle() const { return {&comm->local()->pes(), comm->rank(), bits}; }
  Course course() const {
    return {.bytes = static_cast<std::size_t>(from.bytes()),
            .advanced_by = reducer->is_user() ? AdvancedBy::program : AdvancedBy::any_thread};
  }
  Elements load() const {
    Outgoing data(from.at, from.count, handle_of(*from.type));
    return {reducer, {data.data(), data.data() + data.bytes()}, static_cast<std::size_t>(from.count)};
  }
  void store(const std::byte* data) const {
    Incoming place(to.at, to.count, handle_of(*to.type));
    if (place.bytes() != 0) std::memcpy(place.data(), data, place.bytes());
    place.land();
  }
};

Task make_task(Comm& comm, const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op) {
  ATOLL_MPI_REQUIRE(!comm.is_inter() || out != MPI_IN_PLACE, MPI_ERR_BUFFER, "MPI_IN_PLACE on an inter-communicator");
  Operation& operation = need<Operation>(op);
  (void)detail::checked(count, type);
  Task task{Ref<Comm>(comm), comm.next_bits(), std::make_shared<Reducer>(operation, need<TypeObject>(type)), {}, {}};
  task.from = make_piece(out == MPI_IN_PLACE ? in : out, count, type);
  task.to = make_piece(in, count, type);
  return task;
}

Flow reduce_flow(Task task, int root) {
  Elements elements = task.load();
  co_await reduce_elements(task.circle(), elements, root);
  if (task.comm->rank() == root) task.store(elements.data.data());
}

// Gives the reduction of the other group's elements to the root in this group.
Flow reduce_across(Task task, int root) {
  Exchange exchange;
  if (root == MPI_ROOT) {
    Incoming place(task.to.at, task.to.count, handle_of(*task.to.type));
    exchange.receive(task.comm->pe_of(0), task.bits, place.data(), place.bytes());
    co_await exchange;
    place.land();
  } else {
    Elements elements = task.load();
    co_await reduce_elements(task.circle(), elements, 0);
    if (task.comm->rank() == 0)
      exchange.send(task.comm->pe_of(root), task.bits, elements.data.data(), elements.bytes());
    co_await exchange;
  }
}

Flow allreduce_flow(Task task) {
  Elements elements = task.load();
  if (task.comm->is_inter()) {
    co_await reduce_elements(task.circle(), elements, 0);
    std::vector<std::byte> theirs(elements.bytes());
    co_await swap_elements(task.circle(), task.comm->pe_of(0), task.bits, elements, theirs);
    co_await broadcast_bytes(task.circle(), theirs.data(), theirs.size());
    task.store(theirs.data());
  } else {
    co_await allreduce_elements(task.circle(), elements);
    task.store(elements.data.data());
  }
}

Flow scan_flow(Task task, Scan scan) {
  Elements elements = task.load();
  co_await scan_elements(task.circle(), elements, scan);
  if (scan == Scan::inclusive || task.comm->rank() > 0) task.store(elements.data.data());
}

// Member 0 has the result and sends each rank its share.
Flow reduce_scatter_flow(Task task, std::vector<Count> counts) {
  Comm& comm = *task.comm;
  Elements elements = task.load();
  co_await reduce_elements(task.circle(), elements, 0);
  std::vector<std::byte>* whole = &elements.data;
  std::vector<std::byte> theirs;
  if (comm.is_inter()) {
    // Both groups reduce the same total number of elements, but their counts per rank may differ.
    theirs.resize(elements.bytes());
    co_await swap_elements(task.circle(), comm.pe_of(0), task.bits, elements, theirs);
    whole = &theirs;
  }
  std::size_t element = task.reducer->reduction().element_bytes(), at = 0;
  std::vector<std::byte> share(static_cast<std::size_t>(counts[static_cast<std::size_t>(comm.rank())]) * element);
  Exchange exchange;
  if (comm.rank() == 0) {
    for (int rank = 0; rank < comm.size(); ++rank) {
      std::size_t bytes = static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)]) * element;
      if (rank == 0) share.assign(whole->begin(), whole->begin() + static_cast<std::ptrdiff_t>(bytes));
      else exchange.send(comm.local()->pe(rank), task.bits, whole->data() + at, bytes);
      at += bytes;
    }
  } else {
    exchange.receive(comm.local()->pe(0), task.bits, share.data(), share.size());
  }
  co_await exchange;
  task.store(share.data());
}

Flow nothing() { co_return; }

Plan shared_out(Comm& comm, const void* out, void* in, std::vector<Count> counts, MPI_Datatype type, MPI_Op op) {
  for (Count count : counts) ATOLL_MPI_REQUIRE(count >= 0, MPI_ERR_COUNT, "a count of {}", count);
  Count total = std::accumulate(counts.begin(), counts.end(), Count{0});
  Task task = make_task(comm, out, in, total, type, op);
  task.to = make_piece(in, counts[static_cast<std::size_t>(comm.rank())], type);
  Course course = task.course();
  return {[task = std::move(task), counts = std::move(counts)] { return reduce_scatter_flow(task, counts); }, course};
}

}  // namespace

Plan reduce(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  check_root(comm, root);
  if (comm.is_inter() && root == MPI_PROC_NULL) {
    (void)comm.next_bits();
    return [] { return nothing(); };
  }
  bool receives = comm.is_inter() ? root == MPI_ROOT : root == comm.rank();
  Task task = make_task(comm, out, receives ? in : const_cast<void*>(out), count, type, op);
  Course course = task.course();
  return {[task = std::move(task), root] {
            return task.comm->is_inter() ? reduce_across(task, root) : reduce_flow(task, root);
          },
          course};
}

Plan allreduce(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  Task task = make_task(need<Comm>(handle), out, in, count, type, op);
  return {[task] { return allreduce_flow(task); }, task.course()};
}

Plan scan(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  Task task = make_task(need_intra(handle), out, in, count, type, op);
  return {[task] { return scan_flow(task, Scan::inclusive); }, task.course()};
}

Plan exscan(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  Task task = make_task(need_intra(handle), out, in, count, type, op);
  return {[task] { return scan_flow(task, Scan::exclusive); }, task.course()};
}

Plan reduce_scatter(const void* out, void* in, const MPI_Count* counts, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  return shared_out(comm, out, in, {counts, counts + comm.size()}, type, op);
}

Plan reduce_scatter_block(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  return shared_out(comm, out, in, std::vector<Count>(static_cast<std::size_t>(comm.size()), count), type, op);
}

}  // namespace atl::mpi::by_messages
