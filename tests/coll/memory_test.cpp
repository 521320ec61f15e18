// SPDX-License-Identifier: Apache-2.0
// How much memory a communicator takes: when it has not been used, and after short operations.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "atoll/coll/collectives.hpp"
#include "atoll/fabric/simulated.hpp"
#include "atoll/runtime/context.hpp"

namespace atl::coll {
namespace {

enum class Use { none, short_operations };

// What each process does once in most programs. Several of each: rings that have been filled grow.
void use(Communicator& one) {
  for (int i = 0; i < 2; ++i) {
    double value = i;
    one.barrier();
    one.broadcast(&value, sizeof(value), 0);
    double sum = 0;
    one.allreduce(&value, &sum, 1, Reduction(Type::f64, Op::sum));
    EXPECT_EQ(sum, i * one.size());
  }
}

// What `count` communicators of all PEs take of each PE, in the heap and outside of it, per communicator.
double bytes_each(std::uint32_t pes, std::uint32_t pes_per_node, Use how = Use::none) {
  fabric::SimulatedOptions options;
  options.job = {.npes = pes, .segment_bytes = std::uint64_t{4} << 20};
  options.job.threads_per_pe = 1;
  for (std::uint32_t pe = 0; pe < pes; ++pe) options.job.node_of_pe.push_back(pe / pes_per_node);
  fabric::Simulated simulated(options, std::make_unique<fabric::UniformWire>(100'000, 1'000'000, 1000));
  constexpr int count = 4;
  std::uint64_t heaps = 0, arrived = 0, ended = 0;
  std::size_t before = 0, after = 0;
  simulated.run([&](const std::shared_ptr<fabric::Job>& job, PeId pe) {
    runtime::Context context(job, pe, {.threads = 1, .memory_limit_bytes = std::uint64_t{4} << 20});
    Communicator all(context);
    auto split = [&] { return std::make_unique<Communicator>(all, 0); };
    std::unique_ptr<Communicator> first = split();  // what `all` needs for that is there from now on
    all.barrier();
    all.barrier();
    if (arrived++ == 0) before = mallinfo2().uordblks;
    all.barrier();
    const std::uint64_t heap = context.heap().stats().in_use_bytes;
    std::vector<std::unique_ptr<Communicator>> made;
    for (int i = 0; i < count; ++i) made.push_back(split());
    if (how != Use::none)
      for (auto& one : made) use(*one);
    all.barrier();
    heaps += context.heap().stats().in_use_bytes - heap;
    all.barrier();
    if (ended++ == 0) after = mallinfo2().uordblks;
    all.barrier();
    for (auto& one : made) one->close();
    first->close();
    context.wait(
        [&] { return first->all_closed() && std::ranges::all_of(made, [](auto& one) { return one->all_closed(); }); });
  });
  return static_cast<double>(heaps + after - before) / count / pes;
}

// Of 12 KiB that an MPI communicator may take with its mailboxes, pages and matching.
TEST(Memory, OfACommunicatorOfFewIsSmall) {
  EXPECT_LE(bytes_each(8, 8), 3 * 1024);
  EXPECT_LE(bytes_each(16, 4), 3 * 1024);
}

TEST(Memory, OfAUsedCommunicatorOfFewIsSmall) {
  EXPECT_LE(bytes_each(8, 8, Use::short_operations), 6 * 1024);
  EXPECT_LE(bytes_each(16, 4, Use::short_operations), 6 * 1024);
}

// 4 KiB, and 64 bytes of each member.
void expect_little(std::uint32_t pes, std::uint32_t pes_per_node, Use how = Use::none) {
  const double bytes = bytes_each(pes, pes_per_node, how);
  ::testing::Test::RecordProperty("bytes", static_cast<int>(bytes));
  EXPECT_LE(bytes, 4096 + 64 * pes);
}

TEST(Memory, OfACommunicatorGrowsBy64BytesPerMember) { expect_little(128, 16); }
TEST(Memory, OfAUsedCommunicatorOf128IsSmall) { EXPECT_LE(bytes_each(128, 16, Use::short_operations), 16 * 1024); }
TEST(MemorySlow, OfACommunicatorOf1024GrowsBy64BytesPerMember) { expect_little(1024, 16); }
TEST(MemorySlow, OfAUsedCommunicatorOf1024GrowsBy64BytesPerMember) { expect_little(1024, 16, Use::short_operations); }

}  // namespace
}  // namespace atl::coll
