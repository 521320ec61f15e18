// SPDX-License-Identifier: Apache-2.0
#include "run_pes.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>

#include "atoll/base/clock.hpp"
#include "atoll/base/error.hpp"
#include "atoll/bootstrap/job.hpp"
#include "atoll/fabric/network.hpp"
#include "atoll/runtime/context.hpp"
#include "process_bootstrap.hpp"

namespace atl::testing {

std::vector<std::uint32_t> spread_over_nodes(std::uint32_t npes) {
  std::uint32_t nodes = npes == 1 ? 1 : npes < 8 ? 2 : 3;
  std::vector<std::uint32_t> node_of_pe;
  for (std::uint32_t pe = 0; pe < npes; ++pe) node_of_pe.push_back(npes % 2 == 0 ? pe * nodes / npes : pe % nodes);
  return node_of_pe;
}

fabric::JobOptions job_options(std::uint32_t npes, const RunOptions& options) {
  return {.npes = npes, .segment_bytes = options.segment_bytes, .threads_per_pe = options.threads};
}

namespace {

// Returns what went wrong, or nothing. Another PE's death is not this PE's fault.
std::string run_one(const std::shared_ptr<fabric::Job>& job, PeId pe, const Body& body, const RunOptions& options) {
  try {
    runtime::Context context(job, pe,
                             {.threads = options.threads,
                              .memory_limit_bytes = options.memory_limit_bytes,
                              .symmetric_bytes = options.symmetric_bytes,
                              .static_bytes = options.static_bytes});
    body(context);
    context.barrier();  // no PE leaves while others still use its memory
    return {};
  } catch (const PeFailedError&) { return {}; } catch (const std::exception& error) {
    job->mark_failed(pe, 0, std::string("threw: ") + error.what());
    return error.what();
  }
}

}  // namespace

void run_threads(const LinkedJobs& jobs, const Body& body, const RunOptions& options) {
  std::uint32_t npes = jobs[0]->npes();
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<bool> done(npes, false);
  std::vector<std::string> faults(npes);
  std::vector<std::thread> threads;
  for (std::uint32_t pe = 0; pe < npes; ++pe)
    threads.emplace_back([&, pe] {
      std::string fault = run_one(jobs[jobs[0]->node_of(PeId(pe))], PeId(pe), body, options);
      std::lock_guard lock(mutex);
      faults[pe] = fault;
      done[pe] = true;
      changed.notify_one();
    });
  auto all_done = [&] {
    for (bool one : done)
      if (!one) return false;
    return true;
  };
  {
    std::unique_lock lock(mutex);
    auto limit = std::chrono::duration<double>(options.timeout_seconds);
    if (!changed.wait_for(lock, limit, all_done)) {
      dump_stacks(fmt::format("PEs hang after {} s", options.timeout_seconds));
      std::string hung;
      for (std::uint32_t pe = 0; pe < npes; ++pe)
        if (!done[pe]) {
          hung += fmt::format(" {}", pe);
          jobs[0]->mark_failed(PeId(pe), 0, fmt::format("did not finish within {} s", options.timeout_seconds));
        }
      ADD_FAILURE() << "these PEs hang:" << hung;
      if (!changed.wait_for(lock, std::chrono::seconds(10), all_done)) {
        std::fprintf(stderr, "PEs%s do not react to the failure of the job: giving up\n", hung.c_str());
        std::_Exit(1);
      }
    }
  }
  for (auto& thread : threads) thread.join();
  for (std::uint32_t pe = 0; pe < npes; ++pe)
    EXPECT_TRUE(faults[pe].empty()) << "PE " << pe << " threw: " << faults[pe];
  if (jobs[0]->has_failed()) ADD_FAILURE() << jobs[0]->failure();
}

namespace {

// What a process of the test does as a PE: joins the job, runs the body. Returns what went wrong.
using Pe = std::function<std::string(PeId)>;

// `died` is called for PEs that failed.
void run_processes(std::uint32_t npes, const Pe& be_pe, const std::function<void(PeId, int, const std::string&)>& died,
                   const RunOptions& options) {
  std::vector<pid_t> pids;
  std::fflush(nullptr);
  pid_t parent = ::getpid();
  for (std::uint32_t pe = 0; pe < npes; ++pe) {
    pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) std::_Exit(1);
      std::string fault = be_pe(PeId(pe));
      if (!fault.empty()) std::fprintf(stderr, "PE %u threw: %s\n", pe, fault.c_str());
      std::fflush(nullptr);
      std::_Exit(fault.empty() && !::testing::Test::HasFailure() ? 0 : 1);
    }
    pids.push_back(pid);
  }
  Deadline deadline = Deadline::after_seconds(options.timeout_seconds);
  bool killed = false;
  for (std::uint32_t left = npes; left > 0;) {
    bool any = false;
    for (std::uint32_t pe = 0; pe < npes; ++pe) {
      int status = 0;
      if (pids[pe] == 0 || ::waitpid(pids[pe], &status, WNOHANG) != pids[pe]) continue;
      pids[pe] = 0;
      --left;
      any = true;
      if (killed || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) continue;
      std::string cause = WIFSIGNALED(status) ? fmt::format("was killed by signal {}", WTERMSIG(status))
                                              : fmt::format("exited with status {}", WEXITSTATUS(status));
      ADD_FAILURE() << "PE " << pe << " " << cause;
      died(PeId(pe), status, cause);
    }
    if (any) continue;
    if (!killed && deadline.passed()) {
      killed = true;
      dump_stacks(fmt::format("PEs hang after {} s", options.timeout_seconds));
      for (std::uint32_t pe = 0; pe < npes; ++pe)
        if (pids[pe] != 0) {
          ADD_FAILURE() << "PE " << pe << " hangs";
          ::kill(pids[pe], SIGKILL);
        }
    }
    ::poll(nullptr, 0, 1);
  }
}

