// SPDX-License-Identifier: Apache-2.0
// Joining and leaving a job, and the parts of a PE's segment.
#include "atoll/runtime/context.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "atoll/base/assertion.hpp"
#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/runtime/board.hpp"
#include "directory.hpp"
#include "meeting.hpp"

namespace atl::runtime {
namespace {

constexpr std::size_t most_handlers = 256;
constexpr std::size_t board_bytes = Context::board_entries * sizeof(BoardEntry);
constexpr std::size_t directory_bytes = Context::directory_entries * sizeof(DirectoryEntry);

NodeInfo describe_node(const fabric::Job& job, PeId pe, unsigned threads) {
  NodeInfo node;
  node.pes = job.local_pes();
  node.pes += job.guests_here();
  node.rank = job.place_of(pe);
  node.cores = std::max(1u, job.control().cores);
  if (threads == 0) threads = static_cast<unsigned>(config::integer(config::Variable::threads));
  if (threads == 0) threads = job.control().threads_per_pe;
  if (threads == 0) threads = std::max(1u, node.cores / node.pes);
  node.threads = threads;
  node.oversubscribed = std::uint64_t{node.pes} * threads > node.cores;
  return node;
}

}  // namespace

Context::Context(std::shared_ptr<fabric::Job> job, PeId pe, const ContextOptions& options)
    : job_(std::move(job)),
      pe_(pe),
      npes_(job_->cohort().count),
      segment_(job_->segment(pe)),
      area_(reinterpret_cast<TriggerArea*>(segment_)),
      endpoint_(job_, pe),
      node_(describe_node(*job_, pe, options.threads)),
      world_(Team::strided(job_->cohort().first.value(), 1, npes_, pe)),
      system_used_(meeting_offset + meeting_bytes(*job_)),
      board_(reserve_system(board_bytes)),
      directory_(reserve_system(directory_bytes)),
      foreign_memory_(*job_, pe, reserve_system(sizeof(ForeignMemory::Card))) {
  spin_ns_ = node_.oversubscribed ? 0 : config::integer(config::Variable::spin_us) * 1000;
  handlers_.reserve(most_handlers);

  std::uint64_t static_bytes = round_up<std::uint64_t>(options.static_bytes, fabric::huge_page);
  std::uint64_t asked = options.symmetric_bytes != 0 ? fabric::symmetric_area_bytes(options.symmetric_bytes) : 0;
  std::uint64_t room = job_->segment_bytes() - system_bytes;
  ATOLL_VALIDATE(static_bytes < room && asked < room - static_bytes, SetupError,
                 "a segment of {} has no room for a symmetric heap of {} and {} of global data. Raise ATOLL_HEAP_SIZE",
                 format_bytes(job_->segment_bytes()), format_bytes(options.symmetric_bytes),
                 format_bytes(options.static_bytes));
  room -= static_bytes;
  static_area_ = HeapOffset(job_->segment_bytes() - static_bytes);
  std::uint64_t symmetric_bytes = asked != 0 ? asked : room / 2 / fabric::huge_page * fabric::huge_page;
  if (symmetric_bytes == 0) symmetric_bytes = room / 2 / Heap::unit_bytes * Heap::unit_bytes;
  Pages pages = job_->kind() == fabric::Kind::loop ? Pages::anonymous : Pages::shared;
  budget_ = options.heap != nullptr
                ? options.heap->budget()
                : std::make_shared<MemoryBudget>(options.memory_limit_bytes, options.pool_bytes, node_.pes, asked);
  // With one PE any address is the same on all, and neither kind of block needs a part of its own.
  if (npes_ == 1 && asked == 0) symmetric_bytes = 0;
  if (options.heap != nullptr) heap_ = options.heap;
  else if (job_->is_recoverable()) heap_ = make_lasting_heap(symmetric_bytes, room - symmetric_bytes);
  else
    heap_ = std::make_shared<Heap>(segment_ + system_bytes + symmetric_bytes, room - symmetric_bytes, segment_, pages,
                                   Placement::reuse, budget_);
  symmetric_ = symmetric_bytes == 0 ? heap_
                                    : std::make_shared<Heap>(segment_ + system_bytes, symmetric_bytes, segment_, pages,
                                                             Placement::repeatable, budget_);
  join();
}

std::shared_ptr<Heap> Context::make_lasting_heap(std::uint64_t symmetric_bytes, std::uint64_t bytes) {
  const LedgerHead& left = Ledger::head_of(segment_);
  const bool adopts = left.entries.load(std::memory_order_acquire) != 0;  // partner: Ledger::grow()
  std::byte* base = segment_ + (adopts ? left.heap : system_bytes + symmetric_bytes);
  if (adopts) {
    // What the dead PE has held is no longer available, and is not this process's to ask for.
    std::uint64_t held = 0;
    if (config::bytes(config::Variable::memory_limit) == 0)
      for (const LedgerBlock& block : read_ledger(segment_)) held += block.bytes;
    budget_ = std::make_shared<MemoryBudget>(0, 0, node_.pes, held);
    bytes = left.bytes;
  }
  std::shared_ptr<Heap> heap(new Heap(base, bytes, segment_, Pages::shared, Placement::reuse, budget_),
                             [job = job_](Heap* one) { delete one; });
  if (adopts) adopted_ = adopt_blocks(segment_, heap);
  return heap;
}

void Context::join() {
  fabric::PeRecord& record = job_->record(pe_);
  bool same_process = record.pid.exchange(::getpid(), std::memory_order_relaxed) == ::getpid();
  std::uint32_t state = static_cast<std::uint32_t>(fabric::PeState::absent);
  // Release: the pid. Partner: a PE that reads the state of this PE.
  record.state.compare_exchange_strong(state, static_cast<std::uint32_t>(fabric::PeState::joined),
                                       std::memory_order_release, std::memory_order_relaxed);
  const bool replaces = state == static_cast<std::uint32_t>(fabric::PeState::absent) && job_->recoveries() != 0;
  const bool again = same_process && state == static_cast<std::uint32_t>(fabric::PeState::finalized);
  if (!replaces) check();
  if (replaces || again) {
    // No PE writes here before the barrier below, at which all have cleaned up.
    std::memset(segment_, 0, meeting_offset);
    std::size_t rest = meeting_offset + meeting_bytes(*job_);
    std::memset(segment_ + rest, 0, ledger_offset - rest);
    barrier_epoch_ = job_->gate().epoch.load(std::memory_order_acquire);  // partner: barrier()
    record.state.store(static_cast<std::uint32_t>(fabric::PeState::joined), std::memory_order_release);
    state = static_cast<std::uint32_t>(fabric::PeState::absent);
  }
  ATOLL_VALIDATE(state == static_cast<std::uint32_t>(fabric::PeState::absent), SetupError,
                 "PE {} of this job exists already. Start each PE once", pe_.value());
  job_->listen(pe_, [this](PeId source, std::uint16_t kind, std::span<const std::byte> payload) {
    hear_post(source, kind, payload);
  });
  foreign_memory_.show_card();
  try {
    barrier();
  } catch (...) {
    job_->listen(pe_, nullptr);
    if (job_->is_recoverable()) {
      if (!adopted_.empty()) heap_->abandon();  // the table still names its blocks, for the next attempt
      job_->note_departure(pe_);  // so that the job can be made whole
    }
    throw;
  }
}

Context::~Context() {
  {
    std::lock_guard lock(progress_mutex_);
    progress_users_ = std::min(progress_users_, 1);
  }
  stop_progress_thread();
  job_->note_departure(pe_);
  empty_outbox();
  job_->listen(pe_, nullptr);
}

std::unique_ptr<fabric::Endpoint> Context::make_endpoint() const {
  return std::make_unique<fabric::Endpoint>(job_, pe_);
}

HeapOffset Context::reserve_system(std::size_t bytes, std::size_t align) {
  ATOLL_EXPECT(align != 0 && (align & (align - 1)) == 0);
  std::size_t at = round_up(system_used_, align);
  ATOLL_VALIDATE(bytes <= ledger_offset && at <= ledger_offset - bytes, SetupError,
                 "the system area of {} is used up: {} more were asked for", format_bytes(system_bytes),
                 format_bytes(bytes));
  system_used_ = at + bytes;
  return HeapOffset(at);
}

HeapOffset Context::allocate_symmetric(std::size_t bytes) {
  auto sizes = exchange(bytes);
  for (std::uint32_t pe = 0; pe < npes_; ++pe)
    ATOLL_VALIDATE(sizes[pe] == sizes[0], ValueError,
                   "PEs ask for different sizes of one symmetric block: PE 0 for {}, PE {} for {}. Make the same calls "
                   "on all PEs",
                   format_bytes(sizes[0]), pe, format_bytes(sizes[pe]));
  constexpr std::uint64_t none = UINT64_MAX;
  void* block = nullptr;
  std::string refusal;
  try {
    block = symmetric_->allocate(bytes);
  } catch (const MemoryError& error) { refusal = error.what(); }
  auto offsets = exchange(block != nullptr ? offset_of(block).value() : none);
  bool same = std::all_of(offsets.begin(), offsets.end(), [&](auto offset) { return offset == offsets[0]; });
  if (same && block != nullptr) return offset_of(block);
  if (block != nullptr) symmetric_->release(block);
  if (!refusal.empty()) raise<MemoryError>(refusal);
  auto refused = std::find(offsets.begin(), offsets.end(), none);
  ATOLL_VALIDATE(refused == offsets.end(), MemoryError, "cannot allocate {} on every PE: PE {} has no memory for it",
                 format_bytes(bytes), refused - offsets.begin());
  raise<ValueError>("the symmetric heaps of the PEs differ. Make the same allocations in the same order on all PEs");
}

void Context::release_symmetric(HeapOffset block) {
  barrier();  // peers may still be using ours
  symmetric_->release(local_pointer(block));
}

}  // namespace atl::runtime
