// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include <algorithm>
#include <utility>

#include "atoll/base/assertion.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/bootstrap/process.hpp"
#include "atoll/runtime/meeting.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/pe_memory.hpp"
#include "atoll/runtime/progress.hpp"
#include "environment.hpp"
#include "exit.hpp"
#include "message.hpp"
#include "tools.hpp"

namespace atl::gasnet {
namespace {

// All programming interfaces of the process share one Context.
[[maybe_unused]] const bool shared =
    (runtime::share_process(runtime::ProcessPlace<void>::slot, runtime::Deaths::fatal), true);

// Share of a rank's array memory that may be its segment; the rest is for messages.
constexpr double segment_share = 0.85;
// Clients ask for all memory that there is, and use little of it: larger segments are not touched ahead, which takes
// 2 MiB pages of the whole segment.
constexpr std::uintptr_t most_touched_bytes = std::uintptr_t{256} << 20;

std::uintptr_t whole_pages(std::uintptr_t bytes) { return bytes / GASNETT_PAGESIZE * GASNETT_PAGESIZE; }

}  // namespace

Library::Library(bool threads) : threads_(threads), context_(runtime::open_process()), parts_(*context_) {
  ATOLL_VALIDATE(!job().is_guest(), SetupError, "a process that MPI_Comm_spawn has started is no rank of GASNet");
  progress().look_for_stopped_peers();
  segments_.resize(size());
  const fabric::Job& job = parts_.job;
  std::vector<PeId> all;
  for (std::uint32_t pe = 0; pe < size(); ++pe) {
    all.push_back(PeId(pe));
    if (!job.is_local(PeId(pe))) continue;
    if (pe == rank()) place_on_host_ = static_cast<std::uint32_t>(ranks_of_host_.size());
    ranks_of_host_.push_back({pe});
  }
  measure_memory();
  register_messages(*this);
  prepare_exit(*this);
  auto group = std::make_unique<coll::Communicator>(*context_);
  group->set_timeout_seconds(0);  // no time-out: a rank may compute for hours before a collective
  fill(pairs_, all, rank(), nullptr);
  fill(world_, std::move(all), rank(), std::move(group));
  parts_.meeting.barrier();
}

void Library::measure_memory() {
  const auto& budget = memory().budget();
  const double free = static_cast<double>(std::min<std::uint64_t>(budget.limit(), memory().heap().capacity()));
  largest_segment_ = whole_pages(static_cast<std::uintptr_t>(segment_share * free));
  if (const std::uint64_t limit = segment_limit(memory_bytes(), ranks_of_host_.size()); limit > 0)
    largest_segment_ = std::min(largest_segment_, std::max<std::uintptr_t>(whole_pages(limit), GASNETT_PAGESIZE));
  const auto of_all = parts_.meeting.exchange(largest_segment_);
  largest_segment_of_all_ = *std::min_element(of_all.begin(), of_all.end());
}

void Library::refresh(Team& team) {
  const fabric::Job& job = parts_.job;
  for (gex_Rank_t member = 0; member < team.size; ++member) {
    const PeId pe = team.pes[member];
    const RemoteSegment& segment = segments_[pe.value()];
    gasnet_atoll_peer& peer = team.table[member];
    // `bell` points to the first word of the PE's record.
    static_assert(offsetof(fabric::PeRecord, sleeping) == 0);
    peer.bell = reinterpret_cast<const std::uint32_t*>(&job.record(pe));
    if (segment.here == nullptr) continue;
    peer.base = segment.address;
    peer.delta = static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(segment.here) - segment.address);
    peer.bytes = segment.bytes;
  }
}

