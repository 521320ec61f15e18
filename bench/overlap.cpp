// SPDX-License-Identifier: Apache-2.0
// How much of a non-blocking collective hides behind computation. One JSON record per line.
//
//     atoll-run -n 2 --bind core bench_overlap [--trials K] [--bytes N] [--unattended 1 [--spare 1 | --asleep 1]]
//
// The program looks in on the operation 100 times while it computes. Unattended it never does: the progress thread sees
// to it, which wants a core that nothing else uses; with --spare programs keep to the node's first core, and progress
// threads to its last; asleep the program does not compute but sleep, as one that waits for a device does, and leaves
// its core free. `cpu` is the processor time of the operation alone over its time, of the PE that has most, with its
// threads and its share of the system: without such a core no more than 1 - cpu can be hidden.
#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include <array>
#include <atomic>
#include <thread>

#include "atoll/base/clock.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/coll/collectives.hpp"
#include "job.hpp"
#include "processor_time.hpp"

namespace {

using namespace atl;
using coll::Communicator;
using coll::Op;
using coll::Reduction;
using coll::Type;

// A fixed amount of arithmetic, not a wait on a clock: time that others take must show.
class Work {
 public:
  Work() {
    std::int64_t begin = now_ns();
    step(calibration);
    step_seconds_ = 1e-9 * static_cast<double>(now_ns() - begin) / static_cast<double>(calibration);
  }
  bool asleep = false;  ///< sleeps instead
  /// Computes for about this long, in a hundred pieces, and looks in on the request, if there is one, after as many of
  /// them.
  void compute(double seconds, coll::Request* request, std::uint64_t calls) {
    if (asleep) {
      const timespec time{0, static_cast<long>(seconds * 1e9)};
      ::nanosleep(&time, nullptr);
      return;
    }
    auto steps = static_cast<std::uint64_t>(seconds / 100 / step_seconds_);
    for (std::uint64_t piece = 0; piece < 100; ++piece) {
      step(steps);
      if (request != nullptr && piece < calls) (void)request->test();
    }
  }

 private:
  static constexpr std::uint64_t calibration = 10'000'000;
  void step(std::uint64_t count) {
    std::uint64_t state = state_;
    for (std::uint64_t i = 0; i < count; ++i) state = state * 6364136223846793005ull + 1442695040888963407ull;
    state_ = state;
  }
  volatile std::uint64_t state_ = 1;
  double step_seconds_ = 0;
};

void keep_to(int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(core), &one);
  ::sched_setaffinity(0, sizeof(one), &one);
}

struct Case {
  std::string name;
  std::size_t bytes;
  std::function<coll::Request()> start;
};

// OSU's way: max(0, 1 - (t_total - t_compute) / t_pure), computing about as long as the operation takes.
void measure(runtime::Context& context, Communicator& all, const Case& one, Work& work, std::uint64_t trials,
             std::uint64_t calls) {
  std::vector<double> overlaps, totals, shares, pures;
  for (std::uint64_t trial = 0; trial <= trials; ++trial) {  // the first warms up
    auto timed = [&](auto&& body) {
      constexpr int times = 20;
      all.barrier();
      std::int64_t begin = now_ns();
      for (int i = 0; i < times; ++i) body();
      return 1e-9 * static_cast<double>(now_ns() - begin) / times;
    };
    const double before = processor_seconds();
    double pure = timed([&] { one.start().wait(); });
    const double share = all.allreduce_max((processor_seconds() - before) / (20 * pure));
    double wanted = all.allreduce_max(pure);
    double compute = timed([&] { work.compute(wanted, nullptr, 0); });
    double total = timed([&] {
      coll::Request request = one.start();
      work.compute(wanted, &request, calls);
      request.wait();
    });
    double overlap = all.allreduce_min(std::max(0.0, 1 - (total - compute) / pure));
    total = all.allreduce_max(total);
    if (trial == 0) continue;
    overlaps.push_back(overlap);
    shares.push_back(share);
    pures.push_back(wanted);
    totals.push_back(total);
  }
  bench::record(context, one.name, "atoll",
                fmt::format("\"bytes\": {}, \"calls\": {}, \"overlap\": {:.3f}, \"pure\": {:.3g}, \"cpu\": {:.3f}",
                            one.bytes, calls, bench::median(overlaps), bench::median(pures), bench::median(shares)),
                totals);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run(
      argc, argv, {{"trials", 7}, {"bytes", 1 << 20}, {"unattended", 0}, {"spare", 0}, {"asleep", 0}},
      [](runtime::Context& context, const bench::Options& options) {
        Communicator all(context);
        std::size_t bytes = options.at("bytes") / 8 * 8, members = context.npes(), block = bytes / members;
        ATOLL_VALIDATE(block != 0, ValueError, "--bytes: give at least 8 for each PE");
        std::byte* in = context.local_pointer(context.allocate_symmetric(bytes));
        std::byte* out = context.local_pointer(context.allocate_symmetric(bytes));
        std::fill(in, in + bytes, std::byte{});
        std::fill(out, out + bytes, std::byte{});
        Reduction sum(Type::f64, Op::sum);
        const std::array<Case, 5> cases{
            Case{"ibarrier", 0, [&] { return all.ibarrier(); }},
            Case{"ibroadcast", bytes, [&] { return all.ibroadcast(all.rank() == 0 ? in : out, bytes, 0); }},
            Case{"iallreduce", bytes, [&] { return all.iallreduce(in, out, bytes / 8, sum); }},
            Case{"iallgather", block, [&] { return all.iallgather(in, block, out); }},
            Case{"ialltoall", block, [&] { return all.ialltoall(in, block, out); }}};
        const bool unattended = options.at("unattended") != 0;
        const bool spare = options.at("spare") != 0;
        if (spare)
          keep_to(static_cast<int>(std::thread::hardware_concurrency()) - 1);  // as do threads that are started now
        if (unattended) context.start_progress_thread();
        if (spare) keep_to(0);
        Work work;
        work.asleep = options.at("asleep") != 0;
        ::prctl(PR_SET_TIMERSLACK, 1);
        for (const Case& one : cases) measure(context, all, one, work, options.at("trials"), unattended ? 0 : 100);
        return true;
      });
}
