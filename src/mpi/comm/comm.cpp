// SPDX-License-Identifier: Apache-2.0
#include "comm/comm.hpp"

#include <algorithm>
#include <bit>

#include "atoll/base/config.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/runtime/progress.hpp"
#include "comm/create.hpp"
#include "comm/live.hpp"
#include "comm/retired_communicators.hpp"
#include "core/codes.hpp"
#include "core/guest.hpp"
#include "core/library.hpp"
#include "flow/departure.hpp"
#include "mpi-ext.h"

namespace atl::mpi {
namespace {

std::atomic<std::uint32_t> made{0};
constexpr std::uint32_t reserved_numbers = 16;  // MPI_COMM_WORLD, MPI_COMM_SELF, and none
constexpr int counter_bits = 17;

std::exception_ptr lost() { return std::make_exception_ptr(Failure{MPIX_ERR_PROC_FAILED, "a process has died"}); }

}  // namespace

// Unused numbers first, so that a freed number is reused as late as possible.
std::uint64_t new_number() {
  constexpr std::uint32_t most = (1u << counter_bits) - reserved_numbers;
  for (std::uint32_t count = made.load(std::memory_order_relaxed); count < most;)
    if (made.compare_exchange_weak(count, count + 1, std::memory_order_relaxed))
      return std::uint64_t{library().pe().value()} << counter_bits | (count + reserved_numbers);
  sweep_ways();
  while (auto number = used_number())
    if (!is_noted_revoked(*number)) return *number;  // a late revocation must not hit the new communicator
  fail(MPI_ERR_OTHER,
       "this rank has made {} communicators that are not freed on all their members, and can make no more", most);
}

Comm::Comm(std::uint64_t number, Ref<Group> local, Ref<Group> remote)
    : Object(kind),
      number_(number),
      local_(std::move(local)),
      remote_(std::move(remote)),
      peers_(remote_ ? remote_.get() : local_.get()),
      rank_(local_->rank_of(library().pe())) {
  if (detail::enlist(*this)) revoked_.store(true);
}

Comm::~Comm() {
  detail::strike(*this);
  if (!is_active()) {  // with the Context
    for (auto& lent : lent_) (void)lent.release();
    (void)coll_.release();
    return;
  }
  for (auto& lent : lent_) leave_way({std::move(lent), std::nullopt, {local_, remote_}});
  const bool mine = number_ >> counter_bits == library().pe().value() && number_ >= reserved_numbers && !revoked();
  if (coll_) leave_way({std::move(coll_), mine ? std::optional(number_) : std::nullopt, {local_, remote_}});
}

// ---- failed members

std::vector<PeId> Comm::everybody() const {
  std::vector<PeId> all = local_->pes();
  if (!remote_) return all;
  bool first = local_->pe(0) < remote_->pe(0);
  all.insert(first ? all.end() : all.begin(), remote_->pes().begin(), remote_->pes().end());
  return all;
}

std::vector<PeId> Comm::failed() {
  const fabric::Job& job = library().job();
  std::lock_guard lock(failed_mutex_);
  if (!job.has_failed()) return failed_;
  for (PeId pe : everybody())
    if (job.has_died(pe) && std::find(failed_.begin(), failed_.end(), pe) == failed_.end()) failed_.push_back(pe);
  return failed_;
}

void Comm::note_failed(const std::vector<PeId>& pes) {
  std::lock_guard lock(failed_mutex_);
  for (PeId pe : pes)
    if (std::find(failed_.begin(), failed_.end(), pe) == failed_.end()) failed_.push_back(pe);
}

int Comm::acknowledge(std::size_t count) {
  std::size_t known = failed().size();
  std::lock_guard lock(failed_mutex_);
  acknowledged_ = std::max(acknowledged_, std::min(count, known));
  return static_cast<int>(acknowledged_);
}

std::vector<PeId> Comm::acknowledged() {
  std::lock_guard lock(failed_mutex_);
  return {failed_.begin(), failed_.begin() + static_cast<std::ptrdiff_t>(acknowledged_)};
}

bool Comm::knows_all_failed() { return !library().job().has_failed() || failed().size() == acknowledged().size(); }

void check_outcome(Status status, PeId peer, Comm* comm) {
  if (status == Status::peer_lost) {
    const fabric::Job& job = library().job();
    auto first = job.first_failure();
    if (first && (first->pe == peer || peer == runtime::Matcher::no_pe))
      fail_with(MPIX_ERR_PROC_FAILED, job.failure(), comm);
    fail_with(MPIX_ERR_PROC_FAILED,
              peer == runtime::Matcher::no_pe ? "a process has died" : job.describe(peer) + " has died", comm);
  }
  if (status == Status::revoked) fail_with(MPIX_ERR_REVOKED, "the communicator has been revoked", comm);
  if (status == Status::try_again)
    fail_with(MPI_ERR_NO_MEM, "no memory for a copy of a long message: send shorter ones, or raise ATOLL_HEAP_SIZE",
              comm);
}

Comm& Comm::blamed() {
  std::lock_guard lock(maker_mutex_);
  return maker_ ? *maker_ : *this;
}

void Comm::refuse_if_unusable() {
  // The creating call completes with all members that have begun it; failed members may have done their part, too.
  if (is_being_made()) return;
  if (revoked()) check_outcome(Status::revoked, PeId(0), this);
  auto dead = failed();
  if (dead.empty()) return;
  depart(bits(static_cast<int>(calls_.load(std::memory_order_relaxed)), Talk::library));
  check_outcome(Status::peer_lost, dead.front(), this);
}

void Comm::refuse_dead(int rank) {
  if (revoked()) check_outcome(Status::revoked, PeId(0), this);
  if (rank < 0) return;  // MPI_PROC_NULL; MPI_ANY_SOURCE is checked where the receive waits
  if (PeId pe = pe_of(rank); library().job().has_died(pe)) check_outcome(Status::peer_lost, pe, this);
}

void Comm::begin_making(Comm* of, std::uint64_t bits, Heirs heirs) {
  std::lock_guard lock(maker_mutex_);
  maker_ = Ref<Comm>(of);
  made_by_ = bits;
  heirs_ = heirs;
}

std::optional<std::uint64_t> Comm::made_by() {
  std::lock_guard lock(maker_mutex_);
  return maker_ ? std::optional(made_by_) : std::nullopt;
}

bool Comm::note_departure(std::uint32_t call) {
  std::lock_guard lock(maker_mutex_);
  if (call >= departed_from_) return false;
  departed_from_ = call;
  return true;
}

void Comm::end_making() {
  Ref<Comm> last;  // destroyed after the lock is released
  std::lock_guard lock(maker_mutex_);
  std::swap(last, maker_);
}

Status Comm::cause_to_leave() {
  std::lock_guard lock(maker_mutex_);
  if (!maker_) return Status::ok;
  if (maker_->revoked()) return Status::revoked;
  return heirs_ == Heirs::all && !maker_->failed().empty() ? Status::peer_lost : Status::ok;
}

void Comm::fail_ending() {
  std::lock_guard lock(coll_mutex_);
  if (ending_ != nullptr) ending_->fail(lost());
}

void Comm::fail_coll(Status why) {
  std::exception_ptr failure;
  try {
    auto dead = failed();
    check_outcome(why, dead.empty() ? runtime::Matcher::no_pe : dead.front(), &blamed());
  } catch (...) { failure = std::current_exception(); }
  std::lock_guard lock(coll_mutex_);
  if (coll_) coll_->fail(failure);
  for (auto& lent : lent_) lent->fail(failure);
  if (ending_ != nullptr) ending_->fail(failure);
}

coll::Communicator& Comm::made_coll() {
  run(make_coll());
  return *coll_;
}

Flow Comm::make_coll() {
  const std::vector<PeId>& pes = local_->pes();
  std::uint64_t mine = coll::Communicator::make_area(library().context(), pes.size()).value();
  std::vector<std::uint64_t> offsets(pes.size());
  co_await allgather_bytes(circle(), &mine, sizeof(mine), offsets.data());
  std::vector<HeapOffset> areas(offsets.begin(), offsets.end());
  coll_ = std::make_unique<coll::Communicator>(library().context(), pes, std::move(areas), rank_);
  // No time-out: a rank may compute for hours before it calls MPI_Finalize.
  coll_->set_timeout_seconds(0);
}

Comm::Lease Comm::lend_coll() {
  std::uint64_t usable = ~in_use_->load();
  coll_->allreduce(&usable, &usable, 1, coll::Reduction(coll::Type::u64, coll::Op::bit_and));
  auto index = static_cast<std::size_t>(std::countr_zero(usable));
  if (index >= most_lent) return {};
  if (index >= lent_.size()) {
    lent_.push_back(std::make_unique<coll::Communicator>(*coll_, 0, rank_));
    index = lent_.size() - 1;
    lent_.back()->set_timeout_seconds(0);
  }
  const std::uint64_t bit = std::uint64_t{1} << index;
  in_use_->fetch_or(bit);
  std::shared_ptr<void> until(nullptr, [in_use = in_use_, bit](void*) { in_use->fetch_and(~bit); });
  return {lent_[index].get(), std::move(until)};
}

void Comm::rest_coll() {
  std::lock_guard lock(coll_mutex_);
  if (coll_) coll_->rest();
  for (auto& lent : lent_) lent->rest();
}

void Comm::await_coll() {
  library().progress().wait(
      [this] { return in_coll_.load(std::memory_order_acquire) == 0; });  // partner: end_in_coll()
}

void Comm::end_coll() {
  await_coll();
  std::unique_lock lock(coll_mutex_);
  auto all = std::move(lent_);
  all.push_back(std::move(coll_));
  for (auto& each : all) {
    ending_ = each.get();
    lock.unlock();
    if (each && (revoked() || library().job().deaths() != 0)) each->fail(lost());
    each.reset();
    lock.lock();
    ending_ = nullptr;
  }
}

Ref<Comm> Comm::duplicate() {
  sweep_ways();
  Ref<Comm> copy;
  run(duplicate_flow(*this, copy));
  return copy;
}

// At a time.
static int most_processes() {
  const fabric::Job& job = library().job();
  return static_cast<int>(job.npes() + job.guest_areas());
}

std::optional<void*> Comm::own_attribute(int keyval) {
  static int tag = highest_tag, io = MPI_ANY_SOURCE, host = MPI_PROC_NULL, global_clock = 1, number = 0, survives = 1,
             universe;
  switch (keyval) {
    case MPI_TAG_UB: return &tag;
    case MPI_IO: return &io;
    case MPI_HOST: return &host;
    case MPI_WTIME_IS_GLOBAL: global_clock = library().job().nodes() == 1; return &global_clock;
    case MPI_APPNUM: {
      auto guest = guest_of_another();
      number = guest ? guest->number : static_cast<int>(config::integer(config::Variable::program));
      return &number;
    }
    case MPI_LASTUSEDCODE: return last_used_code();
    case MPIX_FT: return &survives;
    case MPI_UNIVERSE_SIZE: universe = most_processes(); return &universe;
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
