// SPDX-License-Identifier: Apache-2.0
// Collectives of two levels on nodes of different size: the right answer, the documented order of evaluation, and no
// more messages between nodes than there would be with one PE on each.
#include <gtest/gtest.h>

#include <bit>

#include "atoll/runtime/context.hpp"
#include "oracle.hpp"
#include "run_pes.hpp"

namespace atl::coll {
namespace {

using testing::evaluate_tree;

/// Counts what a node sends: puts with a signal, and words.
class CountingPath final : public atl::testing::CopyPath {
 public:
  CountingPath(std::vector<fabric::Job*> jobs, std::uint32_t node, std::atomic<int>& messages)
      : CopyPath(std::move(jobs), node), messages_(messages) {}
  void put_signal(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal, std::uint64_t value,
                  fabric::AtomicOp how) override {
    ++messages_;
    CopyPath::put(pe, to, from, bytes);
    (void)CopyPath::atomic(how, 8, pe, signal, value, 0);
  }
  void update(fabric::AtomicOp op, unsigned width, PeId pe, HeapOffset where, std::uint64_t operand) override {
    ++messages_;
    (void)CopyPath::atomic(op, width, pe, where, operand, 0);
  }

 private:
  std::atomic<int>& messages_;
};

struct Nodes {
  explicit Nodes(std::vector<std::uint32_t> node_of_pe) : node_of(std::move(node_of_pe)) {
    for (std::uint32_t node : node_of) count = std::max(count, node + 1);
  }
  /// Rounds in which news of one node can reach all.
  int rounds() const { return static_cast<int>(std::bit_width(count - 1)); }
  std::vector<std::uint32_t> node_of;
  std::uint32_t count = 0;
};

class Hierarchical : public ::testing::TestWithParam<std::vector<std::uint32_t>> {
 protected:
  Nodes nodes{GetParam()};
  std::vector<std::atomic<int>> messages = std::vector<std::atomic<int>>(nodes.count);

  void run(const atl::testing::Body& body) {
    atl::testing::RunOptions options;
    const auto npes = static_cast<std::uint32_t>(nodes.node_of.size());
    fabric::JobOptions one = atl::testing::job_options(npes, options);
    one.node_of_pe = nodes.node_of;
    atl::testing::LinkedJobs jobs;
    std::vector<fabric::Job*> plain;
    for (one.node = 0; one.node < nodes.count; ++one.node) {
      jobs.push_back(fabric::Job::create_loop(one));
      plain.push_back(jobs.back().get());
    }
    for (std::uint32_t node = 0; node < nodes.count; ++node)
      jobs[node]->connect(std::make_unique<CountingPath>(plain, node, messages[node]));
    atl::testing::run_threads(jobs, body, options);
  }

