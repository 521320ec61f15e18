// SPDX-License-Identifier: Apache-2.0
// Collectives beside the same done by hand on the bare shared mapping ("limit"), alternating in one run, answers
// checked; and how much of a non-blocking collective hides behind computation. One JSON record per line.
//
//     atoll-run -n 2 --bind core bench_collectives [--trials K] [--most BYTES] [--only NAME] [--share SECONDS]
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/base/clock.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/topology.hpp"
#include "atoll/coll/collectives.hpp"
#include "atoll/runtime/context.hpp"
#include "atoll/runtime/job.hpp"

namespace {

using namespace atl;
using coll::Communicator;
using coll::Op;
using coll::Reduction;
using coll::Type;

struct Options {
  int trials = 7;
  std::size_t most = std::size_t{4} << 20;
  std::string only;
  double share = 0.02;  // seconds per trial and contender
};

// The same operations written by hand for PEs that share memory: flags and plain copies.
class Bare {
 public:
  Bare(runtime::Context& context, std::size_t most)
      : context_(context), n_(context.npes()), me_(context.pe().value()) {
    flags_ = context.allocate_symmetric(64 * 64);
    data_ = context.allocate_symmetric(2 * 64 * std::size_t{n_});
    in_ = context.allocate_symmetric(most * n_);
    out_ = context.allocate_symmetric(most * n_);
    std::memset(context.local_pointer(flags_), 0, 64 * 64);
    std::memset(context.local_pointer(data_), 0, 2 * 64 * std::size_t{n_});
    std::memset(context.local_pointer(in_), 0, most * n_);
    std::memset(context.local_pointer(out_), 0, most * n_);
    context.barrier();
  }
  std::byte* in(std::uint32_t pe) const { return context_.peer_pointer<std::byte>(PeId(pe), in_); }
  std::byte* out(std::uint32_t pe) const { return context_.peer_pointer<std::byte>(PeId(pe), out_); }
  std::byte* in() const { return in(me_); }
  std::byte* out() const { return out(me_); }

  void barrier() {
    ++epoch_;
    std::uint32_t round = 0;
    for (std::uint32_t distance = 1; distance < n_; distance *= 2, ++round) {
      word((me_ + distance) % n_, round).store(epoch_, std::memory_order_release);
      await(word(me_, round), epoch_);
    }
  }
  // A line with a flag per epoch parity: safe where everybody hears from everybody.
  std::uint64_t allreduce_word(std::uint64_t value) {
    ++epoch_small_;
    std::uint64_t* mine = slot(me_, 0, me_);
    for (std::uint32_t pe = 0; pe < n_; ++pe) {
      if (pe == me_) continue;
      std::uint64_t* there = slot(pe, epoch_small_ % 2, me_);
      there[1] = value;
      std::atomic_ref(there[0]).store(epoch_small_, std::memory_order_release);
    }
    (void)mine;
    std::uint64_t sum = 0;
    for (std::uint32_t pe = 0; pe < n_; ++pe) {
      if (pe == me_) {
        sum += value;
        continue;
      }
      std::uint64_t* here = slot(me_, epoch_small_ % 2, pe);
      await(std::atomic_ref(here[0]), epoch_small_);
      sum += here[1];
    }
    return sum;
  }
  void broadcast(std::size_t bytes) {
    barrier();
    if (me_ != 0) std::memcpy(out(), in(0), bytes);
    barrier();
  }
  void allreduce(std::size_t bytes) {
    std::size_t count = bytes / 8, first = count * me_ / n_, last = count * (me_ + 1) / n_;
    barrier();
    auto* to = reinterpret_cast<double*>(out());
    for (std::size_t at = first; at < last; at += 1024) {
      std::size_t end = std::min(at + 1024, last);
      auto* left = reinterpret_cast<const double*>(in(0));
      auto* right = reinterpret_cast<const double*>(in(1 % n_));
      for (std::size_t i = at; i < end; ++i) to[i] = left[i] + right[i];
      for (std::uint32_t pe = 2; pe < n_; ++pe) {
        auto* more = reinterpret_cast<const double*>(in(pe));
        for (std::size_t i = at; i < end; ++i) to[i] += more[i];
      }
    }
    barrier();
    for (std::uint32_t step = 1; step < n_; ++step) {
      std::uint32_t pe = (me_ + step) % n_;
      std::size_t begin = count * pe / n_ * 8, end = count * (pe + 1) / n_ * 8;
      std::memcpy(out() + begin, out(pe) + begin, end - begin);
    }
    barrier();
  }
  void allgather(std::size_t bytes) {
    barrier();
    for (std::uint32_t step = 0; step < n_; ++step) {
      std::uint32_t pe = (me_ + step) % n_;
      std::memcpy(out() + pe * bytes, in(pe), bytes);
    }
    barrier();
  }
  void alltoall(std::size_t bytes) {
    barrier();
    for (std::uint32_t step = 0; step < n_; ++step) {
      std::uint32_t pe = (me_ + step) % n_;
      std::memcpy(out() + pe * bytes, in(pe) + me_ * bytes, bytes);
    }
    barrier();
  }

