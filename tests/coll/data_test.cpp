// SPDX-License-Identifier: Apache-2.0
// Collectives that move data: every algorithm, sizes around its borders, private and heap memory mixed.
#include <gtest/gtest.h>

#include "atoll/base/error.hpp"
#include "atoll/runtime/context.hpp"
#include "oracle.hpp"
#include "run_pes.hpp"

namespace atl::coll {
namespace {

using testing::Bytes;
using testing::random_bytes;
using testing::stream;

class Data : public atl::testing::OnPes {};

// Around one cell, the longest small messages, a staging chunk, and two of them.
const std::vector<std::size_t> sizes{0, 1, 8, 120, 121, 240, 241, 1008, 1009, 5000, 65536, 65537, 200003};

// In the heap or not: differs between members, so that all four cases of a long message occur.
bool heap_here(int rank, std::size_t i) { return (static_cast<std::size_t>(rank) + i / 2) % 2 == 0; }

void expect_same(const std::byte* found, const std::vector<std::byte>& wanted, const char* what, std::size_t size) {
  ASSERT_TRUE(wanted.empty() || std::memcmp(found, wanted.data(), wanted.size()) == 0)
      << what << " of " << size << " bytes";
}

TEST_P(Data, BarrierHoldsEverybody) {
  run([](runtime::Context& context) {
    Communicator all(context);
    HeapOffset word = context.allocate_symmetric(8);
    *context.local_pointer<std::uint64_t>(word) = 0;
    all.barrier();
    for (std::uint64_t round = 1; round <= 300; ++round) {
      constexpr const char* how[] = {"barrier=auto",  "barrier=auto",  "barrier=central",
                                     "barrier=tree2", "barrier=tree4", "barrier=tree16"};
      if (round % 50 == 1) all.force_algorithms(how[round / 50]);
      context.fetch_add<std::uint64_t>(PeId(0), word, 1);
      all.barrier();
      EXPECT_EQ(context.fetch<std::uint64_t>(PeId(0), word), round * context.npes());
      all.barrier();
    }
  });
}

TEST_P(Data, Broadcast) {
  run([](runtime::Context& context) {
    Communicator all(context);
    for (const char* how :
         {"broadcast=auto", "broadcast=binomial", "broadcast=flat", "broadcast=scatter_allgather",
          "broadcast=hierarchical", "broadcast=knomial4", "broadcast=binomial_near", "broadcast=pipelined"}) {
      all.force_algorithms(how);
      for (std::size_t i = 0; i < sizes.size() * 2; ++i) {
        std::size_t size = sizes[i / 2];
        int root = static_cast<int>(i) % all.size();
        Bytes buffer(context, size, heap_here(all.rank(), i));
        auto wanted = random_bytes(stream(i, root), size);
        if (all.rank() == root) testing::copy(buffer.data(), wanted.data(), size);
        all.broadcast(buffer.data(), size, root);
        expect_same(buffer.data(), wanted, how, size);
      }
    }
  });
}

TEST_P(Data, BroadcastToAnotherPlace) {
  run([](runtime::Context& context) {
    Communicator all(context);
    for (const char* how :
         {"broadcast=auto", "broadcast=binomial", "broadcast=scatter_allgather", "broadcast=hierarchical"}) {
      all.force_algorithms(how);
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        int root = static_cast<int>(i) % all.size();
        Bytes in(context, sizes[i], heap_here(all.rank(), i)), out(context, sizes[i], heap_here(all.rank(), i + 2));
        auto wanted = random_bytes(stream(i, root), sizes[i]);
        testing::copy(in.data(), wanted.data(), sizes[i]);
        all.broadcast(all.rank() == root ? in.data() : nullptr, out.data(), sizes[i], root);
        expect_same(out.data(), wanted, how, sizes[i]);
        expect_same(in.data(), wanted, how, sizes[i]);
      }
    }
  });
}

TEST_P(Data, GatherAndScatter) {
  run([](runtime::Context& context) {
    Communicator all(context);
    auto n = static_cast<std::size_t>(all.size());
    for (const char* how :
         {"gather=auto,scatter=auto", "gather=binomial,scatter=binomial", "gather=flat,scatter=flat"}) {
      all.force_algorithms(how);
      for (std::size_t i = 0; i < sizes.size() * 2; ++i) {
        std::size_t size = sizes[i / 2];
        int root = static_cast<int>(i) % all.size();
        std::vector<std::byte> everything;
        for (int rank = 0; rank < all.size(); ++rank) {
          auto part = random_bytes(stream(i, rank), size);
          everything.insert(everything.end(), part.begin(), part.end());
        }
        auto own = random_bytes(stream(i, all.rank()), size);
        Bytes one(context, size, heap_here(all.rank(), i)), many(context, size * n, heap_here(all.rank(), i + 2));
        testing::copy(one.data(), own.data(), size);
        all.gather(one.data(), size, all.rank() == root ? many.data() : nullptr, root);
        if (all.rank() == root) expect_same(many.data(), everything, how, size);
        std::memset(one.data(), 0, size);
        all.scatter(all.rank() == root ? many.data() : nullptr, one.data(), size, root);
        expect_same(one.data(), own, how, size);
      }
    }
  });
}

TEST_P(Data, Allgather) {
  run([](runtime::Context& context) {
    Communicator all(context);
    auto n = static_cast<std::size_t>(all.size());
    for (const char* how : {"allgather=auto", "allgather=flat", "allgather=bruck", "allgather=ring",
                            "allgather=hierarchical", "allgather=columns", "allgather=neighbour"}) {
      all.force_algorithms(how);
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        std::vector<std::byte> everything;
        for (int rank = 0; rank < all.size(); ++rank) {
          auto part = random_bytes(stream(i, rank), sizes[i]);
          everything.insert(everything.end(), part.begin(), part.end());
        }
        Bytes in(context, sizes[i], heap_here(all.rank(), i)), out(context, sizes[i] * n, heap_here(all.rank(), i / 2));
        testing::copy(in.data(), everything.data() + sizes[i] * static_cast<std::size_t>(all.rank()), sizes[i]);
        all.allgather(in.data(), sizes[i], out.data());
        expect_same(out.data(), everything, how, sizes[i]);
      }
    }
  });
}

