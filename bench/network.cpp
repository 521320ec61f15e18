// SPDX-License-Identifier: Apache-2.0
// Two PEs on two nodes: what put, get, active messages and aggregation cost over the network. One JSON record per line;
// answers are checked. The same provider without Atoll: `fi_pingpong -p PROVIDER -e rdm -I N -S BYTES`, whose time for one
// transfer is half of a round trip.
//
//     atoll-run --hosts a,b --launch-agent "env ATOLL_NODE_NAME={host}" --address 127.0.0.1 bench_network [--trials K]
//
// pretends two nodes on one host. PE 1 waits in the library while PE 0 measures.
#include <algorithm>
#include <vector>

#include "atoll/agg/memory.hpp"
#include "atoll/base/clock.hpp"
#include "job.hpp"

namespace {

using namespace atl;

constexpr std::size_t most = std::size_t{1} << 20;
constexpr PeId there{1};

class Bench {
 public:
  Bench(runtime::Context& context, std::uint64_t trials)
      : context_(context), trials_(trials), block_(context.allocate_symmetric(17 * most)), flag_(context.allocate_symmetric(64)), out_(most), in_(most) {
    for (std::size_t i = 0; i < most; ++i) out_[i] = static_cast<std::byte>(i * 31);
    handler_ = context.register_handler([this](runtime::Context& here, PeId source, std::span<const std::byte> payload) {
      if (here.pe() == there) here.send(source, handler_, payload);
      last_bytes_ = payload.size();
      ++arrived_;
    });
    context.barrier();
  }

  void everything() {
    for (std::size_t bytes : {8, 64, 512, 4096, 16384, 65536, 1 << 20}) {
      // Short trials: the best of many tells what the network costs when nothing else has the cores.
      std::uint64_t rounds = bytes <= 4096 ? 50 : bytes <= 65536 ? 20 : 4;
      HeapOffset at = block_;
      measure("put+quiet", bytes, rounds, [&] {
        context_.put(there, at, out_.data(), bytes);
        context_.quiet();
      });
      measure("get", bytes, rounds, [&] { context_.get(in_.data(), there, at, bytes); });
      if (leads()) ATOLL_VALIDATE(std::equal(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(bytes), in_.begin()), Error, "get is wrong");
      measure("message and back", bytes, rounds, [&] {
        std::uint64_t before = arrived_;
        context_.send(there, handler_, {out_.data(), bytes});
        context_.wait([&] { return arrived_ != before; });
      });
      if (leads()) ATOLL_VALIDATE(last_bytes_ == bytes, Error, "a message came back with {} bytes", last_bytes_);
      measure("put_nbi, 16 a quiet", bytes, std::max<std::uint64_t>(rounds / 16, 2), [&] {
        for (std::size_t i = 0; i < 16; ++i) context_.put_nbi(there, HeapOffset(at.value() + i * most), out_.data(), bytes);
        context_.quiet();
      }, 16);
    }
    aggregate();
  }

 private:
  bool leads() const { return context_.pe() == PeId(0); }

  // Seconds per transfer, on average in each trial.
  template <class Body>
  void measure(const char* what, std::size_t bytes, std::uint64_t rounds, Body&& body, std::uint64_t transfers = 1) {
    std::uint64_t goal = ++stage_;
    if (!leads()) {
      context_.wait_until<std::uint64_t>(flag_, runtime::Compare::greater_equal, goal);
      return;
    }
    std::vector<double> seconds;
    for (std::uint64_t trial = 0; trial <= trials_; ++trial) {
      std::int64_t begin = now_ns();
      for (std::uint64_t i = 0; i < rounds; ++i) body();
      if (trial != 0) seconds.push_back(static_cast<double>(now_ns() - begin) * 1e-9 / static_cast<double>(rounds * transfers));
    }
    bench::record(context_, what, "atoll", fmt::format("\"bytes\": {}", bytes), seconds);
    context_.set<std::uint64_t>(there, flag_, goal);
    context_.quiet();
  }

  // 8-byte puts to random places, through an aggregator and one by one.
  void aggregate() {
    coll::Communicator all(context_);
    agg::Hub hub(all);
    auto* table = context_.local_pointer<std::uint64_t>(block_);
    constexpr std::uint64_t count = most / 8, puts = 100'000, single = 2'000;
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
    };
    measure_puts("aggregated", puts, [&](std::uint64_t n) {
      for (std::uint64_t i = 0; i < n; ++i) aggregated.push(other, place(i), i);
      aggregated.finish();
    });
    measure_puts("single", single, [&](std::uint64_t n) {
      for (std::uint64_t i = 0; i < n; ++i)
        context_.put_value<std::uint64_t>(all.pe(other), HeapOffset(block_.value() + place(i) * 8), i);
      context_.quiet();
    });
    all.barrier();
  }

  runtime::Context& context_;
  std::uint64_t trials_;
  HeapOffset block_, flag_;
  std::vector<std::byte> out_, in_;
  runtime::HandlerId handler_;
  std::uint64_t arrived_ = 0, stage_ = 0;
  std::size_t last_bytes_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::run(argc, argv, {{"trials", 100}}, [](runtime::Context& context, const bench::Options& options) {
    ATOLL_VALIDATE(context.npes() == 2 && context.job().nodes() == 2, ValueError, "this needs two PEs on two nodes");
    Bench(context, options.at("trials")).everything();
    return true;
  });
}
