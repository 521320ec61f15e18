// SPDX-License-Identifier: Apache-2.0
// Two PEs on two nodes: what put, get, active messages and aggregation cost over the network, beside bare libfabric
// with the same provider, which takes its turn in every trial. One JSON record per line, then a table with the ratio of
// the best trials; answers are checked.
//
//     atoll-run --hosts a,b --launch-agent "env ATOLL_NODE_NAME={host}" --address 127.0.0.1 bench_network [--trials K]
//         [--least BYTES] [--most BYTES]
//
// pretends two nodes on one host. PE 1 waits in the library while PE 0 measures.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "atoll/agg/memory.hpp"
#include "atoll/base/clock.hpp"
#include "atoll/base/validate.hpp"
#include "job.hpp"
#include "raw_libfabric.hpp"

namespace {

using namespace atl;

constexpr std::size_t block = std::size_t{1} << 20;
constexpr std::size_t window = 16;
// Not at the start of a page: bare libfabric's messages and reads take up to twice as long from there (see
// Device::is_slow_behind).
constexpr std::size_t in_page = 256;
constexpr PeId there{1};
// Not counted: until the other side looks itself, and not its thread.
constexpr std::uint64_t first_rounds = 4;

class Bench {
 public:
  Bench(runtime::Context& context, const bench::Options& options)
      : context_(context),
        trials_(options.at("trials")),
        least_(options.at("least")),
        most_(std::min<std::size_t>(options.at("most"), block)),
        area_(context.allocate_symmetric((2 * window + 1) * block + in_page).value() + in_page),
        flag_(context.allocate_symmetric(64)),
        in_(context.local_pointer<std::byte>(area_)),
        out_(in_ + window * block),
        stop_(reinterpret_cast<std::uint64_t*>(in_ + 2 * window * block)),
        raw_(context, in_, (2 * window + 1) * block) {
    for (std::size_t i = 0; i < window * block; ++i) out_[i] = static_cast<std::byte>(i * 31);
    handler_ =
        context.register_handler([this](runtime::Context& here, PeId source, std::span<const std::byte> payload) {
          if (here.pe() == there) here.send(source, handler_, payload);
          last_bytes_ = payload.size();
          ++arrived_;
        });
    raw_.post_receive(in_, block);
    context.barrier();
  }

  void everything() {
    for (std::size_t bytes : {8, 64, 512, 4096, 16384, 65536, 262144, 1 << 20}) {
      if (bytes < least_ || bytes > most_) continue;
      // Short trials: the best of many tells what the network costs when nothing else has the cores.
      std::uint64_t rounds = bytes <= 4096 ? 50 : bytes <= 65536 ? 20 : 4;
      using Until = bench::RawLibfabric::Until;
      measure(
          "put+quiet", bytes, rounds,
          [&] {
            context_.put(there, area_, out_, bytes);
            context_.quiet();
          },
          [&] {
            raw_.write(out_, 0, bytes, Until::delivered);
            raw_.finish();
          });
      measure(
          "get", bytes, rounds, [&] { context_.get(in_, there, area_, bytes); },
          [&] {
            raw_.read(in_, 0, bytes);
            raw_.finish();
          });
      if (leads()) ATOLL_VALIDATE(std::equal(out_, out_ + bytes, in_), Error, "get is wrong");
      measure_messages(bytes, rounds);
      rounds = std::max<std::uint64_t>(rounds / window, 2);
      measure(
          "16 put_nbi, quiet", bytes, rounds,
          [&] {
            for (std::size_t i = 0; i < window; ++i)
              context_.put_nbi(there, HeapOffset(area_.value() + i * block), out_ + i * block, bytes);
            context_.quiet();
          },
          [&] {
            for (std::size_t i = 0; i < window; ++i)
              raw_.write(out_ + i * block, i * block, bytes, i + 1 == window ? Until::delivered : Until::sent);
            raw_.finish();
          },
          window);
      measure(
          "16 get_nbi, quiet", bytes, rounds,
          [&] {
            for (std::size_t i = 0; i < window; ++i)
              context_.get_nbi(in_ + i * block, there, HeapOffset(area_.value() + i * block), bytes);
            context_.quiet();
          },
          [&] {
            for (std::size_t i = 0; i < window; ++i) raw_.read(in_ + i * block, i * block, bytes);
            raw_.finish();
          },
          window);
    }
    aggregate();
    if (leads()) std::fputs(table_.c_str(), stderr);
  }

 private:
  bool leads() const { return context_.pe() == PeId(0); }

  static double time(std::uint64_t rounds, auto&& body) {
    for (std::uint64_t i = 0; i < first_rounds; ++i) body();
    std::int64_t begin = now_ns();
    for (std::uint64_t i = 0; i < rounds; ++i) body();
    return static_cast<double>(now_ns() - begin) * 1e-9 / static_cast<double>(rounds);
  }