TEST_P(Data, Alltoall) {
  run([](runtime::Context& context) {
    Communicator all(context);
    auto n = static_cast<std::size_t>(all.size());
    for (const char* how : {"alltoall=auto", "alltoall=flat", "alltoall=bruck", "alltoall=pairwise",
                            "alltoall=hierarchical", "alltoall=window2", "alltoall=window8"}) {
      all.force_algorithms(how);
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        std::size_t size = sizes[i];
        Bytes in(context, size * n, heap_here(all.rank(), i)), out(context, size * n, heap_here(all.rank(), i / 2));
        std::vector<std::byte> wanted;
        for (int rank = 0; rank < all.size(); ++rank) {
          auto give = random_bytes(stream(i, all.rank() * 1000 + rank), size);
          testing::copy(in.data() + size * static_cast<std::size_t>(rank), give.data(), size);
          auto take = random_bytes(stream(i, rank * 1000 + all.rank()), size);
          wanted.insert(wanted.end(), take.begin(), take.end());
        }
        all.alltoall(in.data(), size, out.data());
        expect_same(out.data(), wanted, how, size);
      }
    }
  });
}

TEST_P(Data, FormsWithBlocks) {
  run([](runtime::Context& context) {
    Communicator all(context);
    int n = all.size();
    std::uint64_t seed = 20131;
    for (const char* how : {"alltoallv=auto,allgatherv=auto", "alltoallv=flat,allgatherv=flat",
                            "alltoallv=pairwise,allgatherv=ring", "alltoallv=window2", "alltoallv=window8",
                            "allgatherv=hierarchical,gatherv=hierarchical,scatterv=hierarchical", "allgatherv=columns",
                            "alltoallv=hierarchical"}) {
      all.force_algorithms(how);
      for (std::uint64_t round = 0; round < 8; ++round) {
        auto bytes_between = [&](int from, int to) {
          return sizes[random_bits(seed + round, static_cast<std::uint64_t>(from * 100 + to)) % sizes.size()];
        };
        auto content = [&](int from, int to) {
          return random_bytes(stream(round, from * 100 + to), bytes_between(from, to));
        };
        std::vector<std::unique_ptr<Bytes>> in, out;
        std::vector<ConstBlock> give;
        std::vector<Block> take;
        for (int other = 0; other < n; ++other) {
          auto data = content(all.rank(), other);
          in.push_back(std::make_unique<Bytes>(context, data.size(), heap_here(other + all.rank(), round)));
          testing::copy(in.back()->data(), data.data(), data.size());
          out.push_back(
              std::make_unique<Bytes>(context, bytes_between(other, all.rank()), heap_here(other, round + 2)));
          give.push_back({in.back()->data(), in.back()->size()});
          take.push_back({out.back()->data(), out.back()->size()});
        }
        all.alltoallv(give, take);
        for (int other = 0; other < n; ++other)
          expect_same(out[static_cast<std::size_t>(other)]->data(), content(other, all.rank()), how, round);

        // The same blocks for the others: what member m gives everybody is content(m, 0), …
        int root = static_cast<int>(round) % n;
        std::vector<std::unique_ptr<Bytes>> gathered;
        std::vector<Block> into;
        for (int other = 0; other < n; ++other) {
          gathered.push_back(std::make_unique<Bytes>(context, bytes_between(other, 0), heap_here(other, round)));
          into.push_back({gathered.back()->data(), gathered.back()->size()});
        }
        all.allgatherv(in[0]->data(), in[0]->size(), into);
        for (int other = 0; other < n; ++other)
          expect_same(gathered[static_cast<std::size_t>(other)]->data(), content(other, 0), how, round);
        for (auto& one : gathered) std::memset(one->data(), 0, one->size());
        all.gatherv(in[0]->data(), in[0]->size(), into, root);
        if (all.rank() == root)
          for (int other = 0; other < n; ++other)
            expect_same(gathered[static_cast<std::size_t>(other)]->data(), content(other, 0), how, round);
        auto& mine = *out[static_cast<std::size_t>(root)];
        std::memset(mine.data(), 0, mine.size());
        all.scatterv(give, mine.data(), mine.size(), root);
        expect_same(mine.data(), content(root, all.rank()), how, round);
      }
    }
  });
}