 private:
  std::atomic_ref<std::uint64_t> word(std::uint32_t pe, std::uint32_t round) const {
    return std::atomic_ref(*context_.peer_pointer<std::uint64_t>(PeId(pe), HeapOffset(flags_.value() + round * 64)));
  }
  std::uint64_t* slot(std::uint32_t pe, std::uint64_t parity, std::uint32_t from) const {
    return context_.peer_pointer<std::uint64_t>(PeId(pe), HeapOffset(data_.value() + (parity * n_ + from) * 64));
  }
  void await(std::atomic_ref<std::uint64_t> word, std::uint64_t value) const {
    // More PEs than cores: yielding is what a hand-written loop would do too.
    for (int spins = 0; word.load(std::memory_order_acquire) < value; ++spins)
      if (context_.node().oversubscribed || spins > 100000) std::this_thread::yield();
  }
  runtime::Context& context_;
  std::uint32_t n_;
  std::uint32_t me_;
  HeapOffset flags_, data_, in_, out_;
  std::uint64_t epoch_ = 0, epoch_small_ = 0;
};

struct Contender {
  std::string name;
  std::function<void(std::uint64_t count)> run;
};

class Bench {
 public:
  Bench(runtime::Context& context, const Options& options)
      : context_(context), options_(options), all_(context), bare_(context, options.most) {}

  void everything() {
    compare("barrier", 0,
            {{"atoll", [&](std::uint64_t count) { while (count-- != 0) all_.barrier(); }},
             {"limit", [&](std::uint64_t count) { while (count-- != 0) bare_.barrier(); }}},
            [] { return true; });
    for (std::size_t bytes = 8; bytes <= options_.most; bytes = bytes == 8 ? 256 : bytes * 16 > 65536 && bytes < 65536 ? 65536 : bytes * 16) sweep(bytes);
    if (options_.most > (std::size_t{1} << 20)) sweep(options_.most);
    overlap();
  }

 private:
  int n() const { return all_.size(); }

