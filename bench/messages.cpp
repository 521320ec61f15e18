// SPDX-License-Identifier: Apache-2.0
// Round trips between two PEs, by size: of active messages, and of sends and receives with tags ("segment": from and to
// the segments, so that large ones are copied once). One JSON record per line.
//
//     atoll-run -n 2 --bind core bench_messages [--trials K] [--count N]
#include <fmt/format.h>

#include <span>

#include "atoll/base/clock.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/messaging/matching.hpp"
#include "job.hpp"

namespace {

using namespace atl;

constexpr std::size_t largest = std::size_t{1} << 20;

class Bench {
 public:
  Bench(runtime::Context& context, std::uint64_t trials)
      : context_(context),
        trials_(trials),
        done_(context.allocate_symmetric(64)),
        block_(context.local_pointer(context.allocate_symmetric(2 * largest))),
        matcher_(context) {
    *context.local_pointer<std::uint64_t>(done_) = 0;
    answer_ = context.register_handler([this](runtime::Context&, PeId, std::span<const std::byte>) { ++answers_; });
    ask_ = context.register_handler([this](runtime::Context& here, PeId source, std::span<const std::byte> payload) {
      here.send(source, answer_, payload);
    });
    context.barrier();
  }

  void active_messages(std::size_t bytes, std::uint64_t count) {
    std::vector<std::byte> payload(bytes);
    measure("message_round_trip", "atoll", bytes, count, [&] { ask(payload, count); });
  }

  void two_sided(std::size_t bytes, std::uint64_t count) {
    std::vector<std::byte> out(bytes), in(bytes);
    measure("two_sided_round_trip", "atoll", bytes, count, [&] { play(out.data(), in.data(), bytes, count); });
    measure("two_sided_round_trip", "segment", bytes, count, [&] { play(block_, block_ + largest, bytes, count); });
  }

 private:
  template <class Body>
  void measure(std::string_view name, std::string_view contender, std::size_t bytes, std::uint64_t count, Body body) {
    std::vector<double> seconds;
    for (std::uint64_t trial = 0; trial <= trials_; ++trial) {  // the first warms up
      context_.barrier();
      std::int64_t begin = now_ns();
      body();
      if (trial > 0) seconds.push_back(1e-9 * static_cast<double>(now_ns() - begin) / static_cast<double>(count));
    }
    bench::record(context_, name, contender,
                  fmt::format("\"bytes\": {}, \"ns\": {:.1f}", bytes, bench::median(seconds) * 1e9), seconds);
  }

  // PE 1 answers from within its wait for the end.
  void ask(std::span<const std::byte> payload, std::uint64_t count) {
    ++phase_;
    if (context_.pe().value() == 1) {
      context_.wait_until<std::uint64_t>(done_, runtime::Compare::equal, phase_);
      return;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint64_t before = answers_;
      context_.send(peer_, ask_, payload);
      context_.wait([&] { return answers_ != before; });
    }
    context_.put_value<std::uint64_t>(peer_, done_, phase_);
  }

  void play(std::byte* from, std::byte* to, std::size_t bytes, std::uint64_t count) {
    runtime::Pattern pattern{peer_, 7};
    for (std::uint64_t i = 0; i < count; ++i)
      for (bool sends : {context_.pe().value() == 0, context_.pe().value() != 0}) {
        runtime::Request request =
            sends ? matcher_.send(peer_, 7, {from, bytes}) : matcher_.receive(pattern, {to, bytes});
        matcher_.wait(request);
      }
  }

  runtime::Context& context_;
  PeId peer_{1 - context_.pe().value()};
  std::uint64_t trials_;
  HeapOffset done_;
  std::byte* block_;
  runtime::Matcher matcher_;
  runtime::HandlerId answer_, ask_;
  std::uint64_t answers_ = 0;
  std::uint64_t phase_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::run(argc, argv, {{"trials", 9}, {"count", 20'000}},
                    [](runtime::Context& context, const bench::Options& options) {
                      ATOLL_VALIDATE(context.npes() == 2, ValueError, "run this on two PEs");
                      std::uint64_t count = options.at("count");
                      Bench bench(context, options.at("trials"));
                      for (std::size_t bytes : {std::size_t{8}, std::size_t{256}, std::size_t{65536}, largest}) {
                        std::uint64_t fitting = std::max<std::uint64_t>(2, bytes > 1000 ? count * 1000 / bytes : count);
                        bench.active_messages(bytes, fitting);
                        bench.two_sided(bytes, fitting);
                      }
                      return true;
                    });
}