TEST_P(Data, PreparedOnesRunAgainAndAgain) {
  run([](runtime::Context& context) {
    Communicator all(context);
    const int n = all.size(), rank = all.rank();
    for (std::size_t count : {1, 300, 20000}) {
      const std::size_t bytes = count * 8;
      Bytes value(context, bytes, true), in(context, bytes * static_cast<std::size_t>(n), rank % 2 == 0),
          out(context, bytes * static_cast<std::size_t>(n), rank % 3 == 0), sum(context, bytes, true),
          before(context, bytes, false);
      std::vector<ConstBlock> give;
      std::vector<Block> take;
      for (int other = 0; other < n; ++other) {
        give.push_back({in.data() + bytes * static_cast<std::size_t>(other), bytes});
        take.push_back({out.data() + bytes * static_cast<std::size_t>(other), bytes});
      }
      const Reduction add(Type::u64, Op::sum);
      const int root = n - 1;
      Persistent barrier = all.barrier_init(), broadcast = all.broadcast_init(value.data(), bytes, root),
                 allreduce = all.allreduce_init(in.data(), sum.data(), count, add),
                 reduce = all.reduce_init(in.data(), sum.data(), count, add, root),
                 scan = all.scan_init(in.data(), sum.data(), count, add),
                 exscan = all.exscan_init(in.data(), before.data(), count, add),
                 gather = all.gather_init(value.data(), bytes, out.data(), root),
                 gatherv = all.gatherv_init(value.data(), bytes, take, root),
                 scatter = all.scatter_init(in.data(), sum.data(), bytes, root),
                 scatterv = all.scatterv_init(give, sum.data(), bytes, root),
                 allgather = all.allgather_init(value.data(), bytes, out.data()),
                 allgatherv = all.allgatherv_init(value.data(), bytes, take),
                 alltoall = all.alltoall_init(in.data(), bytes, out.data()), alltoallv = all.alltoallv_init(give, take);
      std::fill(give.begin(), give.end(), ConstBlock{});  // lists were for the call
      std::fill(take.begin(), take.end(), Block{});
      auto block = [&](Bytes& data, int member) {
        return data.as<std::uint64_t>() + count * static_cast<std::size_t>(member);
      };
      for (std::uint64_t round = 1; round <= 3; ++round) {
        auto fill = [&](std::uint64_t* data, std::uint64_t number) { std::fill(data, data + count, number * round); };
        auto expect = [&](const std::uint64_t* data, std::uint64_t number, const char* what) {
          for (std::size_t i = 0; i < count; ++i)
            ASSERT_EQ(data[i], number * round) << what << " of " << count << ", round " << round;
        };
        auto one = static_cast<std::uint64_t>(rank + 1);
        auto all_of = static_cast<std::uint64_t>(n * (n + 1) / 2);
        fill(value.as<std::uint64_t>(), one);
        for (int other = 0; other < n; ++other) fill(block(in, other), one * 100 + static_cast<std::uint64_t>(other));
        barrier.start().wait();
        auto expect_out = [&](auto&& number, const char* what) {
          for (int other = 0; other < n; ++other) {
            expect(block(out, other), number(static_cast<std::uint64_t>(other)), what);
            fill(block(out, other), 0);
          }
        };
        auto from_all = [](std::uint64_t other) { return other + 1; };
        for (Persistent* each : {&gather, &gatherv}) {
          each->start().wait();
          if (rank == root) expect_out(from_all, "gather");
        }
        for (Persistent* each : {&allgather, &allgatherv}) {
          each->start().wait();
          expect_out(from_all, "allgather");
        }
        for (Persistent* each : {&alltoall, &alltoallv}) {
          each->start().wait();
          expect_out([&](std::uint64_t other) { return (other + 1) * 100 + one - 1; }, "alltoall");
        }
        for (Persistent* each : {&scatter, &scatterv}) {
          each->start().wait();
          expect(sum.as<std::uint64_t>(), static_cast<std::uint64_t>(n) * 100 + one - 1, "scatter");
          fill(sum.as<std::uint64_t>(), 0);
        }
        allreduce.start().wait();
        expect(sum.as<std::uint64_t>(), all_of * 100, "allreduce");
        scan.start().wait();
        expect(sum.as<std::uint64_t>(), one * (one + 1) / 2 * 100, "scan");
        exscan.start().wait();
        expect(before.as<std::uint64_t>(), one * (one - 1) / 2 * 100, "exscan");
        fill(sum.as<std::uint64_t>(), 0);
        reduce.start().wait();
        if (rank == root) expect(sum.as<std::uint64_t>(), all_of * 100, "reduce");
        Request request = broadcast.start();
        request.wait();
        expect(value.as<std::uint64_t>(), static_cast<std::uint64_t>(n), "broadcast");
      }
    }
    EXPECT_THROW((void)Persistent().start(), ValueError);
  });
}