  void sweep(std::size_t bytes) {
    auto members = static_cast<std::size_t>(n());
    auto* in = bare_.in();
    auto* out = bare_.out();
    auto pattern = [](int from, int to, std::size_t i) { return static_cast<double>(from * 64 + to + static_cast<int>(i % 1000)); };
    std::size_t count = bytes / 8;
    for (std::size_t to = 0; to < members; ++to)
      for (std::size_t i = 0; i < count; ++i)
        reinterpret_cast<double*>(in)[to * count + i] = pattern(all_.rank(), static_cast<int>(to), i);
    all_.barrier();
    auto correct = [&](auto&& wanted, std::size_t blocks) {
      auto* values = reinterpret_cast<const double*>(out);
      for (std::size_t block = 0; block < blocks; ++block)
        for (std::size_t i = 0; i < count; ++i)
          if (values[block * count + i] != wanted(static_cast<int>(block), i)) return false;
      return true;
    };
    compare("broadcast", bytes,
            {{"atoll", [&](std::uint64_t times) { while (times-- != 0) all_.broadcast(all_.rank() == 0 ? in : out, bytes, 0); }},
             {"limit", [&](std::uint64_t times) { while (times-- != 0) bare_.broadcast(bytes); }}},
            [&] { return all_.rank() == 0 || correct([&](int, std::size_t i) { return pattern(0, 0, i); }, 1); });
    Reduction sum(Type::f64, Op::sum);
    std::uint64_t word = 0;
    compare("allreduce", bytes,
            {{"atoll", [&](std::uint64_t times) { while (times-- != 0) all_.allreduce(in, out, count, sum); }},
             {"limit", [&](std::uint64_t times) {
                if (bytes == 8) while (times-- != 0) word = bare_.allreduce_word(1);
                else while (times-- != 0) bare_.allreduce(bytes);
              }}},
            [&] {
              return correct([&](int, std::size_t i) {
                double total = 0;
                for (int rank = 0; rank < n(); ++rank) total += pattern(rank, 0, i);
                return total;
              }, 1);
            });
    compare("allgather", bytes,
            {{"atoll", [&](std::uint64_t times) { while (times-- != 0) all_.allgather(in, bytes, out); }},
             {"limit", [&](std::uint64_t times) { while (times-- != 0) bare_.allgather(bytes); }}},
            [&] { return correct([&](int from, std::size_t i) { return pattern(from, 0, i); }, members); });
    compare("alltoall", bytes,
            {{"atoll", [&](std::uint64_t times) { while (times-- != 0) all_.alltoall(in, bytes, out); }},
             {"limit", [&](std::uint64_t times) { while (times-- != 0) bare_.alltoall(bytes); }}},
            [&] { return correct([&](int from, std::size_t i) { return pattern(from, all_.rank(), i); }, members); });
  }

