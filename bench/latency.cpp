// SPDX-License-Identifier: Apache-2.0
// Latency of one-sided operations, waits and messages between two co-located PEs, beside the same done by hand on
// the bare shared mapping ("limit"), alternating in one run. One JSON record per line.
//
//     atoll-run -n 2 --bind core bench_latency [--trials K] [--count N]
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
#include "atoll/runtime/context.hpp"
#include "atoll/runtime/job.hpp"

namespace {

using namespace atl;
using runtime::Compare;
using runtime::Context;

struct Options {
  int trials = 9;
  std::uint64_t count = 200'000;
};

// One way of doing an operation: does it `count` times and returns something of the data, to be checked.
struct Contender {
  std::string name;
  std::function<std::uint64_t(std::uint64_t count)> run;
};

class Bench {
 public:
  Bench(Context& context, const Options& options)
      : context_(context),
        options_(options),
        block_(context.allocate_symmetric(largest)),
        words_(context.allocate_symmetric(4096)),
        mine_(context.local_pointer<std::uint64_t>(words_)),
        theirs_(context.peer_pointer<std::uint64_t>(peer_, words_, 512)) {
    std::memset(context.local_pointer(words_), 0, 4096);
    answer_ = context.register_handler([this](Context&, PeId, std::span<const std::byte>) { ++answers_; });
    ask_ = context.register_handler([this](Context& here, PeId source, std::span<const std::byte> payload) {
      here.send(source, answer_, payload);
    });
    context.barrier();
  }

  void all() {
    scalars();
    ping_pong();
    messages();
    bandwidth();
  }

 private:
  static constexpr std::size_t largest = std::size_t{4} << 20;
  static constexpr std::uint64_t lines = 32;  // cache lines that scalar operations go round: no store waits for one before

  HeapOffset word(std::uint64_t i) const { return HeapOffset(words_.value() + 64 + (i % lines) * 64); }
  std::uint64_t* their_word(std::uint64_t i) const { return theirs_ + 8 + (i % lines) * 8; }

  // PE 0 works, PE 1 sleeps (`both` false) or takes part.
  void compare(const std::string& name, std::size_t bytes, std::uint64_t count, bool both,
               const std::vector<Contender>& contenders, double operations_per_count = 1) {
    std::vector<std::vector<double>> seconds(contenders.size());
    std::vector<std::uint64_t> sums(contenders.size());
    for (int trial = -1; trial < options_.trials; ++trial) {  // the first warms up
      for (std::size_t k = 0; k < contenders.size(); ++k) {
        context_.barrier();
        std::int64_t begin = now_ns();
        if (context_.pe().value() == 0 || both) sums[k] = contenders[k].run(count);
        std::int64_t end = now_ns();
        if (trial >= 0)
          seconds[k].push_back(1e-9 * static_cast<double>(end - begin) / static_cast<double>(count) / operations_per_count);
        context_.barrier();
      }
    }
    if (context_.pe().value() != 0) return;
    for (std::size_t k = 0; k < contenders.size(); ++k) {
      if (sums[k] != sums[0]) std::fprintf(stderr, "%s: %s gives another answer\n", name.c_str(), contenders[k].name.c_str());
      auto sorted = seconds[k];
      std::sort(sorted.begin(), sorted.end());
      double median = sorted[sorted.size() / 2];
      std::string list;
      for (double one : seconds[k]) list += fmt::format("{}{:.4g}", list.empty() ? "" : ", ", one);
      std::printf("%s\n", fmt::format("{{\"name\": \"{}\", \"contender\": \"{}\", \"size\": {}, \"pes\": {}, \"ns\": {:.2f}, "
                                      "\"spread\": [{:.2f}, {:.2f}], \"gib_s\": {:.3f}, \"seconds\": [{}], \"checksum\": {}, "
                                      "\"processor\": \"{}\"}}",
                                      name, contenders[k].name, bytes, context_.npes(), median * 1e9, sorted.front() * 1e9,
                                      sorted.back() * 1e9, static_cast<double>(bytes) / median / (1 << 30), list, sums[k],
                                      topology().processor)
                              .c_str());
      std::fflush(stdout);
    }
  }

