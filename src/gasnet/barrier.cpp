// SPDX-License-Identifier: Apache-2.0
#include "barrier.hpp"

#include <bit>
#include <mutex>
#include <utility>

#include "event.hpp"
#include "library.hpp"

namespace atl::gasnet {

BarrierName BarrierName::of(int id, int flags) {
  if ((flags & GASNET_BARRIERFLAG_MISMATCH) != 0) return {Kind::mismatched, 0};
  if ((flags & GASNET_BARRIERFLAG_ANONYMOUS) != 0) return {};
  return {Kind::named, static_cast<std::uint32_t>(id)};
}

BarrierName BarrierName::merged_with(BarrierName other) const {
  if (kind == Kind::anonymous) return other;
  if (other.kind == Kind::anonymous) return *this;
  if (kind == Kind::mismatched || other.kind == Kind::mismatched || value != other.value) return {Kind::mismatched, 0};
  return *this;
}

std::uint64_t Barrier::word_of(std::uint64_t number, BarrierName name) {
  return number << 34 | static_cast<std::uint64_t>(name.kind) << 32 | name.value;
}

Barrier::Barrier(runtime::OneSided& one_sided, std::vector<PeId> members, std::uint32_t rank,
                 std::vector<HeapOffset> areas)
    : one_sided_(one_sided),
      members_(std::move(members)),
      rank_(rank),
      areas_(std::move(areas)),
      rounds_(static_cast<std::uint32_t>(std::bit_width(members_.size() - 1))) {}

std::uint64_t Barrier::start(BarrierName name) {
  std::lock_guard lock(owner_);
  const std::uint64_t number = ++started_;
  if (under_way_ == 0) begin(name);
  else waiting_.push_back(name);
  return number;
}

void Barrier::begin(BarrierName name) {
  under_way_ = done_.load(std::memory_order_relaxed) + 1;
  name_ = name;
  round_ = 0;
  busy_.store(true, std::memory_order_relaxed);
  if (rounds_ == 0) finish();
  else tell();
}

void Barrier::tell() {
  const std::size_t to = (rank_ + (std::size_t{1} << round_)) % members_.size();
  one_sided_.set<std::uint64_t>(members_[to], slot(areas_[to]), word_of(under_way_, name_));
}

void Barrier::finish() {
  result_ = name_;
  done_.store(under_way_, std::memory_order_release);  // publishes the other members' writes; partner: is_over()
  under_way_ = 0;
  busy_.store(false, std::memory_order_relaxed);
  if (waiting_.empty()) return;
  const BarrierName next = waiting_.front();
  waiting_.pop_front();
  begin(next);
}

void Barrier::advance_slowly() {
  if (!owner_.try_take()) return;  // another thread advances it
  struct Leave {
    Owner& owner;
    ~Leave() { owner.leave(); }
  } leave{owner_};
  while (under_way_ != 0) {
    auto* word = one_sided_.local_pointer<std::uint64_t>(slot(areas_[rank_]));
    // Acquire, to see the other member's earlier writes. Partner: tell().
    const std::uint64_t heard = std::atomic_ref<std::uint64_t>(*word).load(std::memory_order_acquire);
    if (heard >> 34 != (under_way_ & ((std::uint64_t{1} << 30) - 1))) return;
    name_ = name_.merged_with({static_cast<BarrierName::Kind>(heard >> 32 & 3), static_cast<std::uint32_t>(heard)});
    if (++round_ == rounds_) finish();
    else tell();
  }
}

// ---- of all ranks, as GASNet-1 has it --------------------------------------------------------------------------

namespace {

// GASNet-1 has one barrier per process. Number of the last notified barrier; 0: none.
std::atomic<std::uint64_t> notified{0};

int outcome(Barrier& barrier, int id, int flags) {
  notified.store(0, std::memory_order_relaxed);
  const BarrierName result = barrier.result();
  if (result.kind == BarrierName::Kind::mismatched) return GASNET_ERR_BARRIER_MISMATCH;
  const BarrierName here = BarrierName::of(id, flags);
  return result.merged_with(here).kind == BarrierName::Kind::mismatched ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK;
}

std::uint64_t number_of_notified(Call call) {
  const std::uint64_t number = notified.load(std::memory_order_relaxed);
  if (number == 0) fail(call, "no barrier has been notified. Call gasnet_barrier_notify first?");
  return number;
}

}  // namespace

void notify(Call call, int id, int flags) {
  Library& here = library(call);
  if (notified.load(std::memory_order_relaxed) != 0)
    fail(call, "the barrier before is not complete. Call gasnet_barrier_wait first?");
  notified.store(here.world().barrier->start(BarrierName::of(id, flags)), std::memory_order_relaxed);
  here.make_progress();
}

int wait_notified(Call call, int id, int flags) {
  Library& here = library(call);
  const std::uint64_t number = number_of_notified(call);
  Barrier& barrier = *here.world().barrier;
  here.wait([&] { return barrier.is_over(number); });
  return outcome(barrier, id, flags);
}

int try_notified(Call call, int id, int flags) {
  Library& here = library(call);
  const std::uint64_t number = number_of_notified(call);
  here.make_progress();
  Barrier& barrier = *here.world().barrier;
  if (!barrier.is_over(number)) return GASNET_ERR_NOT_READY;
  return outcome(barrier, id, flags);
}

int barrier(Call call, int id, int flags) {
  notify(call, id, flags);
  return wait_notified(call, id, flags);
}

int barrier_result(Call call, int* id) {
  const BarrierName result = library(call).world().barrier->result();
  if (result.kind != BarrierName::Kind::named) return 1;
  *id = static_cast<int>(result.value);
  return 0;
}

gex_Event_t barrier_event(Call call, gex_TM_t tm) {
  Library& here = library(call);
  Team& team = here.team(call, tm);
  struct Event final : gasnet_atoll_event {
    Barrier& barrier;
    std::uint64_t number;
    explicit Event(Barrier& of) : barrier(of), number(of.start({})) {}
    bool is_over() override { return barrier.is_over(number); }
  };
  if (team.size == 1) return GEX_EVENT_INVALID;
  return new Event(*team.barrier);
}

}  // namespace atl::gasnet
