// SPDX-License-Identifier: Apache-2.0
#include "atoll/coll/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "atoll/base/clock.hpp"
#include "atoll/runtime/context.hpp"
#include "selection.hpp"

namespace atl::coll {
namespace {

constexpr int batches = 5;
constexpr double batch_seconds = 2e-3;
constexpr int most_calls = 10'000;

class HeapBuffer {
 public:
  HeapBuffer(runtime::Context& context, std::size_t bytes)
      : context_(context), data_(context.heap().allocate(std::max<std::size_t>(bytes, 8))) {
    std::memset(data_, 0, bytes);
  }
  HeapBuffer(const HeapBuffer&) = delete;
  HeapBuffer& operator=(const HeapBuffer&) = delete;
  ~HeapBuffer() { context_.heap().release(data_); }
  std::byte* at(std::size_t offset) const { return static_cast<std::byte*>(data_) + offset; }

 private:
  runtime::Context& context_;
  void* data_;
};

}  // namespace

double time_collective(Communicator& all, const PlanOptions& what) {
  using detail::Kind;
  const auto members = static_cast<std::size_t>(all.size());
  const Kind kind = detail::kind_named(what.collective);
  const std::size_t bytes = kind == Kind::barrier ? 0 : what.bytes;
  const bool many_in =
      kind == Kind::scatter || kind == Kind::scatterv || kind == Kind::alltoall || kind == Kind::alltoallv;
  const bool many_out = kind == Kind::gather || kind == Kind::gatherv || kind == Kind::allgather ||
                        kind == Kind::allgatherv || kind == Kind::alltoall || kind == Kind::alltoallv;
  HeapBuffer in(all.context(), bytes * (many_in ? members : 1)), out(all.context(), bytes * (many_out ? members : 1));
  std::vector<ConstBlock> in_blocks;
  std::vector<Block> out_blocks;
  for (std::size_t member = 0; member < members; ++member) {
    in_blocks.push_back({many_in ? in.at(member * bytes) : nullptr, bytes});
    out_blocks.push_back({many_out ? out.at(member * bytes) : nullptr, bytes});
  }
  const Reduction sum(Type::f64, Op::sum);
  const std::size_t count = bytes / sizeof(double);
  std::function<void()> once;
  switch (kind) {
    case Kind::barrier: once = [&] { all.barrier(); }; break;
    case Kind::broadcast: once = [&] { all.broadcast(in.at(0), bytes, 0); }; break;
    case Kind::reduce: once = [&] { all.reduce(in.at(0), out.at(0), count, sum, 0); }; break;
    case Kind::allreduce: once = [&] { all.allreduce(in.at(0), out.at(0), count, sum); }; break;
    case Kind::scan: once = [&] { all.scan(in.at(0), out.at(0), count, sum); }; break;
    case Kind::exscan: once = [&] { all.exscan(in.at(0), out.at(0), count, sum); }; break;
    case Kind::gather: once = [&] { all.gather(in.at(0), bytes, out.at(0), 0); }; break;
    case Kind::gatherv: once = [&] { all.gatherv(in.at(0), bytes, out_blocks, 0); }; break;
    case Kind::scatter: once = [&] { all.scatter(in.at(0), out.at(0), bytes, 0); }; break;
    case Kind::scatterv: once = [&] { all.scatterv(in_blocks, out.at(0), bytes, 0); }; break;
    case Kind::allgather: once = [&] { all.allgather(in.at(0), bytes, out.at(0)); }; break;
    case Kind::allgatherv: once = [&] { all.allgatherv(in.at(0), bytes, out_blocks); }; break;
    case Kind::alltoall: once = [&] { all.alltoall(in.at(0), bytes, out.at(0)); }; break;
    case Kind::alltoallv: once = [&] { all.alltoallv(in_blocks, out_blocks); }; break;
    case Kind::count_: break;
  }
  all.force_algorithms(fmt::format("{}={}", what.collective, what.algorithm));
  auto seconds_of = [&](int calls) {
    all.barrier();
    const std::int64_t begin = now_ns();
    for (int call = 0; call < calls; ++call) once();
    return all.allreduce_max(static_cast<double>(now_ns() - begin) * 1e-9);
  };
  once();  // memory is touched, schedules are made
  int calls = 1;
  double last = seconds_of(calls);
  while (last < batch_seconds && calls < most_calls) {
    calls = std::min(most_calls, std::max(calls * 2, static_cast<int>(calls * batch_seconds / std::max(last, 1e-7))));
    last = seconds_of(calls);
  }
  double best = last / calls;
  for (int batch = 1; batch < batches; ++batch) best = std::min(best, seconds_of(calls) / calls);
  all.force_algorithms(fmt::format("{}=auto", what.collective));
  all.barrier();  // no member reads the buffers any more
  return best;
}

}  // namespace atl::coll