  /// Runs `once` on all PEs and returns how many messages this node has sent to others for it.
  template <class Once>
  int count_messages(runtime::Context& context, Once&& once) {
    const int barriers = count_with_barriers(context, [] {});
    return count_with_barriers(context, once) - barriers;
  }
  template <class Once>
  int count_with_barriers(runtime::Context& context, Once&& once) {
    const std::atomic<int>& sent = messages[context.job().node()];
    context.barrier();
    const int before = sent;
    context.barrier();
    once();
    context.barrier();
    const int after = sent;
    context.barrier();
    return after - before;
  }
};

constexpr const char* forced =
    "barrier=hierarchical,broadcast=hierarchical,allreduce=hierarchical,allgather=hierarchical,allgatherv=hierarchical,"
    "alltoall=hierarchical,reduce=hierarchical,scatter=hierarchical,gatherv=hierarchical,scatterv=hierarchical,alltoallv=hierarchical";

TEST_P(Hierarchical, MovesTheRightBytes) {
  run([](runtime::Context& context) {
    Communicator all(context);
    all.force_algorithms(forced);
    const int n = all.size(), rank = all.rank();
    const auto members = static_cast<std::size_t>(n);
    for (std::size_t size : {0, 1, 8, 57, 1009, 5000, 70001}) {
      auto expect_block = [&](const testing::Bytes& bytes, int block, const std::vector<std::byte>& wanted,
                              const char* what) {
        const std::byte* found = bytes.data() + static_cast<std::size_t>(block) * size;
        ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), found)) << what << " of " << size << " bytes";
      };
      auto piece = [&](int from, int to) {
        return testing::random_bytes(testing::stream(size, from * 100 + to), size);
      };
      for (int root = 0; root < n; ++root) {
        testing::Bytes buffer(context, size, (rank + root) % 2 == 0);
        const auto wanted = piece(root, 99);
        if (rank == root) testing::copy(buffer.data(), wanted.data(), size);
        all.broadcast(buffer.data(), size, root);
        expect_block(buffer, 0, wanted, "broadcast");
      }
      testing::Bytes in(context, size * members, rank % 2 == 0), out(context, size * members, rank % 3 == 0);
      for (int to = 0; to < n; ++to)
        testing::copy(in.data() + static_cast<std::size_t>(to) * size, piece(rank, to).data(), size);
      all.alltoall(in.data(), size, out.data());
      for (int from = 0; from < n; ++from) expect_block(out, from, piece(from, rank), "alltoall");
      all.allgather(in.data(), size, out.data());
      for (int from = 0; from < n; ++from) expect_block(out, from, piece(from, 0), "allgather");
      for (int root = 0; root < n; ++root) {
        testing::Bytes own(context, size, (rank + root) % 2 == 0);
        all.scatter(in.data(), own.data(), size, root);
        expect_block(own, 0, piece(root, rank), "scatter");
      }
    }
    // Blocks of any size, some empty.
    auto size_of = [](int from, int to) { return static_cast<std::size_t>((from * 7 + to * 3) % 5) * 431; };
    auto content = [&](int from, int to) {
      return testing::random_bytes(testing::stream(77, from * 100 + to), size_of(from, to));
    };
    std::vector<std::vector<std::byte>> give(members), take(members);
    std::vector<ConstBlock> give_blocks;
    std::vector<Block> take_blocks;
    for (int other = 0; other < n; ++other) {
      auto& in = give[static_cast<std::size_t>(other)] = content(rank, other);
      auto& out = take[static_cast<std::size_t>(other)];
      out.resize(size_of(other, rank));
      give_blocks.push_back({in.data(), in.size()});
      take_blocks.push_back({out.data(), out.size()});
    }
    all.alltoallv(give_blocks, take_blocks);
    for (int other = 0; other < n; ++other)
      EXPECT_EQ(take[static_cast<std::size_t>(other)], content(other, rank)) << "alltoallv";
    for (int root = 0; root < n; ++root) {
      std::vector<std::byte> mine(size_of(root, rank));
      all.scatterv(give_blocks, mine.data(), mine.size(), root);
      EXPECT_EQ(mine, content(root, rank)) << "scatterv";
      std::vector<std::vector<std::byte>> gathered(members);
      std::vector<Block> into;
      for (int other = 0; other < n; ++other) {
        auto& block = gathered[static_cast<std::size_t>(other)];
        block.resize(size_of(other, root));
        into.push_back({block.data(), block.size()});
      }
      const auto own_block = content(rank, root);
      all.gatherv(own_block.data(), own_block.size(), into, root);
      for (int other = 0; rank == root && other < n; ++other)
        EXPECT_EQ(gathered[static_cast<std::size_t>(other)], content(other, root)) << "gatherv";
    }
    std::vector<int> own(static_cast<std::size_t>(rank) * 301, rank);
    std::vector<int> wanted;
    for (int from = 0; from < n; ++from) wanted.insert(wanted.end(), static_cast<std::size_t>(from) * 301, from);
    EXPECT_EQ(all.allgatherv(std::span<const int>(own)), wanted);
  });
}

TEST_P(Hierarchical, ColumnsMoveTheRightBytes) {
  run([](runtime::Context& context) {
    Communicator all(context);
    all.force_algorithms("allgather=columns,allgatherv=columns");
    const int n = all.size(), rank = all.rank();
    for (std::size_t size : {0, 1, 57, 1009, 70001, 300000}) {
      auto block = [&](int from) { return testing::random_bytes(testing::stream(size, from), size); };
      for (bool symmetric : {false, true}) {
        testing::Bytes in(context, size, rank % 2 == 0), out(context, size * static_cast<std::size_t>(n), symmetric);
        testing::copy(in.data(), block(rank).data(), size);
        all.allgather(in.data(), size, out.data());
        for (int from = 0; from < n; ++from) {
          const std::byte* found = out.data() + static_cast<std::size_t>(from) * size;
          const auto wanted = block(from);
          ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), found)) << size << " bytes of " << from;
        }
      }
    }
    // Some give nothing.
    auto count_of = [](int from) { return static_cast<std::size_t>(from % 3) * 4001; };
    std::vector<int> wanted;
    for (int from = 0; from < n; ++from) wanted.insert(wanted.end(), count_of(from), from);
    EXPECT_EQ(all.allgatherv(std::span<const int>(std::vector<int>(count_of(rank), rank))), wanted);
  });
}

TEST_P(Hierarchical, ReducesInTheOrderOfRanks) {
  run([](runtime::Context& context) {
    Communicator all(context);
    all.force_algorithms(forced);
    for (std::size_t count : {1, 5, 200, 9000}) {
      auto input = [&](int rank) {
        std::vector<double> values(count);
        testing::fill_values(values.data(), testing::stream(count, rank), count);
        return values;
      };
      std::vector<double> in = input(all.rank()), out(count), wanted(count);
      std::vector<std::vector<double>> inputs;
      for (int rank = 0; rank < all.size(); ++rank) inputs.push_back(input(rank));
      for (std::size_t i = 0; i < count; ++i) {
        std::vector<double> column;
        for (const auto& values : inputs) column.push_back(values[i]);
        wanted[i] = evaluate_tree(column, [](double a, double b) { return a + b; });
      }
      all.allreduce(in.data(), out.data(), count, reduction_of<double>(Op::sum));
      ASSERT_EQ(std::memcmp(out.data(), wanted.data(), count * sizeof(double)), 0) << count;
      const int root = static_cast<int>(count) % all.size();
      out.assign(count, 0);
      all.reduce(in.data(), out.data(), count, reduction_of<double>(Op::sum), root);
      if (all.rank() == root) { ASSERT_EQ(std::memcmp(out.data(), wanted.data(), count * sizeof(double)), 0) << count; }
      all.allreduce(in.data(), in.data(), count, reduction_of<double>(Op::sum));
      ASSERT_EQ(std::memcmp(in.data(), wanted.data(), count * sizeof(double)), 0) << count << ", in place";
    }
  });
}

