// SPDX-License-Identifier: Apache-2.0
// Adapters from MPI collectives to coll. The constructor checks the program's arguments and packs buffers where needed;
// run() or begin() is called once; land() unpacks the results when the operation is complete.
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "collective/plan.hpp"
#include "datatype/checked.hpp"
#include "op/operation.hpp"

namespace atl::mpi::calls {

using Coll = coll::Communicator;

inline bool in_place(const void* buffer) { return buffer == MPI_IN_PLACE; }

/// Throws Failure when the send buffer is the receive buffer, for which MPI has MPI_IN_PLACE.
inline void check_apart(const void* out, const void* in, std::size_t bytes) {
  ATOLL_MPI_REQUIRE(out != in || out == MPI_BOTTOM || bytes == 0, MPI_ERR_BUFFER,
                    "what is given and what is received are one buffer. MPI_IN_PLACE?");
}

// The blocks of a buffer, one per rank.
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

class Barrier {
 public:
  explicit Barrier(Comm&) {}
  std::size_t bytes() const { return 0; }
  void run(Coll& coll) { coll.barrier(); }
  coll::Request begin(Coll& coll) { return coll.ibarrier(); }
  void land() {}
};

class Broadcast {
 public:
  Broadcast(Comm& comm, void* buffer, Same what, int root)
      : data_(buffer, what.count, what.type), root_(root), here_(comm.rank() == root) {
    check_root(comm, root);
    if (here_) data_.take();
  }
  std::size_t bytes() const { return data_.bytes(); }
  void run(Coll& coll) { coll.broadcast(data_.data(), data_.bytes(), root_); }
  coll::Request begin(Coll& coll) { return coll.ibroadcast(data_.data(), data_.bytes(), root_); }
  void land() {
    if (!here_) data_.land();
  }

 private:
  Incoming data_;
  int root_;
  bool here_;
};

template <class In>
class Gather {
 public:
  Gather(Comm& comm, const void* out, Same send, void* in, In receive, int root)
      : root_(root), here_(comm.rank() == root) {
    check_root(comm, root);
    ATOLL_MPI_REQUIRE(here_ || !in_place(out), MPI_ERR_BUFFER, "MPI_IN_PLACE on a rank that is not the root");
    if (here_) to_ = blocks_of<InBlocks>(in, receive, comm.size());
    if (in_place(out)) {
      Piece own = piece_of(in, receive, root);
      from_ = Outgoing(own.at, own.count, handle_of(*own.type));
      from_.own();
    } else {
      from_ = Outgoing(out, send.count, send.type);
      if (here_) check_apart(out, piece_of(in, receive, root).at, from_.bytes());
    }
    // With one count for all ranks, blocks that are dense in the receive buffer need no packing.
    if constexpr (alike) {
      bool dense = !here_ || (to_.pieces[0].straight() &&
                              Count(to_.blocks[0].bytes) == need_type(receive.type).extent() * receive.count);
      if (!dense) packed_.resize(from_.bytes() * to_.blocks.size());
      if (here_) place_ = dense ? static_cast<std::byte*>(to_.blocks[0].data) : packed_.data();
    }
  }
  std::size_t bytes() const { return from_.bytes(); }
  void run(Coll& coll) {
    if constexpr (alike) coll.gather(from_.data(), from_.bytes(), place_, root_);
    else coll.gatherv(from_.data(), from_.bytes(), to_.blocks, root_);
  }
  coll::Request begin(Coll& coll) {
    if constexpr (alike) return coll.igather(from_.data(), from_.bytes(), place_, root_);
    else return coll.igatherv(from_.data(), from_.bytes(), to_.blocks, root_);
  }
  void land() {
    for (std::size_t rank = 0; !packed_.empty() && rank < to_.blocks.size(); ++rank)
      std::memcpy(to_.blocks[rank].data, packed_.data() + rank * from_.bytes(),
                  std::min(to_.blocks[rank].bytes, from_.bytes()));
    to_.land();
  }

 private:
  static constexpr bool alike = std::is_same_v<In, Same>;
  int root_;
  bool here_;
  InBlocks to_;
  Outgoing from_;
  std::vector<std::byte> packed_;
  std::byte* place_ = nullptr;
};

template <class Out>
class Scatter {
 public:
  Scatter(Comm& comm, const void* out, Out send, void* in, Same receive, int root)
      : root_(root), wanted_(!in_place(in)) {
    check_root(comm, root);
    bool here = comm.rank() == root;
    ATOLL_MPI_REQUIRE(here || wanted_, MPI_ERR_BUFFER, "MPI_IN_PLACE on a rank that is not the root");
    if (here) from_ = blocks_of<OutBlocks>(out, send, comm.size());
    if (wanted_) to_ = Incoming(in, receive.count, receive.type);
    if (here && wanted_) check_apart(piece_of(out, send, root).at, in, to_.bytes());
    if (!wanted_) unwanted_.resize(from_.blocks[static_cast<std::size_t>(root)].bytes);
    if constexpr (alike) {
      bool dense = !here || (from_.pieces[0].straight() &&
                             Count(from_.blocks[0].bytes) == need_type(send.type).extent() * send.count);
      if (here && !dense) {
        for (const coll::ConstBlock& block : from_.blocks) {
          auto* data = static_cast<const std::byte*>(block.data);
          packed_.insert(packed_.end(), data, data + block.bytes);
        }
        all_ = packed_.data();
      } else if (here) {
        all_ = static_cast<const std::byte*>(from_.blocks[0].data);
      }
    }
  }
  std::size_t bytes() const { return wanted_ ? to_.bytes() : unwanted_.size(); }
  void run(Coll& coll) {
    if constexpr (alike) coll.scatter(all_, place(), bytes(), root_);
    else coll.scatterv(from_.blocks, place(), bytes(), root_);
  }
  coll::Request begin(Coll& coll) {
    if constexpr (alike) return coll.iscatter(all_, place(), bytes(), root_);
    else return coll.iscatterv(from_.blocks, place(), bytes(), root_);
  }
  void land() {
    if (wanted_) to_.land();
  }

