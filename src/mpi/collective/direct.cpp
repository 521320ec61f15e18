// SPDX-License-Identifier: Apache-2.0
#include "collective/direct.hpp"

#include "core/library.hpp"
#include "op/operation.hpp"

namespace atl::mpi {
namespace {

bool in_place(const void* buffer) { return buffer == MPI_IN_PLACE; }

// Elements that coll cannot carry are reduced by plans; the same everywhere, as signatures match.
constexpr std::size_t longest_element = 32768;

// What is reduced, packed, and where its result goes.
struct Operands {
  Operands(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, bool receives)
      : reducer(need<Operation>(op), need<TypeObject>(type)), from(in_place(out) ? in : out, count, type),
        count(static_cast<std::size_t>(count)) {
    if (receives) to = Incoming(in, count, type);
  }
  bool fits() const { return reducer.reduction().element_bytes() <= longest_element; }

  Reducer reducer;
  Outgoing from;
  Incoming to;
  std::size_t count;
};

// Pieces of a buffer as coll wants them.
struct OutBlocks {
  std::vector<Outgoing> pieces;
  std::vector<coll::ConstBlock> blocks;
  void add(const Piece& piece) {
    pieces.emplace_back(piece.at, piece.count, handle_of(*piece.type));
    blocks.push_back({pieces.back().data(), pieces.back().bytes()});
  }
};
struct InBlocks {
  std::vector<Incoming> pieces;
  std::vector<coll::Block> blocks;
  void add(const Piece& piece) {
    pieces.emplace_back(piece.at, piece.count, handle_of(*piece.type));
    blocks.push_back({pieces.back().data(), pieces.back().bytes()});
  }
  void land() {
    for (Incoming& piece : pieces) piece.land();
  }
};
template <class Blocks, class Buffer, class Each>
Blocks blocks_of(Buffer buffer, const Each& each, int count) {
  Blocks all;
  for (int rank = 0; rank < count; ++rank) all.add(piece_of(buffer, each, rank));
  return all;
}

}  // namespace

void barrier(MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  if (comm.is_inter()) return run_plan(plan_barrier(handle));
  comm.coll().barrier();
}

void broadcast(void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  if (comm.is_inter()) return run_plan(plan_broadcast(buffer, count, type, root, handle));
  check_root(comm, root);
  Incoming data(buffer, count, type);
  if (comm.rank() == root) data.take();
  comm.coll().broadcast(data.data(), data.bytes(), root);
  if (comm.rank() != root) data.land();
}

template <class In>
void gather(const void* out, Same send, void* in, In receive, int root, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  if (comm.is_inter()) return run_plan(plan_gather(out, send, in, receive, root, handle));
  check_root(comm, root);
  bool here = comm.rank() == root;
  ATOLL_MPI_REQUIRE(here || !in_place(out), MPI_ERR_BUFFER, "MPI_IN_PLACE on a rank that is not the root");
  InBlocks to;
  if (here) to = blocks_of<InBlocks>(in, receive, comm.size());
  Outgoing from;
  if (in_place(out)) {
    Piece own = piece_of(in, receive, root);
    from = Outgoing(own.at, own.count, handle_of(*own.type));
    from.own();
  } else {
    from = Outgoing(out, send.count, send.type);
  }
  // The root's blocks may be of any size; that they are all alike here only the caller knows.
  if constexpr (std::is_same_v<In, Same>) {
    bool dense = !here || (to.pieces[0].straight() && Count(to.blocks[0].bytes) == need_type(receive.type).extent() * receive.count);
    std::vector<std::byte> packed;
    std::byte* place = nullptr;
    if (here && !dense) packed.resize(from.bytes() * to.blocks.size());
    if (here) place = dense ? static_cast<std::byte*>(to.blocks[0].data) : packed.data();
    comm.coll().gather(from.data(), from.bytes(), place, root);
    for (std::size_t rank = 0; here && !dense && rank < to.blocks.size(); ++rank)
      std::memcpy(to.blocks[rank].data, packed.data() + rank * from.bytes(), std::min(to.blocks[rank].bytes, from.bytes()));
  } else {
    comm.coll().gatherv(from.data(), from.bytes(), to.blocks, root);
  }
  to.land();
}
template void gather(const void*, Same, void*, Same, int, MPI_Comm);
template void gather(const void*, Same, void*, Varied, int, MPI_Comm);

template <class Out>
void scatter(const void* out, Out send, void* in, Same receive, int root, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  if (comm.is_inter()) return run_plan(plan_scatter(out, send, in, receive, root, handle));
  check_root(comm, root);
  bool here = comm.rank() == root;
  ATOLL_MPI_REQUIRE(here || !in_place(in), MPI_ERR_BUFFER, "MPI_IN_PLACE on a rank that is not the root");
  OutBlocks from;
  if (here) from = blocks_of<OutBlocks>(out, send, comm.size());
  Incoming to;
  std::vector<std::byte> unwanted;
  if (!in_place(in)) to = Incoming(in, receive.count, receive.type);
  else unwanted.resize(from.blocks[static_cast<std::size_t>(root)].bytes);
  void* place = in_place(in) ? static_cast<void*>(unwanted.data()) : to.data();
  std::size_t bytes = in_place(in) ? unwanted.size() : to.bytes();
  if constexpr (std::is_same_v<Out, Same>) {
    bool dense = !here || Count(from.blocks[0].bytes) == need_type(send.type).extent() * send.count;
    std::vector<std::byte> packed;
    const std::byte* all = nullptr;
    if (here && !dense) {
      for (const coll::ConstBlock& block : from.blocks) {
        auto* data = static_cast<const std::byte*>(block.data);
        packed.insert(packed.end(), data, data + block.bytes);
      }
      all = packed.data();
    } else if (here) {
      all = static_cast<const std::byte*>(from.blocks[0].data);
    }
    comm.coll().scatter(all, place, bytes, root);
  } else {
    comm.coll().scatterv(from.blocks, place, bytes, root);
  }
  if (!in_place(in)) to.land();
}
template void scatter(const void*, Same, void*, Same, int, MPI_Comm);
template void scatter(const void*, Varied, void*, Same, int, MPI_Comm);

template <class In>
void allgather(const void* out, Same send, void* in, In receive, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  if (comm.is_inter()) return run_plan(plan_allgather(out, send, in, receive, handle));
  Outgoing from;
  if (!in_place(out)) from = Outgoing(out, send.count, send.type);
  if constexpr (std::is_same_v<In, Same>) {
    Incoming to(in, receive.count * comm.size(), receive.type);
    std::size_t bytes = to.bytes() / static_cast<std::size_t>(comm.size());
    std::byte* own = to.data() + bytes * static_cast<std::size_t>(comm.rank());
    if (in_place(out)) to.take();
    comm.coll().allgather(in_place(out) ? own : from.data(), in_place(out) ? bytes : from.bytes(), to.data());
    to.land();
  } else {
    auto to = blocks_of<InBlocks>(in, receive, comm.size());
    auto& mine = to.pieces[static_cast<std::size_t>(comm.rank())];
    if (in_place(out)) mine.take();
    comm.coll().allgatherv(in_place(out) ? mine.data() : from.data(), in_place(out) ? mine.bytes() : from.bytes(), to.blocks);
    to.land();
  }
}
template void allgather(const void*, Same, void*, Same, MPI_Comm);
template void allgather(const void*, Same, void*, Varied, MPI_Comm);

template <class Both>
void alltoall(const void* out, Both send, void* in, Both receive, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  if (comm.is_inter()) return run_plan(plan_alltoall(out, send, in, receive, handle));
  if constexpr (std::is_same_v<Both, Same>) {
    Incoming to(in, receive.count * comm.size(), receive.type);
    Outgoing from = in_place(out) ? Outgoing(in, receive.count * comm.size(), receive.type) : Outgoing(out, send.count * comm.size(), send.type);
    if (in_place(out)) from.own();
    comm.coll().alltoall(from.data(), to.bytes() / static_cast<std::size_t>(comm.size()), to.data());
    to.land();
  } else {
    auto to = blocks_of<InBlocks>(in, receive, comm.size());
    OutBlocks from = in_place(out) ? blocks_of<OutBlocks>(in, receive, comm.size()) : blocks_of<OutBlocks>(out, send, comm.size());
    for (std::size_t rank = 0; in_place(out) && rank < from.pieces.size(); ++rank) {
      from.pieces[rank].own();
      from.blocks[rank].data = from.pieces[rank].data();
    }
    comm.coll().alltoallv(from.blocks, to.blocks);
    to.land();
  }
}
template void alltoall(const void*, Same, void*, Same, MPI_Comm);
template void alltoall(const void*, Varied, void*, Varied, MPI_Comm);
template void alltoall(const void*, Mixed, void*, Mixed, MPI_Comm);

void reduce(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  if (comm.is_inter()) return run_plan(plan_reduce(out, in, count, type, op, root, handle));
  check_root(comm, root);
  bool here = comm.rank() == root;
  ATOLL_MPI_REQUIRE(here || !in_place(out), MPI_ERR_BUFFER, "MPI_IN_PLACE on a rank that is not the root");
  (void)detail::checked(count, type);
  Operands all(out, in, count, type, op, here);
  if (!all.fits()) return run_plan(plan_reduce(out, in, count, type, op, root, handle));
  comm.coll().reduce(all.from.data(), all.to.data(), all.count, all.reducer.reduction(), root);
  if (here) all.to.land();
}

namespace {

template <class Run, class Plans>
void reduce_all(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, Plans&& plan, Run&& run) {
  (void)detail::checked(count, type);
  Operands all(out, in, count, type, op, true);
  if (!all.fits()) return run_plan(plan());
  if (run(all)) all.to.land();
}

}  // namespace

void allreduce(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  auto plan = [&] { return plan_allreduce(out, in, count, type, op, handle); };
  if (comm.is_inter()) return run_plan(plan());
  reduce_all(out, in, count, type, op, plan, [&](Operands& all) {
    comm.coll().allreduce(all.from.data(), all.to.data(), all.count, all.reducer.reduction());
    return true;
  });
}

void scan(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  Comm& comm = need_intra(handle);
  auto plan = [&] { return plan_scan(out, in, count, type, op, handle); };
  reduce_all(out, in, count, type, op, plan, [&](Operands& all) {
    comm.coll().scan(all.from.data(), all.to.data(), all.count, all.reducer.reduction());
    return true;
  });
}

void exscan(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  Comm& comm = need_intra(handle);
  auto plan = [&] { return plan_exscan(out, in, count, type, op, handle); };
  reduce_all(out, in, count, type, op, plan, [&](Operands& all) {
    // Rank 0's buffer stays as it is.
    std::vector<std::byte> nothing(comm.rank() == 0 ? all.to.bytes() : 0);
    comm.coll().exscan(all.from.data(), comm.rank() == 0 ? nothing.data() : all.to.data(), all.count, all.reducer.reduction());
    return comm.rank() != 0;
  });
}

}  // namespace atl::mpi
