// SPDX-License-Identifier: Apache-2.0
// Creation, queries and destruction of windows.
#include "win/window.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "atoll/base/error.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/runtime/foreign_memory.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/pe_memory.hpp"
#include "core/aligned.hpp"
#include "core/library.hpp"
#include "core/memory_kinds.hpp"
#include "core/name.hpp"
#include "core/staging.hpp"
#include "win/deferred.hpp"
#include "win/remote.hpp"

namespace atl::mpi {
namespace {

using win::Control;
using win::Count;
using win::Target;

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

/// Allocates `bytes` from the heap; throws Failure on all ranks when one rank has no room.
AlignedBlock allocate_everywhere(Comm& comm, Count bytes, std::size_t alignment = 1) {
  AlignedBlock memory;
  try {
    memory = allocate_aligned(static_cast<std::size_t>(bytes), alignment);
  } catch (const MemoryError&) {}
  bool all = comm.coll().all(memory.block != nullptr);
  if (!all && memory.block != nullptr) library().memory().heap().release(memory.block);
  ATOLL_MPI_REQUIRE(all, MPI_ERR_NO_MEM,
                    "a rank has no memory for its part of the window, {} bytes here. A larger ATOLL_HEAP_SIZE?", bytes);
  return memory;
}

bool is_set(const Info::Entries& hints, std::string_view key) {
  return std::ranges::any_of(hints, [&](const auto& hint) { return hint.first == key && hint.second == "true"; });
}

void check_size(MPI_Aint size, MPI_Count unit) {
  ATOLL_MPI_REQUIRE(size >= 0, MPI_ERR_SIZE, "a window of {} bytes", size);
  ATOLL_MPI_REQUIRE(unit > 0, MPI_ERR_DISP, "displacements are counted in units of {} bytes", unit);
}

}  // namespace

Window::Window(Ref<Comm> comm, Flavor flavor, void* base, Count size, int unit, Info::Entries hints)
    : Object(kind),
      network(dynamic_cast<fabric::Queueing*>(library().job().remote())),
      comm_(std::move(comm)),
      flavor_(flavor),
      base_(base),
      size_(size),
      unit_(unit),
      flavor_value_(static_cast<int>(flavor)),
      hints_(std::move(hints)) {
  coll::Communicator& coll = comm_->coll();
  const bool is_dynamic = flavor == Flavor::dynamic;
  const std::size_t alignment = flavor == Flavor::allocate || flavor == Flavor::shared ? alignment_of(hints_) : 1;
  control_ =
      new (allocate_everywhere(*comm_, sizeof(Control) + (is_dynamic ? sizeof(win::Attached) : 0)).start) Control;
  if (is_dynamic) new (control_ + 1) win::Attached;
  if (is_dynamic && network != nullptr) deferred = std::make_shared<win::DeferredAccesses>();
  bool together = flavor == Flavor::shared && !is_set(hints_, "alloc_shared_noncontig");
  if (flavor == Flavor::shared)
    ATOLL_MPI_REQUIRE(coll.placement().nodes() == 1, MPI_ERR_RMA_SHARED, "ranks of different hosts share no memory");
  if (together) {
    // One block, allocated by rank 0, in which each rank has its part.
    Count before = coll.exscan_sum(size), total = coll.allreduce_sum(size);
    // Only rank 0's part is aligned as requested: the others follow without a gap.
    const AlignedBlock memory =
        allocate_everywhere(*comm_, comm_->rank() == 0 ? total : 0, comm_->rank() == 0 ? alignment : 1);
    block_ = memory.block;
    std::uint64_t offset =
        coll.broadcast_value(comm_->rank() == 0 ? library().one_sided().offset_of(memory.start).value() : 0, 0);
    shared_ = library().one_sided().peer_pointer(comm_->pe_of(0), HeapOffset(offset));
    base_ = shared_ + before;
  } else if (flavor == Flavor::allocate || flavor == Flavor::shared) {
    const AlignedBlock memory = allocate_everywhere(*comm_, size, alignment);
    block_ = memory.block, base_ = memory.start;
  }
  exchange_targets();
  win::announce(*this);
  coll.barrier();
}

void Window::exchange_targets() {
  coll::Communicator& coll = comm_->coll();
  std::byte* segment = library().one_sided().local_pointer(HeapOffset(0));
  std::uint64_t segment_bytes = library().one_sided().endpoint().segment_bytes();
  Target mine{address_of(base_),
              size_,
              unit_,
              address_of(segment),
              library().one_sided().offset_of(control_).value(),
              ::getpid(),
              false,
              nullptr,
              nullptr,
              0};
  // A device's memory is accessed by its owner alone, through the driver.
  constexpr std::int64_t on_device = -1;
  if (size_ > 0 && staging::is_on_device(base_)) mine.pid = on_device;
  targets_.resize(static_cast<std::size_t>(comm_->size()));
  coll.allgather(&mine, sizeof mine, targets_.data());
  const coll::Placement& placement = coll.placement();
  Count before = 0;
  for (int rank = 0; rank < comm_->size(); ++rank) {
    Target& one = target(rank);
    PeId pe = comm_->pe_of(rank);
    const bool is_on_device = one.pid == on_device;
    bool near = placement.node_of(rank) == placement.node_of(comm_->rank());
    // Where process_vm_readv is impossible, the owner carries out orders: this pid may be another process here.
    if (!near || !library().foreign_memory().reaches(pe)) one.pid = 0;
    one.here = library().one_sided().peer_pointer<Control>(pe, HeapOffset(one.control));
    one.mapped = nullptr;
    std::uint64_t at = one.base - one.segment;
    one.in_segment =
        shared_ != nullptr || (one.base >= one.segment && at + static_cast<std::uint64_t>(one.size) <= segment_bytes);
    if (shared_ != nullptr) one.mapped = shared_ + before;
    else if (is_me(rank)) one.mapped = static_cast<std::byte*>(base_);
    else if (one.in_segment && flavor_ != Flavor::dynamic)
      one.mapped = library().one_sided().peer_pointer(pe, HeapOffset(at));
    before += one.size;
    if (is_on_device) one.pid = 0, one.mapped = nullptr, one.in_segment = false;
  }
}

void Window::close() {
  comm_->coll().barrier();
  win::forget(*this);
  if (block_ != nullptr) library().memory().heap().release(block_);
  library().memory().heap().release(control_);
  block_ = nullptr, control_ = nullptr;
}

void Window::attach(const void* base, Count bytes) {
  ATOLL_MPI_REQUIRE(flavor_ == Flavor::dynamic, MPI_ERR_RMA_FLAVOR, "memory is attached to dynamic windows only");
  ATOLL_MPI_REQUIRE(bytes >= 0 && (base != nullptr || bytes == 0), MPI_ERR_ARG, "{} bytes at {}", bytes, base);
  std::lock_guard guard(attached_mutex_);
  attached_.add(*target(comm_->rank()).attached(), address_of(base), static_cast<std::uint64_t>(bytes));
}

void Window::detach(const void* base) {
  ATOLL_MPI_REQUIRE(flavor_ == Flavor::dynamic, MPI_ERR_RMA_FLAVOR, "memory is detached from dynamic windows only");
  std::lock_guard guard(attached_mutex_);
  attached_.remove(*target(comm_->rank()).attached(), address_of(base));
}

Target* Window::need_target(int rank) {
  if (rank == MPI_PROC_NULL) return nullptr;
  ATOLL_MPI_REQUIRE(rank >= 0 && rank < comm_->size(), MPI_ERR_RANK, "rank {} of a window of {} ranks", rank,
                    comm_->size());
  ATOLL_MPI_REQUIRE(
      access_epochs > 0, MPI_ERR_RMA_SYNC,
      "no epoch is open in which this rank may access the window. MPI_Win_fence, MPI_Win_start or MPI_Win_lock first?");
  return &target(rank);
}

std::optional<void*> Window::own_attribute(int keyval) {
  static_assert(sizeof(size_) == sizeof(MPI_Aint));
  switch (keyval) {
    case MPI_WIN_BASE: return base_;
    case MPI_WIN_SIZE: return &size_;
    case MPI_WIN_DISP_UNIT: return &unit_;
    case MPI_WIN_CREATE_FLAVOR: return &flavor_value_;
    case MPI_WIN_MODEL: return &model_;
    default: return std::nullopt;
  }
}

void win_create(void* base, MPI_Aint size, MPI_Count unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  check_size(size, unit);
  ATOLL_MPI_REQUIRE(base != nullptr || size == 0, MPI_ERR_BASE, "a window of {} bytes at a null pointer", size);
  give(make<Window>(need_intra(comm).duplicate(), Window::Flavor::create, base, size, static_cast<int>(unit),
                    entries_of(info)),
       win);
}

namespace {

void make_allocated(Window::Flavor flavor, MPI_Aint size, MPI_Count unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                    MPI_Win* win) {
  check_size(size, unit);
  auto hints = entries_of(info);
  (void)alignment_of(hints);  // rejects a wrong value before the collective part
  auto window =
      make<Window>(need_intra(comm).duplicate(), flavor, nullptr, size, static_cast<int>(unit), std::move(hints));
  *static_cast<void**>(baseptr) = *window->own_attribute(MPI_WIN_BASE);
  give(std::move(window), win);
}

}  // namespace

void win_allocate(MPI_Aint size, MPI_Count unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
  make_allocated(Window::Flavor::allocate, size, unit, info, comm, baseptr, win);
}

void win_allocate_shared(MPI_Aint size, MPI_Count unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
  make_allocated(Window::Flavor::shared, size, unit, info, comm, baseptr, win);
}

void win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  give(make<Window>(need_intra(comm).duplicate(), Window::Flavor::dynamic, nullptr, 0, 1, entries_of(info)), win);
}

