// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include <utility>

#include "atoll/base/config.hpp"
#include "atoll/base/units.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/bootstrap/process.hpp"
#include "atoll/runtime/meeting.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/pe_memory.hpp"
#include "atoll/runtime/progress.hpp"
#include "context.hpp"
#include "memory.hpp"
#include "team.hpp"
#include "wait.hpp"

extern "C" {
// Visible to programs, see direct.h.
struct shmemx_direct_v1_t shmemx_direct_v1 = {0, 0, 0, 0, 0, -1, 0, {0, nullptr, 0, 0, nullptr}, 0, {}};
struct shmemx_ctx_v1 shmemx_ctx_invalid_v1 = {0, nullptr, 0, 0, nullptr};
struct shmemx_team_v1 shmemx_team_world_v1 = {-1, 0, nullptr, {}};
struct shmemx_team_v1 shmemx_team_shared_v1 = {-1, 0, nullptr, {}};

void shmemx_ring_v1(const uint32_t* bell) {
  // `bell` points to the first word of the PE's record.
  auto* record = reinterpret_cast<atl::fabric::PeRecord*>(const_cast<uint32_t*>(bell));
  static_assert(offsetof(atl::fabric::PeRecord, sleeping) == 0);
  atl::fabric::wake_sleepers(*record);
}
}

namespace atl::shmem {
namespace {

constexpr std::size_t widest_scalar = 16;

std::size_t shortened(std::size_t bytes) { return bytes > widest_scalar ? bytes - widest_scalar : 0; }

// All programming interfaces of the process share one Context.
[[maybe_unused]] const bool shared =
    (runtime::share_process(runtime::ProcessPlace<void>::slot, runtime::Deaths::fatal), true);

runtime::ContextOptions context_options() {
  runtime::ContextOptions options;
  options.symmetric_bytes = config::symmetric_bytes();
  options.static_bytes = runtime::StaticData::bytes_needed();
  return options;
}

}  // namespace

namespace detail {
Library* instance = nullptr;
}

Library::Library(int thread_level)
    : thread_level_(thread_level),
      checks_(config::choice(config::Variable::shmem_check) == 1 ? Checks::on : Checks::off),
      debug_(!config::text(config::Variable::shmem_debug).empty()),
      context_(runtime::open_process(context_options())),
      parts_(*context_) {
  progress().look_for_stopped_peers();
  ATOLL_VALIDATE(!job().is_guest(), SetupError, "a process that MPI_Comm_spawn has started is no PE of OpenSHMEM");
  network_ = dynamic_cast<fabric::Queueing*>(job().remote());
  world_ = std::make_unique<coll::Communicator>(*context_);
  // No time-out: a PE may compute for hours before a barrier.
  world_->set_timeout_seconds(0);
  data_ = std::make_unique<runtime::StaticData>(*context_);
  runtime::Heap& heap = parts_.memory.symmetric_heap();
  addresses_.add({reinterpret_cast<std::uintptr_t>(heap.base()), heap.capacity(), heap.offset_of(heap.base())});
  for (const runtime::StaticRegion& region : data_->regions())
    addresses_.add({reinterpret_cast<std::uintptr_t>(region.begin), region.bytes, region.at});
  memory_ = std::make_unique<SymmetricMemory>(heap, one_sided(), *world_);
  contexts_ = std::make_unique<Contexts>(one_sided(), checks_);
  open_direct_way();
  teams_ = std::make_unique<Teams>(*this);
  world_->barrier();
}

Library::~Library() = default;

runtime::Heap& Library::heap() { return parts_.memory.heap(); }

void Library::leave() {
  one_sided().quiet();
  world_->barrier();
  hub_.reset();
  teams_.reset();
  close_direct_way();
  memory_->release_all();
  data_.reset();
  world_.reset();
  parts_.meeting.barrier();
}

void Library::open_direct_way() {
  contexts_->open_world();
  shmemx_team_world_v1.my_pe = static_cast<int>(pe().value());
  shmemx_team_world_v1.n_pes = static_cast<int>(npes());
  shmemx_direct_v1.n_pes = static_cast<int>(npes());
  if (checking()) return;  // with checks on all calls take the library's path
  const Region& heap = addresses_.regions().front();
  shmemx_direct_v1.heap_begin = heap.begin;
  shmemx_direct_v1.heap_bytes = shortened(heap.bytes);
  if (addresses_.regions().size() > 1) {
    const Region& data = addresses_.regions()[1];
    shmemx_direct_v1.data_begin = data.begin;
    shmemx_direct_v1.data_bytes = shortened(data.bytes);
    shmemx_direct_v1.data_shift = static_cast<std::ptrdiff_t>(
        reinterpret_cast<std::uintptr_t>(one_sided().local_pointer(data.offset)) - data.begin);
  }
  shmemx_direct_v1.my_pe = static_cast<int>(pe().value());
  bool one_node = job().local_pes() == one_sided().npes();
  int looks = one_node ? first_looks : looks_per_progress;
  shmemx_direct_v1.looks = one_sided().node().oversubscribed ? 0 : looks;
}

void Library::close_direct_way() {
  shmemx_direct_v1.heap_bytes = 0;
  shmemx_direct_v1.data_bytes = 0;
  shmemx_direct_v1.my_pe = -1;
  shmemx_direct_v1.n_pes = 0;
  shmemx_direct_v1.looks = 0;
  contexts_->close();
}

shmem_team_t Library::contexts_team(Call call, shmem_ctx_t ctx) { return contexts_->team_of(call, ctx); }

namespace {

void check_block(Call call, Library& here, const char* argument, const void* address, std::size_t bytes) {
  if (here.checking() && !here.memory().in_a_block(address, bytes)) [[unlikely]]
    fail(call, "argument '{}': {} at {} are not all in one block of the symmetric heap, or it has been freed", argument,
         format_bytes(bytes), address);
}

}  // namespace

namespace detail {

Target resolve_anywhere(Call call, shmem_ctx_t ctx, const char* argument, const void* address, std::size_t bytes,
                        int pe) {
  Library& here = library(call);
  PeId target = here.contexts().target(call, here, ctx, pe);
  auto at = here.addresses().offset_of(address, bytes);
  if (!at) [[unlikely]] {
    if (here.addresses().offset_of(address, 1))
      fail(call, "argument '{}': {} at {} for PE {} go past the end of symmetric memory", argument, format_bytes(bytes),
           address, pe);
    fail(call, "argument '{}': {} for PE {} is not a symmetric address", argument, address, pe);
  }
  check_block(call, here, argument, address, bytes);
  return {here.one_sided(), target, *at};
}

void check_own(Call call, Library& here, const char* argument, const void* address, std::size_t bytes) {
  if (!here.addresses().offset_of(address, bytes)) [[unlikely]]
    fail(call, "argument '{}': {} is not a symmetric address", argument, address);
  check_block(call, here, argument, address, bytes);
}

void check_overlap(Call call, Library& here, const Target& target, std::size_t bytes, const void* other,
                   std::size_t other_bytes) {
  if (target.pe != here.pe() || bytes == 0 || other_bytes == 0) return;
  auto there = here.addresses().offset_of(other, 1);
  if (!there) return;
  bool apart = target.at.value() + bytes <= there->value() || there->value() + other_bytes <= target.at.value();
  if (!apart) fail(call, "arguments 'dest' and 'source' overlap on PE {}", here.pe().value());
}

}  // namespace detail
}  // namespace atl::shmem