TEST_P(Hierarchical, BarrierHoldsEverybody) {
  run([](runtime::Context& context) {
    Communicator all(context);
    all.force_algorithms(forced);
    HeapOffset word = context.allocate_symmetric(8);
    *context.local_pointer<std::uint64_t>(word) = 0;
    all.barrier();
    for (std::uint64_t round = 1; round <= 100; ++round) {
      context.fetch_add<std::uint64_t>(PeId(0), word, 1);
      all.barrier();
      EXPECT_EQ(context.fetch<std::uint64_t>(PeId(0), word), round * context.npes());
      all.barrier();
    }
  });
}

TEST_P(Hierarchical, SendsOneMessagePerNodeAndRound) {
  run([this](runtime::Context& context) {
    Communicator all(context);
    // With one PE per node, or one node, one level is chosen by itself.
    if (nodes.count == 1 || all.size() == static_cast<int>(nodes.count)) all.force_algorithms(forced);
    const int rounds = nodes.rounds();
    double value = all.rank(), sum = 0;
    std::vector<char> bytes(static_cast<std::size_t>(all.size())), received(bytes.size());
    std::vector<ConstBlock> give;
    std::vector<Block> take;
    for (std::size_t i = 0; i < bytes.size(); ++i) give.push_back({&bytes[i], 1}), take.push_back({&received[i], 1});
    std::vector<char> long_bytes(bytes.size() * 300), long_received(long_bytes.size());
    std::vector<ConstBlock> long_give;
    std::vector<Block> long_take;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      long_give.push_back({&long_bytes[i * 300], 300}), long_take.push_back({&long_received[i * 300], 300});
    // Messages between any two members: from then on they know where to write, and no ring has to grow.
    auto prepare = [&](Communicator& members) {
      members.ialltoallv(long_give, long_take).wait();
      members.ialltoallv(give, take).wait();
    };
    prepare(all);
    EXPECT_EQ(count_messages(context, [&] { all.barrier(); }), rounds);
    EXPECT_LE(count_messages(context, [&] { all.broadcast(&value, 8, 0); }), rounds);
    EXPECT_EQ(count_messages(context, [&] { all.allreduce(&value, &sum, 1, reduction_of<double>(Op::sum)); }), rounds);
    EXPECT_LE(count_messages(context, [&] { all.reduce(&value, &sum, 1, reduction_of<double>(Op::sum), 0); }), 1);
    // In communicators of their own, so that no credits are due.
    Communicator blocks(all, 0);
    if (nodes.count == 1 || all.size() == static_cast<int>(nodes.count)) blocks.force_algorithms(forced);
    prepare(blocks);
    EXPECT_EQ(count_messages(context, [&] { blocks.allgather(bytes.data(), 1, received.data()); }), rounds);
    EXPECT_EQ(count_messages(context, [&] { blocks.alltoall(bytes.data(), 1, received.data()); }), rounds);
    // What is this short goes straight, by itself.
    Communicator lists(all, 0);
    prepare(lists);
    lists.force_algorithms(forced);
    // Lists: sizes stay inside the node; then one message to each other node.
    const int others = static_cast<int>(nodes.count) - 1;
    EXPECT_EQ(count_messages(context, [&] { lists.alltoallv(give, take); }), others);
    EXPECT_LE(count_messages(context, [&] { lists.gatherv(bytes.data(), 1, take, 0); }), 1);
    EXPECT_LE(count_messages(context, [&] { lists.scatterv(give, received.data(), 1, 0); }), others);
    EXPECT_LE(count_messages(context, [&] { lists.scatter(bytes.data(), received.data(), 1, 0); }), rounds);
  });
}

using NodeOfPe = std::vector<std::uint32_t>;
INSTANTIATE_TEST_SUITE_P(Nodes, Hierarchical,
                         ::testing::Values(NodeOfPe{0, 0, 0}, NodeOfPe{0, 1, 2}, NodeOfPe{0, 0, 1, 1},
                                           NodeOfPe{0, 1, 1, 2, 2, 2}, NodeOfPe{0, 1, 2, 1, 2, 2},
                                           NodeOfPe{2, 0, 1, 0, 2}, NodeOfPe{0, 0, 0, 0, 0, 1, 2},
                                           NodeOfPe{0, 0, 1, 2, 2, 3, 3, 3, 4}));

}  // namespace
}  // namespace atl::coll