// All memory of a process can be reached without registration; attaching only publishes what others may access.
void win_attach(MPI_Win win, void* base, MPI_Aint size) { need<Window>(win).attach(base, size); }
void win_detach(MPI_Win win, const void* base) { need<Window>(win).detach(base); }

void win_free(MPI_Win* win) {
  ATOLL_MPI_REQUIRE(win != nullptr, MPI_ERR_ARG, "no window");
  auto& window = need<Window>(*win);
  const auto& epochs = window.epochs;
  ATOLL_MPI_REQUIRE(epochs.locks.empty() && !epochs.lock_all && !epochs.started && !epochs.posted, MPI_ERR_RMA_SYNC,
                    "an epoch of the window has not ended");
  window.attributes()->clear(window);
  window.close();
  window.release();
  *win = MPI_WIN_NULL;
}

void win_get_group(MPI_Win win, MPI_Group* group) { give(Ref<Group>(need<Window>(win).comm().local()), group); }

void win_get_info(MPI_Win win, MPI_Info* info) {
  const Info::Entries& hints = need<Window>(win).hints();
  Info::Entries known = in_use({{"no_locks", "false"},
                                {"accumulate_ordering", "rar,raw,war,waw"},
                                {"accumulate_ops", "same_op_no_op"},
                                {"same_size", "false"},
                                {"same_disp_unit", "false"},
                                {"alloc_shared_noncontig", "false"},
                                {"mpi_accumulate_granularity", "0"}},
                               hints);
  add_memory_kinds(known, hints);
  give_info(known, info);
}