void run_on_one_node(std::uint32_t npes, const Body& body, const RunOptions& options) {
  auto job = fabric::Job::create_shm(job_options(npes, options));
  run_processes(
      npes, [&](PeId pe) { return run_one(job, pe, body, options); },
      [&](PeId pe, int status, const std::string& cause) { job->mark_failed(pe, status, cause); }, options);
}

// A network of 1 µs, whose delays and order are of the seed.
std::unique_ptr<fabric::Wire> usual_wire() { return std::make_unique<fabric::UniformWire>(100'000, 1'000'000, 80'000); }

void run_simulated(fabric::JobOptions job, const Body& body, const RunOptions& options) {
  fabric::SimulatedOptions simulated{.job = std::move(job), .faults = options.faults};
  simulated.job.node_of_pe = spread_over_nodes(simulated.job.npes);
  try {
    fabric::Simulated(simulated, usual_wire()).run([&](const std::shared_ptr<fabric::Job>& one, PeId pe) {
      std::string fault = run_one(one, pe, body, options);
      EXPECT_TRUE(fault.empty()) << "PE " << pe.value() << " threw: " << fault << " (seed " << options.faults.seed
                                 << ")";
    });
  } catch (const std::exception& error) { ADD_FAILURE() << error.what(); }
}

// PEs find out by themselves that one has died.
void run_on_network(std::uint32_t npes, const Body& body, const RunOptions& options) {
  SharedTable table(npes);
  auto node_of_pe = spread_over_nodes(npes);
  run_processes(
      npes,
      [&](PeId pe) -> std::string {
        ::setenv("ATOLL_HEAP_SIZE", std::to_string(options.segment_bytes).c_str(), 1);
        ::setenv("ATOLL_THREADS", std::to_string(options.threads).c_str(), 1);
        try {
          auto node = fmt::format("node{}", node_of_pe[pe.value()]);
          auto seat = runtime::join_through(std::make_shared<ProcessBootstrap>(table, pe.value(), node));
          return run_one(seat.job, pe, body, options);
        } catch (const std::exception& error) { return error.what(); }
      },
      [](PeId, int, const std::string&) {}, options);
}

}  // namespace

std::string why_not(std::uint32_t npes, Fabric fabric) {
  static const std::string network = fabric::describe_network();
  if (fabric != Fabric::ofi) return {};
  if (network.starts_with("none")) return "no network: " + network;
#ifdef __SANITIZE_THREAD__
  // On two nodes of two PEs a PE learns through another process what its own network thread has done.
  if (npes > 2) return "the sanitizer does not see in which order other processes do things";
#endif
  return {};
}

void run_pes(std::uint32_t npes, Fabric fabric, const Body& body, const RunOptions& options) {
  fabric::JobOptions job = job_options(npes, options);
  if (fabric == Fabric::shm) return run_on_one_node(npes, body, options);
  if (fabric == Fabric::ofi) return run_on_network(npes, body, options);
  if (fabric == Fabric::sim) return run_simulated(job, body, options);
  if (fabric == Fabric::loop) return run_threads({fabric::Job::create_loop(job)}, body, options);
  job.node_of_pe = spread_over_nodes(npes);
  run_threads(link_jobs(job), body, options);
}

}  // namespace atl::testing
