// SPDX-License-Identifier: Apache-2.0
// Joining and leaving a job.
#include "atoll/runtime/context.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/runtime/parts.hpp"
#include "meeting_area.hpp"
#include "post.hpp"

namespace atl::runtime {

Context::Context(std::shared_ptr<fabric::Job> job, PeId pe, const ContextOptions& options)
    : OneSided(std::move(job), pe, options.threads),
      PeMemory(static_cast<const OneSided&>(*this), options),
      Progress(*this, *this, *this, *this, *this),
      FailureDetector(*this, *this),
      Messenger(*this, *this, *this, *this, *this),
      Counters(*this, *this, *this, *this, *this, *this),
      Board(*this, *this, reserve_system(board_bytes)),
      Directory(*this, *this, reserve_system(directory_bytes)),
      Meeting(*this, *this),
      foreign_memory_(OneSided::job(), pe, reserve_system(sizeof(ForeignMemory::Card))) {
  join();
}

Parts::Parts(Context& context)
    : job(context.job()),
      one_sided(context),
      memory(context),
      progress(context),
      failures(context),
      messenger(context),
      counters(context),
      board(context),
      directory(context),
      meeting(context),
      foreign_memory(context.foreign_memory()) {}

void Context::join() {
  fabric::PeRecord& record = job().record(pe());
  bool same_process = record.pid.exchange(::getpid(), std::memory_order_relaxed) == ::getpid();
  std::uint32_t state = static_cast<std::uint32_t>(fabric::PeState::absent);
  // Release: the pid. Partner: a PE that reads the state of this PE.
  record.state.compare_exchange_strong(state, static_cast<std::uint32_t>(fabric::PeState::joined),
                                       std::memory_order_release, std::memory_order_relaxed);
  const bool replaces = state == static_cast<std::uint32_t>(fabric::PeState::absent) && job().recoveries() != 0;
  const bool again = same_process && state == static_cast<std::uint32_t>(fabric::PeState::finalized);
  if (!replaces) check();
  if (replaces || again) {
    // No PE writes here before the barrier below, at which all have cleaned up.
    clear_system_area();
    begin_meetings_at(job().gate().epoch.load(std::memory_order_acquire));  // partner: barrier()
    record.state.store(static_cast<std::uint32_t>(fabric::PeState::joined), std::memory_order_release);
    state = static_cast<std::uint32_t>(fabric::PeState::absent);
  }
  ATOLL_VALIDATE(state == static_cast<std::uint32_t>(fabric::PeState::absent), SetupError,
                 "PE {} of this job exists already. Start each PE once", pe().value());
  job().listen(pe(), [this](PeId source, std::uint16_t kind, std::span<const std::byte> payload) {
    hear_post(source, kind, payload);
  });
  foreign_memory_.show_card();
  try {
    barrier();
  } catch (...) {
    job().listen(pe(), nullptr);
    if (job().is_recoverable()) {
      leave_adopted();
      job().note_departure(pe());  // so that the job can be made whole
    }
    throw;
  }
}

// All but the meeting area, whose numbers only grow.
void Context::clear_system_area() {
  std::byte* segment = local_pointer(HeapOffset(0));
  std::memset(segment, 0, meeting_offset);
  const std::size_t rest = meeting_offset + meeting_bytes(job());
  std::memset(segment + rest, 0, ledger_offset - rest);
}

void Context::hear_post(PeId source, std::uint16_t kind, std::span<const std::byte> payload) {
  switch (static_cast<PostKind>(kind)) {
    case PostKind::room_request: return hear_room_request(source, payload);
    case PostKind::room_answer: return hear_room_answer(source, payload);
    default: return hear_count(source, kind, payload);
  }
}

Context::~Context() {
  end_progress_thread();
  job().note_departure(pe());
  empty_outbox();
  job().listen(pe(), nullptr);
}

HeapOffset Context::allocate_symmetric(std::size_t bytes) {
  auto sizes = exchange(bytes);
  for (std::uint32_t pe = 0; pe < npes(); ++pe)
    ATOLL_VALIDATE(sizes[pe] == sizes[0], ValueError,
                   "PEs ask for different sizes of one symmetric block: PE 0 for {}, PE {} for {}. Make the same calls "
                   "on all PEs",
                   format_bytes(sizes[0]), pe, format_bytes(sizes[pe]));
  constexpr std::uint64_t none = UINT64_MAX;
  void* block = nullptr;
  std::string refusal;
  try {
    block = symmetric_heap().allocate(bytes);
  } catch (const MemoryError& error) { refusal = error.what(); }
  auto offsets = exchange(block != nullptr ? offset_of(block).value() : none);
  bool same = std::all_of(offsets.begin(), offsets.end(), [&](auto offset) { return offset == offsets[0]; });
  if (same && block != nullptr) return offset_of(block);
  if (block != nullptr) symmetric_heap().release(block);
  if (!refusal.empty()) raise<MemoryError>(refusal);
  auto refused = std::find(offsets.begin(), offsets.end(), none);
  ATOLL_VALIDATE(refused == offsets.end(), MemoryError, "cannot allocate {} on every PE: PE {} has no memory for it",
                 format_bytes(bytes), refused - offsets.begin());
  raise<ValueError>("the symmetric heaps of the PEs differ. Make the same allocations in the same order on all PEs");
}

void Context::release_symmetric(HeapOffset block) {
  barrier();  // peers may still be using ours
  symmetric_heap().release(local_pointer(block));
}

}  // namespace atl::runtime