 private:
  static constexpr bool alike = std::is_same_v<Out, Same>;
  void* place() { return wanted_ ? to_.data() : unwanted_.data(); }
  int root_;
  bool wanted_;
  OutBlocks from_;
  Incoming to_;
  std::vector<std::byte> unwanted_, packed_;
  const std::byte* all_ = nullptr;
};

template <class In>
class Allgather {
 public:
  Allgather(Comm& comm, const void* out, Same send, void* in, In receive) {
    if (!in_place(out)) from_ = Outgoing(out, send.count, send.type);
    auto rank = static_cast<std::size_t>(comm.rank());
    Incoming* mine;
    std::size_t share = 1;
    if constexpr (alike) {
      share = static_cast<std::size_t>(comm.size());
      to_ = Incoming(in, datatype::checked_multiply(receive.count, comm.size()), receive.type);
      mine = &to_;
    } else {
      to_ = blocks_of<InBlocks>(in, receive, comm.size());
      mine = &to_.pieces[rank];
    }
    if (in_place(out)) mine->take();
    else check_apart(out, piece_of(in, receive, comm.rank()).at, from_.bytes());
    bytes_ = in_place(out) ? mine->bytes() / share : from_.bytes();
    data_ = in_place(out) ? mine->data() + (alike ? bytes_ * rank : 0) : from_.data();
  }
  std::size_t bytes() const { return bytes_; }
  void run(Coll& coll) {
    if constexpr (alike) coll.allgather(data_, bytes_, to_.data());
    else coll.allgatherv(data_, bytes_, to_.blocks);
  }
  coll::Request begin(Coll& coll) {
    if constexpr (alike) return coll.iallgather(data_, bytes_, to_.data());
    else return coll.iallgatherv(data_, bytes_, to_.blocks);
  }
  void land() { to_.land(); }

 private:
  static constexpr bool alike = std::is_same_v<In, Same>;
  Outgoing from_;
  std::conditional_t<alike, Incoming, InBlocks> to_;
  std::size_t bytes_ = 0;
  const std::byte* data_ = nullptr;
};

template <class Both>
class Alltoall {
 public:
  Alltoall(Comm& comm, const void* out, Both send, void* in, Both receive) {
    if constexpr (alike) {
      to_ = Incoming(in, datatype::checked_multiply(receive.count, comm.size()), receive.type);
      from_ = in_place(out) ? Outgoing(in, datatype::checked_multiply(receive.count, comm.size()), receive.type)
                            : Outgoing(out, datatype::checked_multiply(send.count, comm.size()), send.type);
      if (in_place(out)) from_.own();
      bytes_ = to_.bytes() / static_cast<std::size_t>(comm.size());
      check_apart(out, in, bytes_);
    } else {
      to_ = blocks_of<InBlocks>(in, receive, comm.size());
      from_ =
          in_place(out) ? blocks_of<OutBlocks>(in, receive, comm.size()) : blocks_of<OutBlocks>(out, send, comm.size());
      for (std::size_t rank = 0; rank < from_.pieces.size(); ++rank) {
        bytes_ += to_.blocks[rank].bytes;
        if (!in_place(out)) continue;
        from_.pieces[rank].own();
        from_.blocks[rank].data = from_.pieces[rank].data();
      }
      // Both buffers may be one, with different displacements.
      const int me = comm.rank();
      if (out == in)
        check_apart(piece_of(out, send, me).at, piece_of(in, receive, me).at,
                    from_.blocks[static_cast<std::size_t>(me)].bytes);
    }
  }
  std::size_t bytes() const { return bytes_; }
  void run(Coll& coll) {
    if constexpr (alike) coll.alltoall(from_.data(), bytes_, to_.data());
    else coll.alltoallv(from_.blocks, to_.blocks);
  }
  coll::Request begin(Coll& coll) {
    if constexpr (alike) return coll.ialltoall(from_.data(), bytes_, to_.data());
    else return coll.ialltoallv(from_.blocks, to_.blocks);
  }
  void land() { to_.land(); }