void Library::fill(Team& team, std::vector<PeId> pes, gex_Rank_t rank, std::unique_ptr<coll::Communicator> group) {
  team.size = static_cast<gex_Rank_t>(pes.size());
  team.rank = rank;
  team.pes = std::move(pes);
  team.table.resize(team.size);
  team.peers = team.table.data();
  refresh(team);
  if (group == nullptr) return;
  auto* area = static_cast<std::byte*>(memory().heap().allocate(Barrier::area_bytes));
  std::fill_n(area, Barrier::area_bytes, std::byte{0});
  std::vector<HeapOffset> areas;
  for (std::uint64_t at : group->allgather(memory().heap().offset_of(area).value())) areas.push_back(HeapOffset(at));
  team.barrier = std::make_unique<Barrier>(one_sided(), team.pes, rank, std::move(areas));
  team.barrier_area = area;
  team.group = std::move(group);
}

void Library::add(std::unique_ptr<Team> team) {
  std::lock_guard lock(teams_mutex_);
  teams_.push_back(std::move(team));
  has_teams_.store(true, std::memory_order_relaxed);
}

void Library::remove(Team& team) {
  std::unique_ptr<Team> removed;
  {
    std::lock_guard lock(teams_mutex_);
    auto at = std::find_if(teams_.begin(), teams_.end(), [&](const auto& known) { return known.get() == &team; });
    ATOLL_EXPECT(at != teams_.end());
    removed = std::move(*at);
    teams_.erase(at);
    has_teams_.store(!teams_.empty(), std::memory_order_relaxed);
  }
  removed->group.reset();  // contains a barrier: no member writes to the area afterwards
  removed->barrier.reset();
  memory().heap().release(removed->barrier_area);
}

bool Library::attach(std::uintptr_t bytes) {
  void* address = nullptr;
  try {
    runtime::Heap& heap = memory().heap();
    const std::size_t room = bytes + GASNETT_PAGESIZE;
    void* block = room <= most_touched_bytes ? heap.allocate(room) : heap.allocate_sparse(room);
    address = reinterpret_cast<void*>(whole_pages(reinterpret_cast<std::uintptr_t>(block) + GASNETT_PAGESIZE - 1));
  } catch (const MemoryError&) {
    // The exchange below reports it to all ranks.
  }
  const auto addresses = parts_.meeting.exchange(reinterpret_cast<std::uintptr_t>(address));
  const auto offsets = parts_.meeting.exchange(address == nullptr ? 0 : memory().heap().offset_of(address).value());
  const auto sizes = parts_.meeting.exchange(bytes);
  if (std::find(addresses.begin(), addresses.end(), 0) != addresses.end()) return false;
  for (std::uint32_t pe = 0; pe < size(); ++pe)
    segments_[pe] = {addresses[pe], sizes[pe], HeapOffset(offsets[pe]),
                     one_sided().peer_pointer(PeId(pe), HeapOffset(offsets[pe]), sizes[pe])};
  segment_ = {.address = address, .bytes = bytes};
  refresh(world_);
  refresh(pairs_);
  {
    std::lock_guard lock(teams_mutex_);
    for (auto& team : teams_) refresh(*team);
  }
  parts_.meeting.barrier();
  return true;
}

HeapOffset Library::locate(Call call, const char* argument, PeId pe, const void* address, std::size_t bytes) const {
  const RemoteSegment& segment = segments_[pe.value()];
  const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(address) - segment.address;
  if (at > segment.bytes || bytes > segment.bytes - at) {
    if (bytes == 0) return segment.offset;
    if (segment.bytes == 0)
      fail(call, "argument '{}': rank {} has no segment. Call gex_Segment_Attach first?", argument, pe.value());
    fail(
        call,
        "argument '{}': {} bytes at {} are not all in the segment of rank {}, which has {} bytes from {:#x} on. Pass an "
        "address of that segment?",
        argument, bytes, address, pe.value(), segment.bytes, segment.address);
  }
  return HeapOffset(segment.offset.value() + at);
}

void Library::advance_teams() {
  std::unique_lock lock(teams_mutex_, std::try_to_lock);
  if (!lock) return;  // another thread advances them
  for (auto& team : teams_) team->barrier->advance();
}

}  // namespace atl::gasnet