  void scalars() {
    using Word = std::atomic_ref<std::uint64_t>;
    std::uint64_t n = options_.count;
    compare("put", 8, n, false,
            {{"atoll", [&](std::uint64_t count) {
                for (std::uint64_t i = 0; i < count; ++i) context_.put_value<std::uint64_t>(peer_, word(i), i);
                return *their_word(count - 1);
              }},
             {"limit", [&](std::uint64_t count) {
                for (std::uint64_t i = 0; i < count; ++i) Word(*their_word(i)).store(i, std::memory_order_relaxed);
                return *their_word(count - 1);
              }}});
    compare("put_quiet", 8, n, false,
            {{"atoll", [&](std::uint64_t count) {
                for (std::uint64_t i = 0; i < count; ++i) {
                  context_.put_value<std::uint64_t>(peer_, word(i), i);
                  context_.quiet();
                }
                return *their_word(count - 1);
              }},
             {"limit", [&](std::uint64_t count) {
                for (std::uint64_t i = 0; i < count; ++i) {
                  Word(*their_word(i)).store(i, std::memory_order_relaxed);
                  std::atomic_thread_fence(std::memory_order_seq_cst);
                }
                return *their_word(count - 1);
              }}});
    compare("get", 8, n, false,
            {{"atoll", [&](std::uint64_t count) {
                std::uint64_t sum = 0;
                for (std::uint64_t i = 0; i < count; ++i) sum += context_.get_value<std::uint64_t>(peer_, word(i));
                return sum;
              }},
             {"limit", [&](std::uint64_t count) {
                std::uint64_t sum = 0;
                for (std::uint64_t i = 0; i < count; ++i) sum += Word(*their_word(i)).load(std::memory_order_relaxed);
                return sum;
              }}});
    compare("fetch_add", 8, n, false,
            {{"atoll", [&](std::uint64_t count) {
                Word(*theirs_).store(0);
                std::uint64_t last = 0;
                for (std::uint64_t i = 0; i < count; ++i) last = context_.fetch_add<std::uint64_t>(peer_, words_, 1);
                return last;
              }},
             {"limit", [&](std::uint64_t count) {
                Word(*theirs_).store(0);
                std::uint64_t last = 0;
                for (std::uint64_t i = 0; i < count; ++i) last = Word(*theirs_).fetch_add(1, std::memory_order_relaxed);
                return last;
              }}});
    compare("compare_swap", 8, n, false,
            {{"atoll", [&](std::uint64_t count) {
                Word(*theirs_).store(0);
                for (std::uint64_t i = 0; i < count; ++i) context_.compare_swap<std::uint64_t>(peer_, words_, i, i + 1);
                return *theirs_;
              }},
             {"limit", [&](std::uint64_t count) {
                Word(*theirs_).store(0);
                for (std::uint64_t i = 0; i < count; ++i) {
                  std::uint64_t expected = i;
                  Word(*theirs_).compare_exchange_strong(expected, i + 1, std::memory_order_relaxed);
                }
                return *theirs_;
              }}});
  }

