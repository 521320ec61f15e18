// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include <unistd.h>

#include <cstdio>
#include <exception>

#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/bootstrap/process.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/runtime/meeting.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/pe_memory.hpp"
#include "atoll/runtime/progress.hpp"
#include "entry.hpp"

namespace atl::portals {
namespace {

// All programming interfaces of the process share one Context.
[[maybe_unused]] const bool shared =
    (runtime::share_process(runtime::ProcessPlace<void>::slot, runtime::Deaths::fatal), true);

// Kept until the process exits, because a launcher lets a process join once. Constructed after the process has joined,
// so that it is destroyed before the process leaves the launcher. The child of a fork does not destroy it.
struct Holder {
  std::unique_ptr<Library> library = std::make_unique<Library>();
  ~Holder() {
    if (!library->is_mine()) (void)library.release();
  }
};

std::mutex init_mutex;
std::atomic<Library*> current{nullptr};

}  // namespace

Library* library() { return current.load(std::memory_order_acquire); }  // partner: init()

Library::Library() : context_(runtime::open_process()), parts_(*context_), owner_(::getpid()) {
  ATOLL_VALIDATE(!job().is_guest(), SetupError, "a process that MPI_Comm_spawn has started is no process of Portals");
  pid_word_ = parts_.memory.reserve_system(8);
  pids_ = std::make_unique<std::atomic<std::uint32_t>[]>(one_sided().npes());
  host_ = std::make_unique<runtime::PortalHost>(*context_);
  progress().start_progress_thread();
}

Library::~Library() {
  progress().stop_progress_thread();
  for (auto& interface : interfaces_) interface.reset();
}

bool Library::is_mine() const { return ::getpid() == owner_; }

Interface& Library::open(std::uint32_t number, const ptl_ni_limits_t& limits) {
  interfaces_[number] = std::make_unique<Interface>(*this, number, limits);
  return *interfaces_[number];
}

void Library::close(std::uint32_t number) { interfaces_[number].reset(); }

// A PE publishes its process id in its memory, as 1 + the id.
int Library::claim_pid(ptl_pid_t wanted) {
  const PeId here = one_sided().pe();
  std::uint32_t mine = pids_[here.value()].load(std::memory_order_acquire);
  if (mine != 0) return wanted == PTL_PID_ANY || wanted == mine - 1 ? PTL_OK : PTL_PID_IN_USE;
  if (wanted != PTL_PID_ANY && wanted > PTL_PID_MAX) return PTL_ARG_INVALID;
  const fabric::Job& job = parts_.job;
  auto taken = [&](ptl_pid_t pid) {
    for (std::uint32_t pe = 0; pe < one_sided().npes(); ++pe)
      if (PeId(pe) != here && job.is_local(PeId(pe)) &&
          one_sided().fetch<std::uint64_t>(PeId(pe), pid_word_) == pid + 1)
        return true;
    return false;
  };
  ptl_pid_t pid = wanted == PTL_PID_ANY ? job.place_of(here) : wanted;
  for (; taken(pid); ++pid)
    if (wanted != PTL_PID_ANY) return PTL_PID_IN_USE;
  one_sided().set<std::uint64_t>(here, pid_word_, pid + 1);
  pids_[here.value()].store(pid + 1, std::memory_order_release);
  return PTL_OK;
}

// A PE that has opened no interface has no process id yet; its index on the node is used.
ptl_pid_t Library::pid_of(PeId pe) {
  std::uint32_t known = pids_[pe.value()].load(std::memory_order_acquire);
  if (known == 0) {
    if (!job().is_local(pe) && one_sided().endpoint().has_left(pe)) return job().place_of(pe);
    known = static_cast<std::uint32_t>(one_sided().fetch<std::uint64_t>(pe, pid_word_));
    if (known == 0) return job().place_of(pe);
    pids_[pe.value()].store(known, std::memory_order_release);
  }
  return known - 1;
}

ptl_process_t Library::physical(PeId pe) {
  ptl_process_t process;
  process.phys.nid = job().node_of(pe);
  process.phys.pid = pid_of(pe);
  return process;
}

std::optional<PeId> Library::find(ptl_process_t process) {
  const fabric::Job& job = parts_.job;
  if (process.phys.nid >= job.nodes()) return std::nullopt;
  // The most likely PE first, then all PEs of the node.
  for (bool guess : {true, false})
    for (std::uint32_t pe = 0; pe < one_sided().npes(); ++pe)
      if (job.node_of(PeId(pe)) == process.phys.nid && (!guess || job.place_of(PeId(pe)) == process.phys.pid) &&
          pid_of(PeId(pe)) == process.phys.pid)
        return PeId(pe);
  return std::nullopt;
}

void Library::abort_waits() {
  aborted_.store(true, std::memory_order_release);
  fabric::ring_bell(job().record(one_sided().pe()));
}

void Library::answer_failure() {
  try {
    throw;
  } catch (const PeFailedError&) { fail_lost(); }
}

void Library::fail_lost() {
  for (auto& interface : interfaces_)
    if (interface) interface->portals().fail_lost();
}

bool Library::is_alone() const {
  const fabric::Job& job = parts_.job;
  return parts_.one_sided.npes() > 1 && job.local_pes() == parts_.one_sided.npes() &&
         job.departures() + 1 >= parts_.one_sided.npes();
}

Deadline Library::patience() {
  const double limit = config::seconds(config::Variable::peer_timeout);
  return limit == 0 ? Deadline::never() : Deadline::after_seconds(limit);
}

int init() {
  std::lock_guard lock(init_mutex);
  static Holder holder;
  ++holder.library->times_initialized;
  current.store(holder.library.get(), std::memory_order_release);  // partner: library()
  return PTL_OK;
}

void fini() {
  std::lock_guard lock(init_mutex);
  Library* here = library();
  if (here == nullptr || --here->times_initialized > 0) return;
  for (std::uint32_t number = 0; number < 4; ++number) here->close(number);
  current.store(nullptr, std::memory_order_release);
  here->one_sided().quiet();
  // Data in flight to other nodes needs this PE's memory until it has arrived.
  if (here->job().nodes() > 1) here->meeting().barrier();
}

void abort_waits() {
  if (Library* here = library()) here->abort_waits();
}

}  // namespace atl::portals

int code_of_exception() noexcept {
  try {
    throw;
  } catch (const atl::MemoryError&) { return PTL_NO_SPACE; } catch (const std::bad_alloc&) {
    return PTL_NO_SPACE;
  } catch (const std::exception& error) { std::fprintf(stderr, "atoll-portals: %s\n", error.what()); } catch (...) {
    std::fprintf(stderr, "atoll-portals: unknown exception\n");
  }
  return PTL_FAIL;
}
