// SPDX-License-Identifier: Apache-2.0
#include "comm/comm.hpp"

#include "comm/create.hpp"
#include "core/codes.hpp"
#include "core/library.hpp"

namespace atl::mpi {
namespace {

std::atomic<std::uint32_t> made{0};
constexpr std::uint32_t reserved_numbers = 16;  // MPI_COMM_WORLD, MPI_COMM_SELF, and none
constexpr int counter_bits = 17;

}  // namespace

std::uint64_t new_number() {
  std::uint32_t count = made.fetch_add(1, std::memory_order_relaxed);
  ATOLL_MPI_REQUIRE(count < (1u << counter_bits) - reserved_numbers, MPI_ERR_OTHER,
                    "this rank has made {} communicators, and can make no more", count);
  return std::uint64_t{library().pe().value()} << counter_bits | (count + reserved_numbers);
}

Comm::Comm(std::uint64_t number, Ref<Group> local, Ref<Group> remote)
    : Object(kind), number_(number), local_(std::move(local)), remote_(std::move(remote)),
      peers_(remote_ ? remote_.get() : local_.get()), rank_(local_->rank_of(library().pe())) {}

coll::Communicator& Comm::coll() {
  if (!coll_) {
    runtime::Context& context = library().context();
    coll_.emplace(context, runtime::Team::listed(local_->pes(), context.pe()), 0.0);
    // A rank may compute for hours before it comes.
    coll_->set_timeout_seconds(0);
  }
  return *coll_;
}

Ref<Comm> Comm::duplicate() {
  Ref<Comm> copy;
  run(duplicate_flow(*this, copy));
  return copy;
}

std::optional<void*> Comm::own_attribute(int keyval) {
  static int tag = highest_tag, io = MPI_ANY_SOURCE, host = MPI_PROC_NULL, global_clock = 1, number = 0, universe;
  switch (keyval) {
    case MPI_TAG_UB: return &tag;
    case MPI_IO: return &io;
    case MPI_HOST: return &host;
    case MPI_WTIME_IS_GLOBAL:
      global_clock = library().context().job().nodes() == 1;
      return &global_clock;
    case MPI_APPNUM: return &number;
    case MPI_LASTUSEDCODE: return last_used_code();
    case MPI_UNIVERSE_SIZE:
      universe = static_cast<int>(library().npes());
      return &universe;
    default: return std::nullopt;
  }
}

Comm& need_intra(MPI_Comm comm) {
  Comm& object = need<Comm>(comm);
  ATOLL_MPI_REQUIRE(!object.is_inter(), MPI_ERR_COMM, "an inter-communicator, where an intra-communicator is needed");
  return object;
}

Comm& need_inter(MPI_Comm comm) {
  Comm& object = need<Comm>(comm);
  ATOLL_MPI_REQUIRE(object.is_inter(), MPI_ERR_COMM, "an intra-communicator, where an inter-communicator is needed");
  return object;
}

std::int64_t root_members(int root, MPI_Comm comm) {
  Comm& object = need<Comm>(comm);
  if (object.is_inter()) return root == MPI_ROOT ? object.peers().size() : 0;
  return root == object.rank() ? object.size() : 0;
}

}  // namespace atl::mpi