  void ping_pong() {
    bool first = context_.pe().value() == 0;
    // The words keep counting up over all trials.
    auto turn = [&](std::uint64_t i) { return rounds_ + i; };
    compare("ping_pong", 8, options_.count / 4, true,
            {{"atoll", [&](std::uint64_t count) {
                for (std::uint64_t i = 1; i <= count; ++i) {
                  if (first) {
                    context_.put_value<std::uint64_t>(peer_, words_, turn(i));
                    context_.wait_until<std::uint64_t>(mine_, Compare::equal, turn(i));
                  } else {
                    context_.wait_until<std::uint64_t>(mine_, Compare::equal, turn(i));
                    context_.put_value<std::uint64_t>(peer_, words_, turn(i));
                  }
                }
                rounds_ += count;
                return count;
              }},
             {"limit", [&](std::uint64_t count) {
                std::atomic_ref<std::uint64_t> in(*mine_), out(*theirs_);
                for (std::uint64_t i = 1; i <= count; ++i) {
                  if (first) out.store(turn(i), std::memory_order_release);
                  while (in.load(std::memory_order_acquire) != turn(i)) {
                  }
                  if (!first) out.store(turn(i), std::memory_order_release);
                }
                rounds_ += count;
                return count;
              }}},
            2);
  }

  void messages() {
    for (std::size_t bytes : {std::size_t{8}, std::size_t{256}, std::size_t{65536}}) {
      std::vector<std::byte> payload(bytes);
      std::uint64_t count = bytes > 1000 ? options_.count / 200 : options_.count / 10;
      compare("message_round_trip", bytes, count, true, {{"atoll", [&](std::uint64_t rounds) {
                if (context_.pe().value() == 0) {
                  for (std::uint64_t i = 0; i < rounds; ++i) {
                    std::uint64_t before = answers_;
                    context_.send(peer_, ask_, payload);
                    context_.wait([&] { return answers_ != before; });
                  }
                  context_.put_value<std::uint64_t>(peer_, HeapOffset(words_.value() + 4000), ++phase_);
                } else {
                  context_.wait_until<std::uint64_t>(HeapOffset(words_.value() + 4000), Compare::equal, ++phase_);
                }
                return rounds;
              }}});
    }
  }

  void bandwidth() {
    std::vector<std::byte> from(largest, std::byte{1});
    for (std::size_t bytes = 64; bytes <= largest; bytes *= 16) {
      std::uint64_t count = std::min<std::uint64_t>(options_.count, (std::uint64_t{64} << 20) / bytes);
      std::byte* target = context_.peer_pointer(peer_, block_, largest);
      compare("put_bandwidth", bytes, count, false,
              {{"atoll", [&](std::uint64_t rounds) {
                  for (std::uint64_t i = 0; i < rounds; ++i) context_.put(peer_, block_, from.data(), bytes);
                  return std::uint64_t{1};
                }},
               {"limit", [&](std::uint64_t rounds) {
                  for (std::uint64_t i = 0; i < rounds; ++i) {
                    std::memcpy(target, from.data(), bytes);
                    asm volatile("" ::: "memory");  // each copy counts
                  }
                  return std::uint64_t{1};
                }}});
    }
  }

  Context& context_;
  Options options_;
  PeId peer_{1 - context_.pe().value()};
  HeapOffset block_;
  HeapOffset words_;
  std::uint64_t* mine_;
  std::uint64_t* theirs_;
  std::uint64_t rounds_ = 0;
  std::uint64_t phase_ = 0;
  runtime::HandlerId answer_, ask_;
  std::uint64_t answers_ = 0;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    std::string_view value = i + 1 < argc ? argv[++i] : "";
    std::uint64_t number = 0;
    std::from_chars(value.data(), value.data() + value.size(), number);
    ATOLL_VALIDATE(number > 0 && (word == "--trials" || word == "--count"), ValueError,
                   "'{} {}' is not understood. Accepted: --trials K, --count N", word, value);
    if (word == "--trials") options.trials = static_cast<int>(number);
    else options.count = std::max<std::uint64_t>(number, 400);
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Options options = parse(argc, argv);
    auto membership = runtime::join_from_environment();
    ATOLL_VALIDATE(membership && membership->job->npes() == 2, ValueError,
                   "run this on two PEs: atoll-run -n 2 --bind core {}", argv[0]);
    Context context(membership->job, membership->pe);
    Bench(context, options).all();
    context.barrier();
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
