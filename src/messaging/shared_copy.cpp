// SPDX-License-Identifier: Apache-2.0
// Copies a long message from one process's private memory into another's, by both processes at once: each takes piece
// after piece, the receiver by reading, the sender by writing, if it makes progress meanwhile. A sender that only
// computes is not waited for.
#include <sched.h>

#include <algorithm>
#include <cstring>

#include "atoll/base/error.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/runtime/foreign_memory.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/pe_memory.hpp"
#include "atoll/runtime/progress.hpp"
#include "state.hpp"

namespace atl::runtime::matching {
namespace {

// Shorter ones are done before the sender has heard of it.
constexpr std::uint64_t shared_from = std::uint64_t{32} << 10;
// A system call per piece takes 0.3 us, and both wait for the process that has taken the last piece.
constexpr std::uint64_t pieces = 8;
constexpr std::uint64_t least_piece = std::uint64_t{16} << 10, most_piece = std::uint64_t{128} << 10;
constexpr int looks_per_yield = 1000;

constexpr int generation_shift = 32;

std::uint64_t piece_of(std::uint64_t length) { return std::clamp(length / pieces, least_piece, most_piece); }

// The next piece of this generation, or none: all are taken, or it is over.
bool take_piece(std::atomic<std::uint64_t>& next, std::uint32_t generation, std::uint64_t count, std::uint64_t& piece) {
  std::uint64_t seen = next.load(std::memory_order_relaxed);
  do {
    if (seen >> generation_shift != generation || (seen & UINT32_MAX) >= count) return false;
    // Relaxed: the data precede the message, and the copying process reports completion in `written`.
  } while (!next.compare_exchange_weak(seen, seen + 1, std::memory_order_relaxed));
  piece = seen & UINT32_MAX;
  return true;
}

}  // namespace

SharedCopy* State::open_shared_copy(std::uint64_t length) {
  if (length < shared_from || pe_.progress.quick_looks() == 0) return nullptr;
  std::lock_guard lock(lock_);
  if (shared_copies_ == nullptr) {
    try {
      shared_copies_ = static_cast<SharedCopy*>(pe_.memory.heap().allocate(most_shared_copies * sizeof(SharedCopy)));
    } catch (const MemoryError&) { return nullptr; }
    for (std::size_t i = 0; i < most_shared_copies; ++i) new (&shared_copies_[i]) SharedCopy{};
  }
  for (std::size_t i = 0; i < most_shared_copies; ++i) {
    SharedCopy& copy = shared_copies_[i];
    if (copy.busy) continue;
    copy.busy = true;
    ++copy.generation;
    copy.written.store(0, std::memory_order_relaxed);
    copy.error.store(0, std::memory_order_relaxed);
    // Behind it comes the message that names it, which is what the sender acquires.
    copy.next.store(std::uint64_t{copy.generation} << generation_shift, std::memory_order_relaxed);
    return &copy;
  }
  return nullptr;
}

void State::close_shared_copy(SharedCopy& copy) {
  std::lock_guard lock(lock_);
  // All pieces are taken: a thread that looks late finds none.
  copy.busy = false;
}

// Whether the sender has written what it took. False: it cannot any more.
bool State::await_written(const SharedCopy& copy, std::uint64_t count, PeId source) const {
  const fabric::Job& job = pe_.job;
  // Acquire: the data. Partner: help_copy().
  for (unsigned look = 1; copy.written.load(std::memory_order_acquire) != count; ++look) {
    if (look % looks_per_yield != 0) {
      cpu_relax();
      continue;
    }
    if (job.has_failed() && (job.has_died(source) || job.survival() == fabric::Survival::none || job.exit_requested()))
      return false;
    ::sched_yield();
  }
  return true;
}

// One copy, out of the sender's private memory. False: the kernel does not let us, so it goes in pieces through its
// heap.
bool State::read_private(Operation& receive) {
  ForeignMemory& theirs = pe_.foreign_memory;
  if (!theirs.is_open()) return false;
  const PeId source = receive.outcome.envelope.source;
  const std::uint64_t length = std::min(receive.outcome.envelope.bytes, receive.bytes),
                      from = receive.place & ~private_place;
  int error = 0;
  if (SharedCopy* copy = open_shared_copy(length)) {
    Header header;
    {
      std::lock_guard lock(lock_);
      header = header_for(source, Kind::help);
    }
    header.tag = copy->generation;
    header.bytes = length;
    header.operation = receive.partner;
    header.place = pe_.one_sided.offset_of(copy).value();
    const auto into = reinterpret_cast<std::uintptr_t>(receive.memory);
    tell(source, header, std::as_bytes(std::span(&into, 1)));
    const std::uint64_t size = piece_of(length), count = (length + size - 1) / size;
    std::uint64_t piece = 0, ours = 0;
    while (take_piece(copy->next, copy->generation, count, piece)) {
      ++ours;
      const std::uint64_t begin = piece * size;
      if (error == 0) error = theirs.read(source, receive.memory + begin, from + begin, std::min(size, length - begin));
    }
    const bool whole = await_written(*copy, count - ours, source);
    // What it could not write, we read.
    if (error == 0 && copy->error.load(std::memory_order_relaxed) != 0)
      error = theirs.read(source, receive.memory, from, length);
    close_shared_copy(*copy);
    if (!whole) return false;
  } else {
    error = theirs.read(source, receive.memory, from, length);
  }
  return error == 0;
}

// At the sender: the receiver has begun to read.
void State::help_copy(PeId source, const Header& header, const std::byte* payload) {
  Operation* send;
  {
    std::lock_guard lock(lock_);
    send = hold(header.operation);
    if (send == nullptr) return;
  }
  auto* copy = pe_.one_sided.peer_pointer<SharedCopy>(source, HeapOffset(header.place));
  const auto generation = static_cast<std::uint32_t>(header.tag);
  std::uintptr_t into = 0;
  std::memcpy(&into, payload, sizeof(into));
  const std::uint64_t bytes = header.bytes, size = piece_of(bytes), count = (bytes + size - 1) / size;
  for (std::uint64_t piece = 0; pe_.foreign_memory.is_open() && take_piece(copy->next, generation, count, piece);) {
    const std::uint64_t begin = piece * size;
    if (int error = pe_.foreign_memory.write(source, into + begin, send->memory + begin, std::min(size, bytes - begin)))
      copy->error.store(error, std::memory_order_relaxed);
    copy->written.fetch_add(1, std::memory_order_release);  // partner: await_written()
  }
  let_go(header.operation);
}

}  // namespace atl::runtime::matching
