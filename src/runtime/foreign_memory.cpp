// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/foreign_memory.hpp"

#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "atoll/base/clock.hpp"
#include "atoll/base/config.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/random.hpp"

namespace atl::runtime {
namespace {

using Copy = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long, unsigned long);

// Returns 0, or why not.
int copy_all(Copy copy, pid_t process, std::byte* here, std::uint64_t there, std::uint64_t bytes) {
  for (std::uint64_t done = 0; done < bytes;) {
    iovec ours{here + done, bytes - done};
    iovec theirs{reinterpret_cast<void*>(there + done), bytes - done};
    ssize_t got = copy(process, &ours, 1, &theirs, 1, 0);
    if (got <= 0) return got == 0 ? EFAULT : errno;
    done += static_cast<std::uint64_t>(got);
  }
  return 0;
}

}  // namespace

ForeignMemory::ForeignMemory(const fabric::Job& job, PeId pe, HeapOffset card)
    : job_(job),
      pe_(pe),
      card_(card),
      word_(random_bits(static_cast<std::uint64_t>(now_ns()),
                        std::uint64_t{pe.value()} << 32 | static_cast<std::uint32_t>(::getpid()))),
      known_(make_zero_table<std::atomic<bool>>(job.places())),
      open_(config::choice(config::Variable::kernel_copy) == 0) {}

void ForeignMemory::show_card() {
  card(pe_) = {reinterpret_cast<std::uintptr_t>(&word_), word_};
  if (is_open() && !is_own_process()) (void)::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

// A number may be that of another process in this one's namespace of processes, even its own.
int ForeignMemory::check(PeId pe) {
  if (known_[pe.value()].load(std::memory_order_relaxed)) return 0;
  if (!job_.find_guest(pe)) return ESRCH;
  std::uint64_t word = 0;
  const Card shown = card(pe);
  const int error =
      copy_all(::process_vm_readv, process(pe), reinterpret_cast<std::byte*>(&word), shown.address, sizeof(word));
  if (error != 0) return error;
  if (word != shown.word) return EPERM;
  known_[pe.value()].store(true, std::memory_order_relaxed);
  return 0;
}

void ForeignMemory::give_up(int error) {
  if (open_.exchange(false, std::memory_order_relaxed))
    log(LogLevel::warning,
        "long messages between processes of this host take two copies: reading another's memory failed ({})",
        std::strerror(error));
}

int ForeignMemory::read(PeId pe, std::byte* into, std::uint64_t from, std::uint64_t bytes) {
  if (is_own_process()) return std::memcpy(into, reinterpret_cast<const void*>(from), bytes), 0;
  // A PE that is gone is noticed elsewhere, and ends the operation with an error.
  if (int error = check(pe)) {
    if (error != ESRCH) give_up(error);
    return error;
  }
  const int error = copy_all(::process_vm_readv, process(pe), into, from, bytes);
  // Of other errors the address is the reason: the PE has taken its memory back.
  if (error == EPERM || error == ENOSYS) give_up(error);
  return error;
}

int ForeignMemory::write(PeId pe, std::uint64_t into, const std::byte* from, std::uint64_t bytes) {
  if (is_own_process()) return std::memcpy(reinterpret_cast<void*>(into), from, bytes), 0;
  if (int error = check(pe)) return error;
  return copy_all(::process_vm_writev, process(pe), const_cast<std::byte*>(from), into, bytes);
}

}  // namespace atl::runtime