TEST_P(Data, Conveniences) {
  run([](runtime::Context& context) {
    Communicator all(context);
    int n = all.size(), rank = all.rank();
    EXPECT_EQ(all.allreduce_sum(rank + 1), n * (n + 1) / 2);
    EXPECT_EQ(all.allreduce_max(2.5 * rank), 2.5 * (n - 1));
    EXPECT_EQ(all.allreduce_min(static_cast<std::uint8_t>(rank + 3)), 3);
    EXPECT_TRUE(all.any(rank == n - 1));
    EXPECT_EQ(all.all(rank == 0), n == 1);
    EXPECT_EQ(all.exscan_sum(std::int64_t{rank}), std::int64_t{rank} * (rank - 1) / 2);
    EXPECT_EQ(all.broadcast_value(rank * 10, n - 1), (n - 1) * 10);
    auto ranks = all.allgather(rank);
    ASSERT_EQ(ranks.size(), static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) EXPECT_EQ(ranks[static_cast<std::size_t>(i)], i);
    std::vector<int> own(static_cast<std::size_t>(rank) * 300, rank);
    std::vector<std::size_t> counts;
    auto joined = all.allgatherv(std::span<const int>(own), &counts);
    std::size_t at = 0;
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(counts[static_cast<std::size_t>(i)], static_cast<std::size_t>(i) * 300);
      for (std::size_t k = 0; k < counts[static_cast<std::size_t>(i)]; ++k) ASSERT_EQ(joined[at++], i);
    }
    EXPECT_EQ(at, joined.size());
    EXPECT_EQ(all.broadcast_text(rank == 0 ? "a lagoon" : "", 0), "a lagoon");
    EXPECT_EQ(all.broadcast_bytes(std::vector<std::byte>(rank == n - 1 ? 100000 : 5, std::byte{7}), n - 1).size(),
              100000u);
    std::vector<int> give;
    for (int i = 0; i < n; ++i) give.push_back(rank * 100 + i);
    auto got = all.alltoall(give);
    for (int i = 0; i < n; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], i * 100 + rank);
    EXPECT_EQ(all.gather(rank, n - 1).size(), rank == n - 1 ? static_cast<std::size_t>(n) : 0u);
  });
}