void win_set_info(MPI_Win win, MPI_Info info) {
  auto& hints = need<Window>(win).hints();
  for (auto& [key, value] : entries_of(info)) {
    std::erase_if(hints, [&](const auto& hint) { return hint.first == key; });
    hints.emplace_back(key, value);
  }
}

void win_get_name(MPI_Win win, char* name, int* length) {
  if (win == MPI_WIN_NULL) return get_name("MPI_WIN_NULL", name, length);
  get_name(need<Window>(win), name, length);
}

void win_set_name(MPI_Win win, const char* name) { set_name(need<Window>(win), name); }

void win_shared_query(MPI_Win win, int rank, MPI_Aint* size, MPI_Count* unit, void* baseptr) {
  auto& window = need<Window>(win);
  ATOLL_MPI_REQUIRE(window.flavor() != Window::Flavor::dynamic, MPI_ERR_RMA_FLAVOR,
                    "a dynamic window has no memory of its own");
  if (rank == MPI_PROC_NULL) {
    rank = 0;
    while (rank + 1 < window.comm().size() && (window.target(rank).size == 0 || window.target(rank).mapped == nullptr))
      ++rank;
  }
  ATOLL_MPI_REQUIRE(rank >= 0 && rank < window.comm().size(), MPI_ERR_RANK, "rank {} of a window of {} ranks", rank,
                    window.comm().size());
  const Target& target = window.target(rank);
  bool mapped = target.mapped != nullptr;
  *size = mapped ? target.size : 0;
  *unit = target.unit;
  *static_cast<void**>(baseptr) = mapped && target.size != 0 ? target.mapped : nullptr;
}

}  // namespace atl::mpi