 private:
  static constexpr bool alike = std::is_same_v<Both, Same>;
  std::conditional_t<alike, Outgoing, OutBlocks> from_;
  std::conditional_t<alike, Incoming, InBlocks> to_;
  std::size_t bytes_ = 0;  // alike: bytes of one block; else of all blocks
};

/// Larger elements are reduced by point-to-point messages. All ranks decide alike, because type signatures match.
inline constexpr MPI_Count longest_element = 32768;
inline bool fits(MPI_Datatype type) { return need_type(type).size() <= longest_element; }

/// Operation, operands and result buffer of a reduction.
class Reducing {
 public:
  Reducing(const void* out, void* in, Same what, MPI_Op op, bool receives)
      : reducer_(need<Operation>(op), need<TypeObject>(what.type)),
        from_(in_place(out) ? in : out, what.count, what.type),
        count_(static_cast<std::size_t>(what.count)) {
    if (receives) to_ = Incoming(in, what.count, what.type);
    if (receives) check_apart(out, in, from_.bytes());
  }
  std::size_t bytes() const { return from_.bytes(); }
  void land() { to_.land(); }

 protected:
  const coll::Reduction& reduction() const { return reducer_.reduction(); }
  Reducer reducer_;
  Outgoing from_;
  Incoming to_;
  std::size_t count_;
};

class Reduce : public Reducing {
 public:
  Reduce(Comm& comm, const void* out, void* in, Same what, MPI_Op op, int root)
      : Reducing(out, in, what, op, comm.rank() == root), root_(root) {
    check_root(comm, root);
    ATOLL_MPI_REQUIRE(comm.rank() == root || !in_place(out), MPI_ERR_BUFFER,
                      "MPI_IN_PLACE on a rank that is not the root");
  }
  void run(Coll& coll) { coll.reduce(from_.data(), to_.data(), count_, reduction(), root_); }
  coll::Request begin(Coll& coll) { return coll.ireduce(from_.data(), to_.data(), count_, reduction(), root_); }

 private:
  int root_;
};

class Allreduce : public Reducing {
 public:
  Allreduce(Comm&, const void* out, void* in, Same what, MPI_Op op) : Reducing(out, in, what, op, true) {}
  void run(Coll& coll) { coll.allreduce(from_.data(), to_.data(), count_, reduction()); }
  coll::Request begin(Coll& coll) { return coll.iallreduce(from_.data(), to_.data(), count_, reduction()); }
};

class Scan : public Reducing {
 public:
  Scan(Comm&, const void* out, void* in, Same what, MPI_Op op) : Reducing(out, in, what, op, true) {}
  void run(Coll& coll) { coll.scan(from_.data(), to_.data(), count_, reduction()); }
  coll::Request begin(Coll& coll) { return coll.iscan(from_.data(), to_.data(), count_, reduction()); }
};

/// Leaves the receive buffer of rank 0 unchanged; rank 0 may pass none.
class Exscan : public Reducing {
 public:
  Exscan(Comm& comm, const void* out, void* in, Same what, MPI_Op op)
      : Reducing(out, in, what, op, comm.rank() != 0),
        nothing_(comm.rank() == 0 ? bytes() : 0),
        first_(comm.rank() == 0) {
    if (first_) check_apart(out, in, bytes());  // so that rank 0 fails like the other ranks
  }
  void run(Coll& coll) { coll.exscan(from_.data(), place(), count_, reduction()); }
  coll::Request begin(Coll& coll) { return coll.iexscan(from_.data(), place(), count_, reduction()); }
  void land() {
    if (!first_) to_.land();
  }

 private:
  std::byte* place() { return first_ ? nothing_.data() : to_.data(); }
  std::vector<std::byte> nothing_;
  bool first_;
};

/// An allreduce of everything, of which each rank keeps its share.
class ReduceScatter : public Reducing {
 public:
  ReduceScatter(Comm& comm, const void* out, void* in, std::vector<Count> counts, MPI_Datatype type, MPI_Op op)
      : Reducing(out, in, {total(counts), type}, op, false),
        whole_(from_.bytes()),
        share_(in, counts[static_cast<std::size_t>(comm.rank())], type) {
    check_apart(out, in, from_.bytes());
    for (int rank = 0; rank < comm.rank(); ++rank)
      at_ += static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)]);
    at_ *= reduction().element_bytes();
  }
  void run(Coll& coll) { coll.allreduce(from_.data(), whole_.data(), count_, reduction()); }
  coll::Request begin(Coll& coll) { return coll.iallreduce(from_.data(), whole_.data(), count_, reduction()); }
  void land() {
    if (share_.bytes() != 0) std::memcpy(share_.data(), whole_.data() + at_, share_.bytes());
    share_.land();
  }

 private:
  static Count total(const std::vector<Count>& counts) {
    Count sum = 0;
    for (Count count : counts) {
      ATOLL_MPI_REQUIRE(count >= 0, MPI_ERR_COUNT, "a count of {}", count);
      sum += count;
    }
    return sum;
  }
  std::vector<std::byte> whole_;
  Incoming share_;
  std::size_t at_ = 0;
};

}  // namespace atl::mpi::calls