TEST_P(Data, ExposedMemoryIsReadInPlace) {
  run([](runtime::Context& context) {
    Communicator all(context);
    // A different number of blocks before it on every PE, so that offsets differ.
    std::vector<std::unique_ptr<Bytes>> padding;
    for (int i = 0; i < all.rank(); ++i) padding.push_back(std::make_unique<Bytes>(context, 100, true));
    Bytes mine(context, 800, true);
    for (int i = 0; i < 100; ++i) mine.as<std::int64_t>()[i] = all.rank() * 1000 + i;
    auto table = all.expose(mine.as<const std::int64_t>());
    EXPECT_EQ(table.all_mapped(), context.job().nodes() == 1);
    for (int rank = 0; rank < all.size(); ++rank) {
      const auto* theirs = table[static_cast<std::size_t>(rank)];
      std::int64_t fetched[100];
      context.get(fetched, all.pe(rank), table.offset(static_cast<std::size_t>(rank)), sizeof(fetched));
      EXPECT_EQ(theirs != nullptr, context.job().is_local(all.pe(rank)));
      for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(fetched[i], rank * 1000 + i);
        if (theirs != nullptr) { EXPECT_EQ(theirs[i], rank * 1000 + i); }
      }
    }
    std::int64_t on_the_stack = 5;
    auto unmapped = all.expose(&on_the_stack);
    for (int rank = 0; rank < all.size(); ++rank)
      EXPECT_EQ(unmapped[static_cast<std::size_t>(rank)], rank == all.rank() ? &on_the_stack : nullptr);
    all.barrier();
  });
}

TEST_P(Data, SubTeams) {
  run([](runtime::Context& context) {
    Communicator all(context);
    for (int parts : {1, 2, 3}) {
      // Reversed, so that ranks differ from the order of PEs.
      Communicator part(all, all.rank() % parts, -all.rank());
      int members = (all.size() - all.rank() % parts + parts - 1) / parts;
      ASSERT_EQ(part.size(), members);
      auto pes = part.allgather(all.rank());
      for (std::size_t i = 0; i < pes.size(); ++i) {
        EXPECT_EQ(pes[i], (members - 1 - static_cast<int>(i)) * parts + all.rank() % parts);
        EXPECT_EQ(part.pe(static_cast<int>(i)).value(), static_cast<std::uint32_t>(pes[i]));
      }
      for (int i = 0; i < 100; ++i) EXPECT_EQ(part.allreduce_sum(1), members);
      EXPECT_EQ(all.allreduce_sum(1), all.size());
    }
  });
}

ATOLL_ON_PES(Data);

}  // namespace
}  // namespace atl::coll