  void compare(const std::string& name, std::size_t bytes, const std::vector<Contender>& contenders,
               const std::function<bool()>& correct) {
    if (!options_.only.empty() && name.find(options_.only) == std::string::npos) return;
    // As many as fill the share, by a first guess that everybody agrees on.
    auto time = [&](const Contender& contender, std::uint64_t count) {
      all_.barrier();
      std::int64_t begin = now_ns();
      contender.run(count);
      std::int64_t end = now_ns();
      all_.barrier();
      return all_.allreduce_max(1e-9 * static_cast<double>(end - begin));
    };
    std::vector<std::vector<double>> seconds(contenders.size());
    std::vector<std::uint64_t> counts;
    for (const Contender& contender : contenders) {
      std::uint64_t count = 1;
      double taken = time(contender, count);
      while (taken < options_.share / 4 && count < 1'000'000) taken = time(contender, count *= 4);
      counts.push_back(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(count) * options_.share / taken)));
      bool right = all_.all(correct());
      if (!right && all_.rank() == 0) std::fprintf(stderr, "%s of %zu bytes: %s is wrong\n", name.c_str(), bytes, contender.name.c_str());
      failed_ = failed_ || !right;
    }
    for (int trial = 0; trial < options_.trials; ++trial)
      for (std::size_t k = 0; k < contenders.size(); ++k)
        seconds[k].push_back(time(contenders[k], counts[k]) / static_cast<double>(counts[k]));
    if (all_.rank() != 0) return;
    for (std::size_t k = 0; k < contenders.size(); ++k) record(name, contenders[k].name, bytes, seconds[k], "");
  }

  void record(const std::string& name, const std::string& contender, std::size_t bytes, std::vector<double> seconds,
              const std::string& more) {
    std::string list;
    for (double one : seconds) list += fmt::format("{}{:.4g}", list.empty() ? "" : ", ", one);
    std::sort(seconds.begin(), seconds.end());
    std::printf("%s\n", fmt::format("{{\"name\": \"{}\", \"contender\": \"{}\", \"bytes\": {}, \"pes\": {}, \"us\": {:.3f}, "
                                    "{}\"seconds\": [{}], \"processor\": \"{}\"}}",
                                    name, contender, bytes, n(), seconds[seconds.size() / 2] * 1e6, more, list,
                                    topology().processor).c_str());
    std::fflush(stdout);
  }

  // OSU's way: max(0, 1 - (t_total - t_compute) / t_pure), computing about as long as the operation takes and
  // looking in a hundred times meanwhile.
  void overlap() {
    std::size_t bytes = std::min(options_.most, std::size_t{1} << 20);
    auto members = static_cast<std::size_t>(n());
    auto* in = bare_.in();
    auto* out = bare_.out();
    struct Case {
      std::string name;
      std::function<coll::Request()> start;
    };
    Reduction sum(Type::f64, Op::sum);
    std::vector<Case> cases{
        {"ibarrier", [&] { return all_.ibarrier(); }},
        {"ibroadcast", [&] { return all_.ibroadcast(all_.rank() == 0 ? in : out, bytes, 0); }},
        {"iallreduce", [&] { return all_.iallreduce(in, out, bytes / 8, sum); }},
        {"iallgather", [&] { return all_.iallgather(in, bytes / members, out); }},
        {"ialltoall", [&] { return all_.ialltoall(in, bytes / members, out); }}};
    for (const Case& one : cases) {
      if (!options_.only.empty() && one.name.find(options_.only) == std::string::npos) continue;
      std::vector<double> overlaps, totals;
      for (int trial = 0; trial <= options_.trials; ++trial) {
        const int times = 20;
        auto timed = [&](auto&& body) {
          all_.barrier();
          std::int64_t begin = now_ns();
          for (int i = 0; i < times; ++i) body();
          return 1e-9 * static_cast<double>(now_ns() - begin) / times;
        };
        double pure = timed([&] { one.start().wait(); });
        double wanted = all_.allreduce_max(pure);
        double compute = timed([&] { work(wanted, nullptr); });
        double total = timed([&] {
          coll::Request request = one.start();
          work(wanted, &request);
          request.wait();
        });
        double share = std::max(0.0, 1 - (total - compute) / pure);
        share = all_.allreduce_min(share);
        total = all_.allreduce_max(total);
        if (trial == 0) continue;
        overlaps.push_back(share);
        totals.push_back(total);
      }
      std::sort(overlaps.begin(), overlaps.end());
      if (all_.rank() == 0)
        record(one.name, "atoll", one.name == "ibarrier" ? 0 : bytes, totals,
               fmt::format("\"overlap\": {:.3f}, ", overlaps[overlaps.size() / 2]));
    }
  }
  void work(double seconds, coll::Request* request) {
    for (int piece = 0; piece < 100; ++piece) {
      // A fixed amount of arithmetic per piece, not a wait on a clock: time stolen by others must show.
      auto steps = static_cast<std::uint64_t>(seconds / 100 / step_seconds());
      for (std::uint64_t i = 0; i < steps; ++i) state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
      if (request != nullptr) (void)request->test();
    }
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  double step_seconds() {
    if (step_seconds_ == 0) {
      std::int64_t begin = now_ns();
      for (int i = 0; i < 10'000'000; ++i) state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
      step_seconds_ = 1e-16 * static_cast<double>(now_ns() - begin);
      if (state_ == 1) std::printf(" ");
    }
    return step_seconds_;
  }

  runtime::Context& context_;
  Options options_;
  Communicator all_;
  Bare bare_;
  volatile std::uint64_t sink_ = 0;
  std::uint64_t state_ = 1;
  double step_seconds_ = 0;

 public:
  bool failed_ = false;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string_view name = argv[i], value = argv[i + 1];
    auto number = [&](auto& into) {
      auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), into);
      ATOLL_VALIDATE(error == std::errc{} && end == value.data() + value.size(), ValueError, "{} {}: give a number", name, value);
    };
    if (name == "--trials") number(options.trials);
    else if (name == "--most") number(options.most);
    else if (name == "--share") number(options.share);
    else if (name == "--only") options.only = value;
    else throw ValueError(fmt::format("unknown option {}", name));
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Options options = parse(argc, argv);
    auto membership = runtime::join_from_environment();
    ATOLL_VALIDATE(membership.has_value(), SetupError, "run this under atoll-run -n PES");
    runtime::Context context(membership->job, membership->pe, {.threads = 1});
    bool failed;
    {
      Bench bench(context, options);
      bench.everything();
      failed = bench.failed_;
    }
    context.barrier();
    return failed ? 1 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_collectives: %s\n", error.what());
    return 1;
  }
}