  // In each trial Atoll, while PE 1 waits in the library, and then libfabric, while it serves that.
  void alternate(const char* what, std::size_t bytes, std::uint64_t transfers, auto&& ours, auto&& bare, auto&& serve) {
    std::vector<double> with, without;
    for (std::uint64_t trial = 0; trial <= trials_; ++trial) {
      std::uint64_t goal = ++stage_;
      if (!leads()) {
        context_.wait_until<std::uint64_t>(flag_, runtime::Compare::greater_equal, goal);
        serve(goal);
        continue;
      }
      double seconds = ours() / static_cast<double>(transfers);
      if (trial != 0) with.push_back(seconds);
      context_.set<std::uint64_t>(there, flag_, goal);
      context_.quiet();
      seconds = bare(goal) / static_cast<double>(transfers);
      if (trial != 0) without.push_back(seconds);
    }
    std::string fields = fmt::format("\"bytes\": {}", bytes);
    bench::record(context_, what, "atoll", fields, with);
    bench::record(context_, what, "libfabric", fields, without);
    if (!leads()) return;
    double best = *std::min_element(with.begin(), with.end()),
           bare_best = *std::min_element(without.begin(), without.end());
    table_ += fmt::format("{:18} {:>8} B  {:9.2f} us  libfabric {:9.2f} us  ratio {:.2f}\n", what, bytes, best * 1e6,
                          bare_best * 1e6, best / bare_best);
  }

  // Seconds per transfer, on average in each trial.
  void measure(const char* what, std::size_t bytes, std::uint64_t rounds, auto&& body, auto&& bare,
               std::uint64_t transfers = 1) {
    alternate(
        what, bytes, transfers, [&] { return time(rounds, body); },
        [&](std::uint64_t goal) {
          double seconds = time(rounds, bare);
          stop_[1] = goal;
          raw_.write(reinterpret_cast<std::byte*>(stop_ + 1), 2 * window * block, 8,
                     bench::RawLibfabric::Until::delivered);
          raw_.finish();
          return seconds;
        },
        [&](std::uint64_t goal) {
          while (std::atomic_ref(*stop_).load(std::memory_order_acquire) != goal) raw_.poll();  // partner: the write
        });
  }

  void measure_messages(std::size_t bytes, std::uint64_t rounds) {
    alternate(
        "message and back", bytes, 1,
        [&] {
          return time(rounds, [&] {
            std::uint64_t before = arrived_;
            context_.send(there, handler_, {out_, bytes});
            context_.wait([&] { return arrived_ != before; });
          });
        },
        [&](std::uint64_t) {
          return time(rounds, [&] {
            raw_.send(out_, bytes);
            raw_.receive();
            raw_.post_receive(in_, block);
          });
        },
        [&](std::uint64_t) {
          for (std::uint64_t i = 0; i < rounds + first_rounds; ++i) {
            raw_.receive();
            raw_.post_receive(in_, block);
            raw_.send(out_, bytes);
          }
        });
    if (leads()) ATOLL_VALIDATE(last_bytes_ == bytes, Error, "a message came back with {} bytes", last_bytes_);
  }

  // 8-byte puts to random places, through an aggregator and one by one.
  void aggregate() {
    coll::Communicator all(context_);
    agg::Hub hub(all);
    auto* table = context_.local_pointer<std::uint64_t>(area_);
    constexpr std::uint64_t count = block / 8, puts = 100'000, single = 2'000;
    auto place = [](std::uint64_t i) { return i * 0x9E3779B97F4A7C15ull >> 47; };
    static_assert(count == std::uint64_t{1} << 17);
    agg::PutAggregator<std::uint64_t> aggregated(hub, table, count);
    int other = 1 - all.rank();
    auto measure_puts = [&](const char* what, std::uint64_t n, auto&& body) {
      std::vector<double> seconds;
      for (std::uint64_t trial = 0; trial <= trials_; ++trial) {
        all.barrier();
        std::int64_t begin = now_ns();
        body(n);
        all.barrier();
        if (trial != 0) seconds.push_back(static_cast<double>(now_ns() - begin) * 1e-9 / static_cast<double>(n));
      }
      bench::record(context_, "8-byte puts each way", what, "\"bytes\": 8", seconds);
      table_ += fmt::format("8-byte puts each way, {:10} {:9.3f} us\n", what,
                            *std::min_element(seconds.begin(), seconds.end()) * 1e6);
    };
    measure_puts("aggregated", puts, [&](std::uint64_t n) {
      for (std::uint64_t i = 0; i < n; ++i) aggregated.push(other, place(i), i);
      aggregated.finish();
    });
    measure_puts("single", single, [&](std::uint64_t n) {
      for (std::uint64_t i = 0; i < n; ++i)
        context_.put_value<std::uint64_t>(all.pe(other), HeapOffset(area_.value() + place(i) * 8), i);
      context_.quiet();
    });
    all.barrier();
  }

  runtime::Context& context_;
  std::uint64_t trials_;
  std::size_t least_, most_;
  HeapOffset area_, flag_;  // at area_: what comes in, what goes out, and two words
  std::byte *in_, *out_;
  std::uint64_t* stop_;
  bench::RawLibfabric raw_;
  runtime::HandlerId handler_;
  std::uint64_t arrived_ = 0, stage_ = 0;
  std::size_t last_bytes_ = 0;
  std::string table_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::run(argc, argv, {{"trials", 50}, {"least", 8}, {"most", block}},
                    [](runtime::Context& context, const bench::Options& options) {
                      ATOLL_VALIDATE(context.npes() == 2 && context.job().nodes() == 2, ValueError,
                                     "this needs two PEs on two nodes");
                      Bench(context, options).everything();
                      return true;
                    });
}
